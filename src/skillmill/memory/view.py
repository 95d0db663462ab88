"""The memory of one conversation in RAM: what retrieval primitives search.

It is built from plain records (atoms, vectors, mentions, edges) and holds no
database. Each index is made when it is first asked for and then kept, so a
program pays only for what it uses.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from skillmill.compute.lexical import Bm25, words
from skillmill.compute.vectors import unit_rows
from skillmill.errors import StoreError
from skillmill.memory.atoms import dated_text
from skillmill.memory.forms import EntityKind, Form, lexical_words, refuse_lacking
from skillmill.memory.graphs import EntityGraph, entity_graph, inward_edges
from skillmill.memory.nearness import best_cosines, undirected
from skillmill.memory.relations import SIMILARITY
from skillmill.memory.tokens import TokenIndex, Tokens
from skillmill.types import Atom, Edge, Mention

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MemoryView:
    """The records of one conversation and the indexes over them.

    Row i of every array but `vectors` belongs to `atoms[i]`; scores are (n,) arrays.

    Attributes
    ----------
    conversation : str
        Its id.
    speakers : tuple of str
        Names that every atom holds, so they tell no two atoms apart.
    atoms : tuple of n Atom
        In the order of the conversation.
    vectors : (p, d) floats
        Atom vectors of any scale, in the order of `atoms`.
    parts : n ints, optional
        How many of them each atom has, the nearest counts; None: one each.
    mentions : tuple of Mention
        Only those of atoms are used.
    entity_vectors : mapping of str to (d,) floats
        Of named entities; only the literal entity search needs them.
    edges : tuple of Edge
        Both ends are atoms of this conversation.
    tokens : TokenIndex, optional
        Token vectors of each turn of each atom, in the order of `atoms` and of their
        turns; only late interaction needs them.
    lacking : frozenset of str
        Parts that it was built without, of `forms.PARTS`: searching them is refused.

    Raises
    ------
    StoreError
        If the records do not fit each other.
    """

    conversation: str
    speakers: tuple[str, ...]
    atoms: tuple[Atom, ...]
    vectors: npt.NDArray[np.floating] = field(repr=False)
    mentions: tuple[Mention, ...] = field(default=(), repr=False)
    entity_vectors: Mapping[str, npt.NDArray[np.floating]] = field(
        default_factory=dict, repr=False
    )
    edges: tuple[Edge, ...] = field(default=(), repr=False)
    tokens: TokenIndex | None = field(default=None, repr=False)
    lacking: frozenset[str] = frozenset()
    parts: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        parts = (1,) * len(self.atoms) if self.parts is None else self.parts
        self._check(
            len(self.vectors) == sum(parts) and len(parts) == len(self.atoms),
            f"{len(self.vectors)} vectors for {len(self.atoms)} atoms",
        )
        self._check(len(self.row) == len(self.atoms), "an atom id that comes twice")
        owners = (m.owner for m in self.mentions if m.owner_kind == "atom")
        linked = (end for edge in self.edges for end in (edge.source, edge.target))
        for kind, ids in (("mention", owners), ("edge", linked)):
            lost = sorted({atom for atom in ids if atom not in self.row})
            self._check(not lost, f"a {kind} of atoms that it lacks: {lost[:3]}")
        turns = sum(len(atom.turns) for atom in self.atoms)
        self._check(
            self.tokens is None or self.tokens.turns == turns,
            f"token vectors of other turns than its {turns}",
        )

    def _check(self, fits: bool, found: str) -> None:
        """Refuse records that do not fit each other."""
        if not fits:
            raise StoreError(
                f"the memory of conversation {self.conversation!r} holds {found}; "
                "build it again",
                record=self.conversation,
            )

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Atom ids by row."""
        return tuple(atom.id for atom in self.atoms)

    @cached_property
    def row(self) -> dict[str, int]:
        """Row of each atom id."""
        return {atom.id: row for row, atom in enumerate(self.atoms)}

    @cached_property
    def place(self) -> npt.NDArray[np.intp]:
        """Place of each row when atoms are sorted by id: ties go to the lower one."""
        return np.argsort(sorted(range(len(self.ids)), key=self.ids.__getitem__))

    @cached_property
    def last_day(self) -> str | None:
        """The last ISO day that an atom is about, None if no atom has a date."""
        return self._days[0][-1] if self._days[0] else None

    @cached_property
    def turn_starts(self) -> npt.NDArray[np.intp]:
        """(n + 1,) ints: place of the first turn of each atom among all turns."""
        return np.cumsum([0, *(len(atom.turns) for atom in self.atoms)])

    @cached_property
    def unit(self) -> Floats:
        """Atom vectors of length one, (p, d); zero where there is no direction."""
        return unit_rows(self.vectors)[0].astype(np.float64)

    @cached_property
    def without_direction(self) -> tuple[str, ...]:
        """Atoms whose vectors are zero or not finite: dense search never finds them."""
        return tuple(self.ids[row] for row in undirected(self.unit, self.parts))

    def cosines(self, queries: npt.ArrayLike) -> Floats:
        """Cosine of each atom with one (d,) or several (q, d) query vectors.

        Returns
        -------
        (n,) or (q, n) floats
            0 where either side lacks direction; of several vectors the nearest counts.

        Raises
        ------
        StoreError
            If a query's vector has another length than the atoms', or these have none.
        """
        refuse_lacking("vectors", self.lacking, self.conversation)
        asked = np.atleast_2d(np.asarray(queries))
        self._check(
            asked.shape[1] == self.unit.shape[1],
            f"vectors of length {self.unit.shape[1]}, but the query's has "
            f"{asked.shape[1]}",
        )
        cosines = best_cosines(self.unit, asked, self.parts)
        return cosines if np.ndim(queries) == 2 else cosines[0]

    def late(self, queries: Sequence[Tokens]) -> Floats:
        """MaxSim of each atom with each query's (k, d) token vectors, (q, n).

        Raises
        ------
        StoreError
            If the memory holds no token vectors, or those of another length.
        """
        return self._index(queries).scores(queries, self.turn_starts)

    def late_turns(self, query: Tokens, row: int) -> Floats:
        """MaxSim of each turn of an atom with a query; raises as `late`."""
        first, stop = self.turn_starts[row : row + 2]
        return self._index([query]).turn_scores(query, int(first), int(stop))

    def _index(self, queries: Sequence[Tokens]) -> TokenIndex:
        """Token vectors, if they are there and of the queries' length."""
        if self.tokens is None:
            raise StoreError(
                f"the memory of conversation {self.conversation!r} holds no token "
                "vectors; build it with them, or search without `late`",
                record=self.conversation,
            )
        length = self.tokens.vectors.shape[1]
        others = sorted({query.shape[1] for query in queries if len(query)} - {length})
        self._check(not others, f"token vectors of length {length}, not {others}")
        return self.tokens

    def lexical(self, form: Form) -> Bm25:
        """BM25 over the atoms.

        `literal`: case-folded words of the text, scored as rank_bm25 does.
        `tuned`: stems without stop words, the date among them, and an idf that is
        never negative.
        """
        return self._tuned_lexical if form == "tuned" else self._literal_lexical

    @cached_property
    def _literal_lexical(self) -> Bm25:
        texts = [lexical_words(atom.text, "literal") for atom in self.atoms]
        return Bm25(texts, literal=True)

    @cached_property
    def _tuned_lexical(self) -> Bm25:
        return Bm25([lexical_words(dated_text(atom), "tuned") for atom in self.atoms])

    def entities(self, kind: EntityKind) -> EntityGraph:
        """Give the atom-entity graph of one kind: `ner` is literal, `noun` tuned.

        The tuned graph leaves the speakers out: a name that nearly every atom holds
        only spreads a walk over all of them.

        Raises
        ------
        StoreError
            If the memory was built without that kind.
        """
        refuse_lacking(kind, self.lacking, self.conversation)
        return self._noun_graph if kind == "noun" else self._ner_graph

    @cached_property
    def _ner_graph(self) -> EntityGraph:
        return self._entity_graph("ner", left_out=())

    @cached_property
    def _noun_graph(self) -> EntityGraph:
        return self._entity_graph(
            "noun", left_out=words(" ".join(self.speakers), stem=False, stop=False)
        )

    def _entity_graph(self, kind: EntityKind, left_out: Iterable[str]) -> EntityGraph:
        """Join atoms to the entities of a kind."""
        own = (m for m in self.mentions if (m.owner_kind, m.kind) == ("atom", kind))
        return entity_graph(self.row, own, set(left_out))

    @cached_property
    def named_directions(self) -> Floats:
        """Unit vectors of the named entities, in the order of their graph.

        Raises
        ------
        StoreError
            If an entity has no vector.
        """
        names = self.entities("ner").names
        lost = [name for name in names if name not in self.entity_vectors]
        self._check(not lost, f"no vectors of the entities {lost[:3]}")
        if not names:
            return np.zeros((0, np.shape(self.vectors)[1]))
        rows = np.array([self.entity_vectors[name] for name in names])
        return unit_rows(rows)[0].astype(np.float64)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """Typed relations that this memory holds, sorted; similarity is none."""
        return tuple(sorted({edge.relation for edge in self.edges} - {SIMILARITY}))

    def spread(self, strength: Floats, relations: Sequence[str]) -> Floats:
        """Carry the strength of each atom along its edges to their targets.

        Parameters
        ----------
        strength : (n,) or (q, n) floats

        Returns
        -------
        floats of the same shape
            Sum over the edges of these relations of the source's strength times the
            weight; an edge without a weight counts as 1. Unknown relations carry
            nothing.
        """
        reached = np.zeros_like(strength)
        for relation in sorted(set(relations)):
            if relation in self._inward:
                reached += (self._inward[relation] @ strength.T).T
        return reached

    @cached_property
    def _inward(self) -> dict[str, sparse.csr_array]:
        """Edge weights of each relation, a row for each target."""
        return inward_edges(self.row, self.edges)

    @cached_property
    def _days(self) -> tuple[list[str], list[int]]:
        """Every ISO day that an atom is about, ascending, and the atom's row."""
        pairs = sorted(
            (day, row) for row, atom in enumerate(self.atoms) for day in atom.time_keys
        )
        return [day for day, _ in pairs], [row for _, row in pairs]

    def within(self, first: str, last: str) -> npt.NDArray[np.bool_]:
        """Tell which atoms are about a day from `first` to `last`, both included."""
        days, rows = self._days
        inside = np.zeros(len(self.atoms), dtype=bool)
        inside[rows[bisect_left(days, first) : bisect_right(days, last)]] = True
        return inside
