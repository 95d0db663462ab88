"""ALFWorld's households: a plan and an agent in, trials kept as they end."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.data.alfworldgames import Game
from skillmill.errors import ConfigError, InputError
from skillmill.evaluate.downstream.episode import Agent, Episode, play
from skillmill.evaluate.downstream.household import Household
from skillmill.evaluate.downstream.household_agents import (
    ROLE,
    ModelAgent,
    PlannerAgent,
)
from skillmill.interfaces.chat import asking, role_settings
from skillmill.interfaces.household_plan import Plan
from skillmill.models.llm import ChatClient
from skillmill.models.usage import Usage
from skillmill.settings.whole import Config
from skillmill.store import trials
from skillmill.types import Trial

if TYPE_CHECKING:
    import httpx2

BENCHMARK = "alfworld"
#: Method and backbone of the planner that sees everything.
CEILING = ("ceiling:planner", "planner")

_BROKEN = "broken-game"


@dataclass(frozen=True, slots=True)
class Played:
    """Trials that were played now, and games that had one that counts."""

    trials: tuple[Trial, ...]
    done_before: int


@dataclass(frozen=True, slots=True)
class _Asker:
    """A command as what asks a model (`interfaces.chat.AskingJob`)."""

    study: str
    records: Path
    models: Mapping[str, Any]
    run: str = ""
    rule: str = "downstream"
    part: str = ""


def play_with_model(
    plan: Plan,
    config: Config,
    study: str,
    records: Path,
    http_client: "httpx2.AsyncClient | None" = None,
) -> Played:
    """Play every game with the model of role `agent`; each trial is kept as it ends.

    Raises
    ------
    ConfigError
        If no model is configured, or TextWorld is not installed.
    SkillmillError
        As the client's: a spent budget ends the run, and it can be resumed.
    """
    if not config.models.is_asked("agent"):
        raise ConfigError(
            "playing needs a language model: set models.mode to live, and the model of"
            " models.roles.agent, with --configfile; or ask for --planner",
            record="models",
        )
    models = config.models.model_dump()
    settings = role_settings(models, ROLE)
    this = _Asker(study, records, models)
    with asking(this, [ROLE], http_client) as client:
        return _played(
            plan,
            settings.model,
            study,
            records,
            lambda game, attempt: _model_agent(plan, client, game, attempt),
            settings.cost,
        )


def play_with_planner(plan: Plan, study: str, records: Path) -> Played:
    """Play every game with the planner that sees everything: a ceiling."""
    ceiling = replace(plan, method=CEILING[0])
    return _played(ceiling, CEILING[1], study, records, None, lambda *_: 0.0)


#: Makes what acts in an attempt at a game; None: the planner.
_Agents = Callable[[Game, int], Agent] | None


def _model_agent(plan: Plan, client: ChatClient, game: Game, attempt: int) -> Agent:
    return ModelAgent(
        client,
        f"{game.id}/{plan.method}",
        plan.skills.get(game.id, ()),
        tells_commands=plan.tells_commands,
        sample=attempt - 1,
    )


def _played(
    plan: Plan,
    backbone: str,
    study: str,
    records: Path,
    agents: _Agents,
    cost: Callable[[int, int], float | None],
) -> Played:
    had: dict[str, list[Trial]] = {}
    for trial in trials.load_trials(records, study):
        if (trial.method, trial.backbone) == (plan.method, backbone):
            had.setdefault(trial.task, []).append(trial)
    made: list[Trial] = []
    done_before = 0
    for game in plan.games:
        attempts = list(_attempts_left(had.get(game.id, []), plan.most_attempts))
        done_before += not attempts
        for attempt in attempts:
            trial = _trial(plan, game, backbone, attempt, agents, cost)
            trials.keep_trials(records, study, [trial])
            made.append(trial)
            if trial.state != "error" or trial.reason == _BROKEN:
                break
    return Played(tuple(made), done_before)


def _attempts_left(had: Sequence[Trial], most: int) -> Iterator[int]:
    """Numbers of the attempts that a game may still have: one, and its retries."""
    if any(t.state != "error" or t.reason == _BROKEN for t in had):
        return
    yield from range(len(had) + 1, most + 1)


def _trial(
    plan: Plan,
    game: Game,
    backbone: str,
    attempt: int,
    agents: _Agents,
    cost: Callable[[int, int], float | None],
) -> Trial:
    """Play one attempt."""
    started = time.monotonic()
    try:
        household = Household(
            game, plan.seed, with_plan=agents is None, randomise=plan.randomise
        )
        agent = agents(game, attempt) if agents else PlannerAgent(household)
        episode = play(household, agent, plan.most_steps)
    except InputError:
        episode = Episode("error", _BROKEN, (), Usage())
    seconds = None if episode.is_recorded else round(time.monotonic() - started, 3)
    usage = episode.usage
    return Trial(
        benchmark=BENCHMARK,
        task=game.id,
        method=plan.method,
        backbone=backbone,
        attempt=attempt,
        state=episode.state,
        reward=None if episode.state == "error" else float(episode.state == "success"),
        reason=episode.reason,
        domain=game.domain,
        leaves=plan.leaves.get(game.id),
        steps=len(episode.steps),
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        seconds=seconds,
        usd=cost(usage.prompt_tokens, usage.completion_tokens),
    )
