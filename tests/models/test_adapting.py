"""A small encoder learns which texts belong together, the same way each time."""

import json
import sys

import numpy as np
import pytest

from skillmill.errors import InputError, ModelError
from skillmill.models.adapting import RECORD, AdaptSettings, adapt
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.models.weights import describe
from tests.models.tiny import write_tiny

pytestmark = pytest.mark.model

PAIRS = [(f"{a}{a} {b}", f"{b}{b}{a}") for a in "abcd" for b in "efgh"]
SETTINGS = AdaptSettings(epochs=25, batch=8, rate=2e-3, layers=1, max_length=16)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The folder of the original, and of two adapted copies."""
    root = tmp_path_factory.mktemp("models")
    write_tiny(root / "plain")
    made = {"plain": root / "plain"}
    for name in ("once", "again"):
        adapt(root / "plain", PAIRS, SETTINGS, root / name)
        made[name] = root / name
    return made


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


def found_first(folder):
    """Share of texts whose partner is nearer than all others."""
    encoder = load_encoder(EncoderSettings(name=str(folder)))
    first, second = (encoder.encode([p[side] for p in PAIRS]) for side in (0, 1))
    return np.mean((first @ second.T).argmax(axis=1) == np.arange(len(PAIRS)))


def test_partners_come_nearer_than_others(models):
    assert found_first(models["plain"]) < 0.3
    assert found_first(models["once"]) > 0.5


def test_the_same_seed_gives_the_same_weights(models):
    assert (
        weights(models["once"]) == weights(models["again"]) != weights(models["plain"])
    )


def test_only_the_chosen_layers_change(models):
    from safetensors.numpy import load_file

    before, after = (
        load_file(models[name] / "model.safetensors") for name in ("plain", "once")
    )
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert before.keys() == after.keys()
    assert changed
    assert all(".layer.1." in name for name in changed)


def test_an_adapted_model_is_another_and_says_what_was_done(models):
    assert (
        describe(str(models["once"]))["revision"]
        != describe(str(models["plain"]))["revision"]
    )
    record = json.loads((models["once"] / RECORD).read_text())
    assert (record["pairs"], len(record["loss"])) == (16, 25)
    assert record["loss"][-1] < record["loss"][0]


def test_one_skill_alone_is_refused(models, tmp_path):
    with pytest.raises(InputError, match="at least two skills"):
        adapt(models["plain"], [("a", "b"), ("c", "b")], SETTINGS, tmp_path / "out")


def test_a_missing_torch_is_said_with_the_way_out(models, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelError, match=r"pip install 'skillmill\[gpu\]'"):
        adapt(models["plain"], PAIRS, SETTINGS, tmp_path / "out")
