"""Formats of other tools, line by line."""

import json

import pytest

from skillmill.errors import InputError
from skillmill.evaluate.exports import hypotheses, trec_qrels, trec_run
from skillmill.store.answers import Answer
from skillmill.types import Question, Ranking

HOMES = {"c/q0": "c", "d e/q0": "d e"}


def question(name, home):
    return Question(name, home, "?", None, "a", "str", None, ())


def answer(query, text="yes", arm="a", state="ok"):
    return Answer(arm, query, "r", state, None, text, 1, 1)


def test_a_run_keeps_our_order_whatever_the_scores_say():
    ranked = Ranking("best@turns", "c/q0", ("D1:2", "D1:1", "D2:1"), (0.5, 0.5, 0.0))
    assert list(trec_run([ranked], HOMES)) == [
        "c/q0 Q0 c/D1:2 1 3 best@turns",
        "c/q0 Q0 c/D1:1 2 2 best@turns",
        "c/q0 Q0 c/D2:1 3 1 best@turns",
    ]


def test_atoms_have_their_conversation_already_and_blanks_do_not_end_a_field():
    ranked = Ranking("my arm", "d e/q0", ("d e/1/0",), (1.0,))
    assert list(trec_run([ranked], HOMES)) == ["d%20e/q0 Q0 d%20e/1/0 1 1 my%20arm"]


def test_failed_and_empty_rankings_have_no_lines():
    none = Ranking("a", "c/q0", (), (), "failed", "r")
    assert list(trec_run([none], HOMES)) == []
    assert list(trec_run([], HOMES)) == []


def test_qrels_name_each_item_once_and_leave_out_what_has_no_evidence():
    wanted = {"d e/q0": (), "c/q0": ("D1:2", "D1:1", "D1:2")}
    assert list(trec_qrels(wanted, HOMES)) == [
        "c/q0 0 c/D1:1 1",
        "c/q0 0 c/D1:2 1",
    ]


def test_hypotheses_bear_the_published_ids_of_one_variant():
    asked = {
        "oracle/x_abs/q0": question("oracle/x_abs/q0", "oracle/x_abs"),
        "s/x_abs/q0": question("s/x_abs/q0", "s/x_abs"),
    }
    said = [answer("oracle/x_abs/q0", "שלום"), answer("s/x_abs/q0", "", state="failed")]
    (line,) = hypotheses(said, asked, "oracle")
    assert line == '{"question_id": "x_abs", "hypothesis": "שלום"}'
    rows = [json.loads(line) for line in hypotheses(said, asked)]
    # A failed answer is an empty hypothesis: left out, it would leave the mean.
    assert rows[1] == {"question_id": "s/x_abs/q0", "hypothesis": ""}


def test_unclear_hypotheses_are_refused():
    asked = {"c/q0": question("c/q0", "c/x")}
    with pytest.raises(InputError, match="one arm, got a, b"):
        list(hypotheses([answer("c/q0"), answer("c/q0", arm="b")], asked))
    with pytest.raises(InputError, match="got none"):
        list(hypotheses([], asked))
    with pytest.raises(InputError, match="two answers"):
        list(hypotheses([answer("c/q0"), answer("c/q0")], asked))
    with pytest.raises(InputError, match="variant 'm'; there are: c"):
        list(hypotheses([answer("c/q0")], asked, "m"))
