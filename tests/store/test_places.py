"""Where turns and atoms are, read without what was said."""

from skillmill.store.artifact import reading, writing
from skillmill.store.atoms import load_atom_turns, save_atoms
from skillmill.store.conversations import load_turn_places, save_conversations
from tests.store.examples import ATOMS, CONVERSATIONS, provenance


def test_a_turn_lies_in_its_session_by_id_or_else_by_number_u26(tmp_path):
    """Session 3 is called s1; session 1 has no id (U26)."""
    path = tmp_path / "conversations.sqlite"
    with writing(path, provenance("conversations")) as db:
        save_conversations(db, CONVERSATIONS)
    with reading(path, "conversations") as db:
        assert load_turn_places(db) == {
            ("talk-2", "D1:10"): ("1", 0),
            ("talk-2", "D1:2"): ("1", 1),
            ("talk-2", "D3:1"): ("s1", 0),
        }


def test_the_turns_of_an_atom_come_in_their_order_and_none_is_no_key(tmp_path):
    path = tmp_path / "atoms.sqlite"
    with writing(path, provenance("atoms")) as db:
        save_atoms(db, ATOMS)
    with reading(path, "atoms") as db:
        assert load_atom_turns(db) == {
            "talk-2/1/0": [("talk-2", "D1:10"), ("talk-2", "D1:2")]
        }
