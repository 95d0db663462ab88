"""The server as real clients meet it: over stdio and over HTTP with a token."""

import json
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager

import anyio
import httpx2
import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from skillmill.interfaces.cli import main
from tests.interfaces.shelf import build_library, write_skills

pytestmark = pytest.mark.model

TOKEN = "correct-horse-battery"
TOOLS = ["search_skills", "read_skill", "neighbours", "status"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    root = tmp_path_factory.mktemp("served")
    build_library(write_skills(root / "skills"), root / "results")
    return root


def command(place, *arguments):
    return [
        sys.executable, "-m", "skillmill", "mcp",
        "--results", str(place / "results"), *arguments,
    ]  # fmt: skip


def environment(**more):
    return {**os.environ, "SKILLMILL_TOKEN": TOKEN, **more}


def plain(result):
    """What a tool said: its data, or the sentence of its refusal."""
    if result.is_error:
        return result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def exercise(client):
    """What must hold over either transport."""
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == TOOLS
    for tool in listed:
        assert tool.annotations.read_only_hint is True
        assert tool.description
    found = plain(await client.call_tool("search_skills", {"query": "bake bread"}))
    assert found["skills"][0]["skill"] == "kitchen/bread"
    read = plain(await client.call_tool("read_skill", {"skill": "charts"}))
    assert read["around"]["prerequisites"] == ["data/clean"]
    near = plain(await client.call_tool("neighbours", {"skill": "bread"}))
    assert near["neighbours"][0]["relation"] == "similar_to"
    assert plain(await client.call_tool("status", {}))["skills"] == 6


BAD = [
    ("search_skills", {"query": " "}, "got a blank one"),
    ("search_skills", {}, "take these arguments: query: Field required"),
    ("search_skills", {"query": 5}, "query: Input should be a valid string, got 5"),
    ("search_skills", {"query": "x", "limit": 0}, "or equal to 1, got 0"),
    ("search_skills", {"query": "x", "limit": "m" * 999}, "got 'mmm"),
    ("search_skills", {"query": "x", "arm": "'; drop table skill; --"}, "arm"),
    ("read_skill", {"skill": "nobody"}, "no skill, or several, are called 'nobody'"),
    ("read_skill", {"skill": "charts", "file": "../../x"}, "expected a name below"),
    ("read_skill", {"skill": "x' or '1'='1"}, "no skill, or several"),
    ("neighbours", {"skill": "\x00\x1b[2J"}, "no skill, or several"),
    ("write_skill", {"skill": "x"}, "write_skill"),
]


async def misuse(client):
    for tool, arguments, why in BAD:
        result = await client.call_tool(tool, arguments)
        assert result.is_error, tool
        said = plain(result)
        assert why in said
        assert "Traceback" not in said
        assert "\n" not in said
        assert len(said) < 250
    assert plain(await client.call_tool("status", {}))["skills"] == 6


async def crowd(client):
    """Fifty at once, each with its own question."""
    words = ["charts", "duplicate rows", "paper map", "sourdough", "soup"] * 10
    answers = {}

    async def ask(number, query):
        told = await client.call_tool("search_skills", {"query": query, "limit": 1})
        answers[number] = plain(told)["skills"][0]["skill"]

    async with anyio.create_task_group() as group:
        for number, query in enumerate(words):
            group.start_soon(ask, number, query)
    expected = ["data/charts", "data/clean", "data/maps", "kitchen/bread"]
    assert [answers[n] for n in range(50)] == [*expected, "kitchen/soup"] * 10


def test_over_stdio(place, tmp_path):
    log = tmp_path / "calls.jsonl"
    program, *rest = command(place, "--log-calls", str(log))
    server = StdioServerParameters(command=program, args=rest, env=environment())

    async def talk():
        async with Client(server, read_timeout_seconds=120) as client:
            await exercise(client)
            await misuse(client)
            await crowd(client)
            long = "x " * 5_000_000
            told = await client.call_tool("search_skills", {"query": long})
            assert "at most 100,000 characters, got 10,000,000" in plain(told)
            assert plain(await client.call_tool("status", {}))["skills"] == 6

    anyio.run(talk)
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(row["skill"], row["outcome"]) for row in rows] == [
        ("data/charts", "ok"),
        ("data/charts", "failed"),
    ]


def test_nothing_but_the_protocol_is_on_standard_output(place):
    """Raw lines in, raw lines out; also where a line is no request at all."""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "raw", "version": "0"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "not json at all",
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "search_skills", "arguments": {"query": "soup"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "read_skill", "arguments": {"skill": "nobody"}}},
        # a text cut inside an emoji; the SDK's reader takes no such line
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {
            "name": "read_skill", "arguments": {"skill": "soup \ud83d"}}},
    ]  # fmt: skip
    text = "".join(
        (line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines
    )
    server = subprocess.Popen(
        command(place), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    server.stdin.write(text)
    server.stdin.flush()
    answers = {}
    while not {1, 2, 3, 4} <= answers.keys():
        said = json.loads(server.stdout.readline())
        assert said["jsonrpc"] == "2.0"
        answers[said.get("id")] = said
    rest, remarks = server.communicate(timeout=60)
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert "Traceback" not in remarks
    assert answers[2]["result"]["structuredContent"]["state"] == "ok"
    assert answers[3]["result"]["isError"] is True
    assert "are called 'soup \ufffd'" in answers[4]["result"]["content"][0]["text"]


@contextmanager
def http_server(place, *arguments, **variables):
    """A server on a free port; its address and what it says on standard error."""
    server = subprocess.Popen(
        command(place, "--transport", "http", "--port", "0", *arguments),
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment(**variables),
    )  # fmt: skip
    remarks = []
    try:
        while not (found := re.search(r"http://\S+", "".join(remarks))):
            line = server.stderr.readline()
            assert line, remarks
            remarks.append(line)
        yield found[0], "".join(remarks)
    finally:
        server.terminate()
        out, _ = server.communicate(timeout=60)
        assert out == ""


@asynccontextmanager
async def http_client(url, token):
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as web,
        Client(streamable_http_client(url, http_client=web)) as client,
    ):
        yield client


def test_over_http(place):
    with http_server(place) as (url, remarks):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", url)
        assert TOKEN not in remarks

        async def talk():
            async with http_client(url, TOKEN) as client:
                await exercise(client)
                await misuse(client)
                await crowd(client)

        anyio.run(talk)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        kinds = {"Accept": "application/json, text/event-stream"}
        with httpx2.Client(timeout=60) as web:
            for headers in (
                {},
                {"Authorization": "Bearer wrong"},
                {"Authorization": TOKEN},
                {"Authorization": f"Basic {TOKEN}"},
                {"Authorization": f"bearer {TOKEN}x"},
            ):
                refused = web.post(url, json=body, headers=headers | kinds)
                assert refused.status_code == 401
                assert refused.headers["www-authenticate"] == "Bearer"
                assert "search_skills" not in refused.text
            assert web.get(url.replace("/mcp", "/elsewhere")).status_code == 401
            stranger = bearer | kinds | {"Host": "evil.example"}
            assert web.post(url, json=body, headers=stranger).status_code == 421
            page = bearer | kinds | {"Origin": "http://evil.example"}
            assert web.post(url, json=body, headers=page).status_code == 403
            large = web.post(url, content=b"x" * 10_000_000, headers=bearer | kinds)
            assert large.status_code == 413
            broken = web.post(url, content=b"{", headers=bearer | kinds)
            assert 400 <= broken.status_code < 500


def test_without_a_token_in_the_environment_one_is_made_and_told(place):
    with http_server(place, SKILLMILL_TOKEN="") as (url, remarks):
        token = re.search(r"token \(of this run only\): ([0-9a-f]{48})", remarks)[1]

        async def talk():
            async with http_client(url, token) as client:
                return await client.call_tool("status", {})

        assert plain(anyio.run(talk))["study"] == "shelf"


@pytest.mark.parametrize(
    ("arguments", "token", "code", "message"),
    [
        (["--host", "0.0.0.0"], TOKEN, 2, "expected a loopback address, got '0.0.0.0'"),
        (["--host", "example.org"], TOKEN, 2, "expected a loopback address"),
        ([], "short", 2, "a token of at least 16 characters, got 5"),
        (["--study", "none"], TOKEN, 3, "no library is built of study 'none'"),
        (["--memories", "none"], TOKEN, 3, "no memory of study 'none'"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(place, arguments, token, code, message):
    done = CliRunner().invoke(
        main,
        ["mcp", "--results", str(place / "results"), "--transport", "http", *arguments],
        env={"SKILLMILL_TOKEN": token},
    )
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
