"""Session and turn recall, worked by hand."""

import pytest

from skillmill.evaluate.sessions import (
    ABSTENTION,
    NO_CHOICE,
    NO_SESSION,
    NO_SOURCE,
    NO_TURN,
    session_ranking,
    session_scores,
    skipped,
    turn_recall,
    wanted_by,
)
from skillmill.types import Question, Ranking

#: Three sessions of two turns; the sessions 1 and 3 are copies of one.
TURNS = {
    ("c", "D1:1"): ("s1", 0),
    ("c", "D1:2"): ("s1", 1),
    ("c", "D2:1"): ("s2", 0),
    ("c", "D2:2"): ("s2", 1),
    ("c", "D3:1"): ("s1", 0),
    ("c", "D3:2"): ("s1", 1),
    ("c", "D4:1"): ("s4", 0),
}
SOURCES = {
    "a1": [("s1", 0), ("s1", 1)],
    "a2": [("s2", 0), ("s2", 1)],
    "a3": [("s1", 0), ("s1", 1)],
    "a4": [("s4", 0)],
}


def asked(name="q", evidence=(), sessions=(), *, abstention=False):
    fields = (name, "c", "?", None, "x", "string", None, tuple(evidence), "kind")
    return Question(*fields, None, tuple(sessions), abstention)


def ranked(*items, query="q", state="ok"):
    scores = tuple(1 / rank for rank in range(1, len(items) + 1))
    return Ranking("arm", query, items, scores, state, None)


def values(question, ranking, cutoffs=(1, 2), sources=SOURCES):
    rows = session_scores(
        [ranking], wanted_by([question], TURNS), sources, cutoffs, ["arm"]
    )
    return {(row.metric, row.k): row.value for row in rows}


def test_sessions_are_ranked_by_the_first_item_that_reaches_them():
    assert session_ranking(["a4", "a2", "a4", "a1"], SOURCES) == ["s4", "s2", "s1"]
    assert session_ranking([], SOURCES) == []


def test_copies_of_a_session_are_one_u26():
    assert session_ranking(["a3", "a2", "a1"], SOURCES) == ["s1", "s2"]


def test_an_item_of_several_sessions_reaches_them_in_its_order():
    sources = {"wide": [("s2", 1), ("s1", 0)]}
    assert session_ranking(["wide"], sources) == ["s2", "s1"]


@pytest.mark.parametrize("sources", [{}, {"a1": []}, {"a2": SOURCES["a2"]}])
def test_an_item_without_source_leaves_no_session_ranking_u28(sources):
    assert session_ranking(["a2", "a1"], sources) is None


def test_turn_recall_is_the_share_of_the_evidence_turns():
    wanted = {("s1", 1), ("s2", 0), ("s4", 0), ("s4", 9)}
    assert turn_recall(["a1", "a2", "a4"], wanted, SOURCES, 1) == 0.25
    assert turn_recall(["a1", "a2", "a4"], wanted, SOURCES, 2) == 0.5
    assert turn_recall(["a1", "a2", "a4"], wanted, SOURCES, 9) == 0.75
    assert turn_recall([], wanted, SOURCES, 1) == 0.0


def test_turn_recall_without_evidence_or_source_is_unknown_u28():
    assert turn_recall(["a1"], (), SOURCES, 1) is None
    assert turn_recall(["new"], {("s1", 0)}, SOURCES, 1) is None
    assert turn_recall(["a1", "new"], {("s1", 0)}, SOURCES, 1) == 1.0
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        turn_recall(["a1"], {("s1", 0)}, SOURCES, 0)


def test_one_of_two_evidence_sessions_is_any_but_not_all_u28():
    """Two evidence sessions, one retrieved: any 1.0, all 0.0 (U28)."""
    found = values(asked(sessions=["s1", "s4"]), ranked("a1", "a2", "a4"), [1, 2, 3])
    assert found == {
        ("session_recall_all", 1): 0.0,
        ("session_recall_all", 2): 0.0,
        ("session_recall_all", 3): 1.0,
        ("session_recall_any", 1): 1.0,
        ("session_recall_any", 2): 1.0,
        ("session_recall_any", 3): 1.0,
        ("turn_recall", 1): None,
        ("turn_recall", 2): None,
        ("turn_recall", 3): None,
    }


def test_evidence_in_both_copies_of_a_session_counts_once_u26():
    question = asked(evidence=["D1:2", "D3:2", "D4:1"], sessions=["s1", "s4"])
    found = values(question, ranked("a3", "a2", "a4"))
    assert found["turn_recall", 1] == 0.5
    assert found["session_recall_any", 1] == 1.0


def test_a_missing_and_a_failed_ranking_are_zero_and_count():
    question = asked(evidence=["D4:1"], sessions=["s4"])
    for ranking in (ranked("a4", state="failed"), ranked("a4", query="other")):
        found = values(question, ranking)
        assert set(found.values()) == {0.0}


def test_abstention_unknown_evidence_and_no_choice_have_no_value_u28():
    """Each is left out of the mean and counted under its reason (U28)."""
    questions = [
        asked("q1", ["D4:1"], ["s4"]),
        asked("q2", ["D4:1"], ["s4"], abstention=True),
        asked("q3"),
        asked("q4", ["D2:1"], ["s4", "s2", "s1"]),
        asked("q5", [], ["s2"]),
    ]
    wanted = wanted_by(questions, TURNS)
    rankings = [ranked("a4", query=f"q{n}") for n in range(1, 6)]
    rows = session_scores(rankings, wanted, SOURCES, [5], ["arm"])
    found = {(row.query, row.metric): row.value for row in rows}
    by_session = [found[f"q{n}", "session_recall_any"] for n in range(1, 6)]
    by_turn = [found[f"q{n}", "turn_recall"] for n in range(1, 6)]
    assert by_session == [1.0, None, None, None, 0.0]
    assert by_turn == [1.0, None, None, 0.0, None]
    assert skipped(wanted, rows) == {
        f"session recall: {ABSTENTION}": 1,
        f"session recall: {NO_SESSION}": 1,
        f"session recall: {NO_CHOICE}": 1,
        f"turn recall: {ABSTENTION}": 1,
        f"turn recall: {NO_TURN}": 2,
    }


def test_items_without_a_source_are_counted_as_such_u28():
    """A system that stores no source ids has no figure, not the figure 0 (U28)."""
    question = asked(evidence=["D4:1"], sessions=["s4"])
    wanted = wanted_by([question], TURNS)
    rows = session_scores([ranked("note-7")], wanted, SOURCES, [5, 10], ["arm"])
    assert {row.value for row in rows} == {None}
    assert skipped(wanted, rows) == {
        f"session recall: {NO_SOURCE}": 1,
        f"turn recall: {NO_SOURCE}": 1,
    }


def test_a_question_is_skipped_once_however_many_arms_and_cutoffs_there_are():
    wanted = wanted_by([asked()], TURNS)
    rows = session_scores([], wanted, SOURCES, [1, 2, 3], ["a", "b"])
    assert skipped(wanted, rows).total() == 2


def test_without_questions_there_is_nothing():
    assert wanted_by([], TURNS) == {}
    assert session_scores([], {}, SOURCES, [5], ["arm"]) == []
    assert skipped({}, []) == {}


def test_rows_are_sorted_and_cutoffs_counted_once():
    wanted = wanted_by([asked("b"), asked("a")], TURNS)
    rows = session_scores([], wanted, SOURCES, [2, 1, 2], ["y", "x"])
    keys = [(row.arm, row.query, row.metric, row.k) for row in rows]
    assert keys == sorted(keys)
    assert len(keys) == 2 * 2 * 3 * 2


def test_evidence_that_is_no_turn_is_a_fault_of_the_store():
    with pytest.raises(KeyError):
        wanted_by([asked(evidence=["D9:9"])], TURNS)
