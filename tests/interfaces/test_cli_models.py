"""Commands about recorded replies, costs and estimates."""

import json
from dataclasses import replace
from typing import get_args

import pytest
import yaml
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from skillmill.interfaces.estimate import STAGES, UNTOLD
from skillmill.settings.models import Role
from skillmill.store import artifact, catalogue, edges
from skillmill.store.artifact import Provenance
from skillmill.store.costs import CostRow, log_costs
from skillmill.store.replies import ReplyRecords
from skillmill.types import Task
from tests.conftest import REPOSITORY
from tests.library.linker import invented, similar_edges
from tests.models.asking import client
from tests.models.endpoint import Script, request, says

COST = CostRow("r", "edges", "s", "", "router", "x", "m", 3, 1, 0, 2, 2, 0, 9, 4, 0.5)


def invoke(*arguments, code=0):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def recorded(tmp_path):
    """Records of two good replies and a failure."""
    folder = tmp_path / "records"
    script = Script(
        says('{"label": "cause"}'), says('{"label": "effect"}'), says("", "length")
    )
    with ReplyRecords(folder) as replies, client(script, replies) as chat:
        for record in "abc":
            chat.ask_many([request(record)])
    return folder


def rows(*arguments):
    return [json.loads(line) for line in invoke(*arguments).stdout.splitlines()]


def test_replies_are_counted_as_a_table_and_as_json(recorded):
    found = rows("replies", "stats", "--records", recorded, "--json")
    assert [(row["state"], row["replies"]) for row in found] == [
        ("failed", 1),
        ("ok", 2),
    ]
    table = invoke("replies", "stats", "--records", recorded).stdout
    assert "prompt_tokens" in table
    assert "linker" in table
    since = invoke("replies", "stats", "--since", "2999", "--records", recorded)
    assert since.stdout == ""
    assert "no replies are recorded" in since.stderr


def test_replies_are_carried_to_another_folder(recorded, tmp_path):
    file, other = tmp_path / "replies.jsonl", tmp_path / "other"
    done = invoke("replies", "export", file, "--records", recorded)
    assert done.stdout == f"3 replies written to {file}\n"
    done = invoke("replies", "import", file, "--records", other)
    assert done.stdout.startswith("3 replies added, 0 were there")
    done = invoke("replies", "import", file, "--records", other)
    assert done.stdout.startswith("0 replies added, 3 were there")
    none = invoke("replies", "export", file, "--role", "judge", "--records", recorded)
    assert none.stdout.startswith("0 replies")


def test_a_file_that_is_no_export_is_refused_by_line(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text('{"reply": 5}\n')
    done = invoke("replies", "import", file, "--records", tmp_path, code=3)
    assert f"{file}, line 1: expected a row" in done.stderr


def test_pruning_asks_what_and_deletes_only_that(recorded):
    done = invoke("replies", "prune", "--records", recorded, code=2)
    assert "--old-prompts, --failures or --unused-days" in done.stderr
    done = invoke("replies", "prune", "--failures", "--records", recorded)
    assert "1 failures and 0 unused ones deleted; 2 kept" in done.stdout
    done = invoke("replies", "prune", "--unused-days", 5, "--records", recorded)
    assert "0 unused ones deleted; 2 kept" in done.stdout


def test_old_prompts_are_those_of_known_roles_with_another_version(tmp_path):
    script = Script(says('{"label": "cause"}'))
    with ReplyRecords(tmp_path) as replies, client(script, replies) as chat:
        chat.ask_many([request("a", version="0-old")])
    export = tmp_path / "all.jsonl"
    invoke("replies", "export", export, "--records", tmp_path)
    export.write_text(export.read_text().replace("linker", "router"))
    other = tmp_path / "other"
    invoke("replies", "import", export, "--records", other)
    done = invoke("replies", "prune", "--old-prompts", "--records", other)
    assert done.stdout.startswith("1 replies to other prompts")
    done = invoke("replies", "prune", "--old-prompts", "--records", tmp_path)
    assert done.stdout.startswith("0 replies to other prompts")


def test_merging_records_folds_replies_too(recorded):
    done = invoke("records", "merge", "--records", recorded)
    assert done.stdout.startswith("3 rows of 1 shards merged")
    assert [p.name for p in (recorded / "replies").glob("*.sqlite")] == ["main.sqlite"]


def test_costs_are_shown_by_role_and_stage(tmp_path):
    log_costs(tmp_path, [COST, replace(COST, part="1", usd=None)])
    [row] = rows("show", "costs", "--records", tmp_path, "--json")
    assert (row["role"], row["calls"], row["prompt_tokens"]) == ("router", 4, 18)
    assert row["usd"] is None
    assert "router" in invoke("show", "costs", "--records", tmp_path).stdout
    nothing = invoke("show", "costs", "--run", "other", "--records", tmp_path)
    assert nothing.stderr == "nothing was asked yet\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study whose library and neighbours are built, and an overlay with a model."""
    monkeypatch.chdir(tmp_path)
    skills = invented(12)
    folder = tmp_path / "results" / "sample" / "library"
    made = Provenance("catalogue", "sample", "0", "c0de", {}, {}, {})
    with artifact.writing(folder / "catalogue.sqlite", made) as db:
        catalogue.save_skills(db, skills)
    with artifact.writing(folder / "similar.sqlite", replace(made, kind="edges")) as db:
        edges.save_edges(db, similar_edges(skills))
    model = {"model": "tiny", "price_in": 1.0, "price_out": 2.0, "max_tokens": 100}
    overlay = {
        "records": str(tmp_path / "records"),
        "memory": {"path": None},
        "models": {"mode": "live", "roles": {"emit_edges": model}},
    }
    (tmp_path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    return folder


def test_an_estimate_tells_calls_tokens_and_money_and_sends_nothing(study):
    [row] = rows("estimate", "--configfile", "overlay.yaml", "--json")
    assert (row["role"], row["stage"], row["model"]) == (
        "emit_edges",
        "emit_edges",
        "tiny",
    )
    assert row["calls"] == row["questions"] == 12
    assert row["completion_tokens"] == 1200
    usd = (row["prompt_tokens"] + 2 * 1200) / 1e6
    assert row["usd"] == pytest.approx(usd)
    assert "emit_edges" in invoke("estimate", "--configfile", "overlay.yaml").stdout


def test_trees_and_schemas_are_estimated_and_games_by_their_steps(study):
    made = Provenance("tasks", "sample", "0", "c0de", {}, {}, {})
    with artifact.writing(study / "tasks.sqlite", made) as db:
        catalogue.save_tasks(db, [Task(name, f"Sand {name}.", ()) for name in "ab"])
    model = {"model": "tiny", "max_tokens": 100}
    roles = dict.fromkeys(["agent", "decompose", "io_schema"], model)
    overlay = {
        "records": "records",
        "memory": {"path": None},
        "downstream": {"alfworld": {"steps": 7}},
        "models": {"mode": "live", "roles": roles},
    }
    (study / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    told = ("estimate", "--configfile", study / "overlay.yaml")
    games = REPOSITORY / "data" / "alfworld" / "games"
    found = {r["role"]: r for r in rows(*told, "--games", games, "--json")}
    assert {role: row["calls"] for role, row in found.items()} == {
        "agent": 6 * 7, "decompose": 2, "io_schema": 12
    }  # fmt: skip
    assert found["agent"]["prompt_tokens"] is None
    assert "not estimated: agent: asked at each step" in invoke(*told).stderr


def test_every_role_is_estimated_or_said_why_not():
    assert {*STAGES, *UNTOLD} == {*get_args(Role)}
    assert not {*STAGES} & {*UNTOLD}


def test_an_estimate_with_the_mode_off_says_so(study):
    done = invoke("estimate")
    assert done.stderr == "nothing would be asked: models.mode is 'off'\n"


def test_an_estimate_before_the_library_is_built_says_what_to_run(study):
    (study / "similar.sqlite").unlink()
    done = invoke("estimate", "--configfile", "overlay.yaml", code=3)
    assert "skillmill run results/sample/library/similar.sqlite" in done.stderr
