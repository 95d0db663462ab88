import pytest

from skillmill.memory.spoken import named_speaker, only_asks, spoken_turns
from tests.memory.records import atom

BOTH = ("Ines", "Tom Reed")


def test_the_turns_of_an_atom_are_told_apart_by_their_speakers():
    pair = atom(0, "Ines: Cold?\nYes: it is\nTom Reed: Oslo was.", turns=("a", "b"))
    assert spoken_turns(pair, BOTH) == [
        ("Ines", "Cold?\nYes: it is"),
        ("Tom Reed", "Oslo was."),
    ]


def test_turns_that_do_not_fit_are_unknown():
    assert spoken_turns(atom(0, "no speaker", turns=("a",)), BOTH) is None
    pair = atom(0, "Ines: a\nInes: b", turns=("a",))
    assert spoken_turns(pair, BOTH) is None


@pytest.mark.parametrize(
    ("text", "speakers", "named"),
    [
        ("What did Tom paint?", BOTH, "Tom Reed"),
        ("What did TOM's sister paint?", BOTH, "Tom Reed"),
        ("Did Ines meet Tom?", BOTH, None),
        ("Who is Tomas?", BOTH, None),
        ("Is Ines-Maria here?", BOTH, None),
        ("What did the user say?", ("user", "assistant"), None),
        ("What did A. say?", ("A. Rahman", "Ines"), None),
        ("", BOTH, None),
    ],
)
def test_a_question_names_at_most_one_speaker(text, speakers, named):
    assert named_speaker(text, speakers) == named


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("Is it red? ", True),
        ("\u0647\u0644 \u0647\u0648\u061f", True),
        ("\u7ea2\uff1f", True),
        ("Is it? It is.", False),
        ("Is it red? [shares a red shed]", False),
        ("", False),
    ],
)
def test_a_turn_that_ends_with_a_question_only_asks(words, asks):
    assert only_asks(words) is asks
