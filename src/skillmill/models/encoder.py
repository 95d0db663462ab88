"""Sentence encoders: texts in, unit vectors out.

A local one reads weights on this machine and asks no hub; what runs it is a choice of
speed. Libraries are imported by the first `encode` of at least one text and by nothing
before it, so that a run in which every vector is known never pays for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from skillmill.errors import ConfigError, ModelError
from skillmill.models.endpoint_encoder import EndpointEncoder, EndpointSettings
from skillmill.models.hardware import device_for, has_bfloat16, instruction_set
from skillmill.models.local_encoder import LocalEncoder
from skillmill.models.onnx_encoder import OnnxEncoder, check_pooling
from skillmill.models.onnx_export import check_exportable
from skillmill.models.tokens import EstimatedPieces, Pieces, WordPieces
from skillmill.models.torch_encoder import TorchEncoder
from skillmill.models.weights import BUNDLED, BUNDLED_SHA256, describe, find_folder

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "BUNDLED",
    "Encoder",
    "EncoderSettings",
    "TokenEncoder",
    "identity_of",
    "load_encoder",
    "load_pieces",
    "load_token_encoder",
]

#: What runs a local model.
Backend = Literal["torch", "torch-bfloat16", "onnx", "onnx-uint8"]

#: Before the name of a model that an endpoint serves.
ENDPOINT = "endpoint:"


class Encoder(Protocol):
    """What the layers above ask of an encoder."""

    @property
    def identity(self) -> Mapping[str, str | int]:
        """All that a vector depends on beside its text: part of each record key."""
        ...

    @property
    def truncated(self) -> int:
        """Texts given so far whose ends are in no vector, as far as is known."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Encode texts as (n, d) float32 rows of length one, in the order given."""
        ...


class TokenEncoder(Protocol):
    """An encoder that gives a vector for each piece of a text, for late interaction."""

    @property
    def token_identity(self) -> Mapping[str, str | int]:
        """All that these vectors depend on beside the text."""
        ...

    def encode_tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Encode each text as (t, d) float16 rows of length one."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """Which encoder, and how it runs.

    Attributes
    ----------
    name : str
        `bundled:all-MiniLM-L6-v2`, the path of a sentence-transformers folder, or
        `endpoint:<model>`.
    backend : str
        What runs a local model: `torch` (float32), `torch-bfloat16`, `onnx` (float32)
        or `onnx-uint8`.
    max_length : int or None
        Pieces read of a text, at most the model's own limit; None: that limit.
    device : str
        `cpu`, `cuda` or `auto` (a GPU if there is one); for torch.
    batch_size, threads : int
        The most texts run or asked for at once, and the threads used.
    base_url, key_variable, dimension, timeout_s, max_tries
        Of an endpoint; see `EndpointSettings`.
    """

    name: str = BUNDLED
    backend: Backend = "torch"
    max_length: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    batch_size: int = 16
    threads: int = 1
    base_url: str | None = field(default=None, repr=False)
    key_variable: str | None = None
    dimension: int | None = None
    timeout_s: float = 60.0
    max_tries: int = 6

    @property
    def is_endpoint(self) -> bool:
        """Whether the model is behind an endpoint."""
        return self.name.startswith(ENDPOINT)

    @property
    def endpoint(self) -> EndpointSettings:
        """The endpoint's part of the settings.

        Raises
        ------
        ConfigError
            If there is no base URL.
        """
        if not self.base_url:
            raise ConfigError(
                f"encoder {self.name!r}: expected the address of its endpoint, got"
                " none; set encoder.base_url, such as http://localhost:8000/v1",
                record="encoder.base_url",
            )
        return EndpointSettings(
            model=self.name.removeprefix(ENDPOINT),
            base_url=self.base_url,
            key_variable=self.key_variable,
            dimension=self.dimension,
            max_length=self.max_length,
            timeout_s=self.timeout_s,
            max_tries=self.max_tries,
        )


def identity_of(settings: EncoderSettings | None = None) -> dict[str, str | int]:
    """Tell all that a vector depends on beside its text, without loading a model.

    Returns
    -------
    dict of str to str or int
        What `weights.describe` tells, `backend` (with its precision, and the device if
        that is no CPU), and `instructions` where rounding depends on those of the CPU.

    Raises
    ------
    ModelError
        If there is no such model, the backend cannot run it, or `max_length` is more
        than it can read.
    ConfigError
        If the base URL of an endpoint is missing or cannot be used.
    """
    settings = settings or EncoderSettings()
    if settings.is_endpoint:
        return settings.endpoint.identity
    described = describe(settings.name, max_length=settings.max_length)
    if settings.backend.startswith("onnx"):
        folder = find_folder(settings.name)
        check_exportable(folder)
        check_pooling(str(described["pooling"]), folder)
        if settings.backend == "onnx":
            return described | {"backend": "onnx-float32"}
        return described | {"backend": "onnx-uint8", "instructions": instruction_set()}
    device = device_for(settings.device)
    suffix = "" if device == "cpu" else f"-{device}"
    if settings.backend == "torch":
        return described | {"backend": f"torch-float32{suffix}"}
    if device == "cpu" and not has_bfloat16():
        raise ModelError(
            f"encoder.backend is {settings.backend!r}, but this CPU"
            f" ({instruction_set()}) does not compute in bfloat16; set it to"
            " 'onnx-uint8' for speed, or to 'torch'",
            record="encoder.backend",
        )
    rounded = {"instructions": instruction_set()} if device == "cpu" else {}
    return described | {"backend": f"torch-bfloat16{suffix}"} | rounded


def load_encoder(
    settings: EncoderSettings | None = None, http_client: "httpx2.Client | None" = None
) -> Encoder:
    """Find an encoder; its weights are read, or its key, at the first `encode`.

    Parameters
    ----------
    settings : EncoderSettings or None
        None: the bundled model, run by torch.
    http_client : httpx2.Client or None
        Used for an endpoint in place of an own one.

    Raises
    ------
    ModelError, ConfigError
        As `identity_of`.
    """
    settings = settings or EncoderSettings()
    if settings.is_endpoint:
        identity_of(settings)
        return EndpointEncoder(settings.endpoint, settings.batch_size, http_client)
    return _load_local(settings)


def load_token_encoder(settings: EncoderSettings | None = None) -> TokenEncoder:
    """Find an encoder for token vectors.

    Raises
    ------
    ModelError
        As `identity_of`, and if the model is behind an endpoint, which gives none.
    """
    settings = settings or EncoderSettings()
    if settings.is_endpoint:
        raise ModelError(
            f"the encoder {settings.name!r} gives one vector a text, and late"
            f" interaction needs one a piece; set encoder.name to {BUNDLED!r} or to a"
            " folder",
            record=settings.name,
        )
    return _load_local(settings)


def load_pieces(settings: EncoderSettings) -> Pieces | None:
    """How the encoder's model cuts texts, to count and split long ones.

    None where the limit of a model behind an endpoint is unknown.

    Raises
    ------
    ModelError
        If there is no such model, or it has no tokenizer.
    """
    if settings.is_endpoint:
        return EstimatedPieces(settings.max_length) if settings.max_length else None
    described = describe(settings.name, max_length=settings.max_length)
    return WordPieces(
        find_folder(settings.name),
        int(described["max_length"]),
        str(described["prefix"]),
    )


def _load_local(settings: EncoderSettings) -> LocalEncoder:
    """An encoder of this machine; nothing is read yet but configuration files."""
    identity = identity_of(settings)
    expected = BUNDLED_SHA256 if settings.name == BUNDLED else None
    common = (
        find_folder(settings.name),
        identity,
        settings.batch_size,
        settings.threads,
        expected,
    )
    if settings.backend.startswith("onnx"):
        return OnnxEncoder(*common)
    return TorchEncoder(*common, device=device_for(settings.device))
