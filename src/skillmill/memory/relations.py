"""Edges between memory records that need no language model."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from skillmill.compute.vectors import nearest
from skillmill.errors import StoreError
from skillmill.types import Atom, Edge

SIMILARITY = "similarity"
TEMPORAL_NEIGHBOUR = "TemporalNeighbor"

#: ERSkill, appendix A.1: neighbours kept for each record.
NEIGHBOURS = 5

#: The least cosine above zero that the six decimals of a weight can show.
LEAST_COSINE = 1e-6


def similarity_edges(
    atoms: Sequence[Atom],
    ids: Sequence[str],
    vectors: npt.NDArray[np.floating],
    neighbours: int = NEIGHBOURS,
    floor: float = LEAST_COSINE,
) -> list[Edge]:
    """Join each atom to the most similar others of its conversation.

    Parameters
    ----------
    atoms : sequence of Atom
        Of one or several conversations, which are never joined.
    ids : m strings
        Which atom each vector belongs to; in any order, ids of others are ignored.
    vectors : (m, d) floats
        An atom without direction gets no edge.
    neighbours : int
        The most edges that leave one atom, at least 1.
    floor : float
        The least cosine that counts, inclusive.

    Returns
    -------
    list of Edge
        Relation `similarity`, weight the cosine to 6 decimals. Ordered by the
        source's place in `atoms`, then nearest first; of equals, the earlier.

    Raises
    ------
    StoreError
        If an atom has no vector.

    Notes
    -----
    ERSkill, eq. 7 and 8 (k = 5, positive cosines only).
    """
    place = {atom: row for row, atom in enumerate(ids)}
    lost = [atom.id for atom in atoms if atom.id not in place]
    if lost:
        raise StoreError(
            f"{len(lost)} of {len(atoms)} atoms have no vector, the first is "
            f"{lost[0]!r}; build the vectors again",
            record=lost[0],
        )
    members: dict[str, list[Atom]] = defaultdict(list)
    for atom in atoms:
        members[atom.conversation].append(atom)
    edges: dict[str, list[Edge]] = defaultdict(list)
    for group in members.values():
        rows = [place[atom.id] for atom in group]
        source, target, cosine = nearest(vectors[rows], neighbours, floor)
        for s, t, weight in zip(source, target, cosine.tolist(), strict=True):
            ends = group[s].id, group[t].id
            edges[ends[0]].append(
                Edge(*ends, SIMILARITY, round(weight, 6), "embedding")
            )
    return [edge for atom in atoms for edge in edges[atom.id]]


def temporal_neighbours(atoms: Sequence[Atom]) -> list[Edge]:
    """Join neighbours in a session that share a date, both ways.

    Two atoms are neighbours if nothing of their session stands between them; an
    atom without a date has no key to share and so gets no edge.

    Returns
    -------
    list of Edge
        Relation `TemporalNeighbor`, weight 1, ordered by conversation, session and
        position; the edge forward in time comes before its way back.

    Notes
    -----
    ERSkill, eq. 9.
    """
    sessions: dict[tuple[str, int], list[Atom]] = defaultdict(list)
    for atom in atoms:
        sessions[atom.conversation, atom.session].append(atom)
    edges = []
    for key in sorted(sessions):
        ordered = sorted(sessions[key], key=lambda atom: atom.position)
        for earlier, later in pairwise(ordered):
            if not set(earlier.time_keys) & set(later.time_keys):
                continue
            for source, target in ((earlier, later), (later, earlier)):
                edges.append(
                    Edge(source.id, target.id, TEMPORAL_NEIGHBOUR, 1.0, "rule")
                )
    return edges
