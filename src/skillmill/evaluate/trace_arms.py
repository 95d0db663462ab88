"""SkillTrace and what it is held against, each at the same budget."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from skillmill.compute.fusion import DECIMALS, top
from skillmill.evaluate.arms import CEILING
from skillmill.library.bundle import Bundle
from skillmill.library.trace import trace
from skillmill.library.tracing import TraceLibrary, TraceQuery, TraceSettings
from skillmill.types import QueryScore, Ranking, State

#: A way to choose skills for a task with a budget.
TraceArm = Callable[[TraceLibrary, TraceQuery, int], Ranking]

LOAD_ALL = "load-all"
#: Skills beyond which the arm that returns all of them is left out: it is known that
#: it holds what is wanted, and its rankings would fill the store.
LOAD_ALL_UP_TO = 500

#: Pairs of arms whose difference is of interest, at each budget; all against search.
PAIRS: Sequence[tuple[str, str]] = (
    ("bundle", "hybrid"),
    ("bundle+rule", "hybrid"),
    ("bundle+rule", "hybrid as many as bundle+rule"),
    ("skilltrace", "hybrid"),
    ("skilltrace", "hybrid as many as skilltrace"),
    ("skilltrace+fill", "hybrid"),
    ("matched+fill", "hybrid"),
    ("skilltrace-tree", "hybrid"),
    ("skilltrace-matching", "hybrid"),
    ("skilltrace-dependencies", "hybrid"),
    ("skilltrace-argmax", "hybrid"),
    ("skilltrace", "skilltrace-tree"),
    ("skilltrace", "skilltrace-matching"),
    ("skilltrace", "skilltrace-dependencies"),
    ("skilltrace", "skilltrace-argmax"),
    ("vector", "hybrid"),
    ("gos-style", "hybrid"),
    ("gos-style", "gos-style permuted"),
    ("skilldag-style", "hybrid"),
    ("skilldag-style", "skilldag-style permuted"),
    ("skilldag-style", "skilldag-style random-edges"),
    ("skilltrace", "gos-style"),
    ("skilltrace", "skilltrace permuted"),
    ("skilltrace", "skilltrace random-edges"),
    ("co-usage", "hybrid"),
    ("co-usage", "co-usage permuted"),
    ("co-usage", "co-usage label-space"),
    (f"{CEILING}co-usage", "hybrid"),
)


def trace_arms(settings: TraceSettings, supporting: int) -> dict[str, TraceArm]:
    """Arms by name.

    `load-all`: the whole library in the order of ids, whatever the budget. `vector`:
    cosine of the whole task. `hybrid`: the entry ranker. `bundle`: the entry ranker's
    results with prerequisites beside them (it may return more than the budget), by
    trusted dependencies; `bundle+rule` by guessed ones, too, and `hybrid as many as
    bundle+rule` the entry ranker with as many results as that returns. `skilltrace`:
    the paper's rule, `supporting` of the budget by dependencies. Without the tree (the
    whole task's best, then the walk), without matching (each leaf's best, then the
    walk), without dependencies (matched skills alone), and `argmax` (neither).
    These may return fewer than the budget: `+fill` lets the entry ranker fill the
    rest, `hybrid as many as skilltrace` is that ranker with as many results.
    """
    paper = replace(settings, mode="paper", supporting=supporting)
    beside = replace(settings, mode="additive")
    guessed = replace(beside, trust="rule")
    return {
        LOAD_ALL: _load_all,
        "vector": _vector,
        "hybrid": _entry,
        "bundle": partial(_traced, beside),
        "bundle+rule": partial(_traced, guessed),
        "hybrid as many as bundle+rule": partial(_as_many, guessed),
        "skilltrace": partial(_traced, replace(paper, primary="matched")),
        "skilltrace-tree": partial(_traced, replace(paper, primary="whole")),
        "skilltrace-matching": partial(_traced, replace(paper, primary="argmax")),
        "skilltrace-dependencies": partial(_traced, replace(paper, supporting=0)),
        "skilltrace+fill": partial(_traced, replace(paper, fill=True)),
        "matched+fill": partial(_traced, replace(paper, supporting=0, fill=True)),
        "hybrid as many as skilltrace": partial(_as_many, paper),
        "skilltrace-argmax": partial(
            _traced, replace(paper, primary="argmax", supporting=0)
        ),
    }


def rank_with_traces(
    library: TraceLibrary,
    queries: Iterable[TraceQuery],
    arms: Mapping[str, TraceArm],
    budgets: Sequence[int],
) -> list[Ranking]:
    """Rankings of each arm at each budget, `skilltrace@6`; `load-all` has none.

    It is left out beyond `LOAD_ALL_UP_TO` skills.
    """
    queries = list(queries)
    found = [
        replace(arm(library, query, budget), arm=f"{name}@{budget}")
        for query in queries
        for budget in budgets
        for name, arm in arms.items()
        if name != LOAD_ALL
    ]
    if LOAD_ALL in arms and len(library.ids) <= LOAD_ALL_UP_TO:
        found += [arms[LOAD_ALL](library, query, 0) for query in queries]
    return found


def pairs_at(budgets: Iterable[int]) -> list[tuple[str, str]]:
    """The pairs of arms that are compared, at each budget."""
    return [(f"{a}@{k}", f"{b}@{k}") for k in budgets for a, b in PAIRS]


#: Arms that read neither trees nor slots, whoever made them.
PLAIN = frozenset({LOAD_ALL, "vector", "hybrid"})


def needs_trees_or_slots(arm: str) -> bool:
    """Whether an arm, or a side of a difference, rests on trees or slots.

    What stood in for a model that makes them marks these arms and no others.
    """
    sides = [side.split("@")[0].removeprefix(CEILING) for side in arm.split(" - ")]
    return any(s not in PLAIN and not s.startswith("co-usage") for s in sides)


def at_own_budget(
    values: Iterable[QueryScore], budgets: Iterable[int], depth: int
) -> list[QueryScore]:
    """Scores of each arm at its own budget and at the depth, which reads it whole."""
    own = {f"@{k}": k for k in budgets}
    return [
        value
        for value in values
        if value.k is None
        or value.k == depth
        or value.k == own.get(f"@{value.arm.rpartition('@')[2]}", value.k)
    ]


def as_ranking(bundle: Bundle) -> Ranking:
    """A bundle's skills by rank; places give the scores, whose scales differ."""
    items = tuple(member.skill for member in bundle.ranked())
    return Ranking(
        arm=bundle.mode,
        query=bundle.task,
        items=items,
        scores=_places(len(items)),
        state=bundle.state,
        reason=bundle.reason or None,
    )


def _places(n: int) -> tuple[float, ...]:
    """Falling scores of n places."""
    return tuple(round(1 / place, DECIMALS) for place in range(1, n + 1))


def _traced(
    settings: TraceSettings, library: TraceLibrary, query: TraceQuery, budget: int
) -> Ranking:
    return as_ranking(trace(library, query, replace(settings, budget=budget)))


def _entry(_library: TraceLibrary, query: TraceQuery, budget: int) -> Ranking:
    ranking = query.ranking
    return replace(
        ranking, items=ranking.items[:budget], scores=ranking.scores[:budget]
    )


def _as_many(
    settings: TraceSettings, library: TraceLibrary, query: TraceQuery, budget: int
) -> Ranking:
    bundle = trace(library, query, replace(settings, budget=budget))
    if not bundle.members:
        return as_ranking(bundle)
    return _entry(library, query, len(bundle.members))


def _vector(library: TraceLibrary, query: TraceQuery, budget: int) -> Ranking:
    rows = top(query.whole_cosines, library.ids, budget).tolist()
    items = tuple(library.ids[row] for row in rows)
    scores = tuple(round(float(query.whole_cosines[row]), DECIMALS) for row in rows)
    reason = None if items else "the library holds no skill"
    state: State = "ok" if items else "empty"
    return Ranking("vector", query.id, items, scores, state, reason)


def _load_all(library: TraceLibrary, query: TraceQuery, _budget: int) -> Ranking:
    ids = tuple(sorted(library.ids))
    reason = None if ids else "the library holds no skill"
    state: State = "ok" if ids else "empty"
    return Ranking(LOAD_ALL, query.id, ids, _places(len(ids)), state, reason)
