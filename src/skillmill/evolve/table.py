"""Rewards of skills on queries: what all frontiers are computed from (ERSkill, 2.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Rewards are rounded before they are compared, so that noise makes no difference.
DECIMALS = 6


@dataclass(frozen=True, eq=False)
class RewardTable:
    """The reward of every skill on every query.

    Attributes
    ----------
    skills : tuple of s str
        Content hashes, each once, in the order in which skills were added.
    queries : tuple of q str
        Question ids, each once.
    rewards : (s, q) floats
        In [0, 1], rounded to six decimals; read-only.

    Raises
    ------
    ValueError
        If the shape does not fit, a name comes twice, or a reward is not in [0, 1].
    """

    skills: tuple[str, ...]
    queries: tuple[str, ...]
    rewards: Floats

    def __post_init__(self) -> None:
        rewards = np.round(np.array(self.rewards, dtype=np.float64), DECIMALS)
        expected = len(self.skills), len(self.queries)
        if rewards.size == 0:
            rewards = rewards.reshape(expected)
        if rewards.shape != expected:
            raise ValueError(f"expected rewards {expected}, got {rewards.shape}")
        for name, ids in (("skill", self.skills), ("query", self.queries)):
            twice = sorted({one for one in ids if ids.count(one) > 1})
            if twice:
                raise ValueError(f"{name} {twice[0]!r} comes twice in the table")
        # Written so that NaN is refused, too.
        wrong = np.argwhere(~((rewards >= 0) & (rewards <= 1)))
        if len(wrong):
            row, column = wrong[0]
            raise ValueError(
                f"expected a reward from 0 to 1, got {rewards[row, column]} for skill"
                f" {self.skills[row]!r} on query {self.queries[column]!r}"
            )
        rewards.setflags(write=False)
        object.__setattr__(self, "rewards", rewards)

    @classmethod
    def empty(cls, queries: Sequence[str]) -> "RewardTable":
        """A table without skills."""
        return cls((), tuple(queries), np.zeros((0, len(queries))))

    @classmethod
    def of_rows(
        cls, rows: Mapping[str, Sequence[float]], queries: Sequence[str]
    ) -> "RewardTable":
        """A table of rows by skill, in the order of the mapping."""
        values = np.array([list(row) for row in rows.values()], dtype=np.float64)
        return cls(tuple(rows), tuple(queries), values)

    def extended(
        self, skills: Sequence[str], rewards: npt.ArrayLike | Floats
    ) -> "RewardTable":
        """The table with (n, q) rewards of n new skills below.

        Raises
        ------
        ValueError
            If a skill is there already, or as the constructor.
        """
        if not skills:
            return self
        both = np.concatenate([self.rewards, np.atleast_2d(np.asarray(rewards))])
        return RewardTable((*self.skills, *skills), self.queries, both)

    def only(self, skills: Sequence[str]) -> "RewardTable":
        """The rows of some skills, in the order of this table.

        Raises
        ------
        KeyError
            If one of them is not in the table.
        """
        lost = sorted(set(skills) - set(self.skills))
        if lost:
            raise KeyError(f"skill {lost[0]!r} has no row")
        wanted = set(skills)
        rows = [row for row, name in enumerate(self.skills) if name in wanted]
        kept = tuple(self.skills[row] for row in rows)
        return RewardTable(kept, self.queries, self.rewards[rows])

    def ordered(self, skills: Sequence[str]) -> "RewardTable":
        """The same rows in the order in which `skills` names them, among others."""
        rows = [self.skills.index(name) for name in skills if name in self.skills]
        names = tuple(self.skills[row] for row in rows)
        return RewardTable(names, self.queries, self.rewards[rows])

    def row(self, skill: str) -> Floats:
        """The rewards of one skill, (q,)."""
        found: Floats = self.rewards[self.skills.index(skill)]
        return found

    def utilities(self) -> dict[str, float]:
        """Mean reward of each skill, rounded to six decimals; 0 without queries."""
        if not self.queries:
            return dict.fromkeys(self.skills, 0.0)
        means = np.round(self.rewards.mean(axis=1), DECIMALS)
        return dict(zip(self.skills, means.tolist(), strict=True))

    def profile(self) -> Floats:
        """Best reward on each query, (q,); zeros without skills."""
        best: Floats = self.rewards.max(axis=0, initial=0.0)
        return best

    def oracle_mean(self) -> float:
        """Mean of the best rewards: what a faultless router would reach (OCov)."""
        return round(float(self.profile().mean()), DECIMALS) if self.queries else 0.0

    def best_single(self) -> str:
        """The skill with the highest mean reward; of equals the one added first.

        Raises
        ------
        ValueError
            If the table has no skills.
        """
        if not self.skills:
            raise ValueError("a table without skills has no best one")
        means = self.utilities()
        # max keeps the first of equals.
        return max(self.skills, key=lambda skill: means[skill])

    def unique_win_ratio(self) -> dict[str, float]:
        """Share of queries on which a skill is better than each other one."""
        if not self.queries:
            return dict.fromkeys(self.skills, 0.0)
        best = self.rewards == self.profile()
        # Where nothing reaches above 0, nobody wins.
        alone = (best.sum(axis=0) == 1) & (self.profile() > 0)
        share = np.round((best & alone).mean(axis=1), DECIMALS)
        return dict(zip(self.skills, share.tolist(), strict=True))
