"""What evolved skills are held against, beside other skills."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from skillmill.evolve.edits import made_skill, named_nodes
from skillmill.evolve.rivals import legal_skills
from skillmill.evolve.rollouts import Arena
from skillmill.evolve.table import Floats, RewardTable
from skillmill.skills.batch import Known, execute_batch, parts
from skillmill.types import RetrievalSkill

#: Standard deviation of the noise of the jitter control, where the best score is 1.
JITTER = 0.1


@dataclass(frozen=True)
class Found:
    """What a rival search chose: a skill, and how many rollouts that took."""

    skill: RetrievalSkill
    rollouts: int


def seed_fusion(seeds: Sequence[RetrievalSkill]) -> RetrievalSkill:
    """The seeds' programs one after the other, their finds added: uniform fusion."""
    nodes = [
        replace(node, merge="sum", weight=1.0)
        for seed in seeds
        for node in seed.program
    ]
    return made_skill(named_nodes(nodes))


def best_of(
    arena: Arena, skills: Sequence[RetrievalSkill], questions: Sequence[str]
) -> RetrievalSkill:
    """The skill with the highest mean reward; of equals the first."""
    rows = {s.content_hash: arena.rewards(s, questions) for s in skills}
    table = RewardTable.of_rows(rows, questions)
    best = table.best_single()
    return next(skill for skill in skills if skill.content_hash == best)


def exhaustive_search(
    arena: Arena, longest: int, questions: Sequence[str], rollouts: int | None = None
) -> Found:
    """The best of all legal paths, or of the first that a number of rollouts pays for.

    Chosen on `questions`; shorter paths come first.
    """
    skills = legal_skills(arena.primitives, longest)
    skills = skills[: _affordable(rollouts, len(questions), len(skills))]
    best = best_of(arena, skills, questions)
    return Found(best, len(skills) * len(questions))


def random_search(
    arena: Arena,
    longest: int,
    questions: Sequence[str],
    rollouts: int,
    rng: np.random.Generator,
) -> Found:
    """The best of as many legal paths, drawn at random, as the rollouts pay for."""
    skills = legal_skills(arena.primitives, longest)
    count = _affordable(rollouts, len(questions), len(skills))
    drawn = [skills[place] for place in rng.permutation(len(skills))[:count]]
    return Found(best_of(arena, drawn, questions), count * len(questions))


def _affordable(rollouts: int | None, questions: int, skills: int) -> int:
    """How many skills a number of rollouts pays for: at least one."""
    if rollouts is None:
        return skills
    return min(skills, max(1, rollouts // max(1, questions)))


def jittered_oracle(
    arena: Arena,
    skill: RetrievalSkill,
    questions: Sequence[str],
    copies: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Best reward of each question over disturbed copies of one skill.

    The scores of what it returns are disturbed by noise. Copies know nothing that the
    skill does not, so what their oracle gains over it is luck: an oracle of as many
    real skills is worth what it has beyond that.
    """
    homes: dict[str, list[str]] = {}
    for question in sorted(questions):
        home = arena.asked[question].view.conversation
        homes.setdefault(home, []).append(question)
    best: dict[str, float] = {}
    for home in sorted(homes):
        view = arena.asked[homes[home][0]].view
        contexts = tuple(arena.asked[q].query for q in homes[home])
        for part in parts(contexts, view):
            known = Known(view, contexts[part])
            done = execute_batch(
                skill, known.queries, view, arena.budget, arena.primitives, known
            )
            for _ in range(copies):
                rows = _disturbed(done.rows, done.scores, rng)
                for query, mine in zip(done.queries, rows.tolist(), strict=True):
                    items = [view.ids[row] for row in mine if row >= 0]
                    value = arena.reward(items, arena.asked[query].evidence) or 0.0
                    best[query] = max(best.get(query, 0.0), round(float(value), 6))
    return best


def _disturbed(
    rows: npt.NDArray[np.intp], scores: Floats, rng: np.random.Generator
) -> npt.NDArray[np.intp]:
    """Rows of (q, k) rankings in the order of their scores with noise."""
    scale = np.maximum(np.abs(scores).max(axis=1, keepdims=True, initial=0.0), 1e-9)
    noisy = scores / scale + rng.normal(0, JITTER, scores.shape)
    noisy = np.where(rows >= 0, noisy, -np.inf)
    order = np.argsort(-noisy, axis=1, kind="stable")
    found: npt.NDArray[np.intp] = np.take_along_axis(rows, order, axis=1)
    return found


def greedy_cover(table: RewardTable, most: int) -> tuple[str, ...]:
    """At most so many skills whose oracle is as high as adding one by one makes it.

    Each time the skill that lifts the mean of the best rewards most; ties to the first.
    """
    chosen: list[str] = []
    held = np.zeros(len(table.queries))
    while len(chosen) < min(most, len(table.skills)):
        means = np.maximum(table.rewards, held).mean(axis=1).round(6)
        best = int(means.argmax())
        if chosen and means[best] <= round(float(held.mean()), 6):
            break
        chosen.append(table.skills[best])
        held = np.maximum(held, table.rewards[best])
    return tuple(chosen)


def mean_of(values: Mapping[str, float]) -> float:
    """Mean over questions, rounded; 0 without."""
    found = list(values.values())
    return round(sum(found) / len(found), 6) if found else 0.0
