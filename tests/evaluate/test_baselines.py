"""Baselines over the invented garden, worked by hand."""

from skillmill.evaluate.baselines import (
    BASELINES,
    FULL,
    FUSION,
    HYBRID,
    NEEDS_MODEL,
    ORACLE,
    RANDOM,
    Given,
)
from skillmill.types import Ranking
from tests.memory.records import garden_view
from tests.skills.programs import query

EMPTY = garden_view(
    atoms=(), vectors=garden_view().vectors[:0], edges=(), mentions=(),
    entity_vectors={},
)  # fmt: skip


def given(view=None, *, name="garden/q0", evidence=(), rankings=(), budget=2, seed=0):
    asked = query(id=name)
    return Given(asked, view or garden_view(), evidence, rankings, budget, seed)


def ranking(*pairs, state="ok"):
    items = tuple(item for item, _ in pairs)
    return Ranking("a", "garden/q0", items, tuple(score for _, score in pairs), state)


def test_every_baseline_answers_under_its_own_name_within_the_budget():
    for arm, baseline in BASELINES.items():
        found = baseline(given(evidence=("garden/1/0",)))
        assert (found.arm, found.query) == (arm, "garden/q0")
        assert len(found.items) <= 2 or arm == FULL
        assert len(found.items) == len(found.scores)


def test_random_is_the_same_for_a_seed_and_another_for_another_question():
    draw = BASELINES[RANDOM]
    assert draw(given(budget=4)) == draw(given(budget=4))
    orders = {draw(given(name=f"q{n}", budget=4)).items for n in range(20)}
    assert len(orders) > 5
    assert draw(given(budget=4)) != draw(given(budget=4, seed=1))
    assert sorted(draw(given(budget=9)).items) == sorted(garden_view().ids)


def test_full_context_is_all_of_it_as_it_was_said():
    assert BASELINES[FULL](given(budget=1)).items == garden_view().ids


def test_the_oracle_returns_the_evidence_and_nothing_where_none_is_known():
    found = BASELINES[ORACLE](given(evidence=("garden/2/0", "garden/1/0")))
    assert found.items == ("garden/2/0", "garden/1/0")
    nothing = BASELINES[ORACLE](given())
    assert (nothing.state, nothing.reason) == ("empty", "no evidence is known")


def test_the_hybrid_adds_meaning_and_words():
    # The query is at 90 degrees like garden/2/0, which also holds "paint" and "shed".
    assert BASELINES[HYBRID](given()).items[0] == "garden/2/0"


def test_uniform_fusion_adds_stretched_scores_and_ties_go_to_the_lower_id():
    one = ranking(("garden/1/0", 9.0), ("garden/1/1", 3.0))
    two = ranking(("garden/2/0", 0.2), ("garden/1/1", 0.1))
    found = BASELINES[FUSION](given(rankings=[one, two], budget=3))
    assert found.items == ("garden/1/0", "garden/2/0", "garden/1/1")
    assert found.scores == (1.0, 1.0, 0.0)


def test_uniform_fusion_of_nothing_is_empty_with_its_reason():
    failed = Ranking("a", "garden/q0", (), (), "failed", "no model")
    for rankings in ((), (failed,)):
        found = BASELINES[FUSION](given(rankings=rankings))
        assert (found.state, found.items) == ("empty", ())
        assert found.reason


def test_a_memory_without_atoms_is_empty_for_all():
    for baseline in BASELINES.values():
        found = baseline(given(EMPTY))
        assert found.state == "empty", found.arm
        assert found.reason


def test_what_only_a_model_could_do_is_named_with_the_reason():
    assert len(NEEDS_MODEL) == 3
    assert set(NEEDS_MODEL.values()) == {"needs a language model"}
    assert not set(NEEDS_MODEL) & set(BASELINES)
