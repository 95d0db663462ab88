"""Commands that use a built library: search it, serve it to agents."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillmill.interfaces.options import JSON, ONE_STUDY, RESULTS, WORDS

if TYPE_CHECKING:
    from skillmill.library.settings import Arm

LIMIT = click.option(
    "-n", "--limit", type=click.IntRange(1, 100), default=5, show_default=True
)


@click.command()
@click.argument("query", type=WORDS)
@ONE_STUDY
@click.option(
    "--arm",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
    help="By words and meaning, by words alone (no model), by meaning alone.",
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 100), default=5, show_default=True
)
@click.option("--explain", is_flag=True, help="What each score is made of.")
@RESULTS
@JSON
def search(
    query: str,
    study: str | None,
    arm: "Arm",
    limit: int,
    explain: bool,
    results: Path,
    as_json: bool,
) -> None:
    """Find the skills of a built library that fit a task.

    Says so if nothing fits. --results may also name a library.sqlite.

    Example: skillmill search "reconcile invoices with payments" --study sample
    """
    from skillmill.interfaces import found, searching  # noqa: PLC0415

    path = searching.library_store(results, study)
    told = searching.search(path, query, arm, limit)
    if as_json:
        for row in found.found_rows(told, explain=explain):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    for line in found.found_lines(told, explain=explain):
        click.echo(line)


@click.command()
@ONE_STUDY
@click.option(
    "--library",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the skills' files, where it is not where it was built from.",
)
@click.option("--memories", help="Study whose memories are served, too.")
@click.option(
    "--transport", type=click.Choice(["stdio", "http"]), default="stdio",
    show_default=True,
)  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Loopback only.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option(
    "--token-variable",
    default="SKILLMILL_TOKEN",
    show_default=True,
    help="Environment variable with the token of HTTP clients.",
)
@click.option(
    "--log-calls",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Note which skills are read, in this file; off unless given.",
)
@RESULTS
def mcp(
    study: str | None,
    library: Path | None,
    memories: str | None,
    transport: str,
    host: str,
    port: int,
    token_variable: str,
    log_calls: Path | None,
    results: Path,
) -> None:
    """Serve a library to agents over the Model Context Protocol, read-only.

    Over HTTP clients send `Authorization: Bearer <token>`; without one in the
    environment a token is made and told on standard error.

    Example: skillmill mcp --study sample
    """
    from skillmill.interfaces import serving  # noqa: PLC0415

    serving.serve(
        serving.tools_of(results, study, library, memories, log_calls),
        transport,
        host,
        port,
        token_variable,
    )


class _Misused(click.UsageError):
    exit_code = 1


class NoVeto(click.Command):
    """A command whose wrong usage is exit code 1: 2 would stop an agent's user."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise _Misused(error.format_message(), ctx) from error


@click.command(cls=NoVeto)
@click.option(
    "--prompt",
    type=WORDS,
    help="What the user typed; read from standard input if left out.",
)
@ONE_STUDY
@click.option(
    "--arm",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
)
@LIMIT
@click.option(
    "--tokens",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    help="The most that the list may have, four characters each.",
)
@RESULTS
@click.option("--json", "as_json", is_flag=True, help="One row with the list.")
def hook(
    prompt: str | None,
    study: str | None,
    arm: "Arm",
    limit: int,
    tokens: int,
    results: Path,
    as_json: bool,
) -> None:
    """Tell which skills may fit a prompt; for prompt hooks of coding agents.

    Prints a short list, or nothing where nothing fits. Standard input is the prompt, or
    a JSON object with the key `prompt`. Exit code 1, whatever went wrong: some agents
    take 2 for a veto.

    Example: skillmill hook --study sample --prompt "match payments with invoices"
    """
    from skillmill.errors import SkillmillError  # noqa: PLC0415
    from skillmill.interfaces.hooking import advice, read_prompt  # noqa: PLC0415
    from skillmill.interfaces.searching import library_store  # noqa: PLC0415

    asked = read_prompt() if prompt is None else prompt
    try:
        path = library_store(results, study)
        told = advice(path, asked, arm=arm, limit=limit, tokens=tokens)
    except SkillmillError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    if as_json:
        told = json.dumps({"advice": told}, ensure_ascii=False) + "\n"
    click.echo(told, nl=False)


#: In the order of the help.
COMMANDS = (search, mcp, hook)
