"""The descriptions of keys, for the schema: the strings below them in the source."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from skillmill.settings.section import Section


def with_descriptions(schema: dict[str, Any], whole: type[Section]) -> dict[str, Any]:
    """A JSON schema of a section whose properties say what stands below each key.

    Parameters
    ----------
    schema : dict
        As pydantic makes it; sections that it holds are in `$defs`. Changed in place.
    whole : type of Section
        The section that it is of.
    """
    parts = {whole.__name__: schema, **schema.get("$defs", {})}
    for section in _sections(Section):
        properties = parts.get(section.__name__, {}).get("properties", {})
        for key, text in _texts(section):
            if key in properties:
                described = properties[key] | {"description": text}
                properties[key] = dict(sorted(described.items()))
    return schema


def _sections(base: type[Section]) -> Iterator[type[Section]]:
    """All that derive from a section."""
    for one in base.__subclasses__():
        yield one
        yield from _sections(one)


def _texts(section: type[Section]) -> Iterator[tuple[str, str]]:
    """Keys of a section that a string follows, and the string."""
    for base in reversed(section.__mro__):
        if not issubclass(base, Section):
            continue
        source = textwrap.dedent(inspect.getsource(base))
        for made in ast.parse(source).body:
            body = made.body if isinstance(made, ast.ClassDef) else []
            for key, text in pairwise(body):
                name = key.target if isinstance(key, ast.AnnAssign) else None
                said = text.value if isinstance(text, ast.Expr) else None
                if isinstance(name, ast.Name) and isinstance(said, ast.Constant):
                    yield name.id, inspect.cleandoc(str(said.value))
