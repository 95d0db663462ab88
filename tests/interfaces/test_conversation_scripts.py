"""The scripts of `conversations`, `atoms` and `memory_scores`, called as functions."""

import importlib.util
import json
import re
import typing

import pytest

from skillmill.data.formats import LOADERS
from skillmill.errors import LimitError
from skillmill.evaluate.aggregate import Resampling
from skillmill.interfaces.job import Counts
from skillmill.memory.atoms import GRANULARITIES
from skillmill.settings.memory import Memory
from skillmill.store.artifact import reading, writing
from skillmill.store.atoms import load_atoms
from skillmill.store.conversations import load_conversations, load_questions
from skillmill.store.load import load_outcomes
from skillmill.store.passages import load_passages
from skillmill.store.rankings import save_rankings
from skillmill.store.scores import load_scores
from skillmill.types import Ranking
from tests.conftest import REPOSITORY
from tests.store.examples import provenance


def script(name):
    """Import a script; outside Snakemake its main part does not run."""
    file = REPOSITORY / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"script_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def instance(name, sessions, answers, kind="multi-session"):
    """An instance; `sessions` are (id, turns), a marked turn ends with an asterisk."""
    return {
        "question_id": name,
        "question_type": kind,
        "question": "Which leeks?",
        "answer": "these",
        "question_date": None,
        "haystack_session_ids": [id for id, _ in sessions],
        "haystack_dates": ["2024/03/02 (Sat) 10:00"] * len(sessions),
        "haystack_sessions": [
            [
                {"role": "user", "content": said.rstrip("*")}
                | ({"has_answer": True} if said.endswith("*") else {})
                for said in turns
            ]
            for _, turns in sessions
        ],
        "answer_session_ids": answers,
    }


#: q1 has two evidence sessions of three; q2 only evidence; q3 asks to abstain.
INSTANCES = [
    instance(
        "q1", [("a", ["x*", "y"]), ("b", ["z"]), ("c", ["u", "v", "w*"])], ["a", "c"]
    ),
    instance("q2", [("a", ["x"]), ("b", ["y"])], ["a", "b"]),
    instance("q3_abs", [("a", ["x*"]), ("b", ["y"])], ["a"]),
]


@pytest.fixture
def built(tmp_path):
    """Conversations and atoms of three instances, in one shard."""
    source = tmp_path / "longmemeval_s.json"
    source.write_text(json.dumps(INSTANCES), encoding="utf-8")
    script("conversations").main(
        path=source,
        file_format="longmemeval",
        splits={},
        failed_share=0.2,
        output=tmp_path / "conversations.sqlite",
        provenance=provenance("conversations"),
        counts=Counts(),
    )
    script("atoms").main(
        conversations_path=tmp_path / "conversations.sqlite",
        shard=0,
        shards=1,
        granularity="turn_pair",
        output=tmp_path / "atoms.sqlite",
        provenance=provenance("atoms"),
        counts=Counts(),
    )
    return tmp_path


def scored(folder, rankings):
    """Figures by (category, metric, k), and the outcomes, for one arm's rankings."""
    with writing(folder / "rollouts.sqlite", provenance("rankings")) as db:
        save_rankings(db, rankings)
    script("memory_scores").main(
        conversations_path=folder / "conversations.sqlite",
        shards=[(folder / "atoms.sqlite", [folder / "rollouts.sqlite"])],
        cutoffs=[1, 2],
        splits={},
        resampling=Resampling(100, 0.95, 0),
        failed_share=0.2,
        output=folder / "scores.sqlite",
        provenance=provenance("scores"),
        counts=Counts(),
    )
    with reading(folder / "scores.sqlite", "scores") as db:
        rows = {(s.category, s.metric, s.k): (s.value, s.n) for s in load_scores(db)}
        return rows, {(o.state, o.reason): o.n for o in load_outcomes(db)}


def test_every_format_and_granularity_is_in_the_settings_and_on_the_page():
    page = (REPOSITORY / "docs" / "datasets.md").read_text(encoding="utf-8")
    fields = Memory.model_fields
    formats = set(typing.get_args(fields["format"].annotation))
    granularities = set(typing.get_args(fields["granularity"].annotation))
    assert formats == set(LOADERS)
    assert granularities == set(GRANULARITIES)
    named = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert formats | granularities <= named


def test_what_a_loader_found_is_in_the_store(built):
    with reading(built / "conversations.sqlite", "conversations") as db:
        talks, questions = load_conversations(db), load_questions(db)
    assert [talk.id for talk in talks] == ["s/q1", "s/q2", "s/q3_abs"]
    assert [q.evidence_sessions for q in questions] == [("a", "c"), ("a", "b"), ("a",)]
    assert [q.abstention for q in questions] == [False, False, True]
    with reading(built / "atoms.sqlite", "atoms") as db:
        assert len(load_atoms(db)) == 4 + 2 + 2
        assert load_questions(db) == questions
        tuned = load_passages(db, "question-tuned")
    assert {text for _, _, text in tuned} == {"Which leeks?"}


def test_session_and_turn_recall_come_with_n_and_reasons_u28(built):
    """q1: c first, then b; q2 has no choice; q3 must not be answered (U28)."""
    rows, outcomes = scored(
        built,
        [
            Ranking("arm", "s/q1/q0", ("s/q1/3/1", "s/q1/2/0", "s/q1/1/0"), (3, 2, 1)),
            Ranking("arm", "s/q2/q0", ("s/q2/1/0",), (1,)),
            Ranking("arm", "s/q3_abs/q0", ("s/q3_abs/1/0",), (1,)),
        ],
    )
    assert rows["all", "session_recall_any", 1] == (1.0, 1)
    assert rows["all", "session_recall_all", 2] == (0.0, 1)
    assert rows["all", "turn_recall", 1] == (0.5, 1)
    assert rows["all", "recall", 2] == (0.5, 1)
    assert rows["multi-session", "session_recall_any", 1] == (1.0, 1)
    for metric in ("session_recall_any", "turn_recall", "recall"):
        assert rows["abstention", metric, 1] == (None, 0)
    assert outcomes == {
        ("ok", ""): 3,
        ("skipped", "session recall: every session is evidence"): 1,
        ("skipped", "session recall: the right reply is to abstain"): 1,
        ("skipped", "turn recall: no turn is marked as evidence"): 1,
        ("skipped", "turn recall: the right reply is to abstain"): 1,
    }


def test_too_many_lost_instances_stop_a_run_with_the_first_cause(tmp_path):
    broken = {**INSTANCES[0], "haystack_dates": []}
    (tmp_path / "longmemeval_s.json").write_text(json.dumps([broken, INSTANCES[1]]))
    with pytest.raises(LimitError, match=r"1 of 2 records failed.*0 haystack_dates"):
        script("conversations").main(
            path=tmp_path,
            file_format="longmemeval",
            splits={},
            failed_share=0.2,
            output=tmp_path / "conversations.sqlite",
            provenance=provenance("conversations"),
            counts=Counts(),
        )
