"""What an endpoint sends back, read by its shape and never by its wording."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from skillmill.models.readjson import mend_text, shorten
from skillmill.models.retry import is_transient
from skillmill.models.usage import Usage

#: What to look at after a status 404.
NOT_FOUND = "; is the model's name right, and does base_url end in /v1 if it must?"
#: What servers call an end at the most tokens that were allowed or can be read.
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_REASONS = {401: "unauthorised", 403: "forbidden", 404: "not-found", 429: "rate-limit"}


@dataclass(frozen=True, slots=True)
class Fault:
    """A request that brought no reply.

    `reason` is one of the codes in docs/endpoints.md; `status` is None where no
    response came; `error` is the JSON object that came with the status, if one did.
    """

    reason: str
    message: str
    is_transient: bool
    seconds: float = 0.0
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """A chat completion as it came.

    `raw` is the JSON body; `content` the text of its first choice. `problem` is the
    code why the content must not be read (`length`, `refusal`, ...), '' if it may.
    `usage` is None where the server reported none.
    """

    raw: str
    content: str
    finish: str | None
    usage: Usage | None
    seconds: float
    problem: str = ""


def read_answer(raw: str, content_type: str, seconds: float = 0.0) -> Answer | Fault:
    """Read the body of a response with a good status."""
    try:
        body = json.loads(raw.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        if "json" not in content_type.lower():
            return Fault(
                "content-type",
                f"expected JSON, got {content_type or 'no content type'} beginning"
                f" {shorten(raw)}",
                is_transient=False,
                seconds=seconds,
            )
        what = f"the body is no whole JSON; it begins {shorten(raw)}"
        return Fault("body-cut", what, is_transient=True, seconds=seconds)
    if not isinstance(body, dict):
        what = f"expected a JSON object, got {shorten(raw)}"
        return Fault("body-shape", what, is_transient=False, seconds=seconds)
    choice = _first(body.get("choices"))
    failed = _failed_upstream(body, choice, seconds)
    if failed is not None:
        return failed
    message = _object(choice.get("message"))
    content = _content(message)
    finish = choice.get("finish_reason")
    finish = finish if isinstance(finish, str) else None
    return Answer(
        raw=mend_text(raw),
        content=content,
        finish=finish,
        usage=_usage(body.get("usage")),
        seconds=seconds,
        problem=_problem(choice, message, content, finish),
    )


def read_refusal(
    status: int, headers: Mapping[str, str], text: str, seconds: float
) -> Fault:
    """Read a response with a bad status."""
    transient = is_transient(status)
    hint = NOT_FOUND if status == 404 else ""
    return Fault(
        reason=_REASONS.get(status, "server-error" if transient else "refused"),
        message=f"status {status}: {mend_text(' '.join(text.split()))[:300]}{hint}",
        is_transient=transient,
        seconds=seconds,
        status=status,
        headers=headers,
        error=_error_object(text),
    )


def refused_parameter(error: Mapping[str, Any], sent: Collection[str]) -> str | None:
    """Tell which of the parameters sent an error object names; None if none.

    Looked for in `param`, in FastAPI's `detail[].loc`, and as a name in quotes in
    `message`, if it is the only one. `model` and `messages` count as parameters.
    """
    param = error.get("param")
    if isinstance(param, str) and param:
        first = re.split(r"[.\[]", param)[0]
        return first if first in sent else None
    located = [
        name
        for item in _list(error.get("detail"))
        if isinstance(item, dict)
        for name in _list(item.get("loc"))
        if name in sent
    ]
    if located:
        return str(located[0])
    text = error.get("message")
    if not isinstance(text, str):
        return None
    quoted = set(re.findall(r"""['"`](\w+)['"`]""", text)) & set(sent)
    return quoted.pop() if len(quoted) == 1 else None


def _problem(
    choice: Mapping[str, Any],
    message: Mapping[str, Any],
    content: str,
    finish: str | None,
) -> str:
    if not choice:
        return "no-choices"
    if (finish or "").lower() in _CUT:
        return "length"
    if finish == "content_filter":
        return "content-filter"
    if message.get("refusal"):
        return "refusal"
    if content.strip():
        return ""
    thought = message.get("reasoning_content") or message.get("reasoning")
    return "only-reasoning" if thought else "no-content"


def _failed_upstream(
    body: Mapping[str, Any], choice: Mapping[str, Any], seconds: float
) -> Fault | None:
    """Read an error that came under a good status, as gateways send it.

    It is read where nothing else came, or where the choice itself ended in it: what
    the choice holds then is a part. A status in it counts as the response's own.
    """
    ended = choice.get("finish_reason") == "error"
    error = choice.get("error") or (body.get("error") if ended or not choice else None)
    if not error and not ended:
        return None
    error = error or {"finish_reason": "error"}
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    code = _object(error).get("code")
    if isinstance(code, str) and code.isdecimal():
        code = int(code)
    if isinstance(code, int) and 400 <= code <= 599:
        return read_refusal(code, {}, text, seconds)
    what = f"the endpoint sent an error in place of a reply: {mend_text(text)[:300]}"
    if ended:
        return Fault("server-error", what, is_transient=True, seconds=seconds)
    return Fault("error-body", what, is_transient=False, seconds=seconds)


def _content(message: Mapping[str, Any]) -> str:
    """Text of a message; some servers send it in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return mend_text(content)
    parts = [part.get("text") for part in _list(content) if isinstance(part, dict)]
    return mend_text("".join(part for part in parts if isinstance(part, str)))


def _usage(reported: object) -> Usage | None:
    if not isinstance(reported, dict):
        return None
    prompt, completion = (
        reported.get("prompt_tokens"),
        reported.get("completion_tokens"),
    )
    if not (isinstance(prompt, int) and isinstance(completion, int)):
        return None
    return Usage(prompt, completion) if min(prompt, completion) >= 0 else None


def _error_object(text: str) -> Mapping[str, Any]:
    """The object that says what is wrong: `error`, or the body itself."""
    try:
        body = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(body, dict):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, dict) else body


def _first(value: object) -> Mapping[str, Any]:
    items = _list(value)
    return _object(items[0]) if items else {}


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
