"""From the records of a memory store to one view per conversation."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from skillmill.memory.tokens import Tokens, token_index
from skillmill.memory.view import MemoryView
from skillmill.types import Atom, Edge, Mention

Vectors = Mapping[str, npt.NDArray[np.float32]]
Record = TypeVar("Record")


def memory_views(
    speakers: Mapping[str, tuple[str, ...]],
    atoms: Sequence[Atom],
    atom_vectors: Vectors,
    mentions: Iterable[Mention],
    entity_vectors: Vectors,
    edges: Iterable[Edge],
    tokens: Mapping[tuple[str, int], Tokens] | None = None,
    lacking: Collection[str] = (),
) -> dict[str, MemoryView]:
    """One memory per conversation, by its id.

    Parameters
    ----------
    speakers : mapping
        Conversation id -> names; a conversation without atoms has an empty memory.
    atoms, mentions, edges : records of all conversations
        Mentions by questions are left out; each edge stays inside one conversation.
    atom_vectors : mapping of id to (d,) floats, or to (p, d) of its p parts
    entity_vectors : mapping of id to (d,) floats
    tokens : mapping of (atom id, turn's place) to (k, d) floats, optional
        Token vectors of every turn; None: no late interaction.
    lacking : collection of str
        Parts that the memories were built without, of `forms.PARTS`.

    Raises
    ------
    KeyError
        If an atom has no vector, and vectors are not among what is lacking.
    StoreError
        If some turns have token vectors and others none.
    """
    home = {atom.id: atom.conversation for atom in atoms}
    own_atoms = _grouped((atom.conversation, atom) for atom in atoms)
    own_edges = _grouped((home[edge.source], edge) for edge in edges)
    own_mentions = _grouped(
        (home[m.owner], m) for m in mentions if m.owner_kind == "atom"
    )
    embedded = "vectors" not in lacking
    views = {}
    for conversation, names in speakers.items():
        mine = own_atoms[conversation]
        named = {m.entity for m in own_mentions[conversation] if m.kind == "ner"}
        vectors = [np.atleast_2d(atom_vectors[a.id]) for a in mine if embedded]
        parts = tuple(map(len, vectors))
        views[conversation] = MemoryView(
            conversation=conversation,
            speakers=names,
            atoms=tuple(mine),
            vectors=np.concatenate(vectors) if vectors else np.zeros((len(mine), 0)),
            mentions=tuple(own_mentions[conversation]),
            entity_vectors={e: entity_vectors[e] for e in sorted(named) if embedded},
            edges=tuple(own_edges[conversation]),
            tokens=token_index(mine, tokens) if tokens and mine else None,
            lacking=frozenset(lacking),
            parts=parts if set(parts) - {1} else None,
        )
    return views


def _grouped(pairs: Iterable[tuple[str, Record]]) -> defaultdict[str, list[Record]]:
    """Second members by the first, in order."""
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups
