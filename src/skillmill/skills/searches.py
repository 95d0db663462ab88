"""The primitives that enter a memory (ERSkill, section 2.2 and appendix A.1).

Where `form` can be chosen, `literal` is the primitive as the paper words it and
`tuned` as it measures best (docs/retrieval-skills.md holds the table).
"""

from collections.abc import Sequence

import numpy as np

from skillmill.compute.fusion import minmax
from skillmill.compute.pagerank import pagerank
from skillmill.compute.vectors import unit_rows
from skillmill.errors import ModelError, StoreError
from skillmill.memory.forms import Form, lexical_words
from skillmill.memory.graphs import EntityGraph
from skillmill.memory.view import MemoryView
from skillmill.skills.primitive import Arguments
from skillmill.skills.state import Floats, QueryContext, States, Steps

#: The semantic prior of a walk is spread over so many nearest atoms. All atoms would
#: drown the entities: on LoCoMo recall at 10 drops from 75 to 71.
PRIOR_DEPTH = 20


def dense_search(
    queries: Sequence[QueryContext], states: States, view: MemoryView, args: Arguments
) -> Steps:
    """Score atoms by the cosine of their vector with the query's.

    Literal: the question as asked. Tuned: without the speakers' names, which pull
    every atom near. With `late` each token of the tuned query looks for its nearest
    token of the atom, and the cosines are averaged (MaxSim). Atoms with a score of 0
    or less are not found.
    """
    if not args["late"]:
        return Steps(_nearness(queries, states, view, args["form"]))
    _refuse_rewritten(queries, states)
    tokens = [query.tokens for query in queries if query.tokens is not None]
    if view.tokens is not None and len(tokens) < len(queries):
        lost = next(query.id for query in queries if query.tokens is None)
        raise StoreError(
            f"question {lost!r} has no token vectors; build them, or search without "
            "`late`",
            record=lost,
        )
    return Steps(np.clip(view.late(tokens), 0, None))


def late_conflict(args: Arguments) -> str | None:
    """Late interaction has one form: names are tokens like any other."""
    if args["late"] and args["form"] == "literal":
        return "'late' reads the question without names; leave out the literal form"
    return None


def vectors_read(args: Arguments) -> set[str]:
    """Vectors, whatever the arguments."""
    return {"vectors"}


def entities_read(args: Arguments) -> set[str]:
    """One kind of entity; vectors too, unless nouns are searched without a prior."""
    if args["form"] == "literal":
        return {"ner", "vectors"}
    return {"noun", "vectors"} if args["prior"] else {"noun"}


def _nearness(
    queries: Sequence[QueryContext], states: States, view: MemoryView, form: Form
) -> Floats:
    """Cosine of each atom with each query, negative ones cut to 0."""
    _refuse_rewritten(queries, states)
    directions = np.array([query.direction(form) for query in queries])
    return np.clip(view.cosines(directions), 0, None)


def _refuse_rewritten(queries: Sequence[QueryContext], states: States) -> None:
    """Refuse to search by vectors for a text that has none."""
    if "current_query" in states.variables:
        raise ModelError(
            "a rewritten query has no vector and no encoder is at hand; search by "
            "vectors before the rewriting step, or use lexical_search after it",
            record=queries[0].id,
        )


def lexical_search(
    queries: Sequence[QueryContext], states: States, view: MemoryView, args: Arguments
) -> Steps:
    """Score atoms by BM25, for the rewritten query if there is one.

    Literal: case-folded words of query and text, rank_bm25's formula. Tuned: stems
    without stop words, with the atom's date among its words.
    """
    rewritten = states.variables.get("current_query")
    index, form = view.lexical(args["form"]), args["form"]
    texts = [query.text if rewritten is None else rewritten for query in queries]
    scores = [index.scores(lexical_words(str(text), form)) for text in texts]
    return Steps(np.clip(np.array(scores), 0, None))


def entity_search(
    queries: Sequence[QueryContext], states: States, view: MemoryView, args: Arguments
) -> Steps:
    """Score atoms by a walk over atoms and entities that restarts at the query.

    It restarts at the query's entities with chance 1 - `prior` and at the atoms
    nearest to the query with chance `prior`; if one of the two is empty, only at
    the other. Literal: named entities, each matched to the `matches` nearest ones
    of the memory by cosine. Tuned: lemmas of nouns, matched exactly.
    """
    tuned = args["form"] == "tuned"
    graph = view.entities("noun" if tuned else "ner")
    near = np.zeros((len(queries), len(view.atoms)))
    if args["prior"]:
        near = _nearness(queries, states, view, args["form"])
    seeds = np.zeros((len(view.atoms) + len(graph.names), len(queries)))
    for i, query in enumerate(queries):
        if tuned:
            linked = _exact_links(query, graph)
        else:
            linked = _nearest_links(query, view, args["matches"])
        prior = minmax(near[i], PRIOR_DEPTH)
        seeds[:, i] = _seeds(linked, prior, args["prior"])
    walk = pagerank(graph.transition, seeds, args["restart"])
    scores = np.ascontiguousarray(walk.scores[: len(view.atoms)].T)
    notes = {
        int(i): f"the walk had not settled: {walk.residuals[i]:.2g}"
        for i in np.flatnonzero(~walk.settled)
    }
    return Steps(scores, notes=notes)


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


def _seeds(linked: Floats, prior: Floats, share: float) -> Floats:
    """Join the two places where a walk restarts, each scaled to its share."""
    atoms = len(prior)
    seeds = np.zeros(atoms + len(linked))
    if linked.sum() > 0:
        seeds[atoms:] = (1 - share) * linked / linked.sum()
    if prior.sum() > 0:
        seeds[:atoms] = share * prior / prior.sum()
    return seeds
