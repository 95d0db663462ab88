"""What a reader is asked and what becomes of it, by hand."""

import pytest

from skillmill.evaluate.answering import Read, answered, to_ask, tokens
from skillmill.store.answers import Answer
from skillmill.types import Question, Ranking
from tests.memory.records import garden_view

ATOMS = {atom.id: atom for atom in garden_view().atoms}
ASKED = Question("q0", "garden", "Who?", 4, "Tom", "str", None, (), "single-hop")
QUESTIONS = {"q0": ASKED}


def ranking(*items, state="ok", reason=None):
    return Ranking("a", "q0", items, (1.0,) * len(items), state, reason)


def asked(ranked, k=10, **options):
    return to_ask([ranked], QUESTIONS, ATOMS, k, "reader 1", **options)


def test_the_best_atoms_are_read_with_their_time():
    (one,) = asked(ranking("garden/1/1", "garden/1/0"), k=1)
    assert [(e.text, e.said) for e in one.evidence] == [
        ("Tom: I fixed the shed roof", "2024-03-02T09:15")
    ]
    assert one.given is None
    (answer,) = answered([one], [Read("Tom")], "reader 1")
    # 4 + 26 characters, by four, rounded up; "Tom" is one.
    assert answer == Answer("a", "q0", "reader 1", "ok", None, "Tom", 8, 1)


def test_a_failed_ranking_is_no_empty_answer_u32():
    (one,) = asked(ranking(state="failed", reason="status 500"))
    assert (one.given.state, one.given.reason) == ("failed", "status 500")
    (none,) = asked(ranking(state="empty", reason="no atom matched"))
    assert (none.given.state, none.given.reason) == ("empty", "no atom matched")
    (bare,) = asked(ranking())
    assert bare.given.reason == "there was no evidence to read"


def test_a_ceiling_that_knows_no_evidence_is_skipped():
    none = ranking(state="empty", reason="no evidence is known")
    (one,) = asked(none, skip_empty=True)
    assert one.given.state == "skipped"
    (failed,) = asked(ranking(state="failed", reason="r"), skip_empty=True)
    assert failed.given.state == "failed"


def test_a_reader_that_breaks_has_failed_and_one_that_says_nothing_is_empty():
    (one,) = asked(ranking("garden/1/0"))
    (failed,) = answered([one], [Read("", "spaCy is missing")], "r")
    assert (failed.state, failed.reason, failed.text) == (
        "failed",
        "spaCy is missing",
        "",
    )
    (empty,) = answered([one], [Read("")], "r")
    assert (empty.state, empty.answer_tokens) == ("empty", 0)
    assert empty.reason
    assert empty.read_tokens > 0


def test_answers_keep_their_order_among_those_given():
    several = [
        *asked(ranking("garden/1/0")),
        *asked(ranking()),
        *asked(ranking("garden/1/1")),
    ]
    done = answered(several, [Read("one"), Read("two")], "r")
    assert [answer.text for answer in done] == ["one", "", "two"]


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="k must be"):
        asked(ranking(), k=0)
    with pytest.raises(KeyError):
        asked(ranking("nowhere"))
    with pytest.raises(ValueError, match="zip"):
        answered(asked(ranking("garden/1/0")), [], "r")


def test_nothing_costs_nothing():
    assert tokens([]) == 0
    assert to_ask([], QUESTIONS, ATOMS, 1, "r") == []
    assert answered([], [], "r") == []
