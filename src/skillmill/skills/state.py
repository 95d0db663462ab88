"""What a retrieval program reads and changes while it runs (ERSkill, section 2.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import top_rows
from skillmill.memory.forms import Form
from skillmill.memory.timerange import Days
from skillmill.memory.view import MemoryView

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


#: Variable with the names of those that a step which was left out would have written.
LEFT_OUT = "left_out"


@dataclass(frozen=True, eq=False)
class QueryContext:
    """A question as the primitives see it; nothing in it needs a model any more.

    Attributes
    ----------
    id, text : str
        The question as asked.
    tuned_text : str
        The same without the speakers' names.
    vector, tuned_vector : (d,) floats
        Of `text` and of `tuned_text`, by the encoder of the atoms.
    entities : mapping of kind to (entity to count)
        What the tagger finds in `text`: `ner` and `noun`.
    entity_vectors : mapping of str to (d,) floats
        Of the named entities, for the literal entity search.
    time_range : (first, last) ISO days or None
        The days that `tuned_text` names, read once: see `memory.timerange`.
    tokens : (k, d) floats or None
        Token vectors of `tuned_text`, of length one, without special tokens; None
        where no encoder made any.
    """

    id: str
    text: str
    tuned_text: str
    vector: npt.NDArray[np.floating] = field(repr=False)
    tuned_vector: npt.NDArray[np.floating] = field(repr=False)
    entities: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    entity_vectors: Mapping[str, npt.NDArray[np.floating]] = field(
        default_factory=dict, repr=False
    )
    time_range: Days | None = None
    tokens: npt.NDArray[np.floating] | None = field(default=None, repr=False)

    def direction(self, form: Form) -> npt.NDArray[np.floating]:
        """Give the vector that a search of this form compares with the atoms."""
        return self.tuned_vector if form == "tuned" else self.vector


@dataclass(frozen=True, eq=False)
class EvidenceState:
    """The evidence gathered so far, and what steps have told each other.

    Attributes
    ----------
    scores : (n,) floats
        Over the atoms of the view; 0 where an atom is not held.
    held : (n,) bools
        The evidence. An atom may be held with score 0.
    variables : mapping
        `time_range` (two ISO days), `preferred_relations` (list of names),
        `current_query` (text), `view_summary` (text), and whatever a primitive of
        one's own writes.
    """

    scores: Floats
    held: Bools
    variables: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def empty(cls, view: MemoryView) -> "EvidenceState":
        """Nothing held yet."""
        size = len(view.atoms)
        return cls(np.zeros(size), np.zeros(size, dtype=bool))

    def best(self, view: MemoryView, k: int) -> npt.NDArray[np.intp]:
        """Rows of the `k` best atoms held, best first, ties by id."""
        rows = top_rows(self.scores[None], view.place, k, self.held[None])[0]
        best: npt.NDArray[np.intp] = rows[rows >= 0]
        return best


@dataclass(frozen=True, eq=False)
class States:
    """The states of q queries of one memory that share their variables.

    `scores` and `held` are (q, n).
    """

    scores: Floats
    held: Bools
    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Step:
    """What one primitive gives back.

    Attributes
    ----------
    scores : (n,) floats or None
        How well each atom fits, above 0; 0 is not found. None: the step looked for
        no atoms and the evidence stays as it is.
    changes : mapping
        Variables to set in the state.
    note : str
        Something a reader of the trace should know; "" for nothing.
    kept : (n,) bools or None
        The only atoms that may stay in the evidence, before `scores` join it; None:
        all.
    skipped : bool
        Whether the step was left out, for the reason in `note`; nothing then changes.
    """

    scores: Floats | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    kept: Bools | None = None
    skipped: bool = False


@dataclass(frozen=True, eq=False)
class Steps:
    """What one primitive gives back for q queries at once.

    Attributes
    ----------
    scores : (q, n) floats
        As in `Step`.
    looked : (q,) bools or None
        False where the step looked for no atoms; None: it looked for all queries.
    notes : mapping of int to str
        Remarks by query.
    """

    scores: Floats
    looked: Bools | None = None
    notes: Mapping[int, str] = field(default_factory=dict)

    def one(self, query: int) -> Step:
        """Give the step of one query."""
        looked = self.looked is None or self.looked[query]
        scores = self.scores[query] if looked else None
        return Step(scores, note=self.notes.get(query, ""))
