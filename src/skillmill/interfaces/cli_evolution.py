"""Commands about evolution."""

from pathlib import Path

import click

from skillmill.interfaces.options import A_STUDY, JSON, RESULTS

VARIANT = click.option("--variant", default="default", show_default=True)
RUN = click.option("--run", default=0, show_default=True, help="Number of the run.")
STEP = click.option("--step", type=int, help="Steps done; all without.")


@click.command("trie")
@A_STUDY
@VARIANT
@RUN
@STEP
@RESULTS
@JSON
def show_trie(
    study: str | None,
    variant: str,
    run: int,
    step: int | None,
    results: Path,
    as_json: bool,
) -> None:
    """Every path that evolution tried, what it was worth and what became of it.

    Example: skillmill show trie --study locomo --step 4
    """
    from skillmill.interfaces.evolved import explored_of, state_path, trie_lines  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415
    from skillmill.interfaces.tables import print_rows  # noqa: PLC0415

    path = state_path(results, study_meant(results, study), variant, run, step)
    if as_json:
        print_rows(explored_of(path), as_json=True)
        return
    for line in trie_lines(path):
        click.echo(line)


@click.command("evolution")
@A_STUDY
@VARIANT
@RUN
@STEP
@RESULTS
@JSON
def show_evolution(
    study: str | None,
    variant: str,
    run: int,
    step: int | None,
    results: Path,
    as_json: bool,
) -> None:
    """What each step of evolution did: candidates, oracles, routing, frontier sizes.

    Example: skillmill show evolution --study locomo --json
    """
    from skillmill.interfaces.evolved import curve_of, state_path  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415
    from skillmill.interfaces.tables import print_rows  # noqa: PLC0415

    path = state_path(results, study_meant(results, study), variant, run, step)
    print_rows([row._asdict() for row in curve_of(path)], as_json)
