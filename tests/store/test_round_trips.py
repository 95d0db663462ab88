"""What is saved comes back as it was, for each class that is stored."""

import dataclasses
import random

import pytest

from skillmill import types
from skillmill.errors import StoreError
from skillmill.store.atoms import (
    load_atoms,
    save_atoms,
)
from skillmill.store.catalogue import load_skills, load_tasks, save_skills, save_tasks
from skillmill.store.conversations import (
    load_conversations,
    load_questions,
    save_conversations,
    save_questions,
)
from skillmill.store.edges import load_edges, save_edges
from skillmill.store.entities import load_mentions, save_mentions
from skillmill.store.load import (
    load_report,
    save_report,
)
from skillmill.store.rankings import (
    load_rankings,
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
    CONVERSATIONS,
    EDGES,
    MENTIONS,
    QUERY_SCORES,
    QUESTIONS,
    RANKINGS,
    REPORTS,
    SCORES,
    SKILLS,
    TASKS,
)
from tests.store.files import saved_and_loaded


def save_reports(db, reports):
    for report in reports:
        save_report(db, report)


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
    """The programs of retrieval skills are markdown; trials are records, not rows."""
    nested = {types.Problem, types.Session, types.Turn}
    elsewhere = {types.Node, types.RetrievalSkill, types.Trial}
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
    assert [q.id for q in found][-3:-1] == ["talk-2/q9", "talk-2/q10"]
    kind, save, rows, load = CASES["tasks"]
    found = saved_and_loaded(tmp_path, kind, save, rows[::-1], load)
    assert [task.id for task in found] == ["t9", "t10"]


def test_a_flag_comes_back_as_a_flag(tmp_path):
    flags = [score.heuristic for score in saved_and_loaded(tmp_path, *CASES["scores"])]
    assert flags == [False, True, False, False]
    assert all(type(flag) is bool for flag in flags)


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
