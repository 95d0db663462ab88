"""Arms against each other on the same tasks, and by whether the entry was right."""

from collections.abc import Iterable, Mapping, Sequence

from skillmill.compute.scoring import hit
from skillmill.compute.statistics import mcnemar_exact, newcombe_paired, wilson
from skillmill.evaluate.graph_arms import LAYERS, ArmSettings
from skillmill.store.graph import Comparison, Entry
from skillmill.types import Ranking, Task

#: Arm -> query -> what it returned; a query that is absent or failed returned nothing.
Found = Mapping[str, Mapping[str, Sequence[str]]]

#: The paper's cut-off of hit@k (section 5.1).
PAPER_CUTOFF = 5


def found_by_arm(rankings: Iterable[Ranking]) -> dict[str, dict[str, Sequence[str]]]:
    """What each arm returned for each query; nothing where it failed."""
    found: dict[str, dict[str, Sequence[str]]] = {}
    for ranking in rankings:
        items = ranking.items if ranking.state == "ok" else ()
        found.setdefault(ranking.arm, {})[ranking.query] = items
    return found


def hits_of(
    found: Mapping[str, Sequence[str]], tasks: Iterable[Task], k: int
) -> dict[str, bool]:
    """Whether each task has a relevant skill among the first k."""
    return {
        task.id: bool(hit(found.get(task.id, ()), task.relevant, k))
        for task in tasks
        if task.relevant
    }


def planned_pairs(settings: ArmSettings) -> list[tuple[str, str, int]]:
    """(first arm, second arm, cut-off) of the comparisons that are made.

    Neighbours in place of ranked results, at equal budget; against the entry alone;
    against random ones; layer against layer; and activation against the entry ranker.
    """
    name, budget = settings.entry, settings.budget
    pairs = []
    for layer in LAYERS:
        arm = f"{name}@1+{layer}"
        pairs += [
            (arm, f"{name}@{budget}", budget),
            (arm, f"{name}@1", budget),
            (arm, f"{name}@1+random", budget),
        ]
        cutoffs = dict.fromkeys((PAPER_CUTOFF, budget))
        pairs += [(f"boost:{layer}", name, k) for k in cutoffs]
    pairs += [
        (f"{name}@1+typed", f"{name}@1+similar", budget),
        (f"{name}@1+both", f"{name}@1+similar", budget),
    ]
    return pairs


def compare(
    found: Found,
    tasks: Sequence[Task],
    pairs: Iterable[tuple[str, str, int]],
    level: float,
) -> list[Comparison]:
    """Compare pairs of arms by hit@k over all tasks and each of their categories.

    A pair of which an arm is missing is left out. Nothing is adjusted for the number
    of comparisons.

    Notes
    -----
    Newcombe's paired interval and McNemar's exact test, as in the Comparative paper
    (sections 5.4 and 6.2).
    """
    rows = []
    for first, second, k in pairs:
        if first not in found or second not in found:
            continue
        one, other = (hits_of(found[arm], tasks, k) for arm in (first, second))
        for category, members in _groups(tasks).items():
            known = [task for task in members if task in one]
            both = sum(one[task] and other[task] for task in known)
            only_first = sum(one[task] and not other[task] for task in known)
            only_second = sum(other[task] and not one[task] for task in known)
            neither = len(known) - both - only_first - only_second
            interval = newcombe_paired(both, only_first, only_second, neither, level)
            if interval is None:
                continue
            difference, low, high = (round(value, 6) for value in interval)
            p = significant(mcnemar_exact(only_first, only_second))
            counts = (k, len(known), both, only_first, only_second)
            rows.append(
                Comparison(first, second, category, *counts, difference, low, high, p)
            )
    return rows


def significant(p: float) -> float:
    """A p-value in three digits, however small."""
    return float(f"{p:.3g}")


def entry_rows(
    found: Found, tasks: Sequence[Task], arms: Iterable[str], entry: str, k: int
) -> list[Entry]:
    """Hits of arms on the tasks whose first result is right, and on the others.

    Notes
    -----
    Comparative paper, section 5.4: where the entry is wrong, search recovers twice as
    often as neighbours.
    """
    right = hits_of(found.get(entry, {}), tasks, 1)
    rows = []
    for arm in arms:
        if arm not in found:
            continue
        hits = hits_of(found[arm], tasks, k)
        for name, is_right in (("right", True), ("wrong", False)):
            members = [task for task, first in right.items() if first is is_right]
            n, good = len(members), sum(hits[task] for task in members)
            share = wilson(good, n)
            ends = (None,) * 3 if share is None else (round(x, 6) for x in share)
            rows.append(Entry(arm, name, k, n, good, *ends))
    return rows


def _groups(tasks: Iterable[Task]) -> dict[str, list[str]]:
    """Tasks of each category; all of them first."""
    groups: dict[str, list[str]] = {"all": []}
    for task in tasks:
        for category in ("all", *task.categories):
            groups.setdefault(category, []).append(task.id)
    return groups
