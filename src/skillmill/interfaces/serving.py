"""The tools of a library, opened and served as a command asks for it."""

import logging
import os
from pathlib import Path

from skillmill.errors import ModelError
from skillmill.interfaces.agent_tools import AgentTools
from skillmill.interfaces.calllog import CallLog
from skillmill.interfaces.searching import library_store
from skillmill.interfaces.served import ServedLibrary


def tools_of(
    results: Path,
    study: str | None,
    library: Path | None = None,
    memories: str | None = None,
    log_calls: Path | None = None,
) -> AgentTools:
    """The tools of a study's library; what cannot be served is refused now.

    Raises
    ------
    InputError
        If there is no such library or memory, or the log of calls cannot be written.
    StoreError
        If the library's file cannot be read.
    """
    served = ServedLibrary(library_store(results, study))
    served.build()
    if memories is not None:
        # What memories need takes a second to import.
        from skillmill.interfaces.explain import shards_of  # noqa: PLC0415

        shards_of(results, memories)
    return AgentTools(
        served,
        library,
        results if memories is not None else None,
        memories,
        CallLog(log_calls) if log_calls else None,
    )


def serve(
    tools: AgentTools, transport: str, host: str, port: int, token_variable: str
) -> None:
    """Serve until the client goes, or until interrupted.

    Raises
    ------
    ModelError
        If the protocol's package is not installed.
    ConfigError
        As `serve_http`.
    """
    try:
        from skillmill.interfaces import mcp_server  # noqa: PLC0415 an extra
    except ModuleNotFoundError as error:
        if str(error.name).startswith("skillmill"):
            raise
        raise ModelError(
            f"the package {error.name!r} is not installed, which serves the protocol;"
            " `pip install 'skillmill[mcp]'` brings it"
        ) from error
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    if transport == "http":
        token = os.environ.get(token_variable) or None
        mcp_server.serve_http(tools, host, port, token)
    else:
        mcp_server.serve_stdio(tools)
