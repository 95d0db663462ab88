"""Long texts in parts that a model can read, and one vector of their parts."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skillmill.models.tokens import Pieces, may_exceed

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…:;])[\"')\]]*\s+|(?<=[。！？])|\n\s*")
_WORD = re.compile(r"\s+")

#: The kinds of border, best first.
_BORDERS = (_PARAGRAPH, _SENTENCE, _WORD)

#: A border before this share of a part's room would waste more than it keeps together.
_LEAST_FILLED = 0.5


@dataclass(frozen=True, slots=True)
class Lengths:
    """How texts fit what a model reads.

    Attributes
    ----------
    texts, long : int
        Texts, and those of them with more pieces than the model reads.
    pieces, beyond : int
        Pieces of the long texts, and those of them beyond the limit.
    room : int
        Pieces of a text that the model reads.
    """

    texts: int
    long: int
    pieces: int
    beyond: int
    room: int

    def __str__(self) -> str:
        if not self.long:
            return f"all {self.texts} texts are within the {self.room} pieces read"
        return (
            f"{self.long} of {self.texts} texts ({self.long / self.texts:.1%}) are"
            f" longer than the {self.room} pieces that the encoder reads;"
            f" {self.beyond / self.pieces:.1%} of their text lies beyond"
        )


def measure(texts: Sequence[str], pieces: Pieces) -> tuple[Lengths, list[int]]:
    """Count the pieces of texts: totals, and the places of those that are too long."""
    suspects = [n for n, text in enumerate(texts) if may_exceed(text, pieces.room)]
    counts = pieces.counts([texts[n] for n in suspects])
    long = [
        (place, count)
        for place, count in zip(suspects, counts, strict=True)
        if count > pieces.room
    ]
    total = sum(count for _, count in long)
    lengths = Lengths(
        texts=len(texts),
        long=len(long),
        pieces=total,
        beyond=total - pieces.room * len(long),
        room=pieces.room,
    )
    return lengths, [place for place, _ in long]


def split_text(text: str, pieces: Pieces) -> list[str]:
    """Cut a text into parts of at most `pieces.room` pieces, in order.

    A part ends at the last paragraph that fits, else at the last sentence, else at the
    last word, unless that would leave it less than half full; a word that fits no part
    is cut. White space around parts is dropped, nothing else is.

    Returns
    -------
    list of str
        At least one part; the text itself where it fits.
    """
    if not may_exceed(text, pieces.room):
        return [text]
    starts = pieces.starts(text)
    if len(starts) <= pieces.room:
        return [text]
    borders = [[m.end() for m in kind.finditer(text)] for kind in _BORDERS]
    parts: list[str] = []
    begin = 0
    while begin < len(text):
        end = _end_of_part(text, begin, pieces, starts, borders)
        part = text[begin:end].strip()
        if part:
            parts.append(part)
        begin = end
    return parts


def mean_vector(
    vectors: npt.NDArray[np.float32], weights: Sequence[int]
) -> npt.NDArray[np.float32]:
    """Weighted mean of the (n, d) vectors of a text's parts, as (d,) of length one.

    Weights are the parts' pieces, so that a short last part counts for little. Parts
    that cancel each other out have no mean direction: then the first one stands.
    """
    share = np.asarray(weights, dtype=np.float64)
    mean = share @ vectors.astype(np.float64)
    length = float(np.linalg.norm(mean))
    if length <= np.finfo(np.float32).eps * share.sum():
        return np.asarray(vectors[0], dtype=np.float32)
    return np.asarray(mean / length, dtype=np.float32)


def _end_of_part(
    text: str,
    begin: int,
    pieces: Pieces,
    starts: npt.NDArray[np.int64],
    borders: Sequence[Sequence[int]],
) -> int:
    """Where the part that begins at a character ends."""
    first = int(np.searchsorted(starts, begin))
    if first == len(starts) or text[begin : starts[first]].strip():
        # The border before this part lies within a piece, whose rest counts too.
        first = max(0, first - 1)
    room = pieces.room
    while True:
        if first + room >= len(starts):
            end = len(text)
        else:
            least = int(starts[first + int(room * _LEAST_FILLED)])
            end = _border(borders, least, int(starts[first + room]))
        # Alone, a part may have more pieces than it had in its place.
        over = _over(text[begin:end], pieces)
        if over <= 0 or room == 1:
            break
        room = max(1, room - over)
    while end - begin > 1 and _over(text[begin:end], pieces) > 0:
        end = begin + (end - begin) // 2
    return max(end, begin + 1)


def _over(part: str, pieces: Pieces) -> int:
    """Pieces of a part beyond the room."""
    return pieces.counts([part.strip()])[0] - pieces.room


def _border(borders: Sequence[Sequence[int]], least: int, most: int) -> int:
    """The last border of the best kind in (least, most]; `most` if there is none."""
    for kind in borders:
        place = bisect_right(kind, most) - 1
        if place >= 0 and kind[place] > least:
            return kind[place]
    return most
