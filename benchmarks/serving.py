"""Latency of a served library, asked directly and over MCP.

python -m benchmarks.serving results/NAME/library/library.sqlite [RESULTS STUDY NAME]

Prints p50 and p95 of wall and CPU time of warm searches for the 90 queries of
data/queries/non_echo.jsonl; over MCP the wall time of calls one after the other. Where
the library has bundles, of `trace_task` for the first of them; with three more
arguments of `recall_memory` on conversation NAME of a study.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import numpy as np
from mcp import Client, StdioServerParameters

from skillmill.interfaces.agent_tools import AgentTools
from skillmill.interfaces.served import ServedLibrary

REPOSITORY = Path(__file__).resolve().parent.parent


def main(path: Path, memories: list[str]) -> None:
    """Measure and print."""
    file = REPOSITORY / "data" / "queries" / "non_echo.jsonl"
    queries = [json.loads(line)["text"] for line in file.read_text().splitlines()]
    library = ServedLibrary(path)
    for arm in ("keyword", "hybrid"):
        library.search("warm up", arm)
        pairs = [timed(library, query, arm) for query in queries]
        tell(f"{arm}, wall", [wall for wall, _ in pairs])
        tell(f"{arm}, CPU", [cpu for _, cpu in pairs])
    tell("MCP, wall", anyio.run(over_mcp, path, queries))
    if path.with_name("traces.sqlite").is_file():
        tools = AgentTools(library)
        tell_calls("trace_task", tools.trace_task, queries[:20])
    if memories:
        results, study, name = memories
        tools = AgentTools(library, results=Path(results), study=study)
        recall = partial(tools.recall_memory, conversation=name)
        tell_calls("recall_memory", recall, queries[:20])


def tell_calls(name: str, tool: Callable[[str], object], texts: list[str]) -> None:
    """Time calls of a tool, after one to warm up, and print it."""
    tool("warm up")
    pairs = []
    for text in texts:
        wall, cpu = time.perf_counter(), time.process_time()
        tool(text)
        pairs.append((time.perf_counter() - wall, time.process_time() - cpu))
    tell(f"{name}, wall", [wall for wall, _ in pairs])
    tell(f"{name}, CPU", [cpu for _, cpu in pairs])


def timed(library: ServedLibrary, query: str, arm: str) -> tuple[float, float]:
    """Wall and CPU seconds of one search."""
    wall, cpu = time.perf_counter(), time.process_time()
    library.search(query, arm)
    return time.perf_counter() - wall, time.process_time() - cpu


async def over_mcp(path: Path, queries: list[str]) -> list[float]:
    """Wall seconds of each call, after one to warm up."""
    command = ["-m", "skillmill", "mcp", "--results", str(path)]
    server = StdioServerParameters(command=sys.executable, args=command)
    seconds = []
    async with Client(server, read_timeout_seconds=120) as client:
        for query in ["warm up", *queries]:
            started = time.perf_counter()
            await client.call_tool("search_skills", {"query": query})
            seconds.append(time.perf_counter() - started)
    return seconds[1:]


def tell(name: str, seconds: list[float]) -> None:
    """Print the middle and the tail."""
    middle, tail = 1000 * np.percentile(seconds, [50, 95])
    print(f"{name:19} n {len(seconds)}  p50 {middle:7.1f}  p95 {tail:7.1f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
