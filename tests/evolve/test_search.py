from dataclasses import replace

import numpy as np

from skillmill.evolve.edits import Kind, made_skill
from skillmill.evolve.proposals import ProposalContext
from skillmill.evolve.rivals import Exhaustive, Random, legal_skills
from skillmill.evolve.search import Credit, Search, credit_by_kind
from skillmill.evolve.table import RewardTable
from skillmill.evolve.trie import Event, Trie
from tests.evolve.ground import OFFLINE
from tests.evolve.skills import skill

D, L = skill("D"), skill("L")
DL = skill("DL")


def context(trie, frontier, limit=3):
    return ProposalContext(
        step=0,
        frontier=tuple(frontier),
        deploy=tuple(frontier),
        retired=(),
        trie=trie,
        train=RewardTable.empty(["q"]),
        choices=(),
        history=(),
        primitives=OFFLINE,
        limit=limit,
    )


def seeded(*skills, identity="program", **means):
    trie = Trie((), identity)
    for one in skills:
        trie = trie.added(one, source=None, step=-1)
        trie = trie.tallied("val", {one.content_hash: [means.get(one.name, 0.5)]})
    return trie


def rng():
    return np.random.default_rng(0)


def test_edits_of_the_best_source_come_first():
    trie = seeded(D, L, d=0.9, l=0.1)
    found = Search(longest=2).propose(context(trie, [D, L], 4), rng())
    assert {one.source for one in found.proposals} == {D.content_hash}
    assert len(found.proposals) == 4


def test_a_kind_of_edit_that_paid_off_is_tried_again():
    gained = made_skill(skill("DE").program)
    trie = seeded(D, L, d=0.5, l=0.5)
    trie = trie.added(gained, source=D.content_hash, step=0)
    trie = trie.tallied("val", {gained.content_hash: [0.7]})
    trie = trie.happened(gained.content_hash, Event(0, "entered"))
    entity = Kind("insert", "entity_search")
    assert credit_by_kind(trie)[entity] == Credit(1, 0.7 - 0.5)
    found = Search(longest=2).propose(context(trie, [L], 1), rng())
    assert "insert entity_search" in found.proposals[0].reason


def test_a_kind_that_was_turned_away_has_no_gain_whatever_it_had_by_then():
    lost = made_skill(skill("DE").program)
    trie = seeded(D).added(lost, source=D.content_hash, step=0)
    trie = trie.tallied("val", {lost.content_hash: [0.9]})
    assert credit_by_kind(trie) == {Kind("insert", "entity_search"): Credit(1, 0.0)}


def test_hope_falls_with_the_tries():
    assert Credit().hope(0.1) == 0.1
    assert Credit(3, 0.3).hope(0.1) == 0.15


def test_what_ranks_as_an_explored_program_is_refused_with_its_reason():
    trie = seeded(D, L, DL)
    found = Search(longest=2).propose(context(trie, [D, L], 99), rng())
    paths = [one.skill.path for one in found.proposals]
    assert ("lexical_search", "dense_search") not in paths
    reasons = {refusal.reason for refusal in found.refusals}
    assert "ranks as dl does, by construction" in reasons
    assert len(set(paths)) == len(paths)


def test_by_path_no_edit_repeats_a_path():
    trie = seeded(D, DL, identity="path")
    found = Search(longest=2).propose(context(trie, [DL], 99), rng())
    paths = [one.skill.path for one in found.proposals]
    assert DL.path not in paths
    assert any("repeats the path" in refusal.reason for refusal in found.refusals)


def test_equal_generators_give_equal_rounds():
    trie = seeded(D, L)
    rounds = [Search().propose(context(trie, [D, L]), rng()) for _ in range(2)]
    assert rounds[0] == rounds[1]


def test_the_legal_paths_up_to_two_by_hand():
    # Three searches; after each, all five others but itself.
    assert len(legal_skills(OFFLINE, 1)) == 3
    assert len(legal_skills(OFFLINE, 2)) == 3 + 3 * 5
    # Three pairs of searches rank alike in either order.
    assert len(legal_skills(OFFLINE, 2, distinct=True)) == 3 + 3 * 5 - 3
    assert len(legal_skills(OFFLINE, 4)) == 3 * (1 + 5 + 25 + 125)


def test_a_primitive_of_ones_own_is_searched_too():
    own = replace(OFFLINE["dense_search"], name="own_search")
    known = {**OFFLINE, "own_search": own}
    assert len(legal_skills(known, 1)) == 4
    wider = replace(context(seeded(D), [D], 99), primitives=known)
    found = Search(longest=2).propose(wider, rng())
    assert any("own_search" in one.skill.path for one in found.proposals)


def test_the_exhaustive_rival_goes_on_where_the_trie_ends():
    first = Exhaustive(2).propose(context(Trie((), "program"), [], 3), rng())
    assert [len(one.skill.path) for one in first.proposals] == [1, 1, 1]
    trie = seeded(*[one.skill for one in first.proposals])
    second = Exhaustive(2).propose(context(trie, [], 3), rng())
    assert [len(one.skill.path) for one in second.proposals] == [2, 2, 2]
    assert len(second.refusals) == 3


def test_the_random_rival_draws_from_the_legal_paths_by_its_generator():
    found = Random(2).propose(context(Trie((), "program"), [], 5), rng())
    names = {one.name for one in legal_skills(OFFLINE, 2)}
    assert {one.skill.name for one in found.proposals} <= names
    again = Random(2).propose(context(Trie((), "program"), [], 5), rng())
    assert again == found
    other = Random(2).propose(
        context(Trie((), "program"), [], 5), np.random.default_rng(1)
    )
    assert other != found
