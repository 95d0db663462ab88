"""A log of skill calls on this machine, as learned edges are drawn from it.

Off unless a file is named. A row says which skill was read in which session and in what
order; no query and no text of a user is in it.
"""

import json
import secrets
import threading
from collections import Counter
from pathlib import Path

from skillmill.errors import InputError
from skillmill.library.cousage import CALL_VERSION, CallOutcome


class CallLog:
    """Appends calls to a JSONL file, each as it comes.

    Parameters
    ----------
    path : Path
        Made if it is not there. Rows of several processes may be in one file: each
        process has a random name, which begins the names of its tasks.

    Raises
    ------
    InputError
        If the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.process = secrets.token_hex(6)
        self._steps: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._append("")

    def note(self, task: str | None, skill: str, outcome: CallOutcome) -> None:
        """Add one call; `task` is an agent's own word for what it is at, if it has one.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        name = f"{self.process}/{task}" if task else self.process
        with self._lock:
            step = self._steps[name]
            self._steps[name] += 1
            row = {
                "version": CALL_VERSION,
                "task": name,
                "step": step,
                "skill": skill,
                "outcome": outcome,
            }
            self._append(json.dumps(row, ensure_ascii=False) + "\n")

    def _append(self, text: str) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise InputError(
                f"{self.path}: expected to write the log of calls, got"
                f" {error.strerror}; name another file with --log-calls, or none",
                record=str(self.path),
            ) from error
