"""A small invented memory, with vectors and mentions that can be worked by hand."""

import numpy as np

from skillmill.memory.view import MemoryView
from skillmill.types import Atom, Edge, Mention


def atom(
    position, text, *, session=1, day="2024-03-02", conversation="garden", turns=None
):
    name = f"{conversation}/{session}/{position}"
    return Atom(
        id=name,
        conversation=conversation,
        session=session,
        position=position,
        text=text,
        timestamp=f"{day}T09:15" if day else None,
        time_keys=(day,) if day else (),
        turns=turns or (f"D{session}:{position}",),
        content_hash=name,
    )


def edge(source, target, relation="TemporalNeighbor", weight=1.0):
    return Edge(source, target, relation, weight, "rule")


def mentions(kind, by_owner):
    return tuple(
        Mention(kind, "atom", owner, entity, 1)
        for owner, entities in by_owner.items()
        for entity in entities
    )


def garden_view(**changes):
    """Four atoms on the unit circle: at 0, 60, 90 and 180 degrees."""
    atoms = (
        atom(0, "Ines: The tomatoes are ripening"),
        atom(1, "Tom: I fixed the shed roof"),
        atom(0, "Ines: The shed needs paint", session=2, day="2024-04-10"),
        atom(1, "Tom: Oslo was cold", session=2, day="2024-04-10"),
    )
    records = {
        "conversation": "garden",
        "speakers": ("Ines", "Tom"),
        "atoms": atoms,
        "vectors": np.array([[1, 0], [0.5, 0.75**0.5], [0, 1], [-1, 0]]),
        "mentions": (
            *mentions(
                "noun",
                {
                    "garden/1/0": ["ines", "tomato"],
                    "garden/1/1": ["tom", "shed", "roof"],
                    "garden/2/0": ["ines", "shed", "paint"],
                },
            ),
            *mentions("ner", {"garden/2/1": ["Oslo", "Tom"]}),
        ),
        "entity_vectors": {"Oslo": np.array([0, 1.0]), "Tom": np.array([1.0, 0])},
        "edges": (
            edge("garden/1/0", "garden/1/1"),
            edge("garden/1/1", "garden/1/0"),
            edge("garden/2/0", "garden/1/1", "similarity", 0.5),
            edge("garden/1/0", "garden/2/1", "Cause", None),
        ),
    }
    return MemoryView(**{**records, **changes})
