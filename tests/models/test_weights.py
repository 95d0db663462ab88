import hashlib
import json

import pytest

from skillmill.errors import ModelError
from skillmill.models.weights import (
    BUNDLED,
    BUNDLED_SHA256,
    check_weights,
    find_folder,
    identity_of,
)


def write_model(folder, *, weights=b"weights", **files):
    """A model folder; keywords are JSON files, name without ending -> content."""
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(weights)
    contents = {
        "modules": [],
        "sentence_bert_config": {"max_seq_length": 128},
        "config": {"hidden_size": 8, "max_position_embeddings": 512},
        **files,
    }
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return str(folder)


def test_the_bundled_model_is_found_without_a_path():
    identity = identity_of()
    assert identity == {
        "model": "all-MiniLM-L6-v2",
        "revision": "53aa51172d142c89",
        "dimension": 384,
        "pooling": "mean_tokens",
        "prefix": "",
        "max_length": 256,
        "normalised": 1,
        "backend": "torch-float32",
    }


def test_the_bundled_weights_are_those_expected():
    check_weights(find_folder(BUNDLED), BUNDLED_SHA256)


def test_a_folder_is_described_by_its_own_files(tmp_path):
    name = write_model(
        tmp_path / "mini",
        **{
            "1_Pooling/config": {
                "word_embedding_dimension": 16,
                "pooling_mode_mean_tokens": True,
                "pooling_mode_cls_token": True,
                "pooling_mode_max_tokens": False,
            },
            "config_sentence_transformers": {
                "prompts": {"query": "query: ", "passage": "passage: "},
                "default_prompt_name": "passage",
            },
        },
    )
    identity = identity_of(name)
    assert identity["model"] == "mini"
    assert identity["revision"] == hashlib.sha256(b"weights").hexdigest()[:16]
    assert identity["dimension"] == 16
    assert identity["pooling"] == "cls_token+mean_tokens"
    assert identity["prefix"] == "passage: "
    assert identity["max_length"] == 128


def test_other_weights_are_another_revision(tmp_path):
    one = write_model(tmp_path / "a" / "mini")
    other = write_model(tmp_path / "b" / "mini", weights=b"other weights")
    differing = {k for k, v in identity_of(one).items() if identity_of(other)[k] != v}
    assert differing == {"revision"}


@pytest.mark.parametrize(
    ("own", "position", "limit"), [(128, 512, 128), (None, 512, 512), (1000, 512, 512)]
)
def test_the_length_limit_is_taken_from_the_model_u50(tmp_path, own, position, limit):
    name = write_model(
        tmp_path / "mini",
        sentence_bert_config={"max_seq_length": own},
        config={"hidden_size": 8, "max_position_embeddings": position},
        tokenizer_config={"model_max_length": 10**30},
    )
    assert identity_of(name)["max_length"] == limit


def test_less_than_the_limit_may_be_read_but_not_more():
    assert identity_of(max_length=64)["max_length"] == 64
    assert identity_of(max_length=256)["max_length"] == 256
    for wanted in (0, 257):
        with pytest.raises(ModelError, match=f"max_length {wanted} .* 1 and 256"):
            identity_of(max_length=wanted)


def test_a_missing_model_error_names_the_folder_looked_at_and_the_way_out_u64(tmp_path):
    name = str(tmp_path / "all-mpnet")
    with pytest.raises(ModelError) as caught:
        identity_of(name)
    message = str(caught.value)
    assert str((tmp_path / "all-mpnet").resolve()) in message
    assert BUNDLED in message
    assert "nothing is downloaded" in message


def test_a_folder_without_weights_is_refused(tmp_path):
    name = write_model(tmp_path / "mini")
    (tmp_path / "mini" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"no weights .* copy the whole model"):
        identity_of(name)


def test_a_folder_that_does_not_tell_the_dimension_is_refused(tmp_path):
    name = write_model(tmp_path / "mini", config={})
    with pytest.raises(ModelError, match="length of a vector"):
        identity_of(name)


def test_a_broken_configuration_file_is_named(tmp_path):
    name = write_model(tmp_path / "mini")
    (tmp_path / "mini" / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json is not JSON"):
        identity_of(name)


def test_other_weights_than_expected_are_refused(tmp_path):
    write_model(tmp_path / "mini")
    with pytest.raises(ModelError, match=r"expected 53aa51172d142c89; reinstall"):
        check_weights(tmp_path / "mini", "53aa51172d142c89" + "0" * 48)
