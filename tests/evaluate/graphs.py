"""Small graphs and rankings, written in words."""

from skillmill.types import Edge, Ranking, Task


def typed(text, provenance="llm"):
    """`a requires b` as an edge."""
    source, relation, target = text.split()
    return Edge(source, target, relation, None, provenance)


def similar(*pairs):
    """`ab` as a `similar_to` edge from a to b, each a little weaker than the last."""
    return [
        Edge(pair[0], pair[1], "similar_to", round(0.9 - n / 100, 2), "embedding")
        for n, pair in enumerate(pairs)
    ]


def ranking(arm, query, items, state="ok", reason=None):
    """The letters of `items` as a ranking, scores 1, 1/2, 1/3, ..."""
    scores = tuple(round(1 / rank, 6) for rank in range(1, len(items) + 1))
    return Ranking(arm, query, tuple(items), scores, state, reason)


def task(name, relevant, *categories):
    """A task that needs the skills of these letters."""
    return Task(name, f"Do {name}.", tuple(relevant), categories)
