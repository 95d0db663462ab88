"""How a question is put so that the reply is JSON: three ways, best first.

`json_schema` has the server enforce the schema, `json_object` any JSON, `prompt`
nothing; where the server does not know the schema it is written into the prompt.
"""

import copy
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from pydantic import BaseModel

Rung = Literal["json_schema", "json_object", "prompt"]
RUNGS: tuple[Rung, ...] = get_args(Rung)

#: What a refused parameter becomes; any other is dropped.
_REPLACED = {"max_tokens": "max_completion_tokens"}
#: Never dropped: a server that refuses it under both names refuses its value.
_KEPT = frozenset({"max_completion_tokens", "messages", "model"})

_SCHEMA_TEXT = (
    "\n\nReply with one JSON value that fits this JSON schema, and nothing else:\n"
)
_REPAIR_TEXT = (
    "That reply cannot be used: {problem}\nReply again, with one JSON value that fits"
    " this JSON schema, and nothing else:\n{schema}"
)
#: Of a reply that is sent back to be mended; the rest would only fill the context.
_MOST_QUOTED = 8000


@dataclass(frozen=True, slots=True)
class Shape:
    """The way a question is put: the rung, and what parameters became.

    `changes` maps the name of a refused parameter to its new name, '' if dropped.
    """

    rung: Rung = "json_schema"
    changes: Mapping[str, str] = field(default_factory=dict)

    def lowered(self) -> "Shape | None":
        """The next rung down; None from the last."""
        place = RUNGS.index(self.rung) + 1
        return Shape(RUNGS[place], self.changes) if place < len(RUNGS) else None

    def without(self, parameter: str) -> "Shape | None":
        """The same with a parameter replaced, or dropped; None if it must stay."""
        if parameter in _KEPT:
            return None
        change = {parameter: _REPLACED.get(parameter, "")}
        return Shape(self.rung, {**self.changes, **change})


def body_of(
    shape: Shape,
    model: str,
    messages: Sequence[Mapping[str, str]],
    parameters: Mapping[str, Any],
    reply: tuple[str, type[BaseModel]],
) -> dict[str, Any]:
    """Make the body of a request, as it is sent.

    `reply` is the schema's name and the model of the reply. The caller must not
    change what it gets: parts are shared.
    """
    name, reply_model = reply
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    for parameter, value in parameters.items():
        new_name = _renamed(parameter, shape.changes)
        if new_name:
            body[new_name] = value
    if shape.rung == "json_schema":
        schema, is_strict = strict_schema(reply_model)
        described = {"name": name, "schema": schema, "strict": is_strict}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
        return body
    if shape.rung == "json_object":
        body["response_format"] = {"type": "json_object"}
    body["messages"] = _with_schema(messages, reply_model)
    return body


def repair_messages(
    messages: Sequence[Mapping[str, str]],
    content: str,
    problem: str,
    reply_model: type[BaseModel],
) -> list[dict[str, str]]:
    """Add an unusable reply and what is wrong with it to the messages."""
    text = _REPAIR_TEXT.format(problem=problem, schema=schema_text(reply_model))
    return [
        *(dict(message) for message in messages),
        {"role": "assistant", "content": content[:_MOST_QUOTED]},
        {"role": "user", "content": text},
    ]


def sent_key(body: Mapping[str, Any], endpoint: str, version: str, sample: int) -> str:
    """Hash a request as sent, with its endpoint, prompt version and sample.

    The sample counts unless the request asks for temperature 0. 64 hex digits.
    """
    identity = {
        "request": body,
        "endpoint": endpoint,
        "version": version,
        "sample": 0 if body.get("temperature") == 0 else sample,
    }
    text = json.dumps(
        identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


@functools.lru_cache(maxsize=256)
def strict_schema(reply_model: type[BaseModel]) -> tuple[dict[str, Any], bool]:
    """The JSON schema of a reply, and whether a server may be asked to hold to it.

    A strict schema is an object whose properties are all required and which allows
    no others, at every level; where a model cannot be put so, its schema is left as
    it is. The result is shared: do not change it.
    """
    schema = reply_model.model_json_schema()
    strict = copy.deepcopy(schema)
    if strict.get("type") != "object":
        return schema, False
    for part in _parts(strict):
        if part.get("type") == "object":
            if not part.get("properties") or part.get("additionalProperties"):
                return schema, False
            part["required"] = list(part["properties"])
            part["additionalProperties"] = False
        part.pop("default", None)
    return strict, True


@functools.lru_cache(maxsize=256)
def schema_text(reply_model: type[BaseModel]) -> str:
    """The JSON schema of a reply in one line."""
    return json.dumps(reply_model.model_json_schema(), ensure_ascii=False)


def _renamed(parameter: str, changes: Mapping[str, str]) -> str:
    """Follow the changes of a parameter's name; '' if it was dropped in the end."""
    seen: set[str] = set()
    while parameter in changes and parameter not in seen:
        seen.add(parameter)
        parameter = changes[parameter]
    return parameter


def _with_schema(
    messages: Sequence[Mapping[str, str]], reply_model: type[BaseModel]
) -> list[Mapping[str, str]]:
    """Write the schema behind the last message of the user.

    There and not in a message of the system's: some chat templates have none.
    """
    text = _SCHEMA_TEXT + schema_text(reply_model)
    last = messages[-1] if messages else {"role": "", "content": ""}
    if last["role"] != "user":
        return [*messages, {"role": "user", "content": text.lstrip()}]
    return [*messages[:-1], {**last, "content": last["content"] + text}]


def _parts(schema: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 a JSON schema
    """Every sub-schema, itself first; what lies under `properties` by name is one."""
    if isinstance(schema, list):
        for item in schema:
            yield from _parts(item)
    elif isinstance(schema, dict):
        yield schema
        for name, value in schema.items():
            if name in ("properties", "$defs"):
                for inner in value.values():
                    yield from _parts(inner)
            elif name not in ("enum", "const", "default", "required", "examples"):
                yield from _parts(value)
