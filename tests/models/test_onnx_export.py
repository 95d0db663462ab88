"""Our own ONNX files: equal to torch, written whole, checked when they are reused."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from skillmill.errors import ModelError
from skillmill.models import hardware, onnx_export
from skillmill.models.encoder import EncoderSettings, identity_of, load_encoder
from skillmill.models.onnx_export import cache_folder, find_export, stem_of
from tests.conftest import REPOSITORY
from tests.models.tiny import write_tiny

TEXTS = ["abc", "de fg 12!", "", "a b c d e f g h i j k l m n o p q r s t"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SKILLMILL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "onnx"


@pytest.fixture
def tiny(tmp_path):
    return write_tiny(tmp_path / "tiny")


def encode(name, backend, texts=TEXTS):
    return load_encoder(EncoderSettings(name, backend=backend)).encode(texts)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.model
def test_a_model_of_other_sizes_gives_what_torch_gives(tiny):
    expected = encode(tiny, "torch")
    assert np.abs(encode(tiny, "onnx") - expected).max() < 1e-4
    rounded = encode(tiny, "onnx-uint8")
    assert (rounded * expected).sum(axis=1).min() > 0.99


@pytest.mark.model
@pytest.mark.parametrize("mode", ["cls_token", "max_tokens", "mean_tokens"])
def test_each_pooling_gives_what_torch_gives(tmp_path, mode):
    pooling = {"pooling_mode_mean_tokens": False, f"pooling_mode_{mode}": True}
    name = write_tiny(tmp_path / mode, pooling=pooling)
    difference = encode(name, "onnx") - encode(name, "torch")
    assert np.abs(difference).max() < 1e-4


def test_a_file_is_written_once_and_reused(tiny, cache, monkeypatch):
    first = encode(tiny, "onnx")
    (name,) = names(cache)
    assert name.startswith(
        stem_of(identity_of(EncoderSettings(tiny))["revision"], "float32")
    )
    monkeypatch.setattr(onnx_export, "bert", None)  # would fail if asked again
    assert (encode(tiny, "onnx") == first).all()


def test_other_weights_have_another_file(tiny, cache, tmp_path):
    other = write_tiny(tmp_path / "other", seed=1)
    one, two = encode(tiny, "onnx"), encode(other, "onnx")
    assert len(names(cache)) == 2
    assert np.abs(one - two).max() > 0.01


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_file_is_noticed_and_written_again(tiny, cache, damage):
    expected = encode(tiny, "onnx")
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    spoiled = bytearray(whole)
    spoiled[1000] ^= 1
    path.write_bytes(whole[:-100] if damage == "cut" else bytes(spoiled))
    assert (encode(tiny, "onnx") == expected).all()
    assert path.read_bytes() == whole
    assert names(cache) == [path.name]


def test_equal_weights_give_an_equal_file(tiny, cache):
    encode(tiny, "onnx-uint8")
    (path,) = cache.iterdir()
    before = path.read_bytes()
    path.unlink()
    encode(tiny, "onnx-uint8")
    assert (path.read_bytes(), names(cache)) == (before, [path.name])


def test_processes_that_export_at_once_end_with_one_whole_file(tiny, cache):
    program = (
        "from skillmill.models.encoder import *\n"
        f"e = load_encoder(EncoderSettings({tiny!r}, backend='onnx'))\n"
        "print(e.encode(['abc']).tobytes().hex())\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": str(REPOSITORY / "src")},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    said = {process.communicate()[0] for process in running}
    assert len(said) == 1
    assert len(names(cache)) == 1


def test_a_cpu_that_would_overflow_gets_weights_of_seven_bits(tiny, cache, monkeypatch):
    """255 x 63 x 2 = 32,130 fits 16 bits, 255 x 127 x 2 = 64,770 does not."""
    import onnx
    from onnx import numpy_helper

    largest = {}
    for flags in (frozenset({"avx2"}), frozenset({"avx2", "avx512_vnni"})):
        monkeypatch.setattr(hardware, "cpu_flags", lambda flags=flags: flags)
        monkeypatch.setattr(hardware.platform, "machine", lambda: "x86_64")
        encode(tiny, "onnx-uint8")
        found = find_export(
            stem_of(identity_of(EncoderSettings(tiny))["revision"], "uint8")
        )
        arrays = map(numpy_helper.to_array, onnx.load(found).graph.initializer)
        integers = [a for a in arrays if a.dtype == np.int8 and a.ndim == 2]
        largest[len(flags)] = max(int(np.abs(a).max()) for a in integers)
    assert largest == {1: 63, 2: 127}
    assert len(names(cache)) == 2


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "mpnet"}, "model_type is 'mpnet', not 'bert'"),
        ({"hidden_act": "gelu_new"}, "hidden_act is 'gelu_new'"),
        ({"position_embedding_type": "relative_key"}, "'relative_key'"),
    ],
)
def test_a_model_that_is_no_plain_bert_is_refused_at_once(tmp_path, config, reason):
    name = write_tiny(tmp_path / "odd", config=config)
    with pytest.raises(ModelError, match=f"{reason}.*set encoder.backend to 'torch'"):
        load_encoder(EncoderSettings(name, backend="onnx"))


def test_a_further_module_or_another_pooling_is_refused(tmp_path, tiny):
    odd = write_tiny(tmp_path / "odd", pooling={"pooling_mode_lasttoken": True})
    with pytest.raises(ModelError, match=r"pools by 'lasttoken\+mean_tokens'"):
        load_encoder(EncoderSettings(odd, backend="onnx"))
    modules = tmp_path / "tiny" / "modules.json"
    more = [
        *json.loads(modules.read_text()),
        {"type": "sentence_transformers.models.Dense"},
    ]
    modules.write_text(json.dumps(more))
    with pytest.raises(ModelError, match=r"it has a module sentence_.*Dense"):
        load_encoder(EncoderSettings(tiny, backend="onnx"))


def test_weights_that_do_not_fit_the_configuration_are_refused(tmp_path):
    name = write_tiny(tmp_path / "deep", config={"num_hidden_layers": 3})
    with pytest.raises(ModelError, match=r"no 'encoder\.layer\.2\..*copy the model"):
        encode(name, "onnx")


def test_a_cache_that_cannot_be_written_is_named_with_the_way_out(
    tiny, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SKILLMILL_CACHE", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="SKILLMILL_CACHE to a folder"):
        encode(tiny, "onnx")


def test_the_cache_lies_where_the_system_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.delenv("SKILLMILL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "skillmill" / "onnx"
