"""The formats of conversations that can be loaded."""

from collections.abc import Callable
from pathlib import Path

from skillmill.data.chatlog import load_chatlog
from skillmill.data.locomo import load_locomo
from skillmill.data.longmemeval import load_longmemeval
from skillmill.data.perltqa import load_perltqa
from skillmill.types import Conversation, LoadReport, Question

Loaded = tuple[list[Conversation], list[Question], LoadReport]

LOADERS: dict[str, Callable[[Path], Loaded]] = {
    "chatlog": load_chatlog,
    "locomo": load_locomo,
    "longmemeval": load_longmemeval,
    "perltqa": load_perltqa,
}
