"""Entries that name records by id: which can be used, and why the rest cannot."""

import pytest

from skillmill.models.replies_library import TypedEdge
from skillmill.models.replies_memory import AtomRelation
from skillmill.models.reply_models import check_entries


def test_an_unknown_id_and_a_missing_field_lose_their_entry_alone_u35():
    """Notes 0 to 4 were shown; the third entry is fine and is used."""
    entries = [{"atom_id": "12", "label": "Cause"}, {"atom_id": "1"},
               {"atom_id": "2", "label": "Want"}]  # fmt: skip
    checked = check_entries(entries, AtomRelation, ["0", "1", "2", "3", "4"])
    assert checked.valid == (AtomRelation(atom_id="2", label="Want"),)
    assert [rejected.entry for rejected in checked.rejected] == entries[:2]
    reasons = [rejected.reason for rejected in checked.rejected]
    assert reasons == ["atom_id '12' was not shown", "label: Field required"]
    assert checked.unnamed == ("0", "1", "3", "4")


def test_the_first_of_two_entries_about_the_same_counts():
    entries = [AtomRelation(atom_id="1", label=label) for label in ("Cause", "none")]
    checked = check_entries(entries, AtomRelation, ["1"])
    assert checked.valid == (entries[0],)
    assert checked.rejected[0].reason.startswith("repeated")


def test_two_relations_of_one_pair_are_two_entries():
    edges = [TypedEdge(source="a", target="b", relation=relation)
             for relation in ("precedes", "feeds_into", "precedes")]  # fmt: skip
    assert len(check_entries(edges, TypedEdge, ["a", "b"]).valid) == 2


def test_a_rule_of_the_caller_gives_its_own_reason():
    edges = [{"source": "b", "target": "c", "relation": "precedes"}]
    checked = check_entries(
        edges,
        TypedEdge,
        ["a", "b", "c"],
        allow=lambda edge: None if "a" in {edge.source, edge.target} else "not of a",
    )
    assert [rejected.reason for rejected in checked.rejected] == ["not of a"]


@pytest.mark.parametrize("entry", [None, 3, "x", [], {"atom_id": ["1"]}])
def test_an_entry_of_another_shape_is_rejected_and_not_raised(entry):
    checked = check_entries([entry], AtomRelation, ["1"])
    assert checked.valid == ()
    assert checked.rejected[0].entry is entry


def test_nothing_to_check_leaves_every_id_unnamed():
    checked = check_entries([], AtomRelation, ["b", "a"])
    assert (checked.valid, checked.rejected, checked.unnamed) == ((), (), ("a", "b"))
