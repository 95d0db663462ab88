"""Every arm of a library over many tasks: what the scripts of a study run."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from skillmill.library.meaning import Floats
from skillmill.library.passages import WHOLE
from skillmill.library.query import Bodies, Query
from skillmill.library.ranker import Ranker
from skillmill.library.settings import Arm, RankerSettings
from skillmill.types import Ranking

#: Texts to their token vectors.
TokenSource = Callable[[Sequence[str]], Sequence[Floats]]
#: Id, part and text of a passage.
PassageRow = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Skills:
    """A library as rankers read it: n ids, names and texts, (n, d) vectors, bodies."""

    ids: Sequence[str]
    names: Sequence[str]
    texts: Sequence[str]
    vectors: Floats
    bodies: Bodies | None = None

    def only(self, wanted: Collection[str]) -> "Skills":
        """The skills with these ids, in the same order."""
        kept = [row for row, item in enumerate(self.ids) if item in wanted]
        bodies = self.bodies
        if bodies is not None:
            held = [row for row, item in enumerate(bodies.ids) if item in wanted]
            own = np.asarray(bodies.vectors)[held]
            bodies = Bodies([bodies.ids[row] for row in held], own)
        return Skills(
            [self.ids[row] for row in kept],
            [self.names[row] for row in kept],
            [self.texts[row] for row in kept],
            self.vectors[kept],
            bodies,
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """Rankings, and (arm, query, item, name, value) rows of what scores are made of."""

    rankings: list[Ranking] = field(default_factory=list)
    parts: list[tuple[str, str, str, str, float]] = field(default_factory=list)


def gather_skills(
    names: Sequence[str], passages: Sequence[PassageRow], vectors: Floats
) -> Skills:
    """Put a library together from passages and their vectors, both by id and part.

    `names` are those of the skills in the order of their ids.
    """
    first = [row for row, (_, part, _) in enumerate(passages) if part == WHOLE]
    rest = [row for row, (_, part, _) in enumerate(passages) if part != WHOLE]
    return Skills(
        ids=[passages[row][0] for row in first],
        names=names,
        texts=[passages[row][2] for row in first],
        vectors=vectors[first],
        bodies=Bodies([passages[row][0] for row in rest], vectors[rest])
        if rest
        else None,
    )


def gather_queries(passages: Sequence[PassageRow], vectors: Floats) -> list[Query]:
    """Put queries together from passages of tasks and their vectors, by id and part."""
    rows: dict[str, list[int]] = {}
    for row, (task, _, _) in enumerate(passages):
        rows.setdefault(task, []).append(row)
    return [
        Query(task, passages[own[0]][2], vectors[own]) for task, own in rows.items()
    ]


def reranks_late(settings: RankerSettings, size: int) -> bool:
    """Whether a library of so many skills is reranked by late interaction."""
    return settings.late_weight > 0 and size <= settings.late_up_to


def rank_tasks(
    skills: Skills,
    queries: Iterable[Query],
    settings: RankerSettings,
    tokens: TokenSource | None = None,
) -> tuple[Answers, tuple[str, ...]]:
    """Rank a library for each query with every arm.

    `hybrid+late` is left out without a source of token vectors, if its weight is 0, or
    beyond `late_up_to` skills.
    Token vectors are asked for the skills that it reranks, and only for those.

    Returns
    -------
    answers : Answers
    lost : tuple of str
        Skills whose vector has no direction.
    """
    ranker = Ranker(
        skills.ids,
        skills.texts,
        skills.vectors,
        settings,
        names=skills.names,
        bodies=skills.bodies,
    )
    queries = list(queries)
    arms: tuple[Arm, ...] = get_args(Arm)
    if tokens is None or not reranks_late(settings, len(skills.ids)):
        arms = tuple(arm for arm in arms if arm != "hybrid+late")
    else:
        ranker.tokens = _token_vectors(ranker, skills, queries, tokens)
    answers = Answers()
    for query in queries:
        for arm in arms:
            ranking, parts = ranker.answer(arm, query)
            answers.rankings.append(ranking)
            for item, values in parts.items():
                answers.parts.extend((arm, query.id, item, *v) for v in values.items())
    return answers, ranker.without_direction


def _token_vectors(
    ranker: Ranker, skills: Skills, queries: Sequence[Query], tokens: TokenSource
) -> dict[str, Floats]:
    """Token vectors of every skill that is among the best of a query."""
    depth = ranker.settings.late_depth
    wanted: set[str] = set()
    for query in queries:
        wanted.update(ranker.answer("hybrid", query, depth)[0].items)
    rows = [row for row, item in enumerate(skills.ids) if item in wanted]
    found = tokens([skills.texts[row] for row in rows])
    return dict(zip((skills.ids[row] for row in rows), found, strict=True))
