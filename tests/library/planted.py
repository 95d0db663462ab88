"""Libraries with dependencies planted in them, and what tracing takes."""

import dataclasses

import numpy as np

from skillmill.library.dependencies import Dependency, find_dependencies
from skillmill.library.ioschema import IOSchema, Slot
from skillmill.library.prerequisites import DependencyGraph
from skillmill.library.querytree import QueryNode, QueryTree
from skillmill.library.tracing import TraceLibrary, TraceQuery, TraceSettings
from skillmill.types import Ranking
from tests.library.linker import skill

THINGS = ["ledger", "chart", "map", "survey", "invoice", "mesh", "score", "index"]


def planted(n, seed=0):
    """A library of n skills and as many distractors, and each one's producers.

    Each skill makes one artefact and takes up to three that earlier ones make, beside
    one that nobody makes. Distractors share words with both: their artefacts differ in
    one word, and they take what is nobody's.
    """
    rng = np.random.default_rng(seed)
    skills, producers = [], {}
    for number in range(n):
        name = f"s{number:05d}"
        lowest = max(0, number - 12)
        most = min(3, number - lowest)
        size = int(rng.integers(0, most + 1))
        before = rng.choice(np.arange(lowest, number), size=size, replace=False)
        producers[name] = {f"s{one:05d}" for one in before.tolist()}
        skills.append(
            skill(
                name,
                f"Makes {thing(number)}.",
                inputs=(*(thing(one) for one in before.tolist()), "given-notes"),
                outputs=(thing(number),),
            )
        )
        skills.append(
            skill(
                f"x{number:05d}",
                f"Makes an old {thing(number)}.",
                inputs=(f"{thing(number)}-draft",),
                outputs=(f"{thing(number)}-old",),
            )
        )
    return skills, producers


def thing(number):
    """The artefact that a planted skill makes."""
    return f"{THINGS[number % len(THINGS)]}-{number}"


def ancestors(skill_id, producers):
    """Everything that a skill needs, at any remove."""
    found, ahead = set(), [skill_id]
    while ahead:
        new = producers[ahead.pop()] - found
        found |= new
        ahead += sorted(new)
    return found


def schema(id_, inputs=(), outputs=(), kind="artefact", source="declared"):
    """A schema with slots of one kind."""

    def slots(names):
        return tuple(Slot(name, kind, source) for name in sorted(names))

    return IOSchema(id_, slots(inputs), slots(outputs))


def edges(*pairs, weight=1.0, source="declared"):
    """Dependencies producer > consumer, each by a slot of its own."""
    return [
        Dependency(a, b, weight, ((f"{a}-out", f"{a}-out", 1.0),), source)
        for a, b in pairs
    ]


def library(ids, dependencies, **known):
    """A library of some ids."""
    return TraceLibrary(DependencyGraph(sorted(ids), dependencies), **known)


def of_schemas(schemas, **known):
    """A library of schemas, with what they take."""
    wanted = {s.skill: [slot.name for slot in s.wanted()] for s in schemas}
    return library(
        [s.skill for s in schemas],
        find_dependencies(schemas).edges,
        wanted=wanted,
        **known,
    )


def query(lib, ranked, leaves=(), weights=None, state="ok"):
    """A task whose entry ranker found `ranked` (id -> score)."""
    root = QueryNode("0", None, "all of it")
    nodes = [QueryNode(str(n), "0", leaf) for n, leaf in enumerate(leaves, start=1)]
    tree = QueryTree("task", (root, *nodes), "llm", state, "" if state == "ok" else "x")
    count = len(tree.leaves())
    n = len(lib.ids)
    whole = np.array([ranked.get(item, 0.0) for item in lib.ids])
    items = sorted(ranked, key=lambda item: (-ranked[item], item))
    scores = tuple(ranked[item] for item in items)
    return TraceQuery(
        tree=tree,
        ranking=Ranking("hybrid", "task", tuple(items), scores),
        leaf_cosines=np.zeros((count, n)) if weights is None else np.array(weights),
        whole_cosines=whole,
        whole_scores=whole,
    )


def settings(**changes):
    """Settings with some changed."""
    return dataclasses.replace(TraceSettings(), **changes)
