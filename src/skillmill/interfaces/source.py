"""Where conversations come from that are dealt out to the shards of a memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Source:
    """Conversations to deal out: where they lie, how they are read, to how many shards.

    `files` are those that the loader reads below `path`; `splits` are declared by size
    (`evaluate.splitting`), or empty.
    """

    study: str
    path: Path
    files: tuple[str, ...]
    format: str
    shards: int
    failed_share: float
    splits: Mapping[str, Any] = field(default_factory=dict)
