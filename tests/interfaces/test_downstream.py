"""Trials on the command line."""

import json

from click.testing import CliRunner

from skillmill.interfaces.cli import main


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_trials_come_in_are_scored_shown_and_go_out(tmp_path):
    run = CliRunner().invoke
    rows = [
        {"benchmark": "b", "task": task, "method": method, "backbone": "m",
         "attempt": 1, "state": state, "seconds": float(n), "stratum": "easy"}
        for n, (task, method, state) in enumerate(
            [("t1", "trace", "success"), ("t2", "trace", "failure"),
             ("t1", "gos", "failure"), ("t2", "gos", "error")]
        )
    ]  # fmt: skip
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, [*rows, {"task": 1}])))
    records = ["--records", str(tmp_path / "records"), "--study", "s"]
    results = ["--results", str(tmp_path / "results")]
    done = run(main, ["downstream", "import", str(path), *records])
    assert done.exit_code == 0, done.stderr
    assert "5 found, 4 loaded, 0 with warnings, 1 failed" in done.stderr
    assert "4 trials added" in done.stderr
    again = run(main, ["downstream", "import", str(path), *records])
    assert "0 trials added, 4 were there" in again.stderr

    scored = run(main, ["downstream", "score", "--json", *records, *results])
    assert scored.exit_code == 0, scored.stderr
    shown = run(main, ["show", "scores", "--study", "s", "--json", *results])
    assert shown.stdout == scored.stdout
    found = {
        (r["arm"], r["metric"]): r["value"]
        for r in lines(scored.stdout) if r["category"] == "all"
    }  # fmt: skip
    assert found["trace@m", "success"] == 0.5
    assert found["gos@m", "infrastructure"] == 0.5
    assert found["gos@m - trace@m", "success_difference"] == -0.5

    for table in ("success", "backbones", "strata", "domains", "costs", "time"):
        done = run(main, ["downstream", "show", "--table", table, "--json", *records])
        assert done.exit_code == 0, done.stderr
        assert {row["method"] for row in lines(done.stdout)} == {"gos", "trace"}
        plain = run(main, ["downstream", "show", "--table", table, *records])
        assert "trace" in plain.stdout

    out = run(main, ["downstream", "export", *records])
    assert sorted(map(str, lines(out.stdout))) == sorted(map(str, rows))


def test_refusals_are_one_sentence_and_name_the_way_out(tmp_path):
    run = CliRunner().invoke
    records = ["--records", str(tmp_path / "records")]
    done = run(main, ["downstream", "show", "--study", "no", *records])
    assert (done.exit_code, done.stderr.count("\n")) == (3, 1)
    assert "skillmill downstream import" in done.stderr
    path = tmp_path / "runs.jsonl"
    path.write_text('{"task": "t"}')
    done = run(main, ["downstream", "import", str(path), "--study", "s", *records])
    assert done.exit_code == 3
    assert "none of 1 rows is a trial; the first:" in done.stderr
    assert not (tmp_path / "records").exists()
