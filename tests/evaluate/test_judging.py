"""Scores of answers and the counts behind them, by hand."""

import pytest

from skillmill.evaluate.judging import (
    Tally,
    different_n,
    score_answers,
    tallies,
)
from skillmill.models.heuristics.judge import MatchJudge
from skillmill.store.answers import Answer
from skillmill.types import Question, Score


def question(name, category=4, answer="a red boat", *, kind="single-hop", **changes):
    fields = {"abstention": False} | changes
    return Question(
        name, "c", "What is it?", category, answer, "str", None, (), kind, **fields
    )


def answer(query, text="a red boat", state="ok", arm="a"):
    reason = None if state == "ok" else "why"
    return Answer(arm, query, "reader 1", state, reason, text, 10, 2)


def by_query(answers, *questions, metric="f1_bag"):
    rows = score_answers(answers, {q.id: q for q in questions}, MatchJudge())
    return {row.query: row.value for row in rows if row.metric == metric}


def test_each_f1_has_its_name_u31():
    """Gold `rowing, chess, baking`; two of its parts are said."""
    asked = question("q", 1, "rowing, chess, baking", kind="multi-hop")
    said = [answer("q", "chess and rowing")]
    rows = score_answers(said, {"q": asked}, MatchJudge())
    values = {row.metric: row.value for row in rows}
    assert values["f1_bag"] == pytest.approx(0.8)
    # {chess, and, rowing} and {rowing,, chess,, baking}: commas are made blanks.
    assert values["f1_set"] == pytest.approx(4 / 6)
    # Parts rowing and chess have F1 2/3 with "chess and rowing", baking 0.
    assert values["f1_locomo"] == pytest.approx(4 / 9)
    assert list(values) == [
        "f1_bag", "f1_set", "f1_locomo", "bleu1", "judge", "judge_unsure",
    ]  # fmt: skip


def test_other_data_has_no_f1_locomo():
    asked = question("q", None)
    rows = score_answers([answer("q")], {"q": asked}, MatchJudge())
    assert "f1_locomo" not in {row.metric for row in rows}
    assert {row.value for row in rows if row.metric != "judge_unsure"} == {1.0}


def test_adversarial_and_abstention_are_scored_by_refusal_alone():
    asked = [
        question("q0", 5, None, kind="adversarial"),
        question("q1", 5, None, kind="adversarial"),
        question("q2", None, "not given", abstention=True),
        question("q3", 5, None, kind="adversarial"),
    ]
    said = [
        answer("q0", "It is not mentioned."),
        answer("q1", "a red boat"),
        answer("q2", "I do not know."),
        answer("q3", "", "empty"),
    ]
    found = by_query(said, *asked, metric="refusal")
    # An empty answer is not a refusal: nothing was said.
    assert found == {"q0": 1.0, "q1": 0.0, "q2": 1.0, "q3": 0.0}
    assert by_query(said, *asked) == {}


def test_failed_counts_as_zero_and_skipped_or_unanswerable_not_at_all():
    asked = [
        question("q0"),
        question("q1"),
        question("q2"),
        question("q3", answer=None),
    ]
    said = [
        answer("q0", "", "failed"),
        answer("q1", "", "empty"),
        answer("q2", "", "skipped"),
        answer("q3"),
    ]
    assert by_query(said, *asked) == {"q0": 0.0, "q1": 0.0, "q2": None, "q3": None}


def test_every_question_is_in_one_count_and_the_sums_hold_u22():
    """4 scored questions, 1 adversarial, 1 with a failed call."""
    asked = [question(f"q{n}") for n in range(5)]
    asked.append(question("q5", 5, None, kind="adversarial"))
    said = [answer(f"q{n}") for n in range(4)]
    said += [answer("q4", "", "failed"), answer("q5", "a red boat")]
    known = {q.id: q for q in asked}
    values = score_answers(said, known, MatchJudge())
    found = {tally.kind: tally for tally in tallies(said, known, values)}
    assert found["single-hop"] == Tally("a", "single-hop", 5, 4, 0, 1, 0, 0, 5)
    assert found["adversarial"] == Tally("a", "adversarial", 1, 1, 0, 0, 0, 0, 1)
    mean = [v.value for v in values if v.metric == "f1_bag"]
    # The failed one is in the denominator: 4 of 5, not 4 of 4 and not 5 of 4.
    assert sum(mean) / len(mean) == pytest.approx(0.8)


def test_a_question_that_is_dropped_silently_is_noticed_u22():
    known = {q.id: q for q in (question("q0"), question("q1"))}
    values = score_answers([answer("q0")], known, MatchJudge())
    with pytest.raises(ValueError, match="1 answers to 2 questions"):
        tallies([answer("q0")], known, values)
    both = [answer("q0"), answer("q1")]
    with pytest.raises(ValueError, match="do not add up"):
        tallies(both, known, values)


def test_skipped_and_unanswerable_questions_are_told_apart():
    known = {q.id: q for q in (question("q0"), question("q1", answer=None))}
    said = [answer("q0", "", "skipped"), answer("q1")]
    (tally,) = tallies(said, known, score_answers(said, known, MatchJudge()))
    assert (tally.skipped, tally.unscorable, tally.scored) == (1, 1, 0)
    assert tallies([], {}, []) == []


def score(arm, n, category="all"):
    return Score("memory", "s", arm, "all", category, "f1_bag", None, n, 0.5, 0.4, 0.6)


def test_two_runs_with_different_n_are_flagged_u22():
    assert different_n([score("a", 10)], [score("a", 10)]) == []
    (told,) = different_n([score("a", 10)], [score("a", 9)])
    assert "n is 10 and 9" in told
    (other,) = different_n([score("a", 10)], [score("b", 9)])
    assert other.startswith("a and b, all all f1_bag")


def test_rows_are_matched_by_arm_where_a_run_has_several():
    first = [score("a", 10), score("b", 8)]
    assert different_n(first, [score("b", 8), score("a", 10)]) == []
    assert different_n(first, [score("c", 1), score("d", 2)]) == []
    assert different_n([], first) == []
