"""What is saved comes back as it was, for each class that is stored."""

import dataclasses
import random

import pytest

from skillmill import types
from skillmill.errors import StoreError
from skillmill.store.artifact import reading, writing
from skillmill.store.atoms import (
    load_atoms,
    load_question_atoms,
    save_atoms,
    save_question_atoms,
)
from skillmill.store.catalogue import load_skills, load_tasks, save_skills, save_tasks
from skillmill.store.conversations import (
    load_conversations,
    load_questions,
    load_speakers,
    save_conversations,
    save_questions,
    save_speakers,
)
from skillmill.store.edges import load_edges, save_edges
from skillmill.store.entities import load_mentions, save_mentions
from skillmill.store.load import (
    Outcome,
    count_rows,
    load_outcomes,
    load_report,
    save_outcomes,
    save_report,
)
from skillmill.store.passages import load_all_passages, load_passages, save_passages
from skillmill.store.rankings import (
    Part,
    load_parts,
    load_rankings,
    save_parts,
    save_rankings,
)
from skillmill.store.scores import (
    load_query_scores,
    load_scores,
    save_query_scores,
    save_scores,
)
from tests.store.examples import (
    ATOMS,
    CHINESE,
    CONVERSATIONS,
    EDGES,
    HEBREW,
    MENTIONS,
    QUERY_SCORES,
    QUESTIONS,
    RANKINGS,
    REPORTS,
    SCORES,
    SKILLS,
    TASKS,
    provenance,
)


def save_reports(db, reports):
    for report in reports:
        save_report(db, report)


def saved_and_loaded(folder, kind, save, rows, load):
    path = folder / f"{len(list(folder.iterdir()))}.sqlite"
    with writing(path, provenance(kind)) as db:
        save(db, rows)
    with reading(path, kind) as db:
        return load(db)


CASES = {
    "skills": ("catalogue", save_skills, SKILLS, load_skills),
    "tasks": ("tasks", save_tasks, TASKS, load_tasks),
    "reports": ("catalogue", save_reports, REPORTS, load_report),
    "conversations": (
        "conversations",
        save_conversations,
        CONVERSATIONS,
        load_conversations,
    ),
    "questions": ("conversations", save_questions, QUESTIONS, load_questions),
    "questions of a memory": ("memory", save_questions, QUESTIONS, load_questions),
    "atoms": ("atoms", save_atoms, ATOMS, load_atoms),
    "atoms of a memory": ("memory", save_atoms, ATOMS, load_atoms),
    "mentions": ("entities", save_mentions, MENTIONS, load_mentions),
    "edges": ("edges", save_edges, EDGES, load_edges),
    "edges of a memory": ("memory", save_edges, EDGES, load_edges),
    "rankings": ("rankings", save_rankings, RANKINGS, load_rankings),
    "scores": ("scores", save_scores, SCORES, load_scores),
    "query scores": ("scores", save_query_scores, QUERY_SCORES, load_query_scores),
}
ORDERED = ("tasks", "conversations", "questions", "questions of a memory")


@pytest.mark.parametrize("case", CASES)
def test_what_is_saved_comes_back_as_it_was_u37(tmp_path, case):
    kind, save, rows, load = CASES[case]
    assert saved_and_loaded(tmp_path, kind, save, rows, load) == rows
    assert saved_and_loaded(tmp_path, kind, save, [], load) == []


@pytest.mark.parametrize("case", [case for case in CASES if case not in ORDERED])
def test_rows_without_an_order_of_their_own_come_back_sorted(tmp_path, case):
    kind, save, rows, load = CASES[case]
    mixed = rows[:]
    random.Random(1).shuffle(mixed)
    assert saved_and_loaded(tmp_path, kind, save, mixed[::-1], load) == rows
    assert saved_and_loaded(tmp_path, kind, save, iter(mixed), load) == rows


@pytest.mark.parametrize("case", CASES)
def test_a_key_that_comes_twice_is_refused(tmp_path, case):
    kind, save, rows, load = CASES[case]
    with pytest.raises(StoreError, match="UNIQUE constraint failed"):
        saved_and_loaded(tmp_path, kind, save, [*rows, rows[-1]], load)


def test_every_class_that_is_data_has_a_round_trip_here():
    """The programs of retrieval skills are markdown, not rows."""
    nested = {types.Problem, types.Session, types.Turn}
    elsewhere = {types.Node, types.RetrievalSkill}
    classes = {
        value
        for value in vars(types).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
    }
    stored = {type(case[2][0]) for case in CASES.values()}
    assert stored == classes - nested - elsewhere


def test_the_examples_leave_no_field_untried():
    """Each field that may be empty or absent is so at least once, and once not."""
    for _, _, rows, _ in CASES.values():
        for field in dataclasses.fields(rows[0]):
            values = [getattr(row, field.name) for row in rows]
            if "None" in str(field.type):
                assert None in values
                assert any(value is not None for value in values)
            if str(field.type).startswith("tuple"):
                assert () in values
                assert any(len(value) > 1 for value in values), field.name


def test_tasks_and_questions_keep_their_own_order(tmp_path):
    """The tenth comes after the ninth, whatever their ids sort like."""
    kind, save, rows, load = CASES["questions"]
    found = saved_and_loaded(tmp_path, kind, save, rows, load)
    assert [q.id for q in found][-2:] == ["talk-2/q9", "talk-2/q10"]
    kind, save, rows, load = CASES["tasks"]
    found = saved_and_loaded(tmp_path, kind, save, rows[::-1], load)
    assert [task.id for task in found] == ["t9", "t10"]


def test_a_flag_comes_back_as_a_flag(tmp_path):
    flags = [score.heuristic for score in saved_and_loaded(tmp_path, *CASES["scores"])]
    assert flags == [False, True, False, False]
    assert all(type(flag) is bool for flag in flags)


@pytest.mark.parametrize(
    ("filters", "places"),
    [
        ({}, [0, 1, 2, 3]),
        ({"study": "a"}, [3]),
        ({"arm": "dense"}, [0, 1, 2]),
        ({"metric": "recall", "study": "s"}, [1, 2]),
        ({"category": "temporal"}, [3]),
        ({"split": "test", "metric": "mrr"}, [0]),
        ({"arm": "no such arm"}, []),
    ],
)
def test_scores_can_be_filtered(tmp_path, filters, places):
    kind, save, rows, _ = CASES["scores"]
    found = saved_and_loaded(
        tmp_path, kind, save, rows, lambda db: load_scores(db, **filters)
    )
    assert found == [SCORES[place] for place in places]


def test_query_scores_rankings_and_edges_can_be_filtered(tmp_path):
    kind, save, rows, _ = CASES["query scores"]
    assert (
        saved_and_loaded(
            tmp_path, kind, save, rows, lambda db: load_query_scores(db, metric="mrr")
        )
        == QUERY_SCORES[:1]
    )
    kind, save, rows, _ = CASES["rankings"]
    assert (
        saved_and_loaded(
            tmp_path, kind, save, rows, lambda db: load_rankings(db, "lexical")
        )
        == RANKINGS[2:]
    )
    kind, save, rows, _ = CASES["edges"]
    assert (
        saved_and_loaded(tmp_path, kind, save, rows, lambda db: load_edges(db, "needs"))
        == EDGES[2:]
    )


def test_a_ranking_with_a_score_too_few_is_refused(tmp_path):
    bad = types.Ranking("dense", "t1", ("a", "b"), (0.5,))
    with pytest.raises(StoreError, match=r"arm 'dense', query 't1': .* got 1 for 2"):
        saved_and_loaded(tmp_path, "rankings", save_rankings, [bad], load_rankings)


def test_a_report_whose_counts_do_not_add_up_is_refused(tmp_path):
    bad = types.LoadReport("skills", 5, 1, 2, 1)
    with pytest.raises(StoreError, match=r"table 'load_count', row 0 .* CHECK"):
        saved_and_loaded(tmp_path, "catalogue", save_report, bad, load_report)


def test_an_unknown_state_is_refused(tmp_path):
    bad = types.Ranking("dense", "t1", (), (), "broken")
    with pytest.raises(StoreError, match=r"table 'ranking_state', row 0 .* CHECK"):
        saved_and_loaded(tmp_path, "rankings", save_rankings, [bad], load_rankings)


def test_a_lone_surrogate_is_refused_with_its_row_u37(tmp_path):
    bad = types.Task("t1", "a broken \ud83d", ())
    with pytest.raises(StoreError, match=r"table 'task', row 0 .*surrogates"):
        saved_and_loaded(tmp_path, "tasks", save_tasks, [bad], load_tasks)


def test_passages_come_back_sorted_and_by_kind(tmp_path):
    rows = [("b", 1, HEBREW), ("b", 0, ""), ("a", 10, CHINESE), ("a", 2, "x")]
    with writing(tmp_path / "m.sqlite", provenance("memory")) as db:
        save_passages(db, "atom", rows)
        save_passages(db, "question", [("a", 0, "another kind")])
    with reading(tmp_path / "m.sqlite", "memory") as db:
        assert load_passages(db, "atom") == sorted(rows)
        assert load_passages(db, "question") == [("a", 0, "another kind")]
        assert load_passages(db, "skill") == []
        assert load_all_passages(db) == [
            *(("atom", *row) for row in sorted(rows)),
            ("question", "a", 0, "another kind"),
        ]


def test_the_speakers_of_a_memory_come_back_in_their_order(tmp_path):
    rows = [("talk-2", ("Ada", HEBREW)), ("talk-1", ())]
    found = saved_and_loaded(tmp_path, "atoms", save_speakers, rows, load_speakers)
    assert found == rows


def test_question_atoms_come_back_sorted_without_empty_questions(tmp_path):
    given = {"q2": ["b", "a"], "q1": ("c",), "q3": ()}
    found = saved_and_loaded(
        tmp_path, "atoms", save_question_atoms, given, load_question_atoms
    )
    assert found == {"q1": ("c",), "q2": ("a", "b")}


def test_mentions_can_be_filtered(tmp_path):
    path = tmp_path / "e.sqlite"
    with writing(path, provenance("entities")) as db:
        save_mentions(db, MENTIONS)
    with reading(path, "entities") as db:
        assert load_mentions(db, kind="ner") == MENTIONS[:1]
        assert load_mentions(db, owner_kind="question") == MENTIONS[2:]
        assert load_mentions(db, "ner", "question") == []


def test_rows_can_be_counted(tmp_path):
    path = tmp_path / "e.sqlite"
    with writing(path, provenance("entities")) as db:
        save_mentions(db, MENTIONS)
    with reading(path, "entities") as db:
        assert count_rows(db, "mention") == 3
        assert count_rows(db, "passage") == 0


def test_parts_of_scores_come_back_sorted_and_filtered(tmp_path):
    rows = [
        Part("dense", "t1", "a", "cosine", 0.5),
        Part("mixed", "t1", "a", "cosine", 0.25),
        Part("mixed", "t2", "a", "lexical", -1.0),
    ]
    path = tmp_path / "r.sqlite"
    with writing(path, provenance("rankings")) as db:
        save_parts(db, rows[::-1])
    with reading(path, "rankings") as db:
        assert load_parts(db) == rows
        assert load_parts(db, "mixed") == rows[1:]
        assert load_parts(db, "mixed", "t2") == rows[2:]


def test_outcomes_come_back_with_and_without_reasons(tmp_path):
    path = tmp_path / "v.sqlite"
    with writing(path, provenance("vectors")) as db:
        save_outcomes(db, "encode", {"ok": 5, "skipped": 0})
        save_outcomes(db, "cut", {("failed", HEBREW): 2, ("ok", ""): 3})
    with reading(path, "vectors") as db:
        assert load_outcomes(db) == [
            Outcome("cut", "failed", HEBREW, 2),
            Outcome("cut", "ok", "", 3),
            Outcome("encode", "ok", "", 5),
            Outcome("encode", "skipped", "", 0),
        ]


@pytest.mark.parametrize("counts", [{"lost": 1}, {"ok": -1}])
def test_an_outcome_that_makes_no_sense_is_refused(tmp_path, counts):
    with (
        pytest.raises(StoreError, match=r"table 'outcome', row 0 .*CHECK"),
        writing(tmp_path / "v.sqlite", provenance("vectors")) as db,
    ):
        save_outcomes(db, "encode", counts)
