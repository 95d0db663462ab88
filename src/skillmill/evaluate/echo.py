"""How much better a ranker looks on queries that echo what they look for."""

from collections.abc import Iterable, Mapping, Sequence

from skillmill.compute.statistics import newcombe_difference
from skillmill.evaluate.paired import hits_of
from skillmill.store.graph import Inflation
from skillmill.types import Task

#: Category of tasks whose words echo their skill's description.
ECHO = "echo"


def inflation_rows(
    found: Mapping[str, Mapping[str, Sequence[str]]],
    tasks: Iterable[Task],
    cutoffs: Iterable[int],
    level: float,
    echo: str = ECHO,
) -> list[Inflation]:
    """Hits of each arm on tasks of the category `echo`, against those on all others.

    Nothing if no task has that category. The sets differ, so the interval is that of
    two independent shares.

    Notes
    -----
    Comparative paper, section 5.2: hit@5 of 0.946 on echoing queries, 0.504 (keyword)
    and 0.735 (hybrid) on others.
    """
    scored = [task for task in tasks if task.relevant]
    echoing = [task for task in scored if echo in task.categories]
    plain = [task for task in scored if echo not in task.categories]
    if not echoing:
        return []
    rows = []
    for arm in sorted(found):
        for k in sorted({*cutoffs}):
            high = sum(hits_of(found[arm], echoing, k).values())
            low = sum(hits_of(found[arm], plain, k).values())
            ends = newcombe_difference(high, len(echoing), low, len(plain), level)
            rows.append(
                Inflation(
                    arm,
                    k,
                    len(echoing),
                    round(high / len(echoing), 6),
                    len(plain),
                    round(low / len(plain), 6) if plain else None,
                    *((None,) * 3 if ends is None else (round(x, 6) for x in ends)),
                )
            )
    return rows
