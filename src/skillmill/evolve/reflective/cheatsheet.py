"""One sheet of notes that is written anew after each batch (Dynamic Cheatsheet)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.evolve.reflective.adapter import Adapter, Notes, Task, batches


@dataclass(frozen=True, slots=True)
class CheatSheet:
    """Answers a batch with the sheet, then has the sheet curated.

    A curation that fails leaves the sheet as it was.
    """

    batch: int = 5
    name: str = "rival:cheat-sheet"

    def learn(
        self, tasks: Sequence[Task], adapter: Adapter, rng: np.random.Generator
    ) -> Notes:
        """The sheet after all batches that the budget allows."""
        sheet = Notes("")
        for number, batch in enumerate(batches(tasks, self.batch)):
            if adapter.left < 2:
                break
            # One call is kept for the curation.
            done = adapter.attempt(batch[: adapter.left - 1], sheet)
            reply = adapter.reflect(
                "curate_sheet",
                f"batch {number}",
                sheet=sheet.text,
                attempts=[attempt.told() for attempt in done],
            )
            if reply is not None:
                sheet = Notes(reply.sheet)
        return sheet
