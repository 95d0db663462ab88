"""What the roles of SkillTrace would ask: trees, schemas of skills, agents in games."""

from collections.abc import Sequence
from pathlib import Path

from skillmill.data.alfworldgames import find_games
from skillmill.interfaces.estimate_memory import built
from skillmill.library.ioschema import schema_requests
from skillmill.library.querytree import tree_request
from skillmill.models.chat import ChatRequest
from skillmill.models.forecast import Forecast
from skillmill.settings.whole import Config
from skillmill.store import artifact, catalogue


def of_trees(config: Config, folder: Path) -> list[ChatRequest]:
    """Questions of the rule `trees`; none where a study has no tasks."""
    if config.library.path is None or config.library.tasks is None:
        return []
    with artifact.reading(built(folder / "library/tasks.sqlite"), "tasks") as db:
        tasks = catalogue.load_tasks(db)
    return [tree_request(task.id, task.text) for task in tasks]


def of_schemas(config: Config, folder: Path) -> list[ChatRequest]:
    """Questions of the rule `slots`."""
    if config.library.path is None:
        return []
    store = built(folder / "library/catalogue.sqlite")
    with artifact.reading(store, "catalogue") as db:
        return schema_requests(catalogue.load_skills(db))


def of_games(config: Config, games: Path) -> Sequence[Forecast]:
    """The most that `skillmill downstream alfworld` asks: a question a step.

    Each prompt holds what was seen before, so tokens of prompts are not known, and
    what is recorded is not looked up.

    Raises
    ------
    InputError
        If there is no game.
    """
    found, _ = find_games(games)
    calls = len(found) * config.downstream.alfworld.steps
    most = config.models.of("agent").max_tokens
    completion = None if most is None else calls * most
    return [
        Forecast("agent", "alfworld", calls, 0, calls, None, completion, None)
    ]  # fmt: skip
