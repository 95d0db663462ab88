"""What a step of evolution needs, made from stores and settings."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.compute.scoring import full_coverage, recall
from skillmill.errors import InputError
from skillmill.evaluate.judge_roles import ROLES as JUDGE_ROLES
from skillmill.evaluate.judge_roles import JudgeRole
from skillmill.evaluate.model_reader import ROLE as READING
from skillmill.evolve import router as learned
from skillmill.evolve.cases import TracedCases
from skillmill.evolve.judged import JudgedArena
from skillmill.evolve.llm_proposer import ROLES, LlmProposer
from skillmill.evolve.llm_router import LlmRouting
from skillmill.evolve.prior_router import Routing, UtilityRouting
from skillmill.evolve.proposals import Proposer
from skillmill.evolve.rivals import Exhaustive, Nothing, Random
from skillmill.evolve.rollouts import Arena, Asked, Reward
from skillmill.evolve.search import Search
from skillmill.evolve.state import Ground, Rules
from skillmill.interfaces.asked import Listener, used_tokens
from skillmill.interfaces.chat import AskingJob, asking
from skillmill.interfaces.evolution_data import (
    executor_identity,
    known_questions,
    of_split,
)
from skillmill.interfaces.job import Counts
from skillmill.interfaces.router_vectors import (
    markdown_vectors,
    named_vectors,
    question_vectors,
    with_confidence,
)
from skillmill.models.encoder import EncoderSettings
from skillmill.models.llm import ChatClient
from skillmill.settings.evolution import Evolution
from skillmill.skills.asking import with_model
from skillmill.skills.plugins import installed_primitives
from skillmill.skills.primitive import Primitive
from skillmill.skills.processing import ROLE, ChatProcess
from skillmill.store.rollout_records import RolloutRecords
from skillmill.store.usage import UsedTokens
from skillmill.types import Question

#: What scripts call the section; they read no configuration themselves.
EvolutionSettings = Evolution

#: Keys of the router that its training does not read.
NOT_OF_TRAINING = {"kind", "encoder", "confidence", "step_price", "budgets"}

#: Reward by the word that the settings use.
REWARDS: Mapping[str, Callable[..., float | None]] = {
    "recall": recall,
    "full_evidence": full_coverage,
}


def section_of(values: Mapping[str, Any]) -> Evolution:
    """The section that a rule's params hold, checked when the workflow was read."""
    return Evolution.model_validate(dict(values))


def rules_of(section: Evolution) -> Rules:
    """The knobs of a step."""
    return Rules(
        limit=section.limit,
        identity=section.identity,
        margin=section.gate.margin,
        tolerance=section.gate.tolerance,
        keep_best=section.keep_best,
        train_filter=section.train_filter,
        gate=section.gate.rule,
        racing=section.racing,
        supervision=section.supervision,
        window=section.window,
        step_price=section.router.step_price,
        frontiers=section.frontiers,
        memory=section.memory,
    )


def reward_of(section: Evolution) -> Reward:
    """What a ranking is worth; a judge looks at more than that."""
    return partial(REWARDS.get(section.reward, recall), k=section.cutoff)


def usable_primitives(process: ChatProcess | None = None) -> dict[str, Primitive]:
    """What programs may call, those of one's own included.

    `llm_process` is among them where a model is at hand.
    """
    known = with_model(installed_primitives(), process)
    return {name: known[name] for name in known if process or name != ROLE}


@dataclass(frozen=True, eq=False)
class Asking:
    """The language models of a step.

    `heard` asks for proposals and routes through `client`; `shaping` holds, for each
    role with a model, what its replies depend on; `questions` have the right answers,
    which analysts and the judge see.
    """

    client: ChatClient
    heard: Listener
    shaping: Mapping[str, Mapping[str, Any]]
    questions: Mapping[str, Question]

    @property
    def gold(self) -> dict[str, str | None]:
        """The right answers by question."""
        return {name: one.answer for name, one in self.questions.items()}

    @property
    def used(self) -> list[UsedTokens]:
        """Tokens of proposals and routes, recorded ones too, by role.

        What rollouts take is not among them: it depends on which are recorded.
        """
        return used_tokens(self.heard.outcomes, models_of(self.shaping))

    @property
    def judge(self) -> JudgeRole | None:
        """The role that judges answers; None where none has a model."""
        return next((r for r in JUDGE_ROLES.values() if r in self.shaping), None)

    @cached_property
    def process(self) -> ChatProcess | None:
        """The step `llm_process`, where its role has a model."""
        return ChatProcess(self.client) if ROLE in self.shaping else None


@dataclass(frozen=True, eq=False)
class Setting:
    """Where a step runs.

    Attributes
    ----------
    asked : mapping
        The questions of training and validation, or of the test.
    budget : int
        Atoms that a skill returns.
    encoder : EncoderSettings
        Of the vectors that a learned router sees.
    records : Path
        Folder of the record stores.
    asking : Asking or None
        Language models, where some are asked.
    """

    asked: Mapping[str, Asked]
    budget: int
    encoder: EncoderSettings
    records: Path
    asking: Asking | None = None

    @property
    def primitives(self) -> dict[str, Primitive]:
        """What programs may call."""
        return usable_primitives(self.asking.process if self.asking else None)

    @property
    def executor(self) -> dict[str, str | int]:
        """All that a rollout depends on beside skill, question and memory."""
        process = self.asking.shaping.get(ROLE) if self.asking else None
        told = json.dumps(process, sort_keys=True) if process else "off"
        return executor_identity(self.budget) | {ROLE: told}


def models_of(shaping: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Role -> the name of its model."""
    return {role: str(said["model"]) for role, said in shaping.items()}


@contextmanager
def asking_of(
    this: AskingJob, shaping: Mapping[str, Mapping[str, Any]], memories: Sequence[Path]
) -> Iterator[Asking | None]:
    """The language models of a job; None where no role has one."""
    with asking(this, sorted(shaping)) as client:
        known = known_questions(memories) if shaping else {}
        yield Asking(client, Listener(client), shaping, known) if shaping else None


def arena_of(
    setting: Setting, section: Evolution, recorded: RolloutRecords | None
) -> Arena:
    """Where skills are rolled out.

    Raises
    ------
    InputError
        If rewards come from a judge and no model reads and judges.
    """
    place = (setting.asked, reward_of(section), setting.budget, setting.primitives)
    if section.reward != "judge":
        return Arena(*place, recorded)
    models = setting.asking
    judge = models.judge if models else None
    if models is None or judge is None or READING not in models.shaping:
        raise _needs_model("evolution.reward", "judge", REWARDS)
    return JudgedArena(
        *place,
        recorded,
        client=models.client,
        judge=judge,
        questions=models.questions,
        atoms=section.cutoff,
    )


def ground_of(
    setting: Setting, section: Evolution, arena: Arena, counts: Counts
) -> Ground:
    """What stays the same from step to step."""
    routing = routing_of(section, setting)
    looks = section.router.kind == "learned"
    asked = question_vectors(
        {name: one.query for name, one in setting.asked.items()},
        setting.encoder if looks and section.router.encoder.name else None,
        setting.records,
        counts,
    )
    return Ground(
        arena=arena,
        validation=of_split(setting.asked, "val"),
        proposer=proposer_of(section, setting),
        routing=routing,
        question_vectors=with_confidence(asked, setting.asked)
        if looks and section.router.confidence
        else asked,
        skill_vectors=markdown_vectors(setting.encoder, setting.records, counts)
        if looks
        else named_vectors(routing),
        router_settings=router_settings(section),
    )


def proposer_of(section: Evolution, setting: Setting) -> Proposer:
    """Where candidates come from.

    Raises
    ------
    InputError
        If the settings ask for one that needs a model.
    """
    kind, longest = section.proposer.kind, section.proposer.longest
    known: dict[str, Proposer] = {
        "search": Search(longest, section.proposer.curiosity),
        "random": Random(longest),
        "exhaustive": Exhaustive(longest),
        "none": Nothing(),
    }
    models = setting.asking
    if models and set(ROLES) <= set(models.shaping):
        cases = TracedCases(
            setting.asked, models.gold, setting.budget, setting.primitives
        )
        known["llm"] = LlmProposer(models.heard, cases)
    if kind not in known:
        raise _needs_model("evolution.proposer.kind", kind, known)
    return known[kind]


def routing_of(section: Evolution, setting: Setting) -> Routing:
    """How routers are made.

    Raises
    ------
    InputError
        If the settings ask for one that needs a model.
    """
    known: dict[str, Routing] = {"utility": UtilityRouting(), "learned": learned}
    if setting.asking and "router" in setting.asking.shaping:
        picking = LlmRouting(setting.asking.heard)
        queries = [one.query for one in setting.asked.values()]
        picking.know(
            np.array([query.vector for query in queries], dtype=np.float32),
            [query.text for query in queries],
        )
        known["llm"] = picking
    if section.router.kind not in known:
        raise _needs_model("evolution.router.kind", section.router.kind, known)
    return known[section.router.kind]


def _needs_model(key: str, kind: str, known: Iterable[str]) -> InputError:
    return InputError(
        f"{key} is {kind!r}, which asks a language model, and none is at hand; set it"
        f" to one of {', '.join(sorted(known))}"
    )


def router_settings(section: Evolution) -> learned.RouterSettings | None:
    """The learned router's own settings."""
    if section.router.kind != "learned":
        return None
    return learned.RouterSettings(**section.router.model_dump(exclude=NOT_OF_TRAINING))
