"""Scores of one query on their way to a ranking."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skillmill.library.meaning import Array, Rows


class Scored(NamedTuple):
    """One query against some rows of the library.

    `parts` holds arrays over `rows` whose sum is the score, of which only values above
    `floor` count; `raw` holds (n,) or shorter arrays of unweighted values by name;
    `reason` is why nothing may count, `terms` are the query's words.
    """

    rows: Rows
    parts: dict[str, Array]
    raw: dict[str, Array]
    floor: float | None
    reason: str
    terms: Sequence[str] = ()

    @property
    def total(self) -> Array:
        """The score of each row."""
        return sum(self.parts.values(), np.zeros(len(self.rows)))
