"""Commands that check a machine and its models before a run does."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillmill.errors import ModelError
from skillmill.interfaces.options import CONFIG, JSON

if TYPE_CHECKING:
    from skillmill.interfaces.finding import Finding


@click.command()
@CONFIG
@JSON
def prefetch(overlays: tuple[Path, ...], as_json: bool) -> None:
    """Check every configured model, and prepare what can be; nothing is downloaded.

    Run it where jobs must not fail later, such as on the login node of a cluster. Exit
    code 5 when a model cannot be used; the line says how to get it.

    Example: skillmill prefetch --configfile configs/locomo.yaml
    """
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415
    from skillmill.interfaces.prefetch import check_models  # noqa: PLC0415

    _tell(check_models(read_config(overlays), prepare=True), as_json)


@click.command()
@CONFIG
@click.option("--endpoint", help="Base URL of a chat endpoint to ask, too.")
@click.option("--model", help="Its model.")
@click.option("--key-variable", help="Environment variable with its key.")
@JSON
def doctor(
    overlays: tuple[Path, ...],
    endpoint: str | None,
    model: str | None,
    key_variable: str | None,
    as_json: bool,
) -> None:
    """Check this machine and the configuration, and tell what each role will use.

    Exit code 5 when something would stop a run. An endpoint is asked a handful of
    short questions.

    Example: skillmill doctor --endpoint http://localhost:8000/v1 --model qwen3
    """
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415
    from skillmill.interfaces.doctor import ChatEndpoint, diagnose  # noqa: PLC0415

    if bool(endpoint) != bool(model):
        raise click.UsageError("--endpoint and --model go together; give both")
    chat = ChatEndpoint(model, endpoint, key_variable) if endpoint and model else None
    _tell(diagnose(read_config(overlays), chat), as_json)


def _tell(findings: "list[Finding]", as_json: bool) -> None:
    """Print what checks found; exit code 5 if it would stop a run."""
    from dataclasses import asdict  # noqa: PLC0415

    for finding in findings:
        if as_json:
            click.echo(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            click.echo(f"{finding.grade:8}{finding.check}: {finding.message}")
    stopping = sum(finding.grade == "stops" for finding in findings)
    if stopping:
        click.echo(f"{stopping} of {len(findings)} checks would stop a run", err=True)
        sys.exit(ModelError.exit_code)
