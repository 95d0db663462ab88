"""The primitives that retrieval programs are made of (ERSkill, appendix A.1, table 3).

Each is a function of the query, the state, the view and its arguments that gives
scores over the atoms of the view, above 0 where an atom was found; the executor
merges them. Where `form` can be chosen, `literal` is the primitive as the paper
words it and `tuned` as it measures best; see the module's table `PRIMITIVES`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from skillmill.compute.fusion import minmax
from skillmill.compute.pagerank import pagerank
from skillmill.compute.vectors import unit_rows
from skillmill.errors import InputError, ModelError, StoreError
from skillmill.memory.relations import SIMILARITY
from skillmill.memory.view import EntityGraph, Form, MemoryView, lexical_words
from skillmill.skills.arguments import Argument, is_days
from skillmill.skills.state import EvidenceState, Floats, QueryContext, Step

Arguments = Mapping[str, Any]
Run = Callable[[QueryContext, EvidenceState, MemoryView, Arguments], Step]

#: The semantic prior of a walk is spread over so many nearest atoms. All atoms would
#: drown the entities: on LoCoMo recall at 10 drops from 75 to 71.
PRIOR_DEPTH = 20

#: The score of an atom that was found but fits not at all.
LEAST_SCORE = 1e-6


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive: how it is called and what it may be told.

    Attributes
    ----------
    name, kind : str
        `search` enters the memory, `expand` grows the evidence, `process` changes
        the state's variables.
    run : callable
        Query, state, view and all arguments (defaults filled in) -> `Step`. Raises
        a `SkillmillError` for what the user can mend.
    arguments : mapping of str to Argument
        Every argument it knows.
    needs, writes : tuple of str
        State variables it reads, unless an argument of that name is given, and
        those that it may set.
    """

    name: str
    kind: Literal["search", "expand", "process"]
    run: Run
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def complete(self, given: Arguments) -> dict[str, Any]:
        """Fill in the defaults of the arguments that are not given."""
        defaults = {name: known.default for name, known in self.arguments.items()}
        return {**defaults, **given}


def dense_search(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Score atoms by the cosine of their vector with the query's.

    Literal: the question as asked. Tuned: without the speakers' names, which pull
    every atom near. Atoms with a cosine of 0 or less are not found.
    """
    return Step(_nearness(query, state, view, args["form"]))


def _nearness(
    query: QueryContext, state: EvidenceState, view: MemoryView, form: Form
) -> Floats:
    """Cosine of each atom with the query, negative ones cut to 0."""
    if "current_query" in state.variables:
        raise ModelError(
            "a rewritten query has no vector and no encoder is at hand; search by "
            "vectors before the rewriting step, or use lexical_search after it",
            record=query.id,
        )
    return np.clip(view.cosines(query.direction(form)), 0, None)


def lexical_search(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Score atoms by BM25, for the rewritten query if there is one.

    Literal: case-folded words of query and text, rank_bm25's formula. Tuned: stems
    without stop words, with the atom's date among its words.
    """
    text = str(state.variables.get("current_query", query.text))
    scores = view.lexical(args["form"]).scores(lexical_words(text, args["form"]))
    return Step(np.clip(scores, 0, None))


def entity_search(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Score atoms by a walk over atoms and entities that restarts at the query.

    It restarts at the query's entities with chance 1 - `prior` and at the atoms
    nearest to the query with chance `prior`; if one of the two is empty, only at
    the other. Literal: named entities, each matched to the `matches` nearest ones
    of the memory by cosine. Tuned: lemmas of nouns, matched exactly.
    """
    tuned = args["form"] == "tuned"
    graph = view.entities("noun" if tuned else "ner")
    if tuned:
        linked = _exact_links(query, graph)
    else:
        linked = _nearest_links(query, view, args["matches"])
    prior = minmax(_nearness(query, state, view, args["form"]), PRIOR_DEPTH)
    seeds = _seeds(linked, prior, len(graph.names), args["prior"])
    walk = pagerank(graph.adjacency, seeds, args["restart"])
    note = "" if walk.converged else f"the walk had not settled: {walk.residual:.2g}"
    return Step(walk.scores[: len(view.atoms)], note=note)


def _exact_links(query: QueryContext, graph: EntityGraph) -> Floats:
    """Weight 1 for each noun of the query that the memory mentions."""
    weights = np.zeros(len(graph.names))
    first = graph.adjacency.shape[0] - len(graph.names)
    for noun in query.entities.get("noun", {}):
        if noun in graph.node:
            weights[graph.node[noun] - first] = 1.0
    return weights


def _nearest_links(query: QueryContext, view: MemoryView, matches: int) -> Floats:
    """Cosine of the entities of the memory nearest to each of the query's."""
    directions = view.named_directions
    weights = np.zeros(len(directions))
    for name in sorted(query.entities.get("ner", {})):
        if name not in query.entity_vectors:
            raise StoreError(
                f"question {query.id!r} names {name!r}, which has no vector; build "
                "the entity vectors again",
                record=query.id,
            )
        direction = unit_rows(query.entity_vectors[name][None, :])[0][0]
        cosines = np.round(directions @ direction, 6)
        nearest = np.argsort(-cosines, kind="stable")[:matches]
        weights[nearest] += np.clip(cosines[nearest], 0, None)
    return weights


def _seeds(linked: Floats, prior: Floats, entities: int, share: float) -> Floats:
    """Join the two places where a walk restarts, each scaled to its share."""
    atoms = len(prior)
    seeds = np.zeros(atoms + entities)
    if linked.sum() > 0:
        seeds[atoms:] = (1 - share) * linked / linked.sum()
    if prior.sum() > 0:
        seeds[:atoms] = share * prior / prior.sum()
    return seeds


def similarity_expand(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Score the atoms most similar to the `seeds` best ones held.

    Each edge carries the score of its source times its cosine.
    """
    return Step(view.spread(_strength(state, view, args["seeds"]), [SIMILARITY]))


def relation_expand(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Score the atoms that typed edges reach from the `seeds` best ones held.

    Follows `relations`, else the state's `preferred_relations`, else all that the
    memory holds. Each edge carries the score of its source times its weight.
    """
    wanted = args["relations"] or state.variables.get("preferred_relations")
    followed = wanted or view.relations
    lost = sorted(set(followed) - set(view.relations))
    note = f"this memory holds no edges of {', '.join(lost)}" if lost else ""
    return Step(view.spread(_strength(state, view, args["seeds"]), followed), note=note)


def _strength(state: EvidenceState, view: MemoryView, seeds: int) -> Floats:
    """Scores of the best atoms held, 0 elsewhere."""
    strength = np.zeros(len(view.atoms))
    best = state.best(view, seeds)
    strength[best] = state.scores[best]
    return strength


def temporal_focus_expand(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Find the atoms about a day in a range, by default nearest to the query first.

    The range is the argument `time_range`, else the state's. With `rerank` an atom
    scores (1 + cosine) / 2, so that every atom in the range is found; without, 1.
    """
    days = args["time_range"] or state.variables.get("time_range")
    if not is_days(days):
        raise InputError(
            "temporal_focus_expand needs a time_range of two ISO days from its "
            f"arguments or an earlier step, got {days!r}",
            record=query.id,
        )
    inside = view.within(*days)
    if not args["rerank"]:
        return Step(inside.astype(np.float64))
    near = (1 + view.cosines(query.direction(args["form"]))) / 2
    return Step(np.where(inside, np.maximum(near, LEAST_SCORE), 0.0))


def llm_process(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Refuse: rewriting, filtering and choosing relations need a language model."""
    raise ModelError(
        "llm_process needs a language model and none is configured; use a retrieval "
        "skill without this step",
        record=query.id,
    )


_FORM = {"form": Argument("choice", "tuned", ("literal", "tuned"))}
_SEEDS = {"seeds": Argument("count", 5)}
_WALK = {
    "restart": Argument("share", 0.3),
    "prior": Argument("share", 0.5),
    "matches": Argument("count", 3),
}
_DAYS = {"time_range": Argument("days"), "rerank": Argument("flag", True)}
_WRITTEN = ("preferred_relations", "time_range", "current_query", "view_summary")

#: All primitives by name. A program may use those of any such mapping.
PRIMITIVES: Mapping[str, Primitive] = {
    primitive.name: primitive
    for primitive in (
        Primitive("dense_search", "search", dense_search, _FORM),
        Primitive("lexical_search", "search", lexical_search, _FORM),
        Primitive("entity_search", "search", entity_search, _FORM | _WALK),
        Primitive("similarity_expand", "expand", similarity_expand, _SEEDS),
        Primitive(
            "relation_expand",
            "expand",
            relation_expand,
            _SEEDS | {"relations": Argument("names")},
        ),
        Primitive(
            "temporal_focus_expand",
            "expand",
            temporal_focus_expand,
            _FORM | _DAYS,
            needs=("time_range",),
        ),
        Primitive(
            "llm_process",
            "process",
            llm_process,
            {"instruction": Argument("text")},
            writes=_WRITTEN,
        ),
    )
}
