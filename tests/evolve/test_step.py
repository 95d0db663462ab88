from dataclasses import replace

import numpy as np
import pytest

from skillmill.evolve.prior_router import picks
from skillmill.evolve.proposals import Proposal, ProposalRound
from skillmill.evolve.rivals import Random
from skillmill.evolve.state import Rules
from skillmill.evolve.step import advanced, started
from skillmill.evolve.trie import Tally
from skillmill.skills.primitive import Primitive, one_of_many
from skillmill.skills.state import Steps
from tests.evolve.ground import OFFLINE, SEEDS, arena, ground, questions
from tests.evolve.skills import skill

OURS = Rules(limit=6, identity="program", keep_best=True, train_filter="or-no-worse")


def evolved(rules, where=None, steps=3, proposer=None):
    """States after each step, that of the seeds first."""
    where = where or ground(proposer=proposer)
    names = questions(where.arena, "train")
    states = [started(SEEDS, where, rules)]
    for step in range(steps):
        rng = np.random.default_rng([0, step])
        batch = names[3 * step : 3 * step + 3]
        states.append(advanced(states[-1], batch, where, rules, rng))
    return states


class Fixed:
    """Proposes what it was given."""

    def __init__(self, *proposals):
        self.proposals = proposals

    def propose(self, context, rng):
        return ProposalRound(self.proposals)


def told(states, name):
    one = next(o for o in states[-1].trie.explored if o.skill.name == name)
    return [event.fate for event in one.history], one


def test_the_first_state_has_the_seeds_on_both_frontiers():
    state = started(SEEDS, ground(), Rules())
    assert state.capability == state.deploy == tuple(s.content_hash for s in SEEDS)
    assert state.validation.rewards.shape == (3, 9)
    assert state.history[0].rollouts == 27
    with pytest.raises(ValueError, match="at least one seed"):
        started((), ground(), Rules())


@pytest.mark.parametrize("rules", [Rules(), OURS, replace(OURS, gate="best-single")])
def test_oracle_coverage_of_the_capability_frontier_never_falls(rules):
    states = evolved(rules)
    oracles = [state.history[-1].capability_oracle for state in states]
    assert oracles == sorted(oracles)
    assert oracles[-1] > oracles[0]


def test_oracle_coverage_of_the_deploy_frontier_never_falls_behind_the_papers_gate():
    oracles = [state.history[-1].deploy_oracle for state in evolved(Rules(limit=6))]
    assert oracles == sorted(oracles)


def test_racing_gives_the_frontiers_of_the_full_evaluation_for_fewer_rollouts():
    full = replace(OURS, supervision="retained")
    for rules in (full, replace(full, train_filter="frontier", keep_best=False)):
        plain, raced = evolved(rules), evolved(replace(rules, racing=True))
        for one, other in zip(plain, raced, strict=True):
            assert one.capability == other.capability
            assert one.deploy == other.deploy
            assert one.router == other.router
        spent = [sum(row.rollouts for row in s[-1].history) for s in (plain, raced)]
        assert spent[1] < spent[0]


def test_rollouts_are_counted_as_the_tables_and_tallies_have_them():
    states = evolved(Rules(limit=4))
    tallies = [
        tally for one in states[-1].trie.explored for tally in one.rollouts.values()
    ]
    needed = sum(row.rollouts for row in states[-1].history)
    assert needed == sum(tally.n for tally in tallies)


def test_a_repeated_path_is_refused_and_costs_no_rollout():
    twin = replace(skill("D", "twin", weight=2.0))
    fresh = skill("DL")
    source = SEEDS[0].content_hash
    proposer = Fixed(Proposal(twin, source, "r"), Proposal(fresh, source, "r"))
    states = evolved(Rules(), proposer=proposer, steps=1)
    assert [r.reason for r in states[1].refusals] == [
        "repeats the path of d, dense_search"
    ]
    assert len(states[1].trie.explored) == 4


def test_a_source_off_the_capability_frontier_is_refused_and_the_limit_kept():
    far = Proposal(skill("LD"), "elsewhere", "r")
    rest = [Proposal(skill(x), None, "r") for x in ("DL", "DE")]
    states = evolved(Rules(limit=1), proposer=Fixed(far, *rest), steps=1)
    assert [r.reason for r in states[1].refusals] == [
        "its source is not on the capability frontier",
        "the limit of 1 proposals is reached",
    ]


def test_the_trie_tells_the_fate_of_every_candidate():
    states = evolved(OURS)
    last = states[-1]
    for one in last.trie.explored:
        fates = [event.fate for event in one.history]
        if one.source is None:
            continue
        assert fates[0] == "proposed"
        assert fates[1] in ("train-retained", "train-rejected")
        if fates[1] == "train-retained":
            assert fates[2] in ("entered", "validation-rejected")
            assert one.rollouts["val"] == Tally(9, one.rollouts["val"].total)
        else:
            assert "val" not in one.rollouts
    able = {o.skill.content_hash for o in last.trie.explored if o.status in (
        "both", "capability"
    )}  # fmt: skip
    assert able == set(last.capability)


def test_a_deploy_gate_that_asks_too_much_keeps_the_seeds():
    states = evolved(replace(OURS, margin=2.0, tolerance=-2.0))
    assert states[-1].capability != states[0].capability
    assert states[-1].deploy == states[0].deploy
    assert any("deploy-rejected" in [e.fate for e in o.history]
               for o in states[-1].trie.explored)  # fmt: skip


def test_routing_is_never_worse_than_the_best_deployed_skill_behind_the_gate_for_it():
    for row in evolved(replace(OURS, gate="best-single"))[-1].history[1:]:
        if row.deploy_accepted:
            assert row.routed >= row.best_single


def test_without_frontiers_every_candidate_is_taken_and_deployed():
    states = evolved(replace(OURS, frontiers="none", limit=3))
    assert [len(s.capability) for s in states] == [3, 6, 9, 12]
    assert states[-1].deploy == states[-1].capability


def test_without_the_trie_what_was_rejected_may_be_proposed_again():
    fresh = Proposal(skill("DL"), None, "r")
    hopeless = replace(Rules(), memory="frontier")
    states = evolved(hopeless, proposer=Fixed(fresh), steps=2)
    fates, one = told(states, "dl")
    if "entered" not in fates:
        assert one.rollouts["train"].n == 6
    kept = evolved(Rules(), proposer=Fixed(fresh), steps=2)
    assert len(kept[-1].refusals) == 1


def test_equal_inputs_give_equal_states_and_another_proposer_others():
    one, other = evolved(OURS)[-1], evolved(OURS)[-1]
    assert one.history == other.history
    assert one.trie == other.trie
    assert one.router == other.router
    drawn = evolved(OURS, proposer=Random(3))[-1]
    assert drawn.trie != one.trie


def test_the_router_learns_from_the_last_steps_alone_where_told():
    states = evolved(replace(OURS, window=2))
    assert [len(state.window) for state in states] == [0, 1, 2, 2]
    assert states[-1].window[-1].queries == questions(arena(), "train")[6:9]


def test_a_price_of_steps_turns_the_router_to_shorter_programs():
    """With a step dearer than any reward, the shortest program is worth most."""
    plain, dear = evolved(OURS), evolved(replace(OURS, step_price=1.0))
    lengths = []
    for states in (plain, dear):
        state, where = states[-1], ground()
        names = state.validation.skills
        vectors = where.skill_vectors(state.skills(names))
        router = where.routing.load(state.router)
        pick = picks(router, np.zeros((1, 1), np.float32), vectors)[0]
        lengths.append(len(state.trie[names[pick]].skill.program))
    assert lengths[1] == 1 < lengths[0]


def test_a_primitive_of_ones_own_takes_part_and_is_deployed_where_it_is_best():
    """It finds the evidence of every question, so programs with it win."""
    gold = {name: one.evidence for name, one in arena().asked.items()}

    def many(queries, states, view, args):
        rows = [[float(id in gold[q.id]) for id in view.ids] for q in queries]
        return Steps(np.array(rows))

    own = Primitive("own_search", "search", one_of_many(many), many=many)
    where = ground(arena(primitives={**OFFLINE, "own_search": own}))
    state = evolved(replace(OURS, limit=12, gate="best-single"), where)[-1]
    best = state.trie[state.validation.only(state.deploy).best_single()].skill
    assert "own_search" in best.path
    assert state.history[-1].routed > state.history[0].routed
    plain = evolved(replace(OURS, limit=12, gate="best-single"))[-1]
    assert state.history[-1].routed > plain.history[-1].routed
