"""Our own ONNX files of BERT encoders, made once from the weights on this machine.

They lie in a cache, one file each, named after the weights, the exporter and their
own SHA-256, so that a file that was cut short or altered is noticed and made again.
"""

import hashlib
import logging
import os
import secrets
from pathlib import Path
from typing import Any, Literal

from skillmill.errors import ModelError
from skillmill.models.hardware import adds_without_overflow
from skillmill.models.onnx_graph import Shape, Weights, bert
from skillmill.models.weights import read_json

#: Part of each file's name; a change of the graph raises it.
EXPORTER = 1

Precision = Literal["float32", "uint8"]

#: Names the folder of the cache; by default it is where the system keeps caches.
CACHE_VARIABLE = "SKILLMILL_CACHE"

_MODULES = ("Transformer", "Pooling", "Normalize")
_DIGITS = 16
_WAY_OUT = "set encoder.backend to 'torch'"

_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Folder of the exported models; it need not exist yet."""
    if os.environ.get(CACHE_VARIABLE):
        return Path(os.environ[CACHE_VARIABLE]).expanduser() / "onnx"
    root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "skillmill" / "onnx"


def stem_of(revision: str, precision: Precision) -> str:
    """Start of the name of an exported file, all but its own hash."""
    narrow = "" if precision == "float32" or adds_without_overflow() else "-7bit"
    return f"bert-{revision}-{precision}{narrow}-v{EXPORTER}"


def find_export(stem: str) -> Path | None:
    """The whole file of that name, or None; a damaged one is removed."""
    for path in sorted(cache_folder().glob(f"{stem}-*.onnx")):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if path.stem.removeprefix(f"{stem}-") == _hash(content):
            return path
        _log.warning("%s is damaged; it is written again", path)
        path.unlink(missing_ok=True)
    return None


def check_exportable(folder: Path) -> Shape:
    """Sizes of a model that can be exported.

    Raises
    ------
    ModelError
        If it is no BERT with GELU and absolute places, or does more than pool and
        normalise.
    """
    config = read_json(folder / "config.json")
    modules: Any = read_json(folder / "modules.json")
    others = [
        str(module.get("type"))
        for module in modules
        if str(module.get("type")).rpartition(".")[2] not in _MODULES
    ]
    expected = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "position_embedding_type": "absolute",
    }
    wrong = [
        f"{key} is {config.get(key)!r}, not {value!r}"
        for key, value in expected.items()
        if config.get(key, "absolute") != value
    ]
    wrong += [f"it has a module {name}" for name in others]
    if wrong:
        raise ModelError(
            f"the model in {folder} cannot be exported to ONNX: {'; '.join(wrong)};"
            f" {_WAY_OUT}",
            record=str(folder),
        )
    return Shape(
        hidden_size=int(config["hidden_size"]),
        num_hidden_layers=int(config["num_hidden_layers"]),
        num_attention_heads=int(config["num_attention_heads"]),
        layer_norm_eps=float(config["layer_norm_eps"]),
    )


def export(folder: Path, stem: str, precision: Precision) -> Path:
    """Write a model in ONNX form, whole, under a name that ends in its hash.

    Parameters
    ----------
    folder : Path
        The model, in sentence-transformers' layout; the caller has checked its weights.
    stem : str
        See `stem_of`.
    precision : str
        See `onnx_graph`.

    Raises
    ------
    ModelError
        If the model is none that can be exported, or the cache cannot be written.
    """
    shape = check_exportable(folder)
    limit = {"float32": None, "uint8": 127 if adds_without_overflow() else 63}[
        precision
    ]
    try:
        content = bert(_weights(folder), shape, limit).SerializeToString()
    except KeyError as error:
        raise ModelError(
            f"the weights in {folder} have no {error}, so they are not those of the"
            f" BERT that config.json describes; copy the model again, or {_WAY_OUT}",
            record=str(folder),
        ) from error
    place = cache_folder()
    path = place / f"{stem}-{_hash(content)}.onnx"
    new = path.with_suffix(f".{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        place.mkdir(parents=True, exist_ok=True)
        try:
            new.write_bytes(content)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise ModelError(
            f"{path}: expected to write the exported model, got {error.strerror}; set"
            f" the environment variable {CACHE_VARIABLE} to a folder that can be"
            " written, with 100 MB free",
            record=str(path),
        ) from error
    _log.info("exported %s to %s (%.0f MB)", folder, path, len(content) / 1e6)
    return path


def _weights(folder: Path) -> Weights:
    """All weights in float32, by their names in a bare `BertModel`."""
    from safetensors import safe_open  # noqa: PLC0415 lazy: only to export

    found: dict[str, Any] = {}
    for file in sorted(folder.rglob("*.safetensors")):
        with safe_open(file, framework="numpy") as stored:
            for name in stored.keys():  # noqa: SIM118 it is no mapping
                found[name.removeprefix("bert.")] = stored.get_tensor(name)
    return {name: _float32(value) for name, value in found.items()}


def _float32(value: Any) -> Any:  # noqa: ANN401 arrays of any type
    """Floats as float32; integers stay."""
    return value.astype("float32") if value.dtype.kind == "f" else value


def _hash(content: bytes) -> str:
    """Start of the SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]
