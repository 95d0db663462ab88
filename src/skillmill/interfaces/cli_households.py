"""Commands that play ALFWorld's households."""

import json
from pathlib import Path
from typing import Any

import click

from skillmill.interfaces.cli_downstream import (
    PREDICTIONS,
    STUDY,
    tell_reports,
)
from skillmill.interfaces.options import CONFIG, JSON, RECORDS, say


@click.command("alfworld-tasks")
@click.argument("games", type=click.Path(path_type=Path))
def alfworld_tasks(games: Path) -> None:
    """Write the goals of GAMES as tasks, JSON Lines.

    Example: skillmill downstream alfworld-tasks data/alfworld/games
    """
    from skillmill.data.alfworldgames import find_games  # noqa: PLC0415

    found, report = find_games(games)
    tell_reports([report])
    for game in found:
        row = {"id": game.id, "text": game.goal, "categories": [game.domain]}
        click.echo(json.dumps(row, ensure_ascii=False))


@click.command("alfworld-leaves")
@click.argument("games", type=click.Path(path_type=Path))
@CONFIG
def alfworld_leaves(games: Path, overlays: tuple[Path, ...]) -> None:
    """Count the atomic requirements of each of GAMES: one JSON object, for --leaves.

    Goals are taken apart as the configuration says: by a model, or by clauses. One
    that has no tree is left out.

    Example: skillmill downstream alfworld-leaves data/alfworld/games > leaves.json
    """
    from skillmill.data.alfworldgames import find_games  # noqa: PLC0415
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415
    from skillmill.interfaces.household_plan import count_leaves  # noqa: PLC0415

    found, report = find_games(games)
    tell_reports([report])
    counts, failed = count_leaves(found, read_config(overlays))
    for game, reason in failed.items():
        click.echo(f"{game}: no tree: {reason}", err=True)
    click.echo(json.dumps(counts, indent=1))


@click.command("alfworld")
@click.argument("games", type=click.Path(path_type=Path))
@STUDY
@click.option("--method", default="load-all", show_default=True)
@click.option("--library", type=click.Path(path_type=Path), help="Folder of skills.")
@PREDICTIONS
@click.option("--budget", type=click.IntRange(0), help="Predicted skills of a game.")
@click.option(
    "--skill-tokens",
    type=click.IntRange(1),
    default=8000,
    show_default=True,
    help="Room for the skills of a game.",
)
@click.option(
    "--leaves",
    type=click.Path(path_type=Path),
    help="JSON object, game -> atomic requirements, for strata.",
)
@click.option("--steps", type=click.IntRange(1), help="The most of an episode.")
@click.option("--seed", type=click.IntRange(0), help="Of the environment.")
@click.option("--tell-commands", is_flag=True, help="Show the commands that work.")
@click.option("--planner", is_flag=True, help="A ceiling: a planner that sees all.")
@click.option("--limit", type=click.IntRange(1), help="Only the first games.")
@CONFIG
@RECORDS
@JSON
def alfworld(
    games: Path,
    study: str,
    planner: bool,
    overlays: tuple[Path, ...],
    records: Path,
    as_json: bool,
    **asked: Any,  # noqa: ANN401 the fields of `household_plan.Asked`
) -> None:
    """Play ALFWorld's GAMES with the model of role `agent`; keep trials as they end.

    What was played is not played again; an infrastructure error is tried once more.
    What is not given is as the section `downstream` of the configuration says.
    Needs `pip install 'skillmill[alfworld]'`.

    Example: skillmill downstream alfworld data/alfworld/games --study home
    --library data/alfworld/skills --configfile my-model.yaml
    """
    from skillmill.data.alfworldgames import find_games  # noqa: PLC0415
    from skillmill.interfaces import household_plan, households  # noqa: PLC0415
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415

    found, report = find_games(games)
    tell_reports([report])
    config = read_config(overlays)
    plan, without = household_plan.plan_of(
        found, household_plan.Asked(**asked), config.downstream
    )
    if without:
        click.echo(f"{without} games have no prediction and no skills", err=True)
    if planner:
        done = households.play_with_planner(plan, study, records)
    else:
        done = households.play_with_model(plan, config, study, records)
    states = [trial.state for trial in done.trials]
    counts = {name: states.count(name) for name in ("success", "failure", "error")}
    say(
        {"attempts": len(states), **counts, "played_before": done.done_before},
        f"{len(states)} attempts: {counts['success']} successes,"
        f" {counts['failure']} failures, {counts['error']} errors;"
        f" {done.done_before} games were played before",
        as_json,
        remark=True,
    )
