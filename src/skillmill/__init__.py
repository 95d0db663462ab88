"""skillmill: builds, measures and serves retrieval for agents.

The functions of `__all__` are what to import; docs/python.md has them with examples,
`__init__.pyi` their types. They are looked up when first used, so that importing the
package costs nothing, and by name, so that no job's code hash (`codehash`) hangs on all
of them.
"""

from importlib import import_module

__all__ = [
    "advise",
    "build",
    "export_graph",
    "lint",
    "neighbours",
    "open_library",
    "read_skill",
    "recall",
    "scores",
    "search",
]


def __getattr__(name: str) -> object:
    """One of the functions of `__all__`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("skillmill.interfaces.api"), name)


def __dir__() -> list[str]:
    """What can be imported."""
    return sorted([*globals(), *__all__])
