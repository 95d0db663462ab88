"""Skills and queries over the invented garden memory."""

import numpy as np

from skillmill.skills.state import QueryContext
from skillmill.types import Node, RetrievalSkill


def skill(*nodes):
    """A skill of (primitive, fields) pairs; nodes are called n0, n1, ..."""
    program = tuple(
        Node(id=f"n{number}", primitive=primitive, **fields)
        for number, (primitive, fields) in enumerate(nodes)
    )
    return RetrievalSkill("tried", "d", "p", program, "hash")


def query(**changes):
    """A question whose literal vector is at 0 degrees and whose tuned one is at 90."""
    fields = {
        "id": "garden/q0",
        "text": "Does Ines paint the sheds?",
        "tuned_text": "Does paint the sheds?",
        "vector": np.array([1.0, 0]),
        "tuned_vector": np.array([0, 1.0]),
        "entities": {"noun": {"shed": 1, "ines": 1, "fence": 1}, "ner": {"Oslo": 1}},
        "entity_vectors": {"Oslo": np.array([0, 2.0])},
    }
    return QueryContext(**{**fields, **changes})
