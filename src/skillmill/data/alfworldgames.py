"""Games of ALFWorld: published ones, and households in its raw form.

A game is a folder with `traj_data.json` and `game.tw-pddl` (published, with goal and
rules) or `initial_state.pddl` (a household; the rules are those of the package).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skillmill.data.jsontext import parse_json, read_text_file, shown
from skillmill.data.loadreport import ReportBuilder, source_name
from skillmill.errors import InputError
from skillmill.types import LoadReport

#: Task types that ALFWorld plays -> domain, as SkillTrace's table 2 names it.
DOMAINS: Mapping[str, str] = {
    "pick_and_place_simple": "Pick & Place",
    "look_at_obj_in_light": "Examine in Light",
    "pick_clean_then_place_in_recep": "Clean & Place",
    "pick_heat_then_place_in_recep": "Heat & Place",
    "pick_cool_then_place_in_recep": "Cool & Place",
    "pick_two_obj_and_place": "Pick Two & Place",
}

#: Task type -> how the goal of a household is put; published games bring theirs.
_GOALS: Mapping[str, str] = {
    "pick_and_place_simple": "put a {obj} in {recep}",
    "look_at_obj_in_light": "look at {obj} under the {toggle}",
    "pick_clean_then_place_in_recep": "put a clean {obj} in {recep}",
    "pick_heat_then_place_in_recep": "put a hot {obj} in {recep}",
    "pick_cool_then_place_in_recep": "put a cool {obj} in {recep}",
    "pick_two_obj_and_place": "put two {obj} in {recep}",
}
_TOLD = re.compile(r"Your task is to: (.+?)\.?\s*\"")
_PUBLISHED, _HOUSEHOLD, _ABOUT = "game.tw-pddl", "initial_state.pddl", "traj_data.json"


@dataclass(frozen=True, slots=True)
class Game:
    """A household with a goal.

    `id` is the folder below the root, `domain` the paper's name of the task type.
    `rules` and `grammar` are '' where the package's own are to be used.
    """

    id: str
    task_type: str
    domain: str
    goal: str
    problem: str
    rules: str = ""
    grammar: str = ""


def find_games(root: Path) -> tuple[list[Game], LoadReport]:
    """Load the games below a folder, sorted by id.

    Returns
    -------
    games : list of Game
    report : LoadReport
        What ALFWorld does not play (movable receptacles, slices, other task types,
        published games that are not solvable) is loaded as an info `left-out`.
        Failed is a folder whose files cannot be read or lack something.

    Raises
    ------
    InputError
        If there is no game.
    """
    report = ReportBuilder(source_name(root))
    games = []
    for about in sorted(root.rglob(_ABOUT)):
        folder = about.parent
        name = folder.relative_to(root).as_posix()
        name = folder.resolve().name if name == "." else name
        if not any((folder / file).is_file() for file in (_PUBLISHED, _HOUSEHOLD)):
            continue
        report.found()
        try:
            made = _game(folder, name)
        except InputError as error:
            report.item("failed")
            report.problem(name, None, name, "failed", "bad-game", str(error))
            continue
        report.item("ok")
        if isinstance(made, Game):
            games.append(made)
        else:
            report.problem(name, None, name, "info", "left-out", made)
    built = report.build()
    if not built.found:
        raise InputError(
            f"{root}: expected folders with {_ABOUT} and {_PUBLISHED} or {_HOUSEHOLD},"
            " found none; `alfworld-download` fetches the published games (folder"
            " json_2.1.1/valid_seen)",
            record=str(root),
        )
    return sorted(games, key=lambda game: game.id), built


def _game(folder: Path, name: str) -> Game | str:
    """The game of a folder, or why it is left out."""
    about = _object(folder / _ABOUT)
    kind = about.get("task_type")
    if kind not in DOMAINS:
        return f"task type {shown(kind)} is not played"
    if "movable" in name or "Sliced" in name:
        return "movable receptacles and slices are not played"
    if (folder / _PUBLISHED).is_file():
        return _published(folder / _PUBLISHED, name, str(kind))
    goal = _goal(str(kind), about.get("pddl_params"), name)
    problem = read_text_file(folder / _HOUSEHOLD)
    return Game(name, str(kind), DOMAINS[str(kind)], goal, problem)


def _published(path: Path, name: str, kind: str) -> Game | str:
    data = _object(path)
    if data.get("solvable") is False:
        return "the published game says that it is not solvable"
    texts = {}
    for key in ("pddl_problem", "pddl_domain", "grammar"):
        value = data.get(key)
        if not isinstance(value, str):
            raise InputError(f"{path.name}: expected text in `{key}`", record=name)
        texts[key] = value
    told = _TOLD.search(texts["grammar"])
    if told is None:
        raise InputError(f"{path.name}: its grammar tells no task", record=name)
    return Game(
        id=name,
        task_type=kind,
        domain=DOMAINS[kind],
        goal=told[1],
        problem=texts["pddl_problem"],
        rules=texts["pddl_domain"],
        grammar=texts["grammar"],
    )


def _goal(kind: str, params: object, name: str) -> str:
    given = params if isinstance(params, Mapping) else {}
    keys = {"obj": "object_target", "recep": "parent_target", "toggle": "toggle_target"}
    words = {short: given.get(key) for short, key in keys.items()}
    lacking = [
        keys[short]
        for short, word in words.items()
        if f"{{{short}}}" in _GOALS[kind] and not (isinstance(word, str) and word)
    ]
    if lacking:
        raise InputError(
            f"{_ABOUT}: a task {kind} needs `pddl_params.{lacking[0]}`", record=name
        )
    return _GOALS[kind].format(**{s: str(w or "").lower() for s, w in words.items()})


def _object(path: Path) -> Mapping[str, object]:
    value = parse_json(read_text_file(path), path.name)
    if not isinstance(value, Mapping):
        raise InputError(f"{path.name}: expected a JSON object, got {shown(value)}")
    return value
