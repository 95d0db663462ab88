"""The configuration is checked once, and says what to mend."""

import json
from typing import get_args

import pytest
import yaml

from skillmill.config import (
    SCHEMA,
    check_config,
    find_path,
    json_schema,
    nearest_key,
    require_track,
)
from skillmill.errors import ConfigError
from skillmill.models.prompts import roles as prompt_roles
from skillmill.settings.evolution import laid
from skillmill.settings.models import Role
from skillmill.settings.whole import Config
from tests.conftest import REPOSITORY


def shipped(name):
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


def test_the_shipped_file_states_every_default():
    """config.yaml is where a user reads the defaults, so it may not differ."""
    written = Config.model_validate(shipped("config.yaml")).model_dump()
    model = Config().model_dump()
    model["library"].update(path="data/sample/library", tasks="data/sample/tasks.jsonl")
    model["memory"]["path"] = "data/sample/conversations.jsonl"
    assert written == model
    assert shipped("config.yaml").keys() == model.keys()


@pytest.mark.parametrize(
    "overlay", sorted(p.name for p in (REPOSITORY / "configs").glob("*.yaml"))
)
def test_every_overlay_is_valid(overlay):
    values = shipped("config.yaml")
    for key, value in shipped(f"configs/{overlay}").items():
        if isinstance(value, dict):
            values[key] = {**values[key], **value}
        else:
            values[key] = value
    # One that names no study is laid over another that does.
    named = "study" in shipped(f"configs/{overlay}")
    study = overlay.removesuffix(".yaml") if named else "sample"
    assert check_config(values).study == study


PAPER = ("erskill-locomo", "erskill-perltqa", "erskill-longmemeval")


@pytest.mark.parametrize("name", PAPER)
def test_the_overlays_of_the_paper_are_valid_and_hold_its_values(name):
    values = laid(shipped("config.yaml"), shipped(f"configs/paper/{name}.yaml"))
    config = check_config(values)
    assert config.study == name
    gate, memory = config.evolution.gate, config.memory
    persons = name == "erskill-perltqa"
    assert (gate.rule, gate.margin) == ("routed", 0.02 if persons else 0.0)
    assert gate.tolerance == (0.05 if persons else 0.15)
    assert config.evolution.batch == (40 if persons else 20)
    assert memory.neighbours == 5
    assert config.encoder.name == "endpoint:facebook/contriever"
    models = config.models
    assert models.default.model == "Qwen/Qwen3-Next-80B-A3B-Instruct"
    judge = f"judge_{name.removeprefix('erskill-')}"
    assert models.of(judge).model == "gpt-4o-mini"
    nano = check_config(laid(values, shipped("configs/paper/gpt-5.4-nano.yaml")))
    assert nano.models.of("answer").model == "gpt-5.4-nano"
    assert nano.models.of(judge).model == "gpt-4o-mini"
    if name == "erskill-longmemeval":
        assert memory.transfer
        return
    own = config.evolution
    assert own.router.encoder.name == "endpoint:Qwen/Qwen3-Embedding-0.6B"
    assert (own.proposer.kind, own.router.kind, own.reward) == (
        "llm", "learned", "judge",
    )  # fmt: skip
    assert (own.router.temperature, own.router.prior) == (1.0, 0.0)
    # One epoch: the last batch holds what is left.
    asked = 439 if persons else 233
    assert own.steps == -(-asked // own.batch)


def test_the_exported_schema_is_current():
    assert SCHEMA.read_text(encoding="utf-8") == json_schema(), (
        "run `make schema` and commit src/skillmill/config.schema.json"
    )


def test_every_key_says_what_it_means():
    def walk(node):
        for name, value in node.get("properties", {}).items():
            assert "description" in value or "$ref" in value, name

    schema = json.loads(json_schema())
    walk(schema)
    for part in schema["$defs"].values():
        walk(part)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"library": {"ranker": {"dense_wieght": 0.5}}},
            "library.ranker.dense_wieght: unknown key; the nearest known key is"
            " 'library.ranker.dense_weight'",
        ),
        ({"libary": {}}, "libary: unknown key; the nearest known key is 'library'"),
        (
            {"rrf_k": 3},
            "rrf_k: unknown key; the nearest known key is 'library.ranker.rrf_k'",
        ),
        ({"zzzzqqq": 3}, "config: zzzzqqq: unknown key"),
        (
            {"memory": {"budget": 0}},
            "memory.budget: input should be greater than or equal to 1, got 0",
        ),
        ({"study": "a/b"}, "study: string should match pattern"),
    ],
)
def test_a_bad_key_is_named_with_the_way_out(values, message):
    with pytest.raises(ConfigError) as caught:
        check_config(values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_bad_keys_are_named_at_once():
    with pytest.raises(ConfigError) as caught:
        check_config({"sed": 1, "memory": {"budget": -1}})
    assert "sed" in str(caught.value)
    assert "memory.budget" in str(caught.value)


def test_a_variant_may_not_bear_the_name_of_the_study():
    with pytest.raises(ConfigError, match="'sample', which is the study itself"):
        check_config({"library": {"distractors": {"variants": {"sample": 10}}}})


def test_a_conversation_belongs_to_one_split():
    splits = {"train": ["a", "b"], "test": ["b"]}
    with pytest.raises(ConfigError, match="puts b into more than one split"):
        check_config({"memory": {"splits": splits}})


def test_the_nearest_key_is_found_by_its_last_part():
    assert nearest_key("encoder.batchsize") == "encoder.batch_size"
    assert nearest_key("qqqqqq") is None


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.delenv("SKILLMILL_DATA", raising=False)
    work, base, data = (tmp_path / name for name in ("work", "base", "data"))
    for folder in (work, base, data):
        folder.mkdir()
    monkeypatch.chdir(work)
    return work, base, data


def test_a_path_is_found_from_the_working_directory_first(folders):
    work, base, _ = folders
    (base / "x").write_text("base")
    assert find_path("x", "k", data_root="none", base=base).read_text() == "base"
    (work / "x").write_text("work")
    assert find_path("x", "k", data_root="none", base=base).read_text() == "work"


def test_the_environment_overrides_the_data_root(folders, monkeypatch):
    _, base, data = folders
    (data / "locomo").mkdir()
    monkeypatch.setenv("SKILLMILL_DATA", str(data))
    found = find_path("{data_root}/locomo", "memory.path", data_root="no", base=base)
    assert found == data / "locomo"


def test_a_missing_path_names_the_key_and_the_way_out(folders):
    _, base, _ = folders
    with pytest.raises(ConfigError) as caught:
        find_path("{data_root}/locomo", "memory.path", data_root="ext", base=base)
    assert "memory.path: nothing lies at ext/locomo" in str(caught.value)
    assert "SKILLMILL_DATA" in str(caught.value)


def test_a_cutoff_past_what_a_ranking_holds_is_refused():
    with pytest.raises(
        ConfigError, match=r"memory.cutoffs asks for the top 20, .* = 10"
    ):
        check_config({"memory": {"path": "x", "budget": 10}})


def test_a_run_without_any_track_is_refused():
    with pytest.raises(ConfigError, match="both null, so there is nothing to build"):
        require_track(check_config({"library": {"path": None}}))


@pytest.mark.parametrize("values", [{"seed": True}, {"memory": {"shards": "4"}}])
def test_a_value_of_another_type_is_named_and_not_bent(values):
    with pytest.raises(ConfigError, match="valid integer"):
        check_config(values)


def test_a_role_has_the_default_model_under_what_it_sets_itself():
    models = check_config(
        {
            "models": {
                "mode": "live",
                "default": {"model": "small", "temperature": 0.5, "price_in": 1.0},
                "roles": {
                    "router": {"model": "large", "price_in": None},
                    "judge_locomo": {"model": ""},
                },
            }
        }
    ).models
    router = models.of("router")
    assert (router.model, router.temperature, router.price_in) == ("large", 0.5, None)
    assert models.of("answer") == models.default
    assert models.is_asked("answer")
    assert not models.is_asked("judge_locomo")
    assert models.asks("judge_locomo") == {}
    assert models.asks("router").keys() == {
        "model", "base_url", "temperature", "max_tokens", "seed", "extra",
    }  # fmt: skip
    assert models.prices()["answer"] == (1.0, None)


def test_a_role_without_a_model_of_its_own_is_off_by_default():
    models = check_config({}).models
    assert (models.mode, models.asks("emit_edges"), models.prices()) == ("off", {}, {})


def test_every_role_of_a_prompt_may_be_configured():
    assert sorted(get_args(Role)) == sorted(prompt_roles())


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({"mode": "live"}, "models.mode is 'live' but no model has a name"),
        (
            {"default": {"base_url": "http://me:secret@host/v1"}},
            "models.default.base_url holds credentials",
        ),
        (
            {"roles": {"router": {"base_url": "http://host/v1?key=secret"}}},
            "models.roles.router.base_url holds credentials",
        ),
        ({"roles": {"poet": {}}}, "models.roles.poet"),
        (
            {"default": {"model": "m"}, "budget": {"usd": 1.0}},
            "models.budget.usd counts money, and models.default has no price",
        ),
        (
            {"default": {"modle": "m"}},
            "models.default.modle: unknown key; the nearest known key is"
            " 'models.default.model'",
        ),
    ],
)
def test_models_that_cannot_be_asked_are_refused(models, message):
    with pytest.raises(ConfigError) as caught:
        check_config({"models": models})
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_variant_of_evolution_is_the_section_with_its_changes():
    section = check_config(
        {
            "evolution": {
                "variants": {
                    "batch-40": {"batch": 40},
                    "papers-gate": {"gate": {"rule": "routed"}},
                }
            }
        }
    ).evolution
    wide = section.variant("batch-40")
    assert (wide.batch, wide.steps) == (40, 6)
    gated = section.variant("papers-gate")
    assert (gated.gate.rule, gated.gate.tolerance, gated.steps) == ("routed", 0.15, 12)
    assert section.variant("default").batch == 20


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"variants": {"x": {"btach": 2}}}, r"variants.x.btach: unknown key"),
        ({"variants": {"default": {}}}, "another name"),
        ({"variants": {"x": {"variants": {"y": {}}}}}, "of its own"),
        ({"cutoff": 21}, "memory.budget = 20"),
        ({"supervision": "all"}, "set it to 'retained'"),
        ({"router": {"confidence": True}}, "set kind to 'learned'"),
        ({"variants": {"x": {"router": {"budgets": [1]}}}}, "x.router.budgets is for"),
        ({"router": {"kind": "learned", "budgets": [0]}}, "greater than 0"),
        ({"gate": {"tolerance": 2}}, "less than or equal to 1"),
    ],
)
def test_an_evolution_that_cannot_be_run_is_refused(values, message):
    with pytest.raises(ConfigError, match=message):
        check_config({"evolution": values})


def test_sizes_of_splits_are_drawn_or_checked_and_never_both():
    drawn = check_config({"memory": {"splits": {"questions": {"test": 9}}}})
    splits = drawn.memory.splits
    assert splits.drawn
    assert splits.declared("val") == {
        "val": [], "questions": {"train": 0, "val": 0, "test": 9}, "seed": 0
    }  # fmt: skip
    named = {"test": ["conv-1"], "questions": {"test": 9}}
    assert not check_config({"memory": {"splits": named}}).memory.splits.drawn
    plain = check_config({}).memory.splits
    assert plain.declared() == {"train": [], "val": [], "test": []}
    mixed = {"test": ["conv-1"], "questions": {"test": 9, "val": 2}}
    with pytest.raises(ConfigError, match="none of val, which"):
        check_config({"memory": {"splits": mixed}})
