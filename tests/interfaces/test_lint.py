import json
import os

import pytest
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from skillmill.interfaces.lint import sarif

GOOD = (
    "---\nname: good\ndescription: Reads a file and says what it holds.\n---\n# Good\n"
)


@pytest.fixture
def root(tmp_path):
    for name, text in {
        "good": GOOD,
        "colon": "---\nname: colon\ndescription: use it: now, with care\n---\nx\n",
        "advice": GOOD.replace("good", "advice") + "\n<!-- hidden -->\n",
        "broken": b"\x00\xff\x00\xff",
    }.items():
        (tmp_path / name).mkdir()
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name / "SKILL.md").write_bytes(data)
    return tmp_path


def lint(root, *options):
    return CliRunner().invoke(main, ["lint", str(root), *options])


def test_text_has_file_line_severity_message_and_code(root):
    done = lint(root)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert any(line.startswith("advice/SKILL.md:7: info: ") for line in lines)
    assert any(line.startswith("broken/SKILL.md:1: failed: ") for line in lines)
    assert any(line.startswith("colon/SKILL.md:3: warning: ") for line in lines)
    assert "4 found: 2 loaded, 1 with warnings, 1 failed" in done.stderr


def test_rows_and_text_say_the_same(root):
    rows = [
        json.loads(line)
        for line in lint(root, "--format", "jsonl").stdout.split("\n")
        if line
    ]
    assert rows == [json.loads(x) for x in lint(root, "--json").stdout.splitlines()]
    assert [r["severity"] for r in rows] == ["info", "failed", "warning"]
    assert set(rows[0]) == {"file", "line", "record", "severity", "code", "message"}


def test_a_folder_whose_stored_name_is_not_its_name_on_disk_is_linted_too(tmp_path):
    for raw in ("e\u0301tude".encode(), b"raw\xff"):
        folder = os.fsencode(tmp_path) + b"/" + raw
        os.mkdir(folder)
        with open(folder + b"/SKILL.md", "w") as file:
            file.write(f"{GOOD}{raw!r} <!-- hidden -->\n")
    done = lint(tmp_path, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    advised = [row["file"] for row in rows if row["code"] == "html-comment"]
    assert advised == ["raw\ufffd/SKILL.md", "\u00e9tude/SKILL.md"]


def test_a_folder_name_cannot_steer_the_terminal_or_begin_a_line_u53(tmp_path):
    folder = tmp_path / "a\x1b[2Jb\nc"
    folder.mkdir()
    (folder / "SKILL.md").write_text(GOOD + "<!-- hidden -->\n")
    (said,) = lint(tmp_path).stdout.splitlines()
    assert said.startswith("a⟨U+001B⟩[2Jb⟨U+000A⟩c/SKILL.md:6: info: ")
    lost = lint(tmp_path / "no\x1b[2Jlibrary")
    assert "no⟨U+001B⟩[2Jlibrary: expected the folder" in lost.stderr


def test_advice_alone_is_no_failure_u53(root):
    for name in ("colon", "broken"):
        (root / name / "SKILL.md").unlink()
    done = lint(root)
    assert done.exit_code == 0
    assert "[html-comment]" in done.stdout


def test_sarif_has_the_structure_of_version_2_1_0(root):
    log = json.loads(lint(root, "--format", "sarif").stdout)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules))
    assert len(run["results"]) == 3
    for result in run["results"]:
        assert result["level"] in {"none", "note", "warning", "error"}
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert not place["artifactLocation"]["uri"].startswith("/")
        assert place["artifactLocation"]["uriBaseId"] == "LIBRARY"
        assert place["region"]["startLine"] >= 1
    levels = {r["ruleId"]: r["level"] for r in run["results"]}
    assert levels["html-comment"] == "note"
    assert set(levels.values()) == {"note", "warning", "error"}


def test_a_clean_library_is_a_sarif_log_without_results():
    (run,) = sarif([])["runs"]
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []


@pytest.fixture
def asked(root, tmp_path):
    def check(*rows):
        file = tmp_path / "q.jsonl"
        file.write_text("\n".join(map(json.dumps, rows)))
        return CliRunner().invoke(
            main, ["queries", "check", str(file), "--library", str(root)]
        )

    return check


def test_queries_that_echo_are_named_with_the_reason(asked):
    done = asked(
        {"id": "1", "text": "is this any good", "relevant": ["good"]},
        {"id": "2", "text": "what is inside", "relevant": ["good"]},
    )
    assert done.exit_code == 1
    assert done.stdout == ("1: echoes good: it holds every word of the name 'good'\n")
    assert "2 queries, 1 echo, 0 failed" in done.stderr


def test_queries_that_do_not_echo_pass(asked):
    done = asked({"id": "2", "text": "what is inside", "relevant": ["good"]})
    assert (done.exit_code, done.stdout) == (0, "")


def test_a_missing_file_of_queries_is_one_sentence(root, tmp_path):
    done = CliRunner().invoke(
        main, ["queries", "check", str(tmp_path / "no.jsonl"), "--library", str(root)]
    )
    assert done.exit_code == 3
    assert done.stderr.startswith("error: ")


def test_a_file_of_listings_is_linted_by_its_lines(tmp_path):
    file = tmp_path / "listings.jsonl"
    file.write_text('{"id": "a", "name": "a", "description": "Sorts."}\n[1]\n')
    done = lint(file)
    assert done.exit_code == 1
    assert "listings.jsonl:2: failed: " in done.stdout
    assert "2 found: 1 loaded, 0 with warnings, 1 failed" in done.stderr


def test_queries_are_checked_against_a_file_of_listings_too(tmp_path):
    file, asked = tmp_path / "listings.jsonl", tmp_path / "asked.jsonl"
    file.write_text('{"id": "r1", "name": "sieve", "description": "Sorts."}\n')
    asked.write_text('{"id": "q", "text": "use the sieve", "relevant": ["r1"]}\n')
    done = CliRunner().invoke(
        main, ["queries", "check", str(asked), "--library", str(file)]
    )
    assert done.exit_code == 1
    assert "1 queries, 1 echo, 0 failed" in done.stderr
