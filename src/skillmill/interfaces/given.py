"""Whether the files that a configuration names are there."""

from collections.abc import Iterator
from functools import reduce

from skillmill.config import find_path
from skillmill.errors import ConfigError
from skillmill.interfaces.configured import workflow_folder
from skillmill.interfaces.finding import Finding
from skillmill.settings.whole import Config

#: Keys that are read whichever track is on, where they are set.
_ALWAYS = (
    "library.standins",
    "library.edges.curated",
    "library.edges.calls",
    "library.edges.audit",
    "library.edges.sequences",
    "library.adapt.queries",
    "memory.transfer",
    "report.compare",
)
_REGISTRY = "library.distractors.path"
_NO_REGISTRY = (
    "config: library.distractors asks for distractors but its path is null; name a"
    " registry file"
)


def check_given(config: Config) -> list[Finding]:
    """A finding for each input that a run would look for and not find."""
    found = []
    for key in _keys(config):
        value = reduce(getattr, key.split("."), config)
        if value is None:
            if key == _REGISTRY:
                found.append(Finding("input", "stops", _NO_REGISTRY))
            continue
        try:
            find_path(
                str(value), key, data_root=config.data_root, base=workflow_folder()
            )
        except ConfigError as error:
            found.append(Finding("input", "stops", str(error)))
    return found


def _keys(config: Config) -> Iterator[str]:
    """The keys of paths that a run of this configuration reads."""
    yield from _ALWAYS
    if config.library.path is not None:
        yield "library.path"
        yield "library.tasks"
        asked = config.library.distractors
        if any((asked.count, *asked.variants.values())):
            yield _REGISTRY
    if config.memory.path is not None:
        yield "memory.path"
