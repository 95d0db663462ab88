"""A scripted OpenAI-compatible endpoint: it answers what a test tells it to.

In process it is the handler of an `httpx2.MockTransport`; over a real socket the same
script is played by pytest-httpserver.
"""

import asyncio
import itertools
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import httpx2
import numpy as np
from pydantic import BaseModel
from werkzeug import Request, Response

from skillmill.models.chat import ChatRequest, RoleSettings
from skillmill.models.retry import Clock

URL = "http://model.test/v1"
JSON_TYPE = {"content-type": "application/json"}


class Label(BaseModel):
    """The reply that most tests ask for."""

    label: Literal["cause", "effect"]
    why: str = ""


@dataclass(frozen=True)
class Reply:
    """One scripted response.

    `delay` seconds pass before it. `drip` sends the body byte by byte with so many
    seconds between; `cut` promises more bytes than it sends; `reset` sends nothing and
    hangs up.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: JSON_TYPE)
    body: bytes = b""
    delay: float = 0.0
    drip: float = 0.0
    cut: bool = False
    reset: bool = False


def says(
    content: str | None = '{"label": "cause"}',
    finish: str | None = "stop",
    *,
    usage: Mapping[str, int] | None = None,
    message: Mapping[str, Any] | None = None,
    **reply: Any,
) -> Reply:
    """A chat completion with this content."""
    body = {
        "id": "chat-1",
        "object": "chat.completion",
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **(message or {})},
            }
        ],
        "usage": usage or {"prompt_tokens": 20, "completion_tokens": 5},
    }
    return Reply(body=json.dumps(body).encode(), **reply)


def refuses(
    status: int,
    message: str = "no",
    headers: Mapping[str, str] | None = None,
    **error: Any,
) -> Reply:
    """An error in OpenAI's shape."""
    body = {"error": {"message": message, "type": "invalid_request_error", **error}}
    return Reply(status, {**JSON_TYPE, **(headers or {})}, json.dumps(body).encode())


#: What a script step may be: a reply, or a function of the request's body.
Step = Reply | Callable[[dict[str, Any]], Reply]


class Script:
    """Plays steps in order, the last one for ever, and remembers what was asked."""

    def __init__(self, *steps: Step) -> None:
        self._steps = itertools.chain(steps, itertools.repeat(steps[-1]))
        self._lock = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.at_once = 0
        self.most_at_once = 0

    def next(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        with self._lock:
            step = next(self._steps)
            asked = json.loads(body)
            self.asked.append(asked)
            self.headers.append({k.lower(): v for k, v in headers.items()})
        return step if isinstance(step, Reply) else step(asked)

    @property
    def formats(self) -> list[str | None]:
        """The type of response_format of each request."""
        return [body.get("response_format", {}).get("type") for body in self.asked]

    def client(self, clock: Clock | None = None) -> httpx2.AsyncClient:
        """An HTTP client whose every request comes here."""

        async def answer(request: httpx2.Request) -> httpx2.Response:
            if clock is not None:
                self.times.append(clock.now())
            self.at_once += 1
            self.most_at_once = max(self.at_once, self.most_at_once)
            try:
                return await _play(self.next(request.content, request.headers))
            finally:
                self.at_once -= 1

        return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))

    def serve(self, request: Request) -> Response:
        """Answer a request of pytest-httpserver."""
        reply = self.next(request.get_data(), dict(request.headers))
        time.sleep(reply.delay)
        if reply.reset:
            _reset(request)
        headers = dict(reply.headers)
        if reply.cut:
            headers["content-length"] = str(len(reply.body) + 100)
        # A body as a list would have its length written over the header.
        whole = iter([reply.body]) if reply.cut else reply.body
        body = _drip(reply) if reply.drip else whole
        return Response(body, reply.status, headers)


class FakeTime:
    """A clock on which waiting takes no time."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.waits: list[float] = []

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.seconds, wall=lambda: 1e9, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


class MemoryReplies:
    """Replies in a dictionary, for tests that need no file."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.notes: dict[tuple[str, str], dict[str, str]] = {}
        self._by_key: dict[str, list[dict[str, Any]]] = {}

    def known(self, keys: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        return {
            key: sorted(self._by_key[key], key=lambda row: row["state"] != "ok")
            for key in keys
            if key in self._by_key
        }

    def add(self, row: Mapping[str, object]) -> None:
        self.rows.append({**row, "id": f"{len(self.rows):06d}"})
        self._by_key.setdefault(str(row["key"]), []).append(self.rows[-1])

    def abilities(self, endpoint: str, model: str) -> dict[str, str]:
        return dict(self.notes.get((endpoint, model), {}))

    def remember(self, endpoint: str, model: str, abilities: Mapping[str, str]) -> None:
        self.notes.setdefault((endpoint, model), {}).update(abilities)


SETTINGS = RoleSettings(model="tiny", base_url=URL)


def settings(**changes: Any) -> RoleSettings:
    return replace(SETTINGS, **changes)


def request(record: str = "r1", text: str | None = None, **changes: Any) -> ChatRequest:
    """A question; the text differs by record unless it is given."""
    asked = ChatRequest(
        role="linker",
        messages=[
            {"role": "user", "content": text or f"How do the parts of {record} relate?"}
        ],
        reply_model=Label,
        schema_name="label",
        stage="relations",
        record=record,
    )
    return replace(asked, **changes)


def requests(count: int) -> list[ChatRequest]:
    return [request(f"r{number}") for number in range(count)]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


async def _play(reply: Reply) -> httpx2.Response:
    await asyncio.sleep(reply.delay)
    if reply.reset:
        raise httpx2.ReadError("connection reset by peer")
    if reply.cut:
        raise httpx2.RemoteProtocolError("peer closed connection early")
    if not reply.drip:
        return httpx2.Response(reply.status, headers=reply.headers, content=reply.body)

    async def dripping() -> Any:
        for place in range(len(reply.body)):
            await asyncio.sleep(reply.drip)
            yield reply.body[place : place + 1]

    return httpx2.Response(reply.status, headers=reply.headers, content=dripping())


def _drip(reply: Reply) -> Iterator[bytes]:
    for place in range(len(reply.body)):
        time.sleep(reply.drip)
        yield reply.body[place : place + 1]


def _reset(request: Request) -> None:
    """Hang up; the file objects on the socket keep a mere `close` from doing it."""
    request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)


class RawServer:
    """A server on a real socket that resets its first connections, then answers."""

    def __init__(self, resets: int, reply: Reply) -> None:
        self.connections = 0
        self._resets, self._reply = resets, reply
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                connection.recv(100_000)
                if self.connections <= self._resets:
                    linger = struct.pack("ii", 1, 0)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    continue
                head = (
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                    f"content-length: {len(self._reply.body)}\r\n"
                    "connection: close\r\n\r\n"
                )
                connection.sendall(head.encode() + self._reply.body)
