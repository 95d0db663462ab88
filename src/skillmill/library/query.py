"""What a library is ranked for, and by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy.typing as npt

from skillmill.library.meaning import Floats


@dataclass(frozen=True, slots=True)
class Query:
    """What is ranked for.

    `vectors` (m, d): the whole text first, then its sentences, if any; (d,) is the
    whole text alone. `tokens` (t, d) are unit token vectors of them all, for late
    interaction.
    """

    id: str
    text: str
    vectors: npt.ArrayLike | None = None
    tokens: Floats | None = None


class Bodies(NamedTuple):
    """Vectors of the parts of skills' bodies: m ids and (m, d) floats."""

    ids: Sequence[str]
    vectors: npt.ArrayLike
