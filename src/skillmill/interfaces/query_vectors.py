"""A query of one's own as vectors, by the encoder that made a library's vectors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from skillmill.errors import ConfigError, ModelError
from skillmill.library.sentences import sentences
from skillmill.models.encoder import (
    Encoder,
    EncoderSettings,
    identity_of,
    load_encoder,
)

#: Backends whose vectors are equal to 1e-6, so that one may ask what another made.
_FLOAT32 = ("torch-float32", "torch-float32-cuda", "onnx-float32")


def query_encoder(noted: Mapping[str, Any], stored: Mapping[str, str | int]) -> Encoder:
    """The encoder for queries to a library.

    Parameters
    ----------
    noted : mapping
        The settings that its vectors were made with.
    stored : mapping
        The identity of the encoder that made them.

    Returns
    -------
    Encoder
        Where torch made the vectors and the model can be run without it, onnxruntime
        runs it: it starts in a second, and its vectors are the same to 1e-6.

    Raises
    ------
    ModelError
        If a model is missing, or is not the one that made the vectors.
    """
    settings = EncoderSettings(**noted)
    settings = light(settings)
    found = identity_of(settings)
    differing = [
        key
        for key in sorted(stored.keys() | found.keys())
        if _comparable(key, stored.get(key)) != _comparable(key, found.get(key))
    ]
    if differing:
        told = ", ".join(
            f"{key} {stored.get(key)!r} against {found.get(key)!r}" for key in differing
        )
        raise ModelError(
            f"the library's vectors were made by {stored.get('name')!r}, and the"
            f" encoder here differs ({told}); install that one, build the library"
            " again, or search with --arm keyword",
            record=str(stored.get("name")),
        )
    return load_encoder(settings)


def query_vectors(text: str, encoder: Encoder) -> npt.NDArray[np.float32]:
    """The whole text and its sentences as (m, d) rows, as tasks are encoded."""
    return np.asarray(encoder.encode([text, *sentences(text)]))


def light(settings: EncoderSettings) -> EncoderSettings:
    """The same model run by onnxruntime in place of torch, where it can be run so."""
    if settings.backend != "torch" or settings.is_endpoint or settings.device != "cpu":
        return settings
    lighter = replace(settings, backend="onnx")
    try:
        identity_of(lighter)
    except (ModelError, ConfigError):
        return settings
    return lighter


def _comparable(key: str, value: object) -> object:
    return "float32" if key == "backend" and value in _FLOAT32 else value
