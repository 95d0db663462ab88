"""ALFWorld's households: which games are played, with which skills."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skillmill.data.alfworldgames import Game
from skillmill.data.jsontext import parse_json, read_text_file
from skillmill.data.relevance import load_predictions
from skillmill.data.skillfile import load_library
from skillmill.errors import InputError
from skillmill.evaluate.downstream.counting import stratum_of
from skillmill.evaluate.downstream.household_agents import GivenSkill, fit_skills
from skillmill.evaluate.downstream.strata import check_strata
from skillmill.interfaces.predicted import predicted
from skillmill.interfaces.tracing import grown
from skillmill.settings.downstream import Downstream
from skillmill.settings.whole import Config

_DEFAULTS = Downstream()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play and how.

    `skills` maps a game to what its agent reads; `leaves` a game to the number of its
    atomic requirements, where known.
    """

    games: Sequence[Game]
    method: str
    skills: Mapping[str, Sequence[GivenSkill]]
    leaves: Mapping[str, int] = field(default_factory=dict)
    most_steps: int = 30
    seed: int = 42
    tells_commands: bool = False
    most_attempts: int = 2
    randomise: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asks for beside the games (the options of `downstream alfworld`).

    `budget`, `steps` and `seed` are the configuration's where they are None.
    """

    method: str
    library: Path | None
    predictions: Path | None
    budget: int | None
    skill_tokens: int
    leaves: Path | None
    steps: int | None
    seed: int | None
    tell_commands: bool
    limit: int | None


def plan_of(
    games: Sequence[Game], asked: Asked, section: Downstream = _DEFAULTS
) -> tuple[Plan, int]:
    """What to play, and how many of its games were predicted nothing.

    Raises
    ------
    InputError
        As `choose_skills` and `read_leaves`; if the games are not those of the split
        that the section expects.
    """
    rules = section.alfworld
    leaves = read_leaves(asked.leaves) if asked.leaves else {}
    told = [stratum_of(leaves[g.id]) if g.id in leaves else "" for g in games]
    check_strata(told, rules.strata, "games", "downstream.alfworld.strata")
    mine = games[: asked.limit]
    budget = _first(asked.budget, rules.budget, 6)
    skills, without = choose_skills(
        mine, asked.library, asked.predictions, budget, asked.skill_tokens
    )
    plan = Plan(
        games=mine,
        method=asked.method,
        skills=skills,
        leaves=leaves,
        most_steps=_first(asked.steps, rules.steps),
        seed=_first(asked.seed, rules.seed),
        tells_commands=asked.tell_commands,
        most_attempts=section.attempts + section.retries,
        randomise=rules.randomise,
    )
    return plan, without


def _first(*values: int | None) -> int:
    """The first value that is given."""
    return next(value for value in values if value is not None)


def choose_skills(
    games: Sequence[Game],
    library: Path | None,
    predictions: Path | None,
    budget: int,
    tokens: int,
) -> tuple[dict[str, list[GivenSkill]], int]:
    """What the agent of each game reads, and how many games were predicted nothing.

    Without predictions every skill of the library (load-all, `budget` not applied);
    without a library none. The texts of one game share `tokens`.

    Raises
    ------
    InputError
        If a file cannot be read, or a predicted skill is not in the library.
    """
    if library is None:
        return {game.id: [] for game in games}, 0
    # In the order of ids, which `load-all` keeps; rankings may call skills by name.
    skills, _ = load_library(library, ids="folder" if predictions is None else "name")
    texts = {
        name: GivenSkill(skill.name, f"{skill.description}\n\n{skill.body.strip()}")
        for skill in skills
        for name in (skill.id, *skill.aliases)
    }
    if predictions is None:
        whole = fit_skills([texts[skill.id] for skill in skills], tokens)
        return {game.id: whole for game in games}, 0
    chosen, _ = load_predictions(predictions)
    given = {}
    for game in games:
        ranked = predicted(chosen.get(game.id, ()), budget, texts, "game", game.id)
        given[game.id] = fit_skills([texts[skill] for skill in ranked], tokens)
    return given, sum(game.id not in chosen for game in games)


def count_leaves(
    games: Sequence[Game], config: Config
) -> tuple[dict[str, int], dict[str, str]]:
    """Leaves of the tree of each goal, and why a goal has no tree; each goal once.

    Raises
    ------
    SkillmillError
        If a model is to be asked and cannot be.
    """
    trees = {goal: grown(goal, config) for goal in sorted({g.goal for g in games})}
    counts, failed = {}, {}
    for game in games:
        tree = trees[game.goal]
        if tree.state == "ok":
            counts[game.id] = len(tree.leaves())
        else:
            failed[game.id] = tree.reason
    return counts, failed


def read_leaves(path: Path) -> dict[str, int]:
    """Number of atomic requirements by game: one JSON object.

    Raises
    ------
    InputError
        If it is none, or a value is no whole number of at least 1.
    """
    whole = parse_json(read_text_file(path), path.name)
    good = isinstance(whole, dict) and all(
        type(value) is int and value >= 1 for value in whole.values()
    )
    if not good or not isinstance(whole, dict):
        raise InputError(
            f"{path}: expected a JSON object, game id -> number of leaves from 1",
            record=str(path),
        )
    return whole
