"""Turn-level arms over the invented garden, worked by hand."""

import numpy as np
import pytest

from skillmill.evaluate.turns import (
    WITH_ADVERSARIAL,
    turn_arms,
    turn_groups,
    turn_metrics,
    turn_scores,
)
from skillmill.memory.tokens import TokenIndex
from skillmill.types import Question, Ranking
from tests.memory.records import garden_view
from tests.skills.programs import query

ATOMS = ("garden/1/0", "garden/2/0")
FOUND = Ranking("tried", "garden/q0", ATOMS, (2.0, 1.0))


def question(name, category=4, evidence=("D1:0",), *, abstention=False):
    return Question(
        name, "garden", "?", category, "a", "str", None, evidence, "kind",
        abstention=abstention,
    )  # fmt: skip


def asked(view, **changes):
    return {"garden/q0": (query(**changes), view)}


def test_without_token_vectors_turns_come_as_they_were_said():
    (found,) = turn_arms([FOUND], asked(garden_view()))
    assert (found.arm, found.items) == ("tried@dialogue", ("D1:0", "D2:0"))


def test_with_token_vectors_the_arm_is_another_one():
    tokens = TokenIndex(np.array([[0.0, 1], [1, 0], [1, 0], [0, 1]]), np.arange(5))
    view = garden_view(tokens=tokens)
    (found,) = turn_arms([FOUND], asked(view, tokens=np.array([[1.0, 0]])))
    # Atoms 1 and 0; own MaxSim 0 and 1, half of which counts; .2 for Ines.
    assert found.arm == "tried@turns"
    assert found.items == ("D1:0", "D2:0")
    assert found.scores == (1.2, 0.7)


def test_a_failed_ranking_stays_failed_with_its_reason():
    failed = Ranking("tried", "garden/q0", (), (), "failed", "no model")
    (found,) = turn_arms([failed], asked(garden_view()))
    assert (found.state, found.reason, found.items) == ("failed", "no model", ())


def test_an_unknown_question_is_a_misuse():
    with pytest.raises(KeyError):
        turn_arms([FOUND], {})


def test_recall_and_rank_count_single_turns():
    metrics = turn_metrics([2, 1])
    assert list(metrics) == [("turn_recall", 1), ("turn_recall", 2), ("turn_mrr", None)]
    ranked = Ranking("a@turns", "q0", ("D1:5", "D1:0"), (1.0, 0.5))
    rows = turn_scores([ranked], [question("q0")], [1, 2], ["a@turns"])
    assert [(r.metric, r.k, r.value) for r in rows] == [
        ("turn_recall", 1, 0.0),
        ("turn_recall", 2, 1.0),
        ("turn_mrr", None, 0.5),
    ]


def test_abstention_and_missing_evidence_have_no_value_and_failures_count_as_zero():
    questions = [
        question("q0", abstention=True),
        question("q1", evidence=()),
        question("q2"),
    ]
    rows = turn_scores([], questions, [10], ["a@turns"])
    values = {r.query: r.value for r in rows if r.metric == "turn_recall"}
    assert values == {"q0": None, "q1": None, "q2": 0.0}


def test_adversarial_questions_are_pooled_in_a_row_of_their_own():
    questions = [question("q0"), question("q1", 5), question("q2", abstention=True)]
    groups = turn_groups(questions, {"val": ["garden"]})
    assert groups["q0"] == [
        ("all", "all"), ("all", "kind"), ("val", "all"), ("val", "kind"),
        ("all", WITH_ADVERSARIAL), ("val", WITH_ADVERSARIAL),
    ]  # fmt: skip
    assert ("all", "all") not in groups["q1"]
    assert ("all", WITH_ADVERSARIAL) in groups["q1"]
    assert WITH_ADVERSARIAL not in {name for _, name in groups["q2"]}
