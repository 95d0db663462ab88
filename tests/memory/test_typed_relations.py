"""Which neighbours a model is asked about, and what becomes of its labels."""

import pytest

from skillmill.memory.typed_relations import (
    NO_LATER,
    NO_NEIGHBOUR,
    NO_RELATION,
    NONE_USABLE,
    LabelledReply,
    read_relations,
    relation_questions,
)
from skillmill.models.chat import Outcome
from skillmill.types import Edge
from tests.memory.records import atom

EARLY = atom(0, "Ines: I lost the key", day="2024-03-02")
MIDDLE = atom(1, "Ines: I climbed in", day="2024-03-02")
LATE = atom(0, "Tom: I fixed the window", session=2, day="2024-04-10")
ATOMS = [EARLY, MIDDLE, LATE]


def near(source, target, cosine, relation="similarity"):
    return Edge(source.id, target.id, relation, cosine, "embedding")


ALL = [
    near(EARLY, MIDDLE, 0.4),
    near(EARLY, LATE, 0.9),
    near(MIDDLE, EARLY, 0.4),
    near(LATE, EARLY, 0.9),
    near(LATE, MIDDLE, 1.0, relation="TemporalNeighbor"),
]


def shown(question):
    return {name: edge.target for name, edge in question.neighbours.items()}


def reply(question, *labels, state="ok", **fields):
    value = LabelledReply.model_validate({"relations": list(labels)})
    return read_relations(
        question, Outcome(state, value, "", "", "relation_extraction", "", "", **fields)
    )


def label(name, word):
    return {"atom_id": name, "label": word}


def test_only_later_neighbours_are_shown_the_most_similar_first():
    early, middle, late = relation_questions(ATOMS, ALL, both_ways=False)
    assert shown(early) == {"n1": LATE.id, "n2": MIDDLE.id}
    assert (middle.request, middle.reason) == (None, NO_LATER)
    assert (late.request, late.reason) == (None, NO_LATER)
    prompt = early.request.messages[1]["content"]
    assert "Every neighbour was said later than the source." in prompt
    assert '{"atom_id": "n1", "text": "10 April 2024\\nTom: I fixed the window"}' in (
        prompt
    )


def test_without_a_common_order_all_neighbours_are_shown_both_ways():
    early, middle, late = relation_questions(ATOMS, ALL, both_ways=True)
    assert shown(early) == {"n1": LATE.id, "n2": MIDDLE.id}
    assert shown(middle) == {"n1": EARLY.id}
    assert shown(late) == {"n1": EARLY.id}
    assert "said later" not in late.request.messages[1]["content"]


def test_later_is_told_by_dates_and_not_by_the_number_of_a_session():
    """Sessions of LongMemEval need not come in the order of their dates."""
    first = atom(0, "b", session=1, day="2024-05-01")
    second = atom(0, "a", session=2, day="2024-04-01")
    both = [near(first, second, 0.5), near(second, first, 0.5)]
    one, two = relation_questions([first, second], both, both_ways=False)
    assert (one.request, shown(two)) == (None, {"n1": first.id})


def test_an_atom_without_similar_ones_is_not_asked_about():
    [alone] = relation_questions([EARLY], [], both_ways=False)
    assert (alone.request, alone.reason) == (None, NO_NEIGHBOUR)
    done = read_relations(alone, None)
    assert (done.state, done.reason, done.edges) == ("empty", NO_NEIGHBOUR, ())


def test_an_edge_weighs_its_cosine_and_at_least_a_half():
    question = relation_questions(ATOMS, ALL, both_ways=False)[0]
    done = reply(question, label("n1", "hindered by"), label("n2", "React"))
    assert done.state == "ok"
    assert done.edges == (
        Edge(EARLY.id, LATE.id, "HinderedBy", 0.9, "llm"),
        Edge(EARLY.id, MIDDLE.id, "React", 0.5, "llm"),
    )


def test_bad_entries_cost_no_others_and_each_ending_is_counted():
    question = relation_questions(ATOMS, ALL, both_ways=False)[0]
    done = reply(
        question,
        label("n7", "Cause"),
        label("n2", "Friendship"),
        {"label": "Cause"},
        label("n1", "Cause"),
        label("n1", "Want"),
    )
    assert [edge.relation for edge in done.edges] == ["Cause"]
    assert (done.rejected, done.none, done.unlabelled) == (4, 0, 1)


@pytest.mark.parametrize(
    ("labels", "state", "reason"),
    [
        ([label("n1", "none"), label("n2", "none")], "empty", NO_RELATION),
        ([label("n9", "Cause")], "failed", NONE_USABLE),
        ([], "empty", NO_RELATION),
    ],
)
def test_no_relation_is_not_a_failure(labels, state, reason):
    question = relation_questions(ATOMS, ALL, both_ways=False)[0]
    done = reply(question, *labels)
    assert (done.state, done.reason, done.edges) == (state, reason, ())


def test_a_failed_or_skipped_question_says_why():
    question = relation_questions(ATOMS, ALL, both_ways=False)[0]
    failed = Outcome("failed", None, "timeout", "after 60 s", "r", "s", "x")
    off = Outcome("skipped", None, "off", "the mode is off", "r", "s", "x")
    assert read_relations(question, failed).reason == "timeout"
    assert read_relations(question, off).reason == "the mode is off"
    assert read_relations(question, off).state == "skipped"


def test_a_prompt_depends_on_the_texts_alone():
    """So that a turn which comes before does not make every question new."""
    other = [atom(7, "Ines: I lost the key", session=9), MIDDLE, LATE]
    moved = [Edge(other[0].id, e.target, *e_rest(e)) for e in ALL[:2]]
    was = relation_questions(ATOMS, ALL, both_ways=True)[0].request.messages
    assert relation_questions(other, moved, both_ways=True)[0].request.messages == was


def e_rest(edge):
    return edge.relation, edge.weight, edge.provenance
