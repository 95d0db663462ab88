"""What a step of evolution needs, made from stores and settings."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.codehash import modules_hash
from skillmill.compute.scoring import full_coverage, recall
from skillmill.errors import InputError
from skillmill.evolve import router as learned
from skillmill.evolve.prior_router import (
    Routing,
    UtilityRouting,
    Vectors,
    hash_vectors,
)
from skillmill.evolve.proposals import Proposer
from skillmill.evolve.rivals import Exhaustive, Nothing, Random
from skillmill.evolve.rollouts import Arena, Asked, Reward, asked_hash, memory_hash
from skillmill.evolve.search import Search
from skillmill.evolve.state import Ground, Rules
from skillmill.interfaces.embedding import embed_passages
from skillmill.interfaces.job import Counts
from skillmill.interfaces.memories import open_memory
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.settings.evolution import Evolution
from skillmill.skills.plugins import GROUP, installed_primitives
from skillmill.skills.primitive import Primitive
from skillmill.skills.skill import render_skill
from skillmill.store import artifact
from skillmill.store.atoms import load_question_atoms
from skillmill.store.conversations import load_questions
from skillmill.store.rollout_records import RolloutRecords
from skillmill.types import ADVERSARIAL, RetrievalSkill

#: What scripts call the section; they read no configuration themselves.
EvolutionSettings = Evolution

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
        frontiers=section.frontiers,
        memory=section.memory,
    )


def reward_of(section: Evolution) -> Reward:
    """What a ranking is worth."""
    return partial(REWARDS[section.reward], k=section.cutoff)


def offline_primitives() -> dict[str, Primitive]:
    """What programs may call without a model, those of one's own included."""
    known = installed_primitives()
    return {name: known[name] for name in known if known[name].kind != "process"}


def questions_of(
    memories: Sequence[Path], splits: Mapping[str, Sequence[str]]
) -> dict[str, Asked]:
    """Questions of some splits that have evidence, by id.

    Adversarial questions and those whose answer was never said are left out: no
    rollout does well or badly on them.
    """
    home = {name: split for split, names in splits.items() for name in names}
    found = {}
    for path in memories:
        memory = open_memory(path)
        with artifact.reading(path, "memory") as db:
            evidence = load_question_atoms(db)
            known = {question.id: question for question in load_questions(db)}
        hashes = {
            name: memory_hash(view)
            for name, view in memory.views.items()
            if name in home
        }
        for conversation, query in memory.questions:
            question = known[query.id]
            pooled = question.category != ADVERSARIAL and not question.abstention
            if conversation in home and pooled and evidence.get(query.id):
                found[query.id] = Asked(
                    query=query,
                    view=memory.views[conversation],
                    evidence=evidence[query.id],
                    split=home[conversation],
                    memory=asked_hash(query, hashes[conversation]),
                )
    return found


def of_split(asked: Mapping[str, Asked], split: str) -> tuple[str, ...]:
    """Ids of the questions of one split, sorted.

    Raises
    ------
    InputError
        If there is none.
    """
    mine = tuple(sorted(q for q, one in asked.items() if one.split == split))
    if not mine:
        raise InputError(
            f"evolution: no question of memory.splits.{split} has evidence; name"
            " conversations of the data there"
        )
    return mine


def executor_identity(budget: int) -> dict[str, str | int]:
    """All that a rollout depends on beside skill, question and memory."""
    code = modules_hash("skillmill.skills.batch", "skillmill.skills.primitives")
    return {
        "executor": code,
        "own": _own_primitives(entry_points(group=GROUP)),
        "budget": budget,
        "reader": "none",
        "judge": "none",
    }


def _own_primitives(plugins: Iterable[Any]) -> str:
    """Hash of the modules of primitives of one's own; '' without any."""
    files = []
    for plugin in sorted(plugins, key=lambda one: (one.name, one.value)):
        spec = find_spec(plugin.module)
        text = Path(spec.origin).read_bytes() if spec and spec.origin else b""
        files.append(f"{plugin.name}={hashlib.sha256(text).hexdigest()}")
    return hashlib.sha256(";".join(files).encode()).hexdigest() if files else ""


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
    """

    asked: Mapping[str, Asked]
    budget: int
    encoder: EncoderSettings
    records: Path


def arena_of(
    setting: Setting, section: Evolution, recorded: RolloutRecords | None
) -> Arena:
    """Where skills are rolled out."""
    return Arena(
        asked=setting.asked,
        reward=reward_of(section),
        budget=setting.budget,
        primitives=offline_primitives(),
        recorded=recorded,
    )


def ground_of(
    setting: Setting, section: Evolution, arena: Arena, counts: Counts
) -> Ground:
    """What stays the same from step to step."""
    return Ground(
        arena=arena,
        validation=of_split(setting.asked, "val"),
        proposer=proposer_of(section),
        routing=routing_of(section),
        question_vectors={q: one.query.vector for q, one in setting.asked.items()},
        skill_vectors=_skill_vectors(setting, section, counts),
        router_settings=_router_settings(section),
    )


def proposer_of(section: Evolution) -> Proposer:
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
    if kind not in known:
        raise _needs_model("evolution.proposer.kind", kind, known)
    return known[kind]


def routing_of(section: Evolution) -> Routing:
    """How routers are made.

    Raises
    ------
    InputError
        If the settings ask for one that needs a model.
    """
    known: dict[str, Routing] = {"utility": UtilityRouting(), "learned": learned}
    if section.router.kind not in known:
        raise _needs_model("evolution.router.kind", section.router.kind, known)
    return known[section.router.kind]


def _needs_model(key: str, kind: str, known: Iterable[str]) -> InputError:
    return InputError(
        f"{key} is {kind!r}, which asks a language model, and none is at hand; set it"
        f" to one of {', '.join(sorted(known))}"
    )


def _router_settings(section: Evolution) -> learned.RouterSettings | None:
    """The learned router's own settings."""
    if section.router.kind != "learned":
        return None
    return learned.RouterSettings(**section.router.model_dump(exclude={"kind"}))


def _skill_vectors(
    setting: Setting, section: Evolution, counts: Counts
) -> Callable[[Sequence[RetrievalSkill]], Vectors]:
    """Vectors of skills: of their markdown, each encoded once and recorded."""
    if section.router.kind != "learned":
        return lambda skills: hash_vectors([one.content_hash for one in skills])
    held: dict[str, Any] = {}

    def vectors(skills: Sequence[RetrievalSkill]) -> Vectors:
        fresh = [one for one in skills if one.content_hash not in held]
        if fresh:
            rows = embed_passages(
                [("skill", s.content_hash, 0, render_skill(s)) for s in fresh],
                load_encoder(setting.encoder),
                None,
                "truncate",
                setting.records,
                counts,
            )
            held.update({name: vector for _, name, _, vector in rows})
        return np.stack([held[one.content_hash] for one in skills])

    return vectors
