"""What was read of built files, remembered until they are built anew.

A server answers many questions from the same files; a command forgets as it ends.
"""

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from skillmill.errors import StoreError

P = ParamSpec("P")
T = TypeVar("T")

Stamp = tuple[int, int, int]
Reader = Callable[Concatenate[Sequence[Path], P], T]


def remembered(most: int) -> Callable[[Reader[P, T]], Reader[P, T]]:
    """Let a reader of files remember what it made, while they stay the same files.

    The reader's first argument is the files; its others are part of the key. Several
    threads may call it; one reads at a time. An error is not remembered.

    Parameters
    ----------
    most : int
        Results that are kept; the one used longest ago goes first.
    """

    def remembering(read: Reader[P, T]) -> Reader[P, T]:
        kept: OrderedDict[object, tuple[tuple[Stamp, ...], T]] = OrderedDict()
        lock = threading.Lock()

        def reader(files: Sequence[Path], /, *args: P.args, **kwargs: P.kwargs) -> T:
            full = [file.absolute() for file in files]
            key = tuple(full), args, tuple(sorted(kwargs.items()))
            with lock:
                stamps = tuple(file_stamp(file) for file in full)
                if key not in kept or kept[key][0] != stamps:
                    kept[key] = stamps, read(files, *args, **kwargs)
                kept.move_to_end(key)
                while len(kept) > most:
                    kept.popitem(last=False)
                return kept[key][1]

        functools.update_wrapper(reader, read)
        return reader

    return remembering


def file_stamp(path: Path) -> Stamp:
    """What tells one build's file from the next: it is replaced, never changed.

    Raises
    ------
    StoreError
        If there is no such file.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise StoreError(
            f"{path}: expected a store that was built, got {error.strerror}; build it"
            " with `skillmill run`",
            record=str(path),
        ) from error
    return found.st_ino, found.st_mtime_ns, found.st_size
