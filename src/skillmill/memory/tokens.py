"""Token vectors of the turns of a memory, for late interaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skillmill.compute.maxsim import maxsim
from skillmill.errors import StoreError
from skillmill.memory.atoms import single_turn_atoms
from skillmill.types import Atom, Conversation

Floats = npt.NDArray[np.float64]
Tokens = npt.NDArray[np.floating]

#: Numbers up to which a float32 copy of the vectors is kept (256 MB, some 4,700
#: turns). A larger memory is widened block by block at each search.
WIDENED = 2**26


@dataclass(frozen=True, eq=False)
class TokenIndex:
    """Token vectors, turn after turn.

    Attributes
    ----------
    vectors : (m, d) floats
        Of length one, mostly float16.
    offsets : (t + 1,) ints
        Turn i holds the vectors from offset i to offset i + 1: from 0 to m, never
        falling.

    Raises
    ------
    ValueError
        If the offsets do not cut the vectors into turns.
    """

    vectors: Tokens = field(repr=False)
    offsets: npt.NDArray[np.integer] = field(repr=False)

    def __post_init__(self) -> None:
        fits = self.vectors.ndim == 2 and len(self.offsets) > 0
        fits = fits and self.offsets[0] == 0 and self.offsets[-1] == len(self.vectors)
        if not fits or (np.diff(self.offsets) < 0).any():
            raise ValueError(f"offsets do not cut {self.vectors.shape} into turns")

    @property
    def turns(self) -> int:
        """How many turns it holds."""
        return len(self.offsets) - 1

    def scores(
        self, queries: Sequence[Tokens], starts: npt.NDArray[np.integer]
    ) -> Floats:
        """MaxSim of runs of turns with the (k, d) token vectors of each query.

        `starts` (n + 1,) are the first turn of each run, and the end of the last.

        Returns
        -------
        (q, n) floats
        """
        return maxsim(queries, self._widened, self.offsets[starts])

    def turn_scores(self, query: Tokens, first: int, stop: int) -> Floats:
        """MaxSim of each turn from `first` to before `stop` with one query."""
        cuts = self.offsets[first : stop + 1]
        own = maxsim([query], self._widened[cuts[0] : cuts[-1]], cuts - cuts[0])
        scores: Floats = own[0]
        return scores

    @cached_property
    def _widened(self) -> Tokens:
        """The vectors as they are multiplied."""
        small = self.vectors.size <= WIDENED
        return self.vectors.astype(np.float32) if small else self.vectors


def token_index(
    atoms: Iterable[Atom], vectors: Mapping[tuple[str, int], Tokens]
) -> TokenIndex:
    """Put the token vectors of turns in the order of atoms.

    Parameters
    ----------
    atoms : iterable of Atom
        At least one turn in all.
    vectors : mapping of (atom id, turn's place in it from 0) to (k, d) floats

    Raises
    ------
    StoreError
        If a turn has none: half an index would find half a memory.
    """
    keys = [(atom.id, part) for atom in atoms for part in range(len(atom.turns))]
    lost = [key for key in keys if key not in vectors]
    if lost:
        raise StoreError(
            f"{len(lost)} of {len(keys)} turns have no token vectors, the first is "
            f"turn {lost[0][1]} of atom {lost[0][0]!r}; build the token vectors again",
            record=lost[0][0],
        )
    own = [vectors[key] for key in keys]
    return TokenIndex(np.concatenate(own), np.cumsum([0, *map(len, own)]))


def turn_texts(
    atoms: Sequence[Atom], conversations: Iterable[Conversation]
) -> dict[tuple[str, int], str]:
    """Text of each turn of each atom as an atom of one turn has it, by atom and place.

    Raises
    ------
    StoreError
        If an atom holds a turn that its conversation lacks.
    """
    homes = {atom.conversation for atom in atoms}
    said = {
        (single.conversation, turn): single.text
        for conversation in conversations
        if conversation.id in homes
        for single in single_turn_atoms(conversation)
        for turn in single.turns
    }
    texts = {}
    for atom in atoms:
        for part, turn in enumerate(atom.turns):
            if (atom.conversation, turn) not in said:
                raise StoreError(
                    f"atom {atom.id!r} holds turn {turn!r}, which its conversation "
                    "lacks; delete the stores of this study and run again",
                    record=atom.id,
                )
            texts[atom.id, part] = said[atom.conversation, turn]
    return texts
