"""ALFWorld's households, played by TextWorld (extra `alfworld`).

Observations and commands are ALFWorld's: its rules, its grammar, its names (`fridge 1`)
with the numbers that they have without domain randomisation.
"""

import importlib.util
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.data.alfworldgames import Game
from skillmill.errors import ConfigError, InputError
from skillmill.evaluate.downstream.episode import Sight

#: Marks of ALFRED's ids, as PDDL has to write them.
_MARK = "_bar_"
_UNTOLD = "UNKNOWN GOAL"


class Household:
    """A game in play; `start` begins an episode.

    Parameters
    ----------
    game : Game
    seed : int
        Of what TextWorld draws; the rules themselves have no chance.
    with_plan : bool
        Whether a planner that sees everything is asked for the way, `plan`: slow, and
        no agent may see it but a ceiling.
    randomise : bool
        Whether things of a kind are numbered at random, by the seed (ALFWorld's domain
        randomisation).

    Raises
    ------
    ConfigError
        If TextWorld or ALFWorld is not installed.
    InputError
        If the game's files cannot be played.
    """

    def __init__(
        self,
        game: Game,
        seed: int = 42,
        *,
        with_plan: bool = False,
        randomise: bool = False,
    ) -> None:
        self._seed = seed
        self._game = game
        rules, grammar = game.rules, game.grammar
        if not (rules and grammar):
            rules, grammar = _shipped()
            grammar = grammar.replace(_UNTOLD, game.goal)
        self._env = _environment(with_plan=with_plan)
        data = {"pddl_domain": rules, "grammar": grammar, "pddl_problem": game.problem}
        try:
            self._env.load(data)
        except _faults() as error:
            raise self._unplayable(error) from error
        # As ALFWorld's own wrapper does; TextWorld has no public way to name things.
        entities = self._env._entity_infos
        names = _names(entities, seed if randomise else None)
        for name, entity in entities.items():
            entity.name = names[name]
        self._state: Any = None

    @property
    def plan(self) -> tuple[str, ...]:
        """Commands that a planner would give from here; () if it was not asked."""
        return tuple(self._state["policy_commands"] or ()) if self._state else ()

    def start(self) -> Sight:
        """Begin anew."""
        import textworld  # noqa: PLC0415 an extra

        textworld.g_rng.set_seed(self._seed)
        try:
            self._state = self._env.reset()
        except _faults() as error:
            raise self._unplayable(error) from error
        return self._sight()

    def act(self, command: str) -> Sight:
        """Do something; what is not possible changes nothing and says so."""
        self._state, _, _ = self._env.step(command)
        return self._sight()

    def _sight(self) -> Sight:
        state = self._state
        return Sight(
            text=str(state.feedback).strip(),
            commands=tuple(state["admissible_commands"]),
            is_won=bool(state["won"]),
        )

    def _unplayable(self, error: BaseException) -> InputError:
        return InputError(
            f"game {self._game.id!r}: expected a household with a goal that can be"
            f" reached, and TextWorld says {type(error).__name__}: {error}; mend its"
            " PDDL or leave it out",
            record=self._game.id,
        )


def is_installed() -> bool:
    """Whether households can be played here."""
    return all(
        importlib.util.find_spec(name) is not None
        for name in ("textworld", "alfworld", "fast_downward")
    )


def _environment(*, with_plan: bool) -> Any:  # noqa: ANN401 TextWorld is not typed
    _require()
    import textworld  # noqa: PLC0415 an extra
    from textworld.envs.pddl import PddlEnv  # noqa: PLC0415 an extra

    wanted = textworld.EnvInfos(
        won=True, admissible_commands=True, policy_commands=with_plan
    )
    return PddlEnv(wanted)


def _require() -> None:
    if not is_installed():
        raise ConfigError(
            "playing households needs TextWorld and ALFWorld, which are not installed;"
            " install them with `pip install 'skillmill[alfworld]'`",
            record="alfworld",
        )


def _faults() -> tuple[type[BaseException], ...]:
    """What TextWorld and its translator raise on a problem that is none.

    The translator's own error is looked up where it was loaded, not imported: that
    would have it read the command line of this process.
    """
    parser = sys.modules.get("fast_downward.translate.pddl_parser.lisp_parser")
    own = (parser.ParseError,) if parser else ()
    # The translator leaves by sys.exit() where a name is not declared.
    return (*own, SystemExit, KeyError, IndexError, ValueError, StopIteration)


def _shipped() -> tuple[str, str]:
    """Rules and grammar as the package `alfworld` ships them.

    Read without importing it: its import makes a folder in the user's home.
    """
    _require()
    found = importlib.util.find_spec("alfworld")
    places = found.submodule_search_locations if found else None
    home = Path(next(iter(places or [])), "data")
    try:
        rules = (home / "alfred.pddl").read_text(encoding="utf-8")
        grammar = (home / "alfred.twl2").read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"expected ALFWorld's rules in {home}, got {error.strerror}; install"
            " alfworld 0.4.2",
            record="alfworld",
        ) from error
    return rules, grammar


def _names(ids: Iterable[str], shuffled: int | None = None) -> dict[str, str]:
    """Names of things: kind and number.

    As ALFWorld gives them without shuffling: of the ids of a kind, sorted, the first
    has the highest number; shuffled by a seed, any. What bears no mark, such as the
    agent, keeps its id.
    """
    marked = sorted(name for name in ids if _MARK in name)
    if shuffled is not None:
        marked = np.random.default_rng(shuffled).permutation(marked).tolist()
    left = Counter(_kind(name) for name in marked)
    names = {}
    for name in marked:
        kind = _kind(name)
        names[name] = f"{kind} {left[kind]}"
        left[kind] -= 1
    return {name: names.get(name, name) for name in ids}


def _kind(name: str) -> str:
    """Kind of a thing; the basin of a sink or bath tub is one of its own."""
    kind = name.split(_MARK, 1)[0]
    return f"{kind}basin" if "basin" in name and "basin" not in kind else kind
