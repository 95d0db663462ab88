"""What a run would ask of language models, told by the code that would ask it.

Each stage that asks has a function here; nothing is sent.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import numpy as np

from skillmill.config import find_path
from skillmill.evaluate import model_reader, written
from skillmill.evaluate.judge_roles import ROLES as JUDGES
from skillmill.evaluate.judge_roles import JudgeRole
from skillmill.interfaces.configured import workflow_folder
from skillmill.interfaces.estimate_memory import (
    built,
    of_answers,
    of_relations,
    of_verdicts,
    of_written,
)
from skillmill.interfaces.estimate_trace import of_games, of_schemas, of_trees
from skillmill.library import ioschema, querytree
from skillmill.library.asking import ROLE
from skillmill.library.cousage import CoUsage, load_calls, sequences
from skillmill.library.declared import Names
from skillmill.library.edges import EdgeSettings, edge_questions
from skillmill.library.emitting import Emitter, answers_identity
from skillmill.memory import typed_relations
from skillmill.models.chat import ChatRequest, RoleSettings
from skillmill.models.forecast import Forecast
from skillmill.models.llm import ChatClient
from skillmill.settings.models import Role
from skillmill.settings.whole import Config
from skillmill.store import artifact, catalogue, edges
from skillmill.store.records import TagRecords
from skillmill.store.replies import ReplyRecords

#: Roles of the rivals of evolution.
RIVALS: Final[tuple[Role, ...]] = (
    "curate_sheet",
    "distil_reasoning",
    "guided_answer",
    "note_memory",
    "revise_memory_skills",
    "rewrite_instruction",
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one role would ask in one stage of a study.

    `calls` is one for each question that is not recorded; retries and repairs come on
    top. `completion_tokens` are the most allowed, None without a limit; `usd` is None
    without prices, or without that limit. `prompt_tokens` are None where prompts depend
    on what is not known yet.
    """

    study: str
    role: str
    stage: str
    model: str
    questions: int
    recorded: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    usd: float | None


def estimate(
    config: Config, results: Path, games: Path | None = None
) -> list[Estimate]:
    """Estimate all stages of all studies of a configuration, in order.

    With a folder of ALFWorld's games also the most that playing them would ask.

    Raises
    ------
    InputError
        If the stores that the questions are about have not been built.
    """
    studies = [config.study, *config.library.distractors.variants]
    rows = [
        _estimate(study, row, config)
        for role, forecasts in STAGES.items()
        if config.models.is_asked(role)
        for study in studies
        for row in forecasts(config, results / study)
    ]
    if games is not None and config.models.is_asked("agent"):
        rows += [_estimate(config.study, r, config) for r in of_games(config, games)]
    return rows


def untold(config: Config) -> dict[Role, str]:
    """Why nothing is estimated for roles that have a model, by role."""
    return {role: why for role, why in UNTOLD.items() if config.models.is_asked(role)}


def _estimate(study: str, row: Forecast, config: Config) -> Estimate:
    return Estimate(
        study,
        row.role,
        row.stage,
        config.models.of(cast(Role, row.role)).model,
        row.questions,
        row.recorded,
        row.calls,
        row.prompt_tokens,
        row.completion_tokens,
        row.money,
    )


def _of_edges(config: Config, folder: Path) -> Sequence[Forecast]:
    """Questions of the rule `edges`; those of `check_direction` follow from replies."""
    if config.library.path is None:
        return []
    section = config.library.edges
    with artifact.reading(
        built(folder / "library/catalogue.sqlite"), "catalogue"
    ) as db:
        skills = catalogue.load_skills(db)
    with artifact.reading(built(folder / "library/similar.sqlite"), "edges") as db:
        similar = edges.load_edges(db, "similar_to")
    usage = CoUsage({})
    if section.calls:
        place = find_path(
            section.calls,
            "library.edges.calls",
            data_root=config.data_root,
            base=workflow_folder(),
        )
        usage = CoUsage(sequences(load_calls(place, Names(skills))[0]))
    asked = edge_questions(
        skills, similar, usage, EdgeSettings.read(section.model_dump())
    )
    model = config.models.of(ROLE)
    with ExitStack() as stack:
        answers = None
        if section.invalidation == "source":
            identity = answers_identity(model.base_url, model.model)
            answers = stack.enter_context(TagRecords(Path(config.records), identity))
        client = stack.enter_context(_client(config, ROLE))
        return Emitter(client, answers).estimate(asked)


def _of_requests(
    role: Role, requests: Callable[[Config, Path], Sequence[ChatRequest]]
) -> Callable[[Config, Path], Sequence[Forecast]]:
    """Forecasts of a role that asks these questions."""

    def forecasts(config: Config, folder: Path) -> Sequence[Forecast]:
        asked = requests(config, folder)
        with _client(config, role) as client:
            return client.estimate(asked) if asked else []

    return forecasts


def _verdicts(role: JudgeRole) -> Callable[[Config, Path], Sequence[Forecast]]:
    """Forecasts of a judge; of those whose data a study does not hold, none."""

    def requests(config: Config, folder: Path) -> Sequence[ChatRequest]:
        mine = JUDGES[config.memory.format] == role
        return of_verdicts(config, folder, role) if mine else []

    return _of_requests(role, requests)


@contextmanager
def _client(config: Config, role: Role) -> Iterator[ChatClient]:
    """A client of one role that looks up what is recorded."""
    settings = RoleSettings(**config.models.of(role).model_dump())
    with (
        ReplyRecords(Path(config.records), note_use=False) as replies,
        ChatClient({role: settings}, replies, rng=np.random.default_rng(0)) as client,
    ):
        yield client


#: Role that asks -> what it would ask.
STAGES: Mapping[Role, Callable[[Config, Path], Sequence[Forecast]]] = {
    ROLE: _of_edges,
    querytree.ROLE: _of_requests(querytree.ROLE, of_trees),
    ioschema.ROLE: _of_requests(ioschema.ROLE, of_schemas),
    typed_relations.ROLE: _of_requests(typed_relations.ROLE, of_relations),
    written.ROLE: _of_requests(written.ROLE, of_written),
    model_reader.ROLE: _of_requests(model_reader.ROLE, of_answers),
    "judge_locomo": _verdicts("judge_locomo"),
    "judge_longmemeval": _verdicts("judge_longmemeval"),
    "judge_perltqa": _verdicts("judge_perltqa"),
}

_EVOLUTION = "asked step by step in evolution, about replies and rewards before it"

#: Role -> why what it would ask is not known before it is asked.
UNTOLD: Mapping[Role, str] = {
    "agent": "asked at each step of a game; --games FOLDER tells the most",
    "llm_process": "asked within programs, about what they found so far",
    "router": "asked for each question, about the skills that evolution keeps",
    "designer": _EVOLUTION,
    "failure_analyst": _EVOLUTION,
    "generator": _EVOLUTION,
    "success_analyst": _EVOLUTION,
    **dict.fromkeys(RIVALS, "asked step by step by a rival of evolution"),
}
