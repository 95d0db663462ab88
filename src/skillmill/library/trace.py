"""From a task's tree and the dependency graph to a bundle of skills (SkillTrace)."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from skillmill.compute.fusion import DECIMALS, top
from skillmill.compute.matching import assign
from skillmill.compute.pagerank import PagerankResult
from skillmill.library.bundle import Bundle, Member
from skillmill.library.closure import BEYOND, close
from skillmill.library.dependencies import TRUST
from skillmill.library.prerequisites import DependencyGraph, runnable_order
from skillmill.library.primaries import leaf_weights, primary_members
from skillmill.library.tracing import TraceLibrary, TraceQuery, TraceSettings
from skillmill.types import Ranking

TOO_LONG = "does not fit into the tokens that are left"
NOTHING = "no skill fits"


def trace(library: TraceLibrary, query: TraceQuery, settings: TraceSettings) -> Bundle:
    """The bundle of a task.

    In `additive` mode a task whose tree has failed still gets what the ranker found,
    with a remark; in `paper` mode it gets nothing, since its seeds come from the tree.

    Notes
    -----
    SkillTrace, algorithm 1. Equal input gives an equal bundle: scores are rounded to
    six decimals, ties go by id.
    """
    if settings.mode == "additive":
        return _additive(library, query, settings)
    tree = query.tree
    if settings.primary != "whole" and tree.state != "ok":
        return Bundle(query.id, "paper", (), tree.state, tree.reason)
    return _paper(library, query, settings)


def _additive(
    library: TraceLibrary, query: TraceQuery, settings: TraceSettings
) -> Bundle:
    """The ranker's first skills, and beside them what they need."""
    ranking, tree = query.ranking, query.tree
    if ranking.state != "ok":
        reason = ranking.reason or NOTHING
        return Bundle(query.id, "additive", (), ranking.state, reason)
    items = ranking.items[: settings.budget]
    seeds = dict(zip(items, ranking.scores, strict=False))
    walked = _walk(library, seeds, settings)
    closed = close(
        items,
        library.graph,
        library.graph.by_id(walked.scores),
        most=settings.supporting,
        least_trust=TRUST[settings.trust],
    )
    held, unmatched = _leaves_among(library, query, items, settings)
    members = [
        Member(skill, "primary", 0, round(seeds[skill], DECIMALS), held.get(skill, ()))
        for skill in items
    ]
    for added in closed.added:
        score = float(walked.scores[library.graph.row[added.skill]])
        members.append(
            Member(
                skill=added.skill,
                role="supporting",
                rank=0,
                score=round(score, DECIMALS),
                path=added.path,
                slots=added.slots,
            )
        )
    bundle = _packed(library, query, members, walked, settings)
    remark = f"no tree: {tree.reason}" if tree.state != "ok" else ""
    return replace(
        bundle,
        unmatched=unmatched,
        left_out=bundle.left_out + tuple((skill, BEYOND) for skill in closed.beyond),
        remarks=(remark,) if remark else (),
    )


def _leaves_among(
    library: TraceLibrary,
    query: TraceQuery,
    items: Sequence[str],
    settings: TraceSettings,
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Which leaf each of some skills was matched with, and leaves without one."""
    leaves = query.tree.leaves()
    columns = [library.graph.row[item] for item in items]
    found = assign(leaf_weights(query, settings)[:, columns], settings.floor)
    pairs = zip(found.rows.tolist(), found.columns.tolist(), strict=True)
    held: dict[str, tuple[str, ...]] = {
        items[column]: (leaves[row].requirement,) for row, column in pairs
    }
    return held, tuple(leaves[row].requirement for row in found.unmatched)


def _paper(library: TraceLibrary, query: TraceQuery, settings: TraceSettings) -> Bundle:
    """Skills matched with leaves, and what the walk from them leads to."""
    primaries, unmatched = primary_members(library, query, settings)
    if not primaries:
        return Bundle(
            query.id, "paper", (), "empty", NOTHING, unmatched=tuple(unmatched)
        )
    room = min(settings.supporting, settings.budget - 1)
    first = primaries[: settings.budget - room]
    walked = _walk(library, {member.skill: member.score for member in first}, settings)
    supporting = _supporting(library, first, walked, room)
    # Places that the walk does not fill go back to the leaves.
    taken = {member.skill for member in supporting}
    rest = [m for m in primaries[len(first) :] if m.skill not in taken]
    first = first + rest[: settings.budget - len(first) - len(supporting)]
    kept = {member.skill for member in first}
    beyond = tuple(m for m in rest if m.skill not in kept)
    chosen = [*first, *supporting]
    if settings.fill:
        chosen = _filled(chosen, query.ranking, settings.budget)
    bundle = _packed(library, query, chosen, walked, settings)
    lost = [leaf for member in beyond for leaf in member.leaves]
    return replace(bundle, unmatched=(*unmatched, *lost))


def _filled(chosen: list[Member], ranking: Ranking, budget: int) -> list[Member]:
    """Members, and as many of a ranking's next as there is room for."""
    held = {member.skill for member in chosen}
    more = [
        Member(item, "primary", 0, score)
        for item, score in zip(ranking.items, ranking.scores, strict=True)
        if item not in held
    ]
    return chosen + more[: budget - len(chosen)]


def _walk(
    library: TraceLibrary, seeds: Mapping[str, float], settings: TraceSettings
) -> PagerankResult:
    return library.graph.relevance(
        seeds,
        restart=settings.restart,
        tolerance=settings.tolerance,
        max_steps=settings.max_steps,
    )


def _supporting(
    library: TraceLibrary,
    primaries: Sequence[Member],
    walked: PagerankResult,
    most: int,
) -> list[Member]:
    """The skills that a walk is at most, beside those that it starts at (eq. 9)."""
    scores = np.round(walked.scores, DECIMALS)
    scores[[library.graph.row[member.skill] for member in primaries]] = 0.0
    rows = top(scores, library.ids, most, 0.0).tolist()
    paths = _ways_back(library.graph, [member.skill for member in primaries], rows)
    members = []
    for row in rows:
        skill = library.ids[row]
        path = paths.get(skill, (skill,))
        into = library.graph.into(path[1]) if len(path) > 1 else []
        slots = [name for e in into if e.producer == skill for _, name, _ in e.slots]
        score = float(scores[row])
        members.append(
            Member(skill, "supporting", 0, score, path=path, slots=tuple(slots))
        )
    return members


def _ways_back(
    graph: DependencyGraph, starts: Sequence[str], rows: Sequence[int]
) -> dict[str, tuple[str, ...]]:
    """The shortest path from some skills to a start, whichever way edges go."""
    step = graph.walk.step
    wanted = set(rows)
    before: dict[int, int] = {graph.row[start]: -1 for start in starts}
    ahead = deque(before)
    while ahead and wanted - before.keys():
        here = ahead.popleft()
        for there in sorted(step.indices[step.indptr[here] : step.indptr[here + 1]]):
            if there not in before:
                before[int(there)] = here
                ahead.append(int(there))
    paths = {}
    for row in wanted & before.keys():
        path, here = [], row
        while here >= 0:
            path.append(graph.ids[here])
            here = before[here]
        paths[graph.ids[row]] = tuple(path)
    return paths


def _packed(
    library: TraceLibrary,
    query: TraceQuery,
    members: Sequence[Member],
    walked: PagerankResult,
    settings: TraceSettings,
) -> Bundle:
    """Members that fit, numbered by rank, in a runnable order."""
    kept: list[Member] = []
    left_out: list[tuple[str, str]] = []
    spent = 0
    for member in members:
        cost = library.costs.get(member.skill, 0)
        if settings.skill_tokens is not None:
            cost = min(cost, settings.skill_tokens)
        if settings.tokens is not None and spent + cost > settings.tokens:
            left_out.append((member.skill, TOO_LONG))
            continue
        spent += cost
        kept.append(replace(member, rank=len(kept) + 1, tokens=cost))
    chosen = {member.skill: member for member in kept}
    order, broken = runnable_order(chosen, library.graph.among(chosen))
    return Bundle(
        task=query.id,
        mode=settings.mode,
        members=tuple(chosen[skill] for skill in order),
        state="ok" if kept else "empty",
        reason="" if kept else TOO_LONG,
        broken=tuple(broken),
        external=tuple(_external(library, order)),
        left_out=tuple(left_out),
        converged=walked.converged,
        steps=walked.steps,
        residual=round(walked.residual, 9),
    )


def _external(library: TraceLibrary, skills: Sequence[str]) -> list[tuple[str, str]]:
    """Inputs of skills that no skill of the library makes."""
    found = []
    for skill in skills:
        made = {name for e in library.graph.into(skill) for _, name, _ in e.slots}
        found += [
            (skill, name) for name in library.wanted.get(skill, ()) if name not in made
        ]
    return found
