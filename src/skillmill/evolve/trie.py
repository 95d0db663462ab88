"""The experience trie: every path tried, what it was worth and what became of it.

A path is the sequence of a program's primitives (ERSkill, section 2.4); shared prefixes
are one node. `llm_process` is one type whatever it is told.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from skillmill.data.plaintext import content_hash
from skillmill.skills.skill import render_skill
from skillmill.types import RetrievalSkill

#: What counts as the same program: the same path (as in the paper), or also the same
#: arguments, merges, weights and budgets.
Identity = Literal["path", "program"]
#: Where an explored skill stands.
Status = Literal["both", "capability", "deploy", "displaced", "rejected", "proposed"]
#: What happened to it.
Fate = Literal[
    "seed",
    "proposed",
    "train-retained",
    "train-rejected",
    "entered",
    "validation-rejected",
    "displaced",
    "deployed",
    "deploy-rejected",
    "undeployed",
]

LLM = "llm_process"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to an explored skill in a step, and why."""

    step: int
    fate: Fate
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """Rollouts of one split: how many, and the sum of their rewards."""

    n: int
    total: float

    @property
    def mean(self) -> float:
        """Mean reward, rounded to six decimals; 0 without rollouts."""
        return round(self.total / self.n, 6) if self.n else 0.0


@dataclass(frozen=True)
class Explored:
    """One explored skill.

    `source` is the content hash of the skill it was edited from, None for a seed.
    `step` is when it was proposed: -1 for a seed. `rollouts` are by split (`train`,
    `val`).
    """

    skill: RetrievalSkill
    source: str | None
    step: int
    status: Status = "proposed"
    rollouts: Mapping[str, Tally] = field(default_factory=dict)
    history: tuple[Event, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """Its primitive sequence."""
        return self.skill.path

    def mean(self, split: str) -> float | None:
        """Mean reward of a split; None without rollouts."""
        tally = self.rollouts.get(split)
        return tally.mean if tally and tally.n else None


@dataclass(frozen=True, slots=True)
class Prefix:
    """A node of the trie: a prefix of explored paths.

    `explored` skills go through it, `ends` of them end here; `best` is the highest
    validation mean among the former, None if none was validated; `statuses` counts
    where they stand.
    """

    path: tuple[str, ...]
    explored: int
    ends: int
    best: float | None
    statuses: Mapping[str, int]


@dataclass(frozen=True)
class Trie:
    """All explored skills, in the order in which they were added."""

    explored: tuple[Explored, ...] = ()
    identity: Identity = "path"

    def __getitem__(self, wanted: str) -> Explored:
        """The explored skill with a content hash; KeyError if there is none."""
        for one in self.explored:
            if one.skill.content_hash == wanted:
                return one
        raise KeyError(wanted)

    def __contains__(self, wanted: object) -> bool:
        return any(one.skill.content_hash == wanted for one in self.explored)

    def duplicate_of(self, skill: RetrievalSkill) -> Explored | None:
        """The explored skill that this one repeats; None if it is new."""
        key = identity_key(skill, self.identity)
        for one in self.explored:
            if identity_key(one.skill, self.identity) == key:
                return one
        return None

    def refusal(self, skill: RetrievalSkill) -> str | None:
        """Why a skill may not be explored; None if it may.

        It repeats a path (or a program, see `identity`), or has the name or the
        text of another skill.
        """
        same = self.duplicate_of(skill)
        if same is not None:
            what = "path" if self.identity == "path" else "program"
            return f"repeats the {what} of {same.skill.name}, {' > '.join(same.path)}"
        for one in self.explored:
            if one.skill.content_hash == skill.content_hash:
                return f"has the text of {one.skill.name}"
            if one.skill.name == skill.name:
                return f"the name {skill.name} is taken"
        return None

    def added(
        self,
        skill: RetrievalSkill,
        *,
        source: str | None,
        step: int,
        reason: str = "",
    ) -> "Trie":
        """The trie with one more skill.

        Raises
        ------
        ValueError
            If `refusal` has a reason.
        """
        refused = self.refusal(skill)
        if refused:
            raise ValueError(f"skill {skill.name!r}: {refused}")
        fate: Fate = "seed" if step < 0 else "proposed"
        new = Explored(skill, source, step, history=(Event(step, fate, reason),))
        return replace(self, explored=(*self.explored, new))

    def tallied(self, split: str, rewards: Mapping[str, Sequence[float]]) -> "Trie":
        """The trie with further rollouts of skills, by content hash."""

        def grown(one: Explored) -> Explored:
            added = rewards.get(one.skill.content_hash)
            if not added:
                return one
            old = one.rollouts.get(split, Tally(0, 0.0))
            total = round(old.total + float(sum(added)), 6)
            new = Tally(old.n + len(added), total)
            return replace(one, rollouts={**one.rollouts, split: new})

        return replace(self, explored=tuple(map(grown, self.explored)))

    def happened(self, wanted: str, event: Event) -> "Trie":
        """The trie with one more event of a skill."""
        return replace(
            self,
            explored=tuple(
                replace(one, history=(*one.history, event))
                if one.skill.content_hash == wanted
                else one
                for one in self.explored
            ),
        )

    def standing(self, capability: Iterable[str], deploy: Iterable[str]) -> "Trie":
        """The trie with each skill's status, given who is on which frontier."""
        able, used = set(capability), set(deploy)

        def stands(one: Explored) -> Status:
            name = one.skill.content_hash
            if name in able:
                return "both" if name in used else "capability"
            if name in used:
                return "deploy"
            # Who was never on a frontier was turned away.
            was = {event.fate for event in one.history}
            return "displaced" if was & {"seed", "entered"} else "rejected"

        return replace(
            self,
            explored=tuple(replace(one, status=stands(one)) for one in self.explored),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Content hashes, in the order of addition."""
        return tuple(one.skill.content_hash for one in self.explored)

    def retired(self) -> tuple[RetrievalSkill, ...]:
        """Skills that are on no frontier, in the order of addition."""
        gone = ("displaced", "rejected")
        return tuple(one.skill for one in self.explored if one.status in gone)

    def prefixes(self) -> tuple[Prefix, ...]:
        """The nodes of the trie, sorted by path."""
        through: dict[tuple[str, ...], list[Explored]] = {}
        for one in self.explored:
            for end in range(1, len(one.path) + 1):
                through.setdefault(one.path[:end], []).append(one)
        return tuple(_prefix(path, through[path]) for path in sorted(through))


def _prefix(path: tuple[str, ...], through: Sequence[Explored]) -> Prefix:
    """Sum up the skills that go through a node."""
    means = [mean for one in through if (mean := one.mean("val")) is not None]
    statuses: dict[str, int] = {}
    for one in through:
        statuses[one.status] = statuses.get(one.status, 0) + 1
    return Prefix(
        path=path,
        explored=len(through),
        ends=sum(one.path == path for one in through),
        best=max(means, default=None),
        statuses=dict(sorted(statuses.items())),
    )


def identity_key(skill: RetrievalSkill, identity: Identity) -> object:
    """What two skills share if they are the same.

    Words and names of nodes do not count, nor what `llm_process` is told.
    """
    if identity == "path":
        return skill.path
    return tuple(
        (
            node.primitive,
            "" if node.primitive == LLM else _text(node.args),
            node.merge,
            node.weight,
            node.budget,
        )
        for node in skill.program
    )


def _text(args: Mapping[str, object]) -> str:
    return json.dumps(args, sort_keys=True, default=list)


def summary(trie: Trie) -> str:
    """The trie in words for a proposer: one line a skill, in the order of addition."""
    lines = []
    for one in trie.explored:
        means = ", ".join(
            f"{split} {tally.mean:.3f} (n = {tally.n})"
            for split, tally in sorted(one.rollouts.items())
        )
        fates = ", ".join(f"{e.fate} at {e.step}" for e in one.history)
        lines.append(
            f"{' > '.join(one.path)} [{one.skill.name}] {one.status}; {means}; {fates}"
        )
    return "\n".join(lines)


def with_own_hash(skill: RetrievalSkill) -> RetrievalSkill:
    """The skill with the content hash of the markdown that it renders to."""
    return replace(skill, content_hash=content_hash(render_skill(skill)))
