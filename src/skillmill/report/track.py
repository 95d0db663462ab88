"""The two tracks that a page tells of."""

from typing import Literal

Track = Literal["library", "memory"]
TRACKS: tuple[Track, ...] = ("library", "memory")
