"""The batch against the executor, program by program, to the last decimal."""

import numpy as np
import pytest

from skillmill.errors import InputError
from skillmill.memory.tokens import TokenIndex
from skillmill.skills.asking import asking
from skillmill.skills.batch import CELLS, Known, execute_batch, parts
from skillmill.skills.executor import execute
from skillmill.skills.merging import MERGES
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.state import QueryContext, Step
from tests.memory.records import atom, edge, garden_view, mentions
from tests.skills.programs import query, skill

WORDS = ["shed", "roof", "paint", "fence", "tomato", "bean", "frost", "kettle", "oslo"]


def random_view(rng, size=60):
    """A memory of random words, vectors, edges and dates; many atoms score alike."""
    atoms = tuple(
        atom(
            n % 7,
            " ".join(rng.choice(WORDS, 4)),
            session=n // 7,
            day=f"2024-0{1 + n // 20}-{1 + n % 20:02d}",
        )
        for n in range(size)
    )
    ids = [a.id for a in atoms]
    pairs = {tuple(rng.choice(size, 2, replace=False)) for _ in range(150)}
    edges = tuple(
        edge(ids[s], ids[t], rng.choice(["similarity", "TemporalNeighbor", "Want"]))
        for s, t in sorted(pairs)
    )
    tokens = rng.normal(size=(3 * size, 5)).astype(np.float16)
    return garden_view(
        atoms=atoms,
        vectors=np.round(rng.normal(size=(size, 5)), 0),
        edges=edges,
        mentions=mentions("noun", {a.id: sorted({*a.text.split()}) for a in atoms})
        + mentions("ner", {a.id: ["Oslo"] for a in atoms[::9]}),
        entity_vectors={"Oslo": np.ones(5)},
        tokens=TokenIndex(tokens, np.arange(0, 3 * size + 1, 3)),
    )


def random_queries(rng, count=9):
    return tuple(
        query(
            id=f"garden/q{n}",
            text=" ".join(rng.choice(WORDS, 3)),
            vector=rng.normal(size=5),
            tuned_vector=np.zeros(5) if n == 3 else rng.normal(size=5),
            entities={"noun": {w: 1 for w in rng.choice(WORDS, 2)}, "ner": {"Oslo": 1}},
            entity_vectors={} if n == 5 else {"Oslo": rng.normal(size=5)},
            time_range=("2024-02-01", "2024-02-09") if n % 2 else None,
            tokens=rng.normal(size=(n % 4, 5)),
        )
        for n in range(count)
    )


CHOICES = (
    ("dense_search", {"form": "literal"}),
    ("dense_search", {}),
    ("dense_search", {"late": True}),
    ("lexical_search", {}),
    ("lexical_search", {"form": "literal"}),
    ("entity_search", {"restart": 0.4}),
    ("entity_search", {"form": "literal"}),
    ("similarity_expand", {"seeds": 3}),
    ("relation_expand", {"relations": ("TemporalNeighbor",)}),
    ("relation_expand", {}),
    ("temporal_focus_expand", {"range": "question"}),
    ("temporal_focus_expand", {"time_range": ("2024-01-05", "2024-01-08")}),
    ("temporal_focus_expand", {"range": "question", "rerank": False}),
    ("odd", {}),
    ("half", {}),
    ("dates", {}),
)


def odd(query, state, view, args):
    """One of one's own that knows nothing of batches, and fails for one query."""
    if query.id.endswith("q1"):
        raise InputError("no luck")
    return Step(np.arange(len(view.atoms)) % 5.0)


def half(query, state, view, args):
    """Keeps a half of the evidence and looks for nothing."""
    return Step(kept=np.arange(len(view.atoms)) % 2 == 0)


def dates(query, state, view, args):
    """Writes a variable for some queries alone."""
    changed = query.id[-1] in "0246"
    return Step(changes={"time_range": ("2024-03-01", "2024-03-04")} if changed else {})


KNOWN = {
    **PRIMITIVES,
    "odd": Primitive("odd", "search", odd),
    "half": Primitive("half", "process", half),
    "dates": Primitive("dates", "process", dates),
}


def random_program(rng):
    nodes = []
    for place in range(int(rng.integers(1, 6))):
        name, args = CHOICES[rng.integers(len(CHOICES))]
        merges = list(MERGES) if place else ["sum", "replace", "rrf"]
        fields = {
            "args": args,
            "merge": str(rng.choice(merges)),
            "weight": float(rng.choice([0.5, 1.0, 2.0])),
            "budget": [None, None, 4, 30][rng.integers(4)],
        }
        nodes.append((name, fields))
    return skill(*nodes)


@pytest.mark.parametrize("seed", range(4))
def test_random_programs_give_what_they_give_one_by_one(seed):
    rng = np.random.default_rng(seed)
    view, queries = random_view(rng), random_queries(rng)
    known = Known(view, queries)
    states = set()
    for _ in range(60):
        program = random_program(rng)
        budget = int(rng.choice([1, 10, 25]))
        together = execute_batch(program, queries, view, budget, KNOWN, known)
        alone = [execute(program, one, view, budget, KNOWN).ranking for one in queries]
        assert together.rankings() == alone, program
        states |= {ranking.state for ranking in alone}
    assert states == {"ok", "empty", "failed"}


def test_what_is_known_is_not_computed_again():
    calls = []

    def count(queries, states, view, args):
        calls.append(args["form"])
        return PRIMITIVES["dense_search"].many(queries, states, view, args)

    dense = PRIMITIVES["dense_search"]
    counted = Primitive(
        dense.name, dense.kind, dense.run, dense.arguments, many=count, evidence=False
    )
    view, queries = garden_view(), (query(), query(id="garden/q1"))
    known = Known(view, queries)
    programs = [
        skill(("dense_search", {"args": {"form": form}}), ("lexical_search", {}))
        for form in ("tuned", "literal", "tuned")
    ]
    for program in programs:
        execute_batch(
            program, queries, view, 3, {**PRIMITIVES, "dense_search": counted}, known
        )
    assert calls == ["tuned", "literal"]
    execute_batch(programs[0], queries, view, 3, PRIMITIVES, known)
    assert len(known.steps) == 4  # another primitive of that name is another one


def test_a_later_program_does_not_change_what_is_known():
    rng = np.random.default_rng(11)
    view, queries = random_view(rng), random_queries(rng)
    known = Known(view, queries)
    plain = skill(("dense_search", {"merge": "replace"}))
    before = execute_batch(plain, queries, view, 9, KNOWN, known).rankings()
    for name in ("half", "odd", "dates"):
        program = skill(("dense_search", {"merge": "replace"}), (name, {}))
        execute_batch(program, queries, view, 9, KNOWN, known)
    assert execute_batch(plain, queries, view, 9, KNOWN, known).rankings() == before


def test_a_model_steers_each_query_by_itself():
    class Rewriter:
        def ask(self, request):
            found = "kettle" if "shed" in request.question else None
            return {"current_query": found}

    primitives = {**PRIMITIVES, "llm_process": asking(Rewriter())}
    rng = np.random.default_rng(2)
    view, queries = random_view(rng), random_queries(rng)
    program = skill(("llm_process", {}), ("lexical_search", {}), ("dense_search", {}))
    together = execute_batch(program, queries, view, 5, primitives).rankings()
    alone = [execute(program, one, view, 5, primitives).ranking for one in queries]
    assert together == alone
    assert {ranking.state for ranking in together} == {"ok", "failed"}


def test_the_arrays_hold_rows_and_rounded_scores():
    queries = (query(), query(id="garden/q1", vector=np.array([-1.0, 0])))
    program = skill(("dense_search", {"args": {"form": "literal"}}))
    done = execute_batch(program, queries, garden_view(), 3)
    assert (done.arm, done.queries) == ("tried", ("garden/q0", "garden/q1"))
    assert done.rows.tolist() == [[0, 1, -1], [3, -1, -1]]
    assert done.scores.tolist() == [[1.0, 0.5, 0.0], [1.0, 0.0, 0.0]]
    assert done.failures == {}


def test_a_memory_without_atoms_and_no_queries_are_no_fault():
    bare = garden_view(
        atoms=(), vectors=np.array([]), edges=(), mentions=(), entity_vectors={}
    )
    program = skill(("dense_search", {}), ("entity_search", {}))
    for view, queries in ((bare, (query(),)), (garden_view(), ())):
        found = execute_batch(program, queries, view, 5).rankings()
        assert found == [execute(program, q, view, 5).ranking for q in queries]


def test_a_program_without_a_known_primitive_fails_every_query():
    queries = (query(), query(id="garden/q1"))
    found = execute_batch(skill(("graph_search", {})), queries, garden_view(), 5)
    assert [ranking.state for ranking in found.rankings()] == ["failed", "failed"]
    assert "step 'n0': node 'n0' uses primitive 'graph_search'" in found.failures[0]


def test_what_is_known_of_others_is_refused():
    view, queries = garden_view(), (query(),)
    program = skill(("dense_search", {}))
    for known in (Known(garden_view(), queries), Known(view, (query(),))):
        with pytest.raises(ValueError, match="another view or other queries"):
            execute_batch(program, queries, view, 5, known=known)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        execute_batch(program, queries, view, 0)


def test_many_queries_over_a_large_memory_are_cut_into_parts():
    class Large:
        atoms = range(CELLS // 3)

    queries = [QueryContext(str(n), "", "", np.ones(1), np.ones(1)) for n in range(7)]
    cuts = parts(queries, Large())
    assert [len(queries[cut]) for cut in cuts] == [3, 3, 1]
    assert parts([], Large()) == []
    assert [len(queries[cut]) for cut in parts(queries, garden_view())] == [7]
