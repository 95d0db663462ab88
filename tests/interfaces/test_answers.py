"""From rollouts to answers, scores and exports: the scripts, called as functions."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from skillmill.errors import InputError, LimitError, ModelError
from skillmill.evaluate.aggregate import Resampling
from skillmill.interfaces import reading as reading_module
from skillmill.interfaces.answered import answer_counts, answer_rows
from skillmill.interfaces.cli import main
from skillmill.interfaces.exporting import hypotheses, trec_qrels, trec_run
from skillmill.interfaces.job import Counts
from skillmill.interfaces.reading import StandInReader
from skillmill.models.heuristics.reader import Reading
from skillmill.store import conversations, load
from skillmill.store.answers import load_answers
from skillmill.store.artifact import reading, writing
from skillmill.store.rankings import load_rankings, save_rankings
from skillmill.store.scores import load_query_scores, load_scores, save_query_scores
from skillmill.types import Conversation, Ranking, Session, Turn
from tests.interfaces.gardens import QUESTIONS, build, provenance, question
from tests.interfaces.test_memory_scripts import script
from tests.memory.records import garden_view

SKILL = "fixed-best"
RESAMPLING = Resampling(50, 0.95, 0)


class Reader:
    """Answers `yes`, and remembers how often it was asked."""

    name, version = "yes-sayer", "1"
    asked = 0

    def read(self, question, evidence):
        Reader.asked += 1
        return Reading("yes", "ok", "other")


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A study of one memory with rollouts: one question ranked, one failed."""
    monkeypatch.setattr(reading_module, "SpanReader", Reader)
    Reader.asked = 0
    folder = tmp_path / "results"
    shard = build(folder)
    found = [
        Ranking(SKILL, "garden/q0", ("garden/2/0", "garden/1/1"), (2.0, 1.0)),
        Ranking(SKILL, "garden/q1", (), (), "failed", "status 500"),
    ]
    with writing(shard / "rollouts.sqlite", provenance("rankings")) as db:
        save_rankings(db, found)
    turns = tuple(Turn(a.turns[0], *a.text.split(": ", 1)) for a in garden_view().atoms)
    home = Conversation("garden", ("Ines", "Tom"), (Session(1, None, None, turns),))
    store = folder / "plot" / "memory" / "conversations.sqlite"
    with writing(store, provenance("conversations")) as db:
        conversations.save_conversations(db, [home])
        conversations.save_questions(db, [question(name) for name in QUESTIONS])
    return folder


def ranked(results, counts=None):
    shard = results / "plot" / "memory" / "0"
    script("baselines").main(
        memory_path=shard / "memory.sqlite",
        rollouts_path=shard / "rollouts.sqlite",
        budget=2,
        seed=0,
        written=False,
        output=shard / "baselines.sqlite",
        provenance=provenance("rankings"),
        counts=counts or Counts(),
    )
    return shard


def read(
    results, counts=None, share=1.0, skills=("absent", SKILL), reader=None, models=None
):
    shard = ranked(results)
    script("answers").main(
        memory_path=shard / "memory.sqlite",
        ranked=(shard / "rollouts.sqlite", shard / "baselines.sqlite"),
        skills=skills,
        k=10,
        reader=reader or StandInReader(results.parent / "records"),
        failed_share=share,
        output=shard / "answers.sqlite",
        provenance=replace(provenance("answers"), models=models or {}),
        counts=counts or Counts(),
    )
    return shard


def scored(results, shard):
    output = results / "plot" / "answers" / "scores.sqlite"
    script("answer_scores").main(
        conversations_path=results / "plot" / "memory" / "conversations.sqlite",
        stores=[shard / "answers.sqlite"],
        splits={},
        resampling=RESAMPLING,
        output=output,
        provenance=provenance("scores"),
        counts=Counts(),
    )
    return output


def test_baselines_rank_every_question_and_name_what_was_skipped(results):
    counts = Counts()
    shard = ranked(results, counts)
    with reading(shard / "baselines.sqlite", "rankings") as db:
        found = load_rankings(db)
        told = load.load_outcomes(db)
    assert len(found) == 2 * 5
    skipped = {row.reason: row.n for row in told if row.state == "skipped"}
    assert skipped["baseline:tiered (MemoryOS): needs a language model"] == 2


def test_answers_come_from_the_first_skill_that_was_run_and_from_gold(results):
    shard = read(results)
    with reading(shard / "answers.sqlite", "answers") as db:
        found = {(a.arm, a.query): a for a in load_answers(db)}
    assert {arm for arm, _ in found} == {SKILL, "ceiling:oracle"}
    assert {a.reader for a in found.values()} == {"heuristic span-reader 1"}
    assert found[SKILL, "garden/q0"].text == "yes"
    assert found[SKILL, "garden/q1"].state == "failed"
    assert found["ceiling:oracle", "garden/q1"].state == "skipped"


def test_a_second_run_reads_nothing_again(results):
    first, second = Counts(), Counts()
    shard = read(results, first)
    before = (shard / "answers.sqlite").read_bytes()
    asked = Reader.asked
    read(results, second)
    assert (first.computed, second.computed, second.reused) == (2, 0, 2)
    assert Reader.asked == asked == 2
    assert (shard / "answers.sqlite").read_bytes() == before


def test_a_reader_that_breaks_stops_the_run_with_its_first_cause_u32(
    results, monkeypatch
):
    def broken(self, question, evidence):
        raise ModelError("spaCy is not installed")

    monkeypatch.setattr(Reader, "read", broken)
    with pytest.raises(LimitError, match=r"first cause: (spaCy|status 500)"):
        read(results, share=0.2)
    shard = read(results, share=1.0)
    with reading(shard / "answers.sqlite", "answers") as db:
        states = {(a.arm, a.query): a.state for a in load_answers(db)}
    assert states[SKILL, "garden/q0"] == "failed"


def test_without_any_of_the_skills_that_is_told(results):
    counts = Counts()
    read(results, counts, skills=("absent",))
    assert counts.states["skipped", "the study runs none of absent"] == 2


def test_every_figure_is_marked_heuristic_and_the_counts_are_stored_u22(results):
    output = scored(results, read(results))
    with reading(output, "scores") as db:
        rows, told = load_scores(db), load.load_outcomes(db)
        values = load_query_scores(db)
    assert rows
    assert all(row.heuristic for row in rows)
    n = {(r.arm, r.metric): r.n for r in rows if r.category == "all"}
    assert n[SKILL, "f1_bag"] == 2
    assert n["ceiling:oracle", "f1_bag"] == 1
    f1 = {(v.arm, v.query): v.value for v in values if v.metric == "f1_bag"}
    assert f1[SKILL, "garden/q0"] == 1.0
    assert f1[SKILL, "garden/q1"] == 0.0
    assert sum(row.n for row in told) == 4


def test_skills_and_baselines_are_compared(results):
    shard = ranked(results)
    skills = results / "plot" / "memory" / "scores.sqlite"
    with writing(skills, provenance("scores")) as db:
        save_query_scores(db, [])
    output = results / "plot" / "comparisons" / "scores.sqlite"
    counts = Counts()
    script("comparisons").main(
        conversations_path=results / "plot" / "memory" / "conversations.sqlite",
        scores_path=skills,
        shards=[(shard / "atoms.sqlite", shard / "baselines.sqlite")]
        if (shard / "atoms.sqlite").exists()
        else [],
        cutoffs=[5],
        splits={},
        resampling=RESAMPLING,
        output=output,
        provenance=provenance("scores"),
        counts=counts,
    )
    assert counts.states["skipped", "best_single@loco needs two conversations"] == 1


def test_turns_are_ranked_and_scored(results):
    shard = results / "plot" / "memory" / "0"
    script("turns").main(
        memory_path=shard / "memory.sqlite",
        tokens_path=shard / "tokens.sqlite",
        rollouts_path=shard / "rollouts.sqlite",
        output=shard / "turns.sqlite",
        provenance=provenance("rankings"),
        counts=Counts(),
    )
    output = results / "plot" / "turns" / "scores.sqlite"
    script("turn_scores").main(
        conversations_path=results / "plot" / "memory" / "conversations.sqlite",
        turns=[shard / "turns.sqlite"],
        cutoffs=[1, 10],
        splits={},
        resampling=RESAMPLING,
        output=output,
        provenance=provenance("scores"),
        counts=Counts(),
    )
    with reading(output, "scores") as db:
        rows = load_scores(db, category="all+adversarial")
    assert {row.arm for row in rows} == {f"{SKILL}@turns"}
    assert {(row.metric, row.k, row.n) for row in rows} == {
        ("turn_mrr", None, 2), ("turn_recall", 1, 2), ("turn_recall", 10, 2),
    }  # fmt: skip


def test_answers_are_shown_filtered_and_counted(results):
    read(results)
    rows = answer_rows(results, "plot", arm=SKILL)
    assert [row["state"] for row in rows] == ["ok", "failed"]
    assert rows[0]["gold"] == "yes"
    (counted, *_) = answer_counts(rows)
    assert (counted["asked"], counted["answered"], counted["failed"]) == (2, 1, 1)
    assert answer_rows(results, "plot", arm=SKILL, state="empty") == []
    asked = ["show", "answers", "--study", "plot", "--results", str(results)]
    done = CliRunner().invoke(main, [*asked, "--state", "failed", "--json"])
    (row,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert row["reason"] == "status 500"
    assert SKILL in CliRunner().invoke(main, asked).stdout


def test_a_study_without_answers_says_so(results):
    with pytest.raises(InputError, match="no answers yet"):
        answer_rows(results, "plot")


def test_runs_qrels_and_hypotheses_are_written(results):
    shard = read(results)
    assert next(iter(trec_run(results, "plot", SKILL))) == (
        "garden/q0 Q0 garden/2/0 1 2 fixed-best"
    )
    assert next(iter(trec_qrels(results, "plot", turns=True))) == (
        "garden/q0 0 garden/D1:0 1"
    )
    rows = [json.loads(line) for line in hypotheses(results, "plot", SKILL, None)]
    assert [row["hypothesis"] for row in rows] == ["yes", ""]
    with pytest.raises(InputError, match="no arm 'x'; there are: "):
        list(trec_run(results, "plot", "x"))
    with pytest.raises(InputError, match="no arm 'x'; there are: ceiling:oracle"):
        list(hypotheses(results, "plot", "x", None))
    export = ["export", "trec", "--study", "plot", "--results", str(results)]
    done = CliRunner().invoke(main, [*export, "--arm", SKILL])
    assert len(done.stdout.splitlines()) == 2
    assert CliRunner().invoke(main, export).exit_code == 2
    assert shard.is_dir()
