import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.memory.tokens import TokenIndex
from skillmill.skills.turns import turn_ranking
from skillmill.types import Ranking
from tests.memory.records import atom, garden_view
from tests.skills.programs import query

ATOMS = (
    atom(0, "a", turns=("D1:1", "D1:2")),
    atom(1, "b", turns=("D1:3", "D1:4")),
    atom(2, "c", turns=("D1:5",)),
)
#: One token a turn; against the query at 0 degrees: 0, 1, 0.5, 0.25, 1.
TOKENS = np.array([[0.0, 1], [1, 0], [0.5, 0], [0.25, 0], [1, 0]])
VIEW = garden_view(
    atoms=ATOMS,
    vectors=np.ones((3, 2)),
    edges=(),
    mentions=(),
    entity_vectors={},
    tokens=TokenIndex(TOKENS, np.arange(6)),
)
ASKED = query(tokens=np.array([[1.0, 0]]))


def ranking(*items, state="ok", reason=None):
    ids = tuple(name for name, _ in items)
    scores = tuple(score for _, score in items)
    return Ranking("tried", "garden/q0", ids, scores, state, reason)


def test_turns_are_ordered_by_their_atom_s_score_and_half_their_own():
    given = ranking(("garden/1/1", 3.0), ("garden/1/0", 2.0), ("garden/1/2", 1.0))
    found = turn_ranking(given, ASKED, VIEW)
    # Atoms 1, .5, 0; turns .5 and .25 (of garden/1/1), 0 and 1, 1: all in [0, 1].
    assert list(zip(found.items, found.scores, strict=True)) == [
        ("D1:3", 1.25),
        ("D1:4", 1.125),
        ("D1:2", 1.0),
        ("D1:1", 0.5),
        ("D1:5", 0.5),
    ]
    assert (found.arm, found.query, found.state) == ("tried", "garden/q0", "ok")


def test_a_weight_of_zero_gives_the_dialogue_and_needs_no_token_vectors():
    given = ranking(("garden/1/2", 0.9), ("garden/1/0", 0.4))
    bare = garden_view(
        atoms=ATOMS, vectors=np.ones((3, 2)), edges=(), mentions=(), entity_vectors={}
    )
    found = turn_ranking(given, query(), bare, weight=0)
    assert found.items == ("D1:5", "D1:1", "D1:2")
    assert found.scores == (1.0, 0.0, 0.0)


def test_a_turn_of_two_atoms_counts_once_with_its_better_score():
    view = garden_view(
        atoms=(
            atom(0, "a", turns=("D1:1", "D1:2")),
            atom(1, "b", turns=("D1:2", "D1:3")),
        ),
        vectors=np.ones((2, 2)),
        edges=(),
        mentions=(),
        entity_vectors={},
    )
    found = turn_ranking(
        ranking(("garden/1/1", 2.0), ("garden/1/0", 1.0)), query(), view, 0
    )
    assert list(zip(found.items, found.scores, strict=True)) == [
        ("D1:2", 1.0),
        ("D1:3", 1.0),
        ("D1:1", 0.0),
    ]


@pytest.mark.parametrize("state", ["empty", "failed"])
def test_no_atoms_are_no_turns_and_the_reason_stays(state):
    found = turn_ranking(ranking(state=state, reason="why"), query(), VIEW)
    assert (found.items, found.scores) == ((), ())
    assert (found.state, found.reason) == (state, "why")


def test_lacking_token_vectors_are_told_and_not_passed_over():
    given = ranking(("garden/1/0", 1.0))
    with pytest.raises(StoreError, match="'garden/q0' has no token vectors to order"):
        turn_ranking(given, query(), VIEW)
    bare = garden_view(
        atoms=ATOMS, vectors=np.ones((3, 2)), edges=(), mentions=(), entity_vectors={}
    )
    with pytest.raises(StoreError, match="holds no token vectors"):
        turn_ranking(given, ASKED, bare)


def spoken(*texts):
    """A memory of one atom with a turn for each text; all turns are equally near."""
    turns = tuple(f"D1:{n}" for n in range(len(texts)))
    return garden_view(
        atoms=(atom(0, "\n".join(texts), turns=turns),),
        vectors=np.ones((1, 2)),
        edges=(),
        mentions=(),
        entity_vectors={},
        tokens=TokenIndex(np.ones((len(texts), 2)), np.arange(len(texts) + 1)),
    )


def test_the_speaker_whom_the_question_names_comes_first_and_who_asks_last():
    view = spoken("Tom: Paint?", "Tom: The shed.", "Ines: Is it?", "Ines: It is red.")
    found = turn_ranking(ranking(("garden/1/0", 1.0)), ASKED, view)
    # The question names Ines: +.2 for her turns, -.2 for the two that ask.
    assert found.items == ("D1:3", "D1:1", "D1:2", "D1:0")
    scores = np.array(found.scores) - found.scores[1]
    assert scores.round(6).tolist() == [0.2, 0.0, 0.0, -0.2]


def test_a_question_that_names_both_speakers_or_none_prefers_nobody():
    view = spoken("Tom: The shed.", "Ines: It is red.")
    for text in ("Do Tom and Ines paint?", "Who paints?"):
        asked = query(tokens=np.array([[1.0, 0]]), text=text)
        found = turn_ranking(ranking(("garden/1/0", 1.0)), asked, view)
        assert len(set(found.scores)) == 1


def test_turns_that_cannot_be_told_apart_get_no_hint():
    """A turn of two lines, the second of which looks like another turn's."""
    view = spoken("Tom: He said\nInes: Is it red?", "Ines: It is red.")
    found = turn_ranking(ranking(("garden/1/0", 1.0)), ASKED, view)
    assert len(set(found.scores)) == 1
