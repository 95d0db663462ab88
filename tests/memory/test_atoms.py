import hashlib
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.memory.atoms import (
    GRANULARITIES,
    by_time,
    dated_text,
    evidence_atoms,
    session_atoms,
    single_turn_atoms,
    strip_names,
    turn_pair_atoms,
)
from skillmill.types import Conversation, Question, Session, Turn

DAY = "2024-03-02T09:15"


def turns(session, count):
    return tuple(
        Turn(f"D{session}:{n}", "Ines" if n % 2 else "Tom", f"words {n}")
        for n in range(1, count + 1)
    )


def conversation(*counts, started=DAY):
    sessions = (
        Session(number, started, started, turns(number, count))
        for number, count in enumerate(counts, start=1)
    )
    return Conversation("garden", ("Ines", "Tom"), tuple(sessions))


def question(*evidence, about="garden"):
    return Question(f"{about}/q0", about, "When?", 2, "2024", "string", None, evidence)


def test_consecutive_turns_are_paired_and_the_odd_last_one_is_single():
    atoms = turn_pair_atoms(conversation(5))
    assert [atom.turns for atom in atoms] == [
        ("D1:1", "D1:2"),
        ("D1:3", "D1:4"),
        ("D1:5",),
    ]
    assert [atom.id for atom in atoms] == ["garden/1/0", "garden/1/1", "garden/1/2"]
    assert [atom.position for atom in atoms] == [0, 1, 2]


def test_no_atom_crosses_the_border_of_a_session():
    atoms = turn_pair_atoms(conversation(3, 1, 2))
    assert [(atom.session, atom.turns) for atom in atoms] == [
        (1, ("D1:1", "D1:2")),
        (1, ("D1:3",)),
        (2, ("D2:1",)),
        (3, ("D3:1", "D3:2")),
    ]


def test_the_text_has_speakers_and_captions_but_no_date():
    said = (
        Turn("D1:1", "Ines", "Look at this.", "a leek in the snow"),
        Turn("D1:2", "Tom", "", "a broken pot"),
        Turn("D1:3", "Ines", "Oh dear."),
    )
    talk = Conversation("c", ("Ines", "Tom"), (Session(1, "today", DAY, said),))
    assert [atom.text for atom in turn_pair_atoms(talk)] == [
        "Ines: Look at this. [shares a leek in the snow]\nTom: [shares a broken pot]",
        "Ines: Oh dear.",
    ]


def test_time_comes_from_the_session():
    atom = turn_pair_atoms(conversation(2))[0]
    assert (atom.timestamp, atom.time_keys) == (DAY, ("2024-03-02",))
    undated = turn_pair_atoms(conversation(2, started=None))[0]
    assert (undated.timestamp, undated.time_keys) == (None, ())


def test_the_dated_text_has_the_days_in_words():
    atom = turn_pair_atoms(conversation(1))[0]
    assert dated_text(atom) == "2 March 2024\nInes: words 1"
    two = replace(atom, time_keys=("2024-03-02", "2024-03-03"))
    assert dated_text(two) == "2 March 2024, 3 March 2024\nInes: words 1"
    assert dated_text(replace(atom, time_keys=())) == "Ines: words 1"


def test_a_conversation_without_turns_has_no_atoms():
    assert turn_pair_atoms(Conversation("c", (), ())) == []
    assert turn_pair_atoms(Conversation("c", (), (Session(1, None, None, ()),))) == []


def test_single_turns_make_one_atom_each():
    atoms = single_turn_atoms(conversation(3))
    assert [atom.turns for atom in atoms] == [("D1:1",), ("D1:2",), ("D1:3",)]
    assert [atom.id for atom in atoms] == ["garden/1/0", "garden/1/1", "garden/1/2"]
    assert GRANULARITIES["turn"](conversation(3)) == atoms
    assert GRANULARITIES["turn_pair"](conversation(3)) == turn_pair_atoms(
        conversation(3)
    )


def test_a_session_is_one_atom_and_an_empty_one_is_none():
    talk = conversation(3, 0, 1)
    atoms = session_atoms(talk)
    assert [(atom.id, atom.position) for atom in atoms] == [
        ("garden/1/0", 0),
        ("garden/3/0", 0),
    ]
    assert [atom.turns for atom in atoms] == [("D1:1", "D1:2", "D1:3"), ("D3:1",)]
    assert atoms[0].text == "Ines: words 1\nTom: words 2\nInes: words 3"
    assert GRANULARITIES["session"](talk) == GRANULARITIES["record"](talk) == atoms


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_every_granularity_covers_each_turn_once_in_order(granularity):
    talk = conversation(5, 1, 4)
    covered = [turn for atom in GRANULARITIES[granularity](talk) for turn in atom.turns]
    assert covered == [turn.id for session in talk.sessions for turn in session.turns]


def timed(*days):
    """One atom a session; None for a session without a date."""
    sessions = (
        Session(number, day, day, turns(number, 1))
        for number, day in enumerate(days, start=1)
    )
    return single_turn_atoms(Conversation("c", ("Ines",), tuple(sessions)))


@pytest.mark.parametrize(
    ("days", "order"),
    [
        ((), []),
        (("2024-03-02", "2024-03-01", "2024-03-03"), [2, 1, 3]),
        (("2024-03-01", "2024-03-01"), [1, 2]),
        (("2024-03-02", None, "2024-03-01", None), [3, 4, 1, 2]),
        ((None, "2024-03-01", None), [1, 2, 3]),
        ((None, None), [1, 2]),
    ],
)
def test_atoms_are_put_in_order_of_time_and_undated_ones_follow_theirs(days, order):
    assert [atom.session for atom in by_time(timed(*days))] == order


def test_the_atoms_of_a_session_stay_in_its_order():
    atoms = single_turn_atoms(conversation(2, 2))
    assert by_time(atoms) == atoms


def test_the_hash_is_that_of_the_nfc_text_u37():
    hashes = set()
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, "café olé")
        said = (Turn("D1:1", "Ines", text),)
        talk = Conversation("c", ("Ines",), (Session(1, None, None, said),))
        hashes.add(turn_pair_atoms(talk)[0].content_hash)
    assert hashes == {hashlib.sha256("Ines: café olé".encode()).hexdigest()}


def test_evidence_atoms_come_once_and_in_the_order_of_the_atoms():
    atoms = turn_pair_atoms(conversation(4, 2))
    asked = question("D2:1", "D1:3", "D1:4", "D9:9")
    assert evidence_atoms(asked, atoms) == ("garden/1/1", "garden/2/0")
    assert evidence_atoms(asked, [*atoms, *atoms]) == ("garden/1/1", "garden/2/0")


def test_a_question_without_evidence_has_no_evidence_atoms():
    assert evidence_atoms(question(), turn_pair_atoms(conversation(2))) == ()
    assert evidence_atoms(question("D1:1"), []) == ()


def test_evidence_is_not_sought_in_another_conversation():
    assert (
        evidence_atoms(question("D1:1", about="x"), single_turn_atoms(conversation(2)))
        == ()
    )


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What does Ines grow?", "What does grow?"),
        ("what does INES grow", "what does grow"),
        ("What is Ines's pot and Tom's?", "What is pot and ?"),
        ("What is Tom\u2019s plan", "What is plan"),
        ("What are Ines' plans?", "What are plans?"),
        ("Tomatoes of Tom, and Anti-Tom", "Tomatoes of , and Anti-Tom"),
        ("Did Maria Luisa Okoro call Maria?", "Did call ?"),
        ("Did Luisa call?", "Did Luisa call?"),
        ("nobody   is\tnamed", "nobody is named"),
        ("a leek for A. Rahman", "a leek for"),
    ],
)
def test_names_of_speakers_are_taken_out_of_a_query(text, rest):
    speakers = ("Ines", "Tom", "Maria Luisa Okoro", "A. Rahman")
    assert strip_names(text, speakers) == rest


@pytest.mark.parametrize("text", ["Tom", " Tom's ", "Tom, Ines?!"])
def test_a_query_of_names_alone_stays_as_it_is(text):
    assert strip_names(text, ("Ines", "Tom")) == text


def test_without_speakers_only_blanks_collapse():
    assert strip_names(" who \n was it ", ()) == "who was it"
    assert strip_names(" who \n was it ", (" ",)) == "who was it"
    assert strip_names("", ("Tom",)) == ""


def test_roles_are_words_of_a_question_not_names():
    text = "Which user interface did the assistant like?"
    assert strip_names(text, ("user", "Assistant")) == text
    assert strip_names(text, ("user", "Which")) == text.removeprefix("Which ")


def test_a_mark_of_writing_direction_is_no_part_of_a_name_u37():
    assert strip_names("ماذا قال سمير أمس", ("\u200fسمير\u200e",)) == "ماذا قال أمس"


def test_nfc_and_nfd_names_are_the_same_name_u37():
    decomposed = unicodedata.normalize("NFD", "Zoë")
    assert strip_names("What did Zoë plant", (decomposed,)) == "What did plant"
    assert strip_names(f"What did {decomposed} plant", ("Zoë",)) == "What did plant"


def test_signs_in_a_name_have_no_meaning_in_the_pattern():
    assert (
        strip_names("what did R2(D2) say to .*", ("R2(D2)", ".*")) == "what did say to"
    )


@given(st.text(max_size=40), st.lists(st.text(max_size=8), max_size=4))
def test_a_query_never_becomes_empty(text, speakers):
    once = strip_names(text, speakers)
    assert bool(once.strip()) == bool(text.strip())
