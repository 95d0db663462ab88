import numpy as np
import pytest

from skillmill.codehash import modules_hash
from skillmill.errors import InputError
from skillmill.evolve.confidence import confidence
from skillmill.evolve.llm_proposer import ROLES, LlmProposer
from skillmill.evolve.llm_router import LlmRouting
from skillmill.evolve.search import Search
from skillmill.interfaces.asked import Listener
from skillmill.interfaces.evolution_data import (
    executor_identity,
    of_split,
    questions_of,
)
from skillmill.interfaces.evolving import (
    Asking,
    Setting,
    models_of,
    proposer_of,
    reward_of,
    router_settings,
    routing_of,
    rules_of,
    section_of,
    usable_primitives,
)
from skillmill.interfaces.router_vectors import with_confidence
from skillmill.models.encoder import EncoderSettings
from skillmill.models.llm import ChatClient
from skillmill.settings.evolution import Evolution
from skillmill.store.replies import ReplyRecords
from tests.evolve.ground import arena, questions
from tests.interfaces.gardens import build

DEFAULT = Evolution()


def test_the_section_comes_back_from_what_a_rule_is_told():
    section = Evolution(batch=7, gate={"margin": 0.02})
    assert section_of(section.model_dump(exclude={"variants", "seeds"})) == section


def test_the_rules_of_a_step_are_those_of_the_section():
    section = Evolution(gate={"rule": "routed", "margin": 0.02, "tolerance": 0.05})
    rules = rules_of(section)
    assert (rules.gate, rules.margin, rules.tolerance) == ("routed", 0.02, 0.05)
    assert rules.limit == section.limit
    assert rules.racing


def test_the_reward_looks_at_the_first_atoms_alone():
    reward = reward_of(Evolution(cutoff=2))
    assert reward(["a", "x", "b"], {"a", "b"}) == 0.5
    whole = reward_of(Evolution(cutoff=3, reward="full_evidence"))
    assert whole(["a", "x", "b"], {"a", "b"}) == 1
    assert whole(["a", "x", "y"], {"a", "b"}) == 0


def test_proposers_and_routers_by_name(tmp_path):
    plain = setting(tmp_path)
    found = proposer_of(Evolution(proposer={"longest": 3, "curiosity": 0.2}), plain)
    assert found == Search(3, 0.2)
    with pytest.raises(InputError, match="asks a language model"):
        proposer_of(Evolution(proposer={"kind": "llm"}), plain)
    with pytest.raises(InputError, match=r"evolution\.router\.kind is 'llm'"):
        routing_of(Evolution(router={"kind": "llm"}), plain)


def setting(tmp_path, shaping=None):
    """A place to run, with models for some roles."""
    client = ChatClient({}, ReplyRecords(tmp_path), rng=np.random.default_rng(0))
    asking = Asking(client, Listener(client), shaping, {}) if shaping else None
    return Setting(arena().asked, 5, EncoderSettings(), tmp_path, asking)


def test_programs_call_no_model_offline(tmp_path):
    assert "llm_process" not in usable_primitives()
    assert "dense_search" in usable_primitives()
    shaping = {"llm_process": {"model": "small"}}
    asked = setting(tmp_path, shaping)
    assert "llm_process" in asked.primitives
    assert asked.executor["llm_process"] == '{"model": "small"}'
    assert setting(tmp_path).executor["llm_process"] == "off"
    assert models_of(shaping) == {"llm_process": "small"}


def test_with_models_for_their_roles_proposer_and_router_ask_them(tmp_path):
    roles = (*ROLES, "router")
    asked = setting(tmp_path, {role: {"model": "small"} for role in roles})
    section = Evolution(proposer={"kind": "llm"}, router={"kind": "llm"})
    assert isinstance(proposer_of(section, asked), LlmProposer)
    assert isinstance(routing_of(section, asked), LlmRouting)
    # A router alone makes no proposer.
    with pytest.raises(InputError, match="asks a language model"):
        proposer_of(section, setting(tmp_path, {"router": {"model": "small"}}))


def test_a_split_without_questions_is_refused():
    asked = arena().asked
    assert of_split(asked, "val") == questions(arena(), "val")
    with pytest.raises(InputError, match=r"memory\.splits\.test has evidence"):
        of_split(asked, "test")


def test_rollouts_are_known_by_the_executors_code_and_the_budget():
    one = executor_identity(20)
    assert one == executor_identity(20)
    assert one != executor_identity(10)
    assert one["own"] == ""
    assert one["executor"] == modules_hash(
        "skillmill.skills.batch", "skillmill.skills.primitives"
    )


def test_the_hash_of_modules_covers_what_they_import_and_no_data_beside_them():
    batch = modules_hash("skillmill.skills.batch")
    assert batch == modules_hash("skillmill.skills.batch")
    assert batch != modules_hash("skillmill.skills.program")


def test_questions_have_their_split_and_token_vectors_where_they_are_wanted(tmp_path):
    shard = build(tmp_path)
    memory, tokens = shard / "memory.sqlite", shard / "tokens.sqlite"
    plain = questions_of([memory], {"train": ["garden"]})
    assert plain
    assert {one.split for one in plain.values()} == {"train"}
    assert all(one.view.tokens is None for one in plain.values())
    late = questions_of([memory], {"train": ["garden"]}, [tokens])
    assert late.keys() == plain.keys()
    for name, one in late.items():
        assert one.view.tokens is not None
        # Rollouts with and without them are no rollouts of one memory.
        assert one.memory != plain[name].memory
    assert questions_of([memory], {"train": ["elsewhere"]}) == {}


def test_confidence_stands_behind_the_vector_of_each_question():
    asked = arena().asked
    vectors = {name: np.full(3, n) for n, name in enumerate(sorted(asked))}
    found = with_confidence(vectors, asked)
    assert found.keys() == asked.keys()
    for name, one in asked.items():
        assert found[name][:3].tolist() == vectors[name].tolist()
        alone = confidence([one.query], one.view)[0]
        assert found[name][3:] == pytest.approx(alone, abs=1e-6)


def test_what_training_does_not_read_is_no_setting_of_the_learned_router():
    router = {"kind": "learned", "confidence": True, "step_price": 0.1, "budgets": [1]}
    section = Evolution(router=router)
    assert rules_of(section).step_price == 0.1
    assert router_settings(section).prior == section.router.prior
    assert router_settings(DEFAULT) is None
