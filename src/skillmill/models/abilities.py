"""What a model at an OpenAI-compatible endpoint can do, found by asking it.

Some servers refuse what they do not know, others ignore it; so a reply is looked at,
and a good status alone proves nothing.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from skillmill.models.direct import DirectClient

#: Names under which servers tell how many tokens a model reads.
_CONTEXT = (
    "max_model_len",
    "context_length",
    "max_context_length",
    "context_window",
    "n_ctx",
    "n_ctx_train",
)

_QUESTION = "Is water wet? Answer yes or no."
_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_MAX_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Ability:
    """One thing an endpoint can do or not.

    `state` is `no` where it refused or ignored the request, and `unreachable` where no
    request got through, or with these credentials none will.
    """

    name: str
    state: Literal["yes", "no", "unknown", "unreachable"]
    detail: str


def chat_abilities(client: DirectClient, model: str) -> list[Ability]:
    """Ask for a reply, a schema, a tool call and log probabilities, each once.

    The first request that cannot get through ends it.
    """
    body = {"model": model, "messages": [{"role": "user", "content": _QUESTION}]}
    bounded = body | {"max_tokens": _MAX_TOKENS}
    schema = {"name": "reply", "schema": _SCHEMA, "strict": True}
    tool = {"name": "reply", "description": "Give the answer.", "parameters": _SCHEMA}
    requests: list[tuple[str, dict[str, Any], Callable[[Any], str | None]]] = [
        ("chat", body, _content),
        (
            "schema",
            bounded
            | {"response_format": {"type": "json_schema", "json_schema": schema}},
            _schema_kept,
        ),
        (
            "tools",
            bounded
            | {
                "tools": [{"type": "function", "function": tool}],
                "tool_choice": {"type": "function", "function": {"name": "reply"}},
            },
            _tool_called,
        ),
        ("logprobs", bounded | {"logprobs": True, "top_logprobs": 2}, _logprobs),
    ]
    found: list[Ability] = []
    for name, request, look in requests:
        found.append(_asked(client, name, "/chat/completions", request, look))
        if found[-1].state == "unreachable":
            break
    return found


def embedding_ability(
    client: DirectClient, model: str, dimension: int | None = None
) -> Ability:
    """Ask for one vector, of so many numbers if told."""
    body: dict[str, Any] = {
        "model": model,
        "input": ["water"],
        "encoding_format": "float",
    }
    if dimension:
        body["dimensions"] = dimension

    def vector(reply: Any) -> str | None:  # noqa: ANN401 as the server sends it
        values = np.array(reply["data"][0]["embedding"], dtype=np.float64)
        if values.ndim != 1 or not np.isfinite(values).all() or not values.any():
            return None
        fits = dimension in (None, len(values))
        return f"{len(values)} numbers" if fits else None

    return _asked(client, "embeddings", "/embeddings", body, vector)


def context_length(client: DirectClient, model: str) -> Ability:
    """Tokens that the model reads, where the server's list of models tells them."""
    listed = _asked(client, "models", "/models", None, _listed)
    if listed.state != "yes":
        return Ability("context length", "unknown", listed.detail)
    for entry in json.loads(listed.detail):
        if entry.get("id") == model:
            told = [value for key, value in _numbers(entry) if key in _CONTEXT]
            if told:
                return Ability("context length", "yes", f"{max(told)} tokens")
            return Ability("context length", "unknown", "the server does not tell")
    names = ", ".join(str(entry.get("id")) for entry in json.loads(listed.detail)[:5])
    return Ability(
        "context length", "unknown", f"{model!r} is not listed; listed are {names}"
    )


def _asked(
    client: DirectClient,
    name: str,
    path: str,
    body: Mapping[str, Any] | None,
    look: Callable[[Any], str | None],
) -> Ability:
    """Send one request and look at the reply; GET where there is no body."""
    import openai  # noqa: PLC0415 lazy: a third of a second

    try:
        reply = client.get(path) if body is None else client.post(path, body)
        found = look(reply)
    except openai.APIConnectionError as error:
        return Ability(name, "unreachable", client.reason(error))
    except openai.APIStatusError as error:
        # Some servers answer a schema that they do not know with a 500.
        vital = name in ("chat", "embeddings")
        lost = error.status_code in (401, 403)
        lost |= vital and (error.status_code == 404 or error.status_code >= 500)
        return Ability(name, "unreachable" if lost else "no", client.reason(error))
    except (openai.OpenAIError, KeyError, IndexError, TypeError, ValueError) as error:
        said = client.reason(error)
        return Ability(name, "no", f"not as expected: {type(error).__name__}: {said}")
    if found is None:
        return Ability(name, "no", "taken, but ignored in the reply")
    return Ability(name, "yes", found)


def _message(reply: Any) -> Any:  # noqa: ANN401 as the server sends it
    return reply["choices"][0]["message"]


def _content(reply: Any) -> str | None:  # noqa: ANN401
    return "replies" if isinstance(_message(reply).get("content"), str) else None


def _schema_kept(reply: Any) -> str | None:  # noqa: ANN401
    return "kept" if _is_answer(_message(reply).get("content")) else None


def _tool_called(reply: Any) -> str | None:  # noqa: ANN401
    calls = _message(reply).get("tool_calls") or []
    kept = bool(calls) and _is_answer(calls[0]["function"]["arguments"])
    return "called as told" if kept else None


def _logprobs(reply: Any) -> str | None:  # noqa: ANN401
    told = reply["choices"][0].get("logprobs") or {}
    return "given" if told.get("content") or told.get("tokens") else None


def _listed(reply: Any) -> str | None:  # noqa: ANN401
    return json.dumps([entry for entry in reply["data"] if isinstance(entry, dict)])


def _is_answer(text: object) -> bool:
    """Whether a text is JSON that keeps the schema."""
    try:
        value = json.loads(text, strict=False) if isinstance(text, str) else None
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("answer") in ("yes", "no")


def _numbers(entry: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Integers of a model's entry, and of the objects in it."""
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from _numbers(value)
        elif isinstance(value, int) and not isinstance(value, bool) and value > 0:
            yield key, value
