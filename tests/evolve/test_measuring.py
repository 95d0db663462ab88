import numpy as np
import pytest

from skillmill.evolve.controls import (
    best_of,
    exhaustive_search,
    greedy_cover,
    jittered_oracle,
    random_search,
    seed_fusion,
)
from skillmill.evolve.measuring import (
    Measured,
    Run,
    measured_rivals,
    measured_run,
    paired,
    stability,
)
from skillmill.evolve.rivals import legal_skills
from skillmill.evolve.table import RewardTable
from skillmill.skills.executor import execute
from skillmill.types import QueryScore
from tests.evolve.ground import OFFLINE, SEEDS, arena, ground, questions
from tests.evolve.test_step import OURS, evolved


def rng(name="x"):
    return np.random.default_rng([*name.encode()])


def test_exhaustive_search_gives_the_best_of_all_legal_paths():
    where = arena()
    names = questions(where, "val")
    found = exhaustive_search(where, 2, names)
    means = {s.name: np.mean(where.rewards(s, names)) for s in legal_skills(OFFLINE, 2)}
    assert np.mean(where.rewards(found.skill, names)) == max(means.values())
    assert found.rollouts == 18 * 9


def test_searches_spend_no_more_than_they_may():
    where = arena()
    names = questions(where, "val")
    first = exhaustive_search(where, 3, names, rollouts=4 * 9 + 8)
    assert first.rollouts == 4 * 9
    assert first.skill in legal_skills(OFFLINE, 3)[:4]
    drawn = random_search(where, 3, names, 4 * 9 + 8, rng())
    assert drawn == random_search(where, 3, names, 4 * 9 + 8, rng())
    assert drawn.rollouts == 4 * 9
    # One skill is always paid for.
    assert random_search(where, 1, names, 0, rng()).rollouts == 9


def test_of_equal_skills_the_first_is_chosen():
    where = arena()
    names = questions(where, "val")
    twins = [SEEDS[0], SEEDS[0]]
    assert best_of(where, twins[:1], names) is SEEDS[0]


def test_the_fusion_adds_up_the_finds_of_all_seeds():
    fused = seed_fusion(SEEDS)
    assert fused.path == ("dense_search", "entity_search", "lexical_search")
    assert {node.merge for node in fused.program} == {"sum"}


def test_jitter_turns_over_what_a_skill_returns_and_adds_nothing_to_it():
    where = arena()
    names = questions(where, "val")
    found = jittered_oracle(where, SEEDS[0], names, 30, rng())
    assert set(found) == set(names)
    for name in names:
        asked = where.asked[name]
        ranked = execute(SEEDS[0], asked.query, asked.view, 5).ranking.items
        share = len(set(ranked) & set(asked.evidence)) / len(asked.evidence)
        # The five best are all that can come among the first three.
        assert found[name] <= share
    plain = np.mean(where.rewards(SEEDS[0], names))
    assert np.mean(list(found.values())) > plain
    assert jittered_oracle(where, SEEDS[0], names, 0, rng()) == {}


def test_a_small_set_is_grown_by_what_adds_most():
    table = RewardTable(
        ("a", "b", "c", "d"),
        ("1", "2", "3"),
        [[1, 0, 0], [0.75, 0.75, 0], [0, 0, 0.5], [0.5, 0.5, 0]],
    )
    assert greedy_cover(table, 2) == ("b", "c")
    # The fourth adds nothing to the other three.
    assert greedy_cover(table, 9) == ("b", "c", "a")
    assert greedy_cover(table.only([]), 3) == ()


def test_a_run_is_measured_beside_its_rivals_on_the_same_questions():
    where = ground()
    state = evolved(OURS, where)[-1]
    names = questions(where.arena, "val")
    run = Run("default#0", state, where)
    mine = measured_run(run, where.arena, names, rng())
    table = state.validation.only(state.deploy)
    best = mine.rewards["default#0:best"]
    assert np.mean(list(best.values())) == pytest.approx(
        max(table.utilities().values())
    )
    routed = mine.rewards["default#0:routed"]
    assert np.mean(list(routed.values())) == pytest.approx(state.history[-1].routed)
    oracle = mine.rewards["ceiling:default#0:deploy-oracle"]
    assert all(oracle[q] >= max(best[q], routed[q]) for q in names)
    few = mine.rewards["ceiling:default#0:oracle-of-6"]
    whole = mine.rewards["ceiling:default#0:explored-oracle"]
    assert all(few[q] <= whole[q] for q in names)
    assert mine.rollouts == {"default#0:best": run.rollouts}

    rivals = measured_rivals(
        SEEDS, where.arena, names, names, 2, {"default#0": run.rollouts}, rng
    )
    arms = {"best-seed", "seed-fusion", "exhaustive", "default#0:random-search"}
    assert arms <= set(rivals.rewards)
    assert rivals.rollouts["default#0:random-search"] <= run.rollouts
    both = Measured({**mine.rewards, **rivals.rewards}, {})
    values = both.scores("recall", 3)
    apart = paired(values, ["default#0"])
    assert {v.metric for v in apart} == {"recall_difference"}
    seeds = rivals.rewards["best-seed"]
    gains = [v.value for v in apart if v.arm == "default#0:best - best-seed"]
    assert np.mean(gains) == pytest.approx(np.mean([best[q] - seeds[q] for q in names]))


def test_stability_is_mean_deviation_and_its_share_by_hand():
    rewards = {
        "v#0:best": {"a": 0.5, "b": 0.5},
        "v#1:best": {"a": 1.0, "b": 0.4},
        "w#0:best": {"a": 0.2, "b": 0.4},
    }
    found = stability(Measured(rewards, {}), {"v": ["v#0", "v#1"], "w": ["w#0"]}, "ab")
    # Means .5 and .7.
    assert found["v:best", "mean"] == (2, 0.6)
    assert found["v:best", "sd"] == (2, round(0.02**0.5, 6))
    assert found["v:best", "cv"] == (2, round(0.02**0.5 / 0.6, 6))
    assert found["w:best", "mean"] == (1, 0.3)
    assert ("w:best", "sd") not in found
    assert ("v:routed", "mean") not in found


def test_rows_are_sorted_by_arm_and_question():
    scores = Measured({"b": {"q": 1.0}, "a": {"r": 0.5, "q": 0.0}}, {}).scores(
        "f", None
    )
    assert scores == [
        QueryScore("a", "q", "f", None, 0.0),
        QueryScore("a", "r", "f", None, 0.5),
        QueryScore("b", "q", "f", None, 1.0),
    ]
