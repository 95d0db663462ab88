"""Where conversations come from that are dealt out to the shards of a memory."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """Conversations to deal out: where they lie, how they are read, to how many shards.

    `files` are those that the loader reads below `path`.
    """

    study: str
    path: Path
    files: tuple[str, ...]
    format: str
    shards: int
    failed_share: float
