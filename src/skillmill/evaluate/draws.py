"""Rankings among several draws of distractors, brought down to one table."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from skillmill.compute.statistics import known_mean
from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.differences import RANKER_PAIRS, differences
from skillmill.types import QueryScore, Score, Split, Task

#: Category of the mean over draws; those of single draws are `seed:0`, ...
DRAWS = "draws"


def mean_over_draws(draws: Iterable[Iterable[QueryScore]]) -> list[QueryScore]:
    """Mean of each value over the draws that have it, sorted by arm, query, metric."""
    values: dict[tuple[str, str, str, int | None], list[float | None]]
    values = defaultdict(list)
    for draw in draws:
        for row in draw:
            values[row.arm, row.query, row.metric, row.k].append(row.value)
    keys = sorted(values, key=lambda key: (*key[:3], key[3] or 0))
    return [QueryScore(*key, known_mean(values[key])[0]) for key in keys]


def draw_table(
    draws: Mapping[int, Sequence[QueryScore]],
    tasks: Sequence[Task],
    categories: Collection[str],
    *,
    study: str,
    resampling: Resampling,
) -> list[Score]:
    """Rows of one library size: each draw, their mean, and paired differences of means.

    Parameters
    ----------
    draws : mapping of int to query scores
        By seed.
    tasks : sequence of Task
    categories : collection of str
        Those of the tasks' own categories that get a row beside the pooled one.
    study : str
        Names the size (`registry+1000`).
    resampling : Resampling
        Intervals are over tasks, not over draws: those share most of their skills.

    Returns
    -------
    list of Score
        Category `draws`, `draws:original`, ... for means and differences, `seed:0`, ...
        for single draws (hit and recall of all tasks).
    """
    pooled: dict[str, list[tuple[Split, str]]] = {
        task.id: [
            ("all", DRAWS),
            *(("all", f"{DRAWS}:{c}") for c in task.categories if c in categories),
        ]
        for task in tasks
    }
    means = mean_over_draws(draws.values())
    figures = sorted({(v.metric, v.k) for v in means if v.metric in ("hit", "recall")})
    table = summarise(
        [*means, *differences(means, RANKER_PAIRS, figures)],
        pooled,
        track="library",
        study=study,
        resampling=resampling,
    )
    for seed, values in sorted(draws.items()):
        table += summarise(
            [value for value in values if (value.metric, value.k) in figures],
            {task.id: [("all", f"seed:{seed}")] for task in tasks},
            track="library",
            study=study,
            resampling=resampling,
        )
    return table
