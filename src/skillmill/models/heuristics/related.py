"""Stand-in for "are these two related at all": cosine of their vectors."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class CosineRelated:
    """Calls two records related if the cosine of their vectors reaches `threshold`.

    0.25 is where 95 % of random pairs of skills fall below with all-MiniLM-L6-v2.
    It tells that two records share a subject, never how they are related: relation
    types and directions need a language model, and nothing is emitted for them. It is
    weak on chat records, whose true relations go down to cosines near 0. Its score
    is in docs/standins.md.
    """

    threshold: float = 0.25
    name: ClassVar[str] = "cosine-related"
    version: ClassVar[str] = "1"

    def related(
        self, first: npt.ArrayLike, second: npt.ArrayLike
    ) -> npt.NDArray[np.bool_]:
        """Tell for each pair of rows whether they are related.

        Parameters
        ----------
        first, second : (n, d) floats
            Vectors of any length; row i of one is paired with row i of the other.

        Returns
        -------
        (n,) bool
            False where a vector is zero: it has no direction.

        Raises
        ------
        ValueError
            If the shapes differ or are not (n, d).
        """
        a, b = (np.asarray(rows, dtype=np.float64) for rows in (first, second))
        if a.shape != b.shape or a.ndim != 2:
            raise ValueError(
                f"expected two equal (n, d) shapes, got {a.shape}, {b.shape}"
            )
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        products = (a * b).sum(axis=1)
        cosine = np.divide(
            products, lengths, out=np.full(len(a), -np.inf), where=lengths > 0
        )
        # Rounded as everywhere before a threshold, so that the last bits never decide.
        reached: npt.NDArray[np.bool_] = np.round(cosine, 6) >= self.threshold
        return reached
