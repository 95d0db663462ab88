from dataclasses import replace

import pytest

from skillmill.evolve.edits import (
    Kind,
    edit_between,
    edits,
    effect_key,
    is_legal,
    made_skill,
    named_nodes,
)
from skillmill.skills.skill import parse_skill, render_skill
from tests.evolve.ground import OFFLINE, arena, questions
from tests.evolve.skills import skill

SEARCHES = ("dense_search", "entity_search", "lexical_search")


def program(letters, *weights):
    nodes = skill(letters).program
    weights = weights or [1.0] * len(nodes)
    return named_nodes(
        [replace(n, weight=w) for n, w in zip(nodes, weights, strict=True)]
    )


def test_all_edits_of_a_single_search():
    found = list(edits(program("D"), OFFLINE, longest=2))
    kinds = [kind for kind, _ in found]
    # Before it one of two other searches; behind it all but itself; in its place two.
    assert kinds.count(Kind("insert", "lexical_search")) == 2
    assert kinds.count(Kind("insert", "dense_search")) == 0
    assert [k.primitive for k in kinds if k.change == "replace"] == list(SEARCHES[1:])
    # Nothing is left after a removal, and the weight of a lone step says nothing.
    assert not {"remove", "re-weight", "reorder"} & {kind.change for kind in kinds}
    assert len(found) == 2 + 5 + 2


def test_a_longer_program_can_lose_turn_and_weigh_its_steps():
    kinds = {str(kind) for kind, _ in edits(program("DLS"), OFFLINE, longest=3)}
    assert {"remove dense_search", "reorder lexical_search"} <= kinds
    assert {"re-weight lexical_search*2", "re-weight lexical_search*0.5"} <= kinds
    assert not any(kind.startswith("insert") for kind in kinds)
    # An expansion cannot come first.
    assert "reorder similarity_expand" in kinds
    firsts = {p[0].primitive for _, p in edits(program("DLS"), OFFLINE, longest=3)}
    assert firsts <= set(SEARCHES)


def test_weights_stay_in_bounds():
    found = edits(program("DL", 4.0, 0.25), OFFLINE, longest=2)
    kinds = {kind.primitive for kind, _ in found if kind.change == "re-weight"}
    assert kinds == {"dense_search*0.5", "lexical_search*2"}


def test_every_edit_is_a_valid_skill_and_its_kind_is_found_again():
    before = program("DLS", 1.0, 2.0, 1.0)
    for kind, after in edits(before, OFFLINE, longest=4):
        made = made_skill(after)
        assert parse_skill(render_skill(made), "f").program == after
        found = edit_between(before, after)
        # A step with a twin may have come in at two places, under one kind.
        assert found == kind, (kind, found)


def test_what_no_single_edit_makes_has_no_kind():
    assert edit_between(program("D"), program("LSR")) is None
    assert edit_between(program("D"), program("LS")) is None
    # Another weight besides is still told as what the path says.
    longer = program("DL", 1.0, 2.0)
    assert edit_between(program("D"), longer) == Kind("insert", "lexical_search")


@pytest.mark.parametrize(
    ("letters", "legal"), [("SD", False), ("DD", False), ("DSD", True), ("D", True)]
)
def test_a_program_starts_by_searching_and_repeats_no_step_at_once(letters, legal):
    assert is_legal(program(letters), OFFLINE) is legal


def test_the_empty_program_is_not_legal():
    assert not is_legal((), OFFLINE)


ALIKE = [
    (program("DL"), program("LD")),
    (program("DLS"), program("LDS")),
    (program("DL", 2.0, 1.0), program("DL", 4.0, 2.0)),
    (program("DLD"), program("DL", 2.0, 1.0)),
]
APART = [
    (program("DSL"), program("DLS")),
    (program("DL", 2.0, 1.0), program("DL")),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_programs_alike_by_construction_rank_alike(one, other):
    assert effect_key(one, OFFLINE) == effect_key(other, OFFLINE)
    where = arena()
    for split in ("train", "val"):
        names = questions(where, split)
        ranked = [
            [r.items for r in where.rollouts(made_skill(p), names).values()]
            for p in (one, other)
        ]
        assert ranked[0] == ranked[1]


@pytest.mark.parametrize(("one", "other"), APART)
def test_other_programs_have_other_keys(one, other):
    assert effect_key(one, OFFLINE) != effect_key(other, OFFLINE)


def test_words_and_hash_depend_on_the_program_alone():
    one, other = made_skill(program("DL")), made_skill(program("DL"))
    assert one == other
    assert one.name.startswith("dense-lexical-")
    assert made_skill(program("DL", 2.0, 1.0)).name != one.name
    assert "dense_search x 2, then" in made_skill(program("DL", 2.0, 1.0)).description
