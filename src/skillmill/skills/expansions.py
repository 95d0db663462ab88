"""The primitives that grow the evidence along graphs (ERSkill, section 2.2)."""

from collections.abc import Sequence

import numpy as np

from skillmill.compute.fusion import top_rows
from skillmill.errors import InputError
from skillmill.memory.relations import SIMILARITY
from skillmill.memory.timerange import Days, widened
from skillmill.memory.view import MemoryView
from skillmill.skills.arguments import is_days
from skillmill.skills.primitive import Arguments
from skillmill.skills.state import Bools, Floats, QueryContext, States, Steps

#: The score of an atom that was found but fits not at all.
LEAST_SCORE = 1e-6


def similarity_expand(
    queries: Sequence[QueryContext], states: States, view: MemoryView, args: Arguments
) -> Steps:
    """Score the atoms most similar to the `seeds` best ones held.

    Each edge carries the score of its source times its cosine.
    """
    return Steps(view.spread(_strength(states, view, args["seeds"]), [SIMILARITY]))


def relation_expand(
    queries: Sequence[QueryContext], states: States, view: MemoryView, args: Arguments
) -> Steps:
    """Score the atoms that typed edges reach from the `seeds` best ones held.

    Follows `relations`, else the state's `preferred_relations`, else all that the
    memory holds. Each edge carries the score of its source times its weight.
    """
    wanted = args["relations"] or states.variables.get("preferred_relations")
    followed = wanted or view.relations
    lost = sorted(set(followed) - set(view.relations))
    note = f"this memory holds no edges of {', '.join(lost)}" if lost else ""
    notes = dict.fromkeys(range(len(queries)), note) if note else {}
    strength = _strength(states, view, args["seeds"])
    return Steps(view.spread(strength, followed), notes=notes)


def _strength(states: States, view: MemoryView, seeds: int) -> Floats:
    """Scores of the best atoms held, 0 elsewhere."""
    rows = top_rows(states.scores, view.place, seeds, states.held)
    taken = rows >= 0
    query, best = np.nonzero(taken)[0], rows[taken]
    strength = np.zeros_like(states.scores)
    strength[query, best] = states.scores[query, best]
    return strength


def temporal_focus_expand(
    queries: Sequence[QueryContext], states: States, view: MemoryView, args: Arguments
) -> Steps:
    """Find the atoms about a day in a range, by default nearest to the query first.

    The range is the argument `time_range`, else the state's. With neither, `range`
    `question` takes what the question names, from `days_before` days earlier to
    `days_after` days later; if that is nothing, or the whole memory, the evidence
    stays as it is. With `rerank` an atom scores (1 + cosine) / 2, so that every atom
    in the range is found; without, 1.
    """
    given = args["time_range"] or states.variables.get("time_range")
    reads = given is None and args["range"] == "question"
    if reads:
        ranges = [_read(query, args) for query in queries]
    else:
        ranges = [_checked(given, queries[0])] * len(queries)
    inside = np.array([_inside(days, view) for days in ranges])
    looked, notes = _looked(ranges, inside, reads)
    scores = inside.astype(np.float64)
    if args["rerank"]:
        directions = np.array([query.direction(args["form"]) for query in queries])
        near = (1 + view.cosines(directions)) / 2
        scores = np.where(inside, np.maximum(near, LEAST_SCORE), 0.0)
    return Steps(scores, looked, notes)


def _looked(
    ranges: Sequence[Days | None], inside: Bools, reads: bool
) -> tuple[Bools, dict[int, str]]:
    """Tell for which queries a range says anything, and why not for the others."""
    looked = np.ones(len(ranges), dtype=bool)
    notes = {}
    for i, (days, rows) in enumerate(zip(ranges, inside, strict=True)):
        if days is None:
            looked[i], notes[i] = False, "the question names no date"
        elif reads and rows.all():
            looked[i] = False
            notes[i] = f"the whole memory is about days from {days[0]} to {days[1]}"
        elif not rows.any():
            notes[i] = f"no atom is about a day from {days[0]} to {days[1]}"
    return looked, notes


def range_read(args: Arguments) -> set[str]:
    """Vectors, where the atoms in a range are put in order."""
    return {"vectors"} if args["rerank"] else set()


def range_conflict(args: Arguments) -> str | None:
    """The paper's form is told a range; it reads none from the question."""
    if args["range"] == "question" and args["form"] == "literal":
        return "the literal form needs an explicit range; leave out 'range' or 'form'"
    return None


def _read(query: QueryContext, args: Arguments) -> Days | None:
    """Days that a question names, widened; None if it names none."""
    if query.time_range is None:
        return None
    return widened(query.time_range, args["days_before"], args["days_after"])


def _checked(days: object, query: QueryContext) -> Days:
    """Give a range that was told, if it is one."""
    if not is_days(days):
        raise InputError(
            "temporal_focus_expand needs a time_range of two ISO days from its "
            f"arguments or an earlier step, got {days!r}",
            record=query.id,
        )
    return days[0], days[1]


def _inside(days: Days | None, view: MemoryView) -> np.ndarray:
    """Tell which atoms are about a day in a range."""
    if days is None:
        return np.zeros(len(view.atoms), dtype=bool)
    return view.within(*days)
