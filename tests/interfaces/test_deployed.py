"""What was deployed in one study, run on the memories of another without training."""

import numpy as np
import pytest
from scripts.transferred import transferred

from skillmill.errors import InputError, ModelError
from skillmill.evolve import router as learned
from skillmill.evolve.prior_router import UtilityRouting, hash_vectors
from skillmill.evolve.state import Rules, State
from skillmill.evolve.step import advanced, started
from skillmill.evolve.storing import rows_of
from skillmill.evolve.table import RewardTable
from skillmill.evolve.trie import Trie
from skillmill.interfaces.deployed import BEST, ROUTED, Deployed, read_deployed
from skillmill.interfaces.explain import explain
from skillmill.interfaces.memories import open_memory
from skillmill.settings.evolution import Evolution
from skillmill.store import artifact, evolution
from tests.evolve.ground import SEEDS, ground, questions
from tests.evolve.skills import skill
from tests.interfaces.gardens import build

D, L = skill("D", "near"), skill("L", "words")


def keep(path, state, kind="utility", **params):
    """Write a state as rule `evolve_step` does."""
    section = Evolution.model_validate({"router": {"kind": kind}}).model_dump()
    told = {"section": section, **params}
    provenance = artifact.Provenance("evolution", "other", "0", "c0de", told)
    with artifact.writing(path, provenance) as db:
        evolution.save_evolution(db, rows_of(state))
    return path


def state_of_two(router=None):
    """Two deployed skills; the second is the best on validation."""
    trie = Trie()
    for one in (D, L):
        trie = trie.added(one, source=None, step=-1)
    hashes = (D.content_hash, L.content_hash)
    table = RewardTable(hashes, ("a/q0", "a/q1"), [[1, 0], [1, 0.5]])
    start = started(SEEDS, ground(), Rules())
    return State(
        1, trie.standing(hashes, hashes), hashes, hashes, table, (), router,
        start.history,
    )  # fmt: skip


def utility_router():
    vectors = hash_vectors([D.content_hash, L.content_hash])
    rewards = np.array([[1.0], [0.5]])
    return UtilityRouting().train(np.zeros((1, 1)), vectors, rewards).dump()


def test_a_state_of_real_steps_is_read_with_its_router(tmp_path):
    where = ground()
    state = started(SEEDS, where, Rules())
    batch = questions(where.arena, "train")[:4]
    state = advanced(state, batch, where, Rules(), np.random.default_rng(0))
    deployed = read_deployed(keep(tmp_path / "s.sqlite", state))
    assert {one.content_hash for one in deployed.skills} == set(state.deploy)
    best = state.validation.only(state.deploy).best_single()
    assert deployed.skills[deployed.best].content_hash == best
    assert len(deployed.route(np.zeros((3, 5)))) == 3


def test_without_a_router_every_question_gets_the_best_skill(tmp_path):
    deployed = read_deployed(keep(tmp_path / "s.sqlite", state_of_two()))
    assert [one.name for one in deployed.route(np.zeros((2, 9)))] == ["words", "words"]
    assert deployed.route(np.zeros((0, 9))) == []


def test_rankings_are_those_of_the_skills_under_their_arms(tmp_path):
    build(tmp_path)
    memory = open_memory(tmp_path / "plot" / "memory" / "0" / "memory.sqlite")
    path = keep(tmp_path / "s.sqlite", state_of_two(utility_router()))
    found = transferred(read_deployed(path), memory, 3)
    by_arm = {}
    for ranking in found:
        by_arm.setdefault(ranking.arm, []).append(ranking)
    assert set(by_arm) == {"transferred:near", "transferred:words", ROUTED, BEST}
    assert {len(own) for own in by_arm.values()} == {len(memory.questions)}
    items = {arm: [r.items for r in own] for arm, own in by_arm.items()}
    # The router has seen `near` do better; validation says `words`.
    assert items[ROUTED] == items["transferred:near"]
    assert items[BEST] == items["transferred:words"]
    assert items[ROUTED] != items[BEST]


def test_a_learned_router_sends_questions_by_their_vectors():
    questions = np.eye(2, dtype=np.float32)
    skills = np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32)
    settings = learned.RouterSettings(
        width=4, hidden=8, temperature=0.1, epochs=300, rate=0.02
    )
    router = learned.train(
        questions, skills, np.eye(2), settings, np.random.default_rng(0)
    )
    deployed = Deployed("s", (D, L), 0, router, skills, None)
    assert [one.name for one in deployed.route(questions)] == ["near", "words"]


def test_a_router_that_reads_confidence_gets_it_behind_the_vectors(tmp_path):
    """Its questions are alike in their vectors; only the features tell them apart."""
    alike = np.ones((2, 1), dtype=np.float32)
    features = np.eye(2, dtype=np.float32)
    skills = np.array([[1, 0], [0, 1]], dtype=np.float32)
    settings = learned.RouterSettings(
        width=4, hidden=8, temperature=0.1, epochs=300, rate=0.02
    )
    router = learned.train(
        np.concatenate([alike, features], axis=1), skills, np.eye(2), settings,
        np.random.default_rng(0),
    )  # fmt: skip
    deployed = Deployed("s", (D, L), 0, router, skills, None, sure=True)
    found = deployed.route(alike, features=features)
    assert [one.name for one in found] == ["near", "words"]


def test_a_router_that_knows_another_encoder_is_refused(tmp_path):
    build(tmp_path)
    encoder = {"name": "bundled:all-MiniLM-L6-v2", "backend": "torch"}
    router = learned.train(
        np.zeros((1, 384), np.float32),
        np.zeros((2, 384), np.float32),
        np.ones((2, 1)),
        learned.RouterSettings(epochs=1),
        np.random.default_rng(0),
    )
    path = keep(
        tmp_path / "s.sqlite", state_of_two(router.dump()), "learned", encoder=encoder
    )
    deployed = read_deployed(path)
    with pytest.raises(ModelError, match="the vectors were made by 'tiny'"):
        deployed.require_encoder(tmp_path / "plot" / "memory" / "0" / "memory.sqlite")


def test_what_a_language_model_routed_cannot_be_taken_along(tmp_path):
    path = keep(tmp_path / "s.sqlite", state_of_two(b"llm"), "llm")
    with pytest.raises(InputError, match="routed by a language model"):
        read_deployed(path)


def test_a_question_of_ones_own_goes_where_the_router_sends_it(tmp_path):
    build(tmp_path)
    path = keep(tmp_path / "s.sqlite", state_of_two(utility_router()))
    told = explain(tmp_path, "plot", "garden/q0", str(path))
    assert told.skill.name == "near"
    path = keep(tmp_path / "t.sqlite", state_of_two())
    assert explain(tmp_path, "plot", "garden/q0", str(path)).skill.name == "words"
