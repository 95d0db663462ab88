"""What evolution asks of a router, and the plain one that needs no training loop."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from skillmill.evolve.table import DECIMALS
from skillmill.evolve.targets import utilities

Vectors = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]


class Router(Protocol):
    """Scores skills for questions (ERSkill, eq. 1)."""

    def probabilities(self, questions: Vectors, skills: Vectors) -> Floats:
        """Share of each of s skills, (s, d), for each of q questions, (q, d): (q, s).

        Rows add up to 1. Nothing depends on the order of the skills.
        """
        ...

    def dump(self) -> bytes:
        """The router as bytes, the same for the same router."""
        ...


class Routing(Protocol):
    """How routers are made; a module with these two functions will do."""

    def train(
        self,
        questions: Vectors,
        skills: Vectors,
        rewards: Floats,
        settings: Any,  # noqa: ANN401 - the router's own section
        rng: np.random.Generator,
        start: Router | None = None,
    ) -> Router:
        """Train on (s, q) rewards, NaN where a skill was not rolled out.

        It goes on from `start`, the router of the step before.
        """
        ...

    def load(self, data: bytes) -> Router:
        """The router that `Router.dump` wrote."""
        ...


@dataclass(frozen=True)
class UtilityPrior:
    """Routes every question to the skill with the best mean reward.

    `means` holds skill vectors and their mean rewards; a skill that is not among them
    has 0. Of equals the skill that was known first has the larger share.
    """

    means: tuple[tuple[tuple[float, ...], float], ...]

    def probabilities(self, questions: Vectors, skills: Vectors) -> Floats:
        """The same shares for each question."""
        known = {vector: (mean, -n) for n, (vector, mean) in enumerate(self.means)}
        lost = (0.0, -len(known))
        order = [known.get(tuple(row), lost) for row in skills.tolist()]
        ranks = {value: rank for rank, value in enumerate(sorted(set(order)), start=1)}
        shares = np.array([ranks[value] for value in order], dtype=np.float64)
        total = shares.sum()
        return np.tile(shares / total if total else shares, (len(questions), 1))

    def dump(self) -> bytes:
        """JSON."""
        return json.dumps(self.means).encode()


class UtilityRouting:
    """The named stand-in: no features, only utility."""

    def train(
        self,
        questions: Vectors,
        skills: Vectors,
        rewards: Floats,
        settings: Any = None,  # noqa: ANN401 - it has none
        rng: np.random.Generator | None = None,
        start: Router | None = None,
    ) -> UtilityPrior:
        """Take the utility of each skill, fair to those that had hard questions.

        See `targets.utilities`.
        """
        means = np.round(utilities(rewards), DECIMALS)
        rows: dict[tuple[float, ...], float] = {}
        for vector, mean in zip(skills.tolist(), means.tolist(), strict=True):
            rows.setdefault(tuple(vector), mean)
        return UtilityPrior(tuple(rows.items()))

    def load(self, data: bytes) -> UtilityPrior:
        """Read what `UtilityPrior.dump` wrote."""
        return UtilityPrior(tuple((tuple(v), mean) for v, mean in json.loads(data)))


def picks(router: Router, questions: Vectors, skills: Vectors) -> npt.NDArray[np.intp]:
    """Number of the skill that each question is routed to, (q,); ties to the first."""
    shares = np.round(router.probabilities(questions, skills), DECIMALS)
    found: npt.NDArray[np.intp] = shares.argmax(axis=1)
    return found


def hash_vectors(content_hashes: Sequence[str]) -> Vectors:
    """A vector for each skill that tells it from all others and means nothing, (s, 16).

    For routers that look at no text.
    """
    rows = [list(bytes.fromhex(one)[:16]) for one in content_hashes]
    return np.array(rows, dtype=np.float32).reshape(len(rows), 16)
