"""Arms compared with each other, query by query."""

from collections.abc import Collection, Iterable, Sequence

from skillmill.types import QueryScore

#: Hybrid against each ranker that it is made of, and late interaction against hybrid.
RANKER_PAIRS: Sequence[tuple[str, str]] = (
    ("hybrid", "keyword"),
    ("hybrid", "semantic"),
    ("hybrid+late", "hybrid"),
)


def differences(
    values: Iterable[QueryScore],
    pairs: Sequence[tuple[str, str]],
    metrics: Collection[tuple[str, int | None]],
) -> list[QueryScore]:
    """Value of one arm minus that of another for each query that has both.

    Parameters
    ----------
    values : iterable of QueryScore
    pairs : sequence of (arm, other arm)
        Pairs of which an arm is absent are left out.
    metrics : collection of (metric, k)
        The metrics compared.

    Returns
    -------
    list of QueryScore
        Arm `hybrid - keyword`, metric `recall_difference`; sorted by pair, query and
        metric. None where either value is None.
    """
    known = {(v.arm, v.query, v.metric, v.k): v.value for v in values}
    wanted = set(metrics)
    keys = sorted(
        {(query, metric, k) for _, query, metric, k in known if (metric, k) in wanted},
        key=lambda key: (key[0], key[1], key[2] or 0),
    )
    found = []
    for first, second in pairs:
        for query, metric, k in keys:
            both = (first, query, metric, k), (second, query, metric, k)
            if both[0] not in known or both[1] not in known:
                continue
            a, b = known[both[0]], known[both[1]]
            value = None if a is None or b is None else a - b
            arm = f"{first} - {second}"
            found.append(QueryScore(arm, query, f"{metric}_difference", k, value))
    return found
