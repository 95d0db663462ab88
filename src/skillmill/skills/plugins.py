"""Primitives of one's own, from any installed package.

A package names them in the entry point group `skillmill.primitives`; nothing of it is
imported before a program uses the name. docs/retrieval-skills.md has an example.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points

from skillmill.errors import InputError
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES

GROUP = "skillmill.primitives"


class PrimitiveSet(Mapping[str, Primitive]):
    """Built-in primitives and those of plug-ins, by name; a plug-in loads when asked.

    Parameters
    ----------
    built_in : mapping of str to Primitive
    plugins : iterable of EntryPoint
        Each names an object that is a `Primitive`.

    Raises
    ------
    InputError
        If two plug-ins give one name, or one that is built in; loading one that
        cannot be imported or is no primitive of its name raises it too.
    """

    def __init__(
        self, built_in: Mapping[str, Primitive], plugins: Iterable[EntryPoint] = ()
    ) -> None:
        self._loaded = dict(built_in)
        self._plugins: dict[str, EntryPoint] = {}
        for plugin in plugins:
            other = self._plugins.get(plugin.name)
            if plugin.name in built_in or other is not None:
                holder = f"that of {_told(other)}" if other else "built in"
                raise _broken(plugin, f"its name is {holder}; rename it")
            self._plugins[plugin.name] = plugin

    def __getitem__(self, name: str) -> Primitive:
        if name not in self._loaded:
            self._loaded[name] = _load(self._plugins[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._loaded, **self._plugins})

    def __len__(self) -> int:
        return len({**self._loaded, **self._plugins})

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._plugins


def installed_primitives() -> PrimitiveSet:
    """All primitives of this installation.

    Raises
    ------
    InputError
        See `PrimitiveSet`.
    """
    return PrimitiveSet(PRIMITIVES, sorted(entry_points(group=GROUP), key=_told))


def _load(plugin: EntryPoint) -> Primitive:
    """Import a plug-in.

    Raises
    ------
    InputError
        If that fails, whatever the reason; names plug-in, package and reason.
    """
    try:
        found = plugin.load()
    except Exception as error:
        # Code of others runs here and may raise anything; who it was must be told.
        reason = f"importing it raised {type(error).__name__}: {error}"
        raise _broken(plugin, reason) from error
    if not isinstance(found, Primitive):
        raise _broken(plugin, f"it is a {type(found).__name__}, not a Primitive")
    if found.name != plugin.name:
        raise _broken(plugin, f"it calls itself {found.name!r}; both must agree")
    return found


def _broken(plugin: EntryPoint, reason: str) -> InputError:
    """Name a plug-in and what is wrong with it."""
    return InputError(
        f"primitive {plugin.name!r} of {_told(plugin)} cannot be used: {reason}",
        record=plugin.name,
    )


def _told(plugin: EntryPoint) -> str:
    """Say where a plug-in comes from."""
    package = plugin.dist.name if plugin.dist else "no package"
    return f"{package} ({plugin.value})"
