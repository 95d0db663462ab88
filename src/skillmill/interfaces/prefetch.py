"""Checking every configured model beforehand, where a job must not fail for it.

Nothing is downloaded: bundled models come as packages, others are folders that a user
copies. What can be prepared is prepared, such as an encoder's ONNX form.
"""

from collections.abc import Callable
from pathlib import Path

from skillmill.errors import SkillmillError
from skillmill.interfaces.configured import encoder_settings
from skillmill.interfaces.finding import Finding
from skillmill.models.encoder import EncoderSettings, identity_of, load_pieces
from skillmill.models.onnx_encoder import precision_of
from skillmill.models.onnx_export import export, find_export, stem_of
from skillmill.models.tagger import tagger_identity
from skillmill.models.weights import (
    BUNDLED,
    BUNDLED_SHA256,
    check_tagger,
    check_weights,
    find_folder,
)
from skillmill.settings.whole import Config


def check_models(config: Config, *, prepare: bool) -> list[Finding]:
    """Check the encoder and the tagger; with `prepare` export what is to be exported.

    Every model is checked that the study uses; one that cannot be used is a finding
    that stops a run.
    """
    found: list[Finding] = []
    only_memory = config.library.path is None and config.memory.path is not None
    if only_memory and not config.memory.vectors:
        found.append(Finding("encoder", "note", "unused: memory.vectors is false"))
    else:
        found += _checked("encoder", lambda: check_encoder(config, prepare=prepare))
    if only_memory and not config.memory.entities:
        found.append(Finding("tagger", "note", "unused: memory.entities is empty"))
    else:
        found += _checked("tagger", lambda: [check_pipeline(config.tagger.name)])
    return found


def check_encoder(config: Config, *, prepare: bool) -> list[Finding]:
    """Findings about the encoder's files; an endpoint has none.

    Raises
    ------
    ModelError, ConfigError
        If it cannot be used.
    """
    settings = encoder_settings(config.encoder)
    identity = identity_of(settings)
    if settings.is_endpoint:
        where = identity["endpoint"]
        note = f"{settings.name} is served by {where}; `skillmill doctor` asks it"
        return [Finding("encoder", "note", note)]
    folder = find_folder(settings.name)
    if settings.name == BUNDLED:
        check_weights(folder, BUNDLED_SHA256)
    load_pieces(settings)
    pinned = "as published" if settings.name == BUNDLED else "not pinned"
    said = (
        f"{identity['name']} ({identity['backend']}), weights {identity['revision']}"
        f" {pinned}, {identity['dimension']} numbers, reads {identity['max_length']}"
        " pieces"
    )
    findings = [Finding("encoder", "ok", said)]
    if settings.backend.startswith("onnx"):
        findings.append(_check_export(settings, folder, identity, prepare=prepare))
    return findings


def check_pipeline(name: str) -> Finding:
    """Finding about the spaCy model of the tagger.

    Raises
    ------
    ModelError
        If it is not installed, or not as it was published.
    """
    identity = tagger_identity(name)
    known = check_tagger(name, identity["version"])
    pinned = "files as published" if known else "files not pinned"
    said = f"{name} {identity['version']}, {pinned}, spaCy {identity['spacy']}"
    return Finding("tagger", "ok", said)


def _check_export(
    settings: EncoderSettings,
    folder: Path,
    identity: dict[str, str | int],
    *,
    prepare: bool,
) -> Finding:
    """Finding about the exported form of an encoder."""
    precision = precision_of(identity)
    stem = stem_of(str(identity["revision"]), precision)
    found = find_export(stem)
    if found is None and not prepare:
        said = "not exported yet; the first job or `skillmill prefetch` does it"
        return Finding("encoder", "note", said)
    path = found or export(folder, stem, precision)
    done = "is there and whole" if found else "was exported"
    size = path.stat().st_size / 1e6
    return Finding(
        "encoder", "ok", f"{settings.backend}: {path} {done} ({size:.0f} MB)"
    )


def _checked(check: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """What a check finds, or the error that it ends in."""
    try:
        return look()
    except SkillmillError as error:
        return [Finding(check, "stops", str(error))]
