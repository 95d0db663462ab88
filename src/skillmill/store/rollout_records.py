"""Rollouts, kept for good: what a retrieval skill found for a question."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillmill.store.records import Records
from skillmill.store.rows import json_text, json_texts


class RolloutRow(NamedTuple):
    """One rollout; `items` are atom ids, best first."""

    key: str
    skill: str
    question: str
    split: str
    memory: str
    state: str
    reason: str | None
    items: tuple[str, ...]


class RolloutRecords(Records):
    """Rollouts by key, for one executor, budget, reader and judge.

    In `<folder>/rollouts`. Use it as a context manager, in one thread; it does not
    survive a fork.
    """

    kind = "rollout-records"
    table = "rollout_record"
    select = (
        "select key, skill, question, split, memory, state, reason, items"
        " from rollout_record"
        " where model = ?1 and key in (select value from json_each(?2))"
    )

    def __init__(self, folder: Path, model: Mapping[str, str | int]) -> None:
        super().__init__(Path(folder) / "rollouts", model)

    def known(self, keys: Iterable[str]) -> dict[str, RolloutRow]:
        """Find the rollouts of keys, in their order; unknown keys are absent.

        Raises
        ------
        StoreError
            If a record cannot be read.
        """
        keys = list(dict.fromkeys(keys))
        found = self._find(keys)
        rows = {key: found[key][1] for key in keys if key in found}
        return {
            key: RolloutRow(
                key, skill, question, split, memory, state, reason, json_texts(items)
            )
            for key, (
                skill,
                question,
                split,
                memory,
                state,
                reason,
                items,
            ) in rows.items()
        }

    def add(self, rollouts: Sequence[RolloutRow]) -> None:
        """Keep rollouts; they are safe when this returns.

        Raises
        ------
        StoreError
            If they cannot be written.
        """
        self._append([(*one[:-1], json_text(one.items)) for one in rollouts])
