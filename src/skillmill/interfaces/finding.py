"""What a check of this machine found."""

from dataclasses import dataclass
from typing import Literal

#: `ok` and `note` need nothing; `warning`: a run works, worse than it could; `stops`:
#: a run with this configuration would stop.
Grade = Literal["ok", "note", "warning", "stops"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a check: what was looked at, how it is, and the way out if bad."""

    check: str
    grade: Grade
    message: str
