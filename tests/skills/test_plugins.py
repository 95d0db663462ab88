"""Primitives of other packages; `plugin` puts a module where it can be imported."""

import sys
from importlib.metadata import EntryPoint

import pytest

from skillmill.errors import InputError
from skillmill.skills.executor import execute
from skillmill.skills.plugins import GROUP, PrimitiveSet, installed_primitives
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.skill import parse_skill
from tests.memory.records import garden_view
from tests.skills.programs import query

MOON = """
import numpy as np
from skillmill.skills.arguments import Argument
from skillmill.skills.primitive import Primitive
from skillmill.skills.state import Step

def run(query, state, view, args):
    scores = np.zeros(len(view.atoms))
    scores[args["row"]] = 1.0
    return Step(scores)

primitive = Primitive("moon_search", "search", run, {"row": Argument("count", 2)})
"""
SKILL = """---
name: by-the-moon
description: d
preference: p
---

```json program
[{"id": "moon", "primitive": "moon_search", "args": {"row": 3}}]
```
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Write a module and give its entry point."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(module, source, name="moon_search", target="primitive"):
        (tmp_path / f"{module}.py").write_text(source)
        return EntryPoint(name, f"{module}:{target}", GROUP)

    yield make
    for file in tmp_path.glob("*.py"):
        sys.modules.pop(file.stem, None)


def test_a_primitive_of_another_package_is_called_like_the_others(plugin):
    known = PrimitiveSet(PRIMITIVES, [plugin("moon_plugin", MOON)])
    skill = parse_skill(SKILL, "x.md", known)
    done = execute(skill, query(), garden_view(), 5, known)
    assert done.ranking.items == ("garden/2/1",)


def test_a_plugin_is_imported_when_a_program_names_it_and_not_before(plugin):
    known = PrimitiveSet(PRIMITIVES, [plugin("moon_lazily", MOON)])
    assert "moon_search" in known
    assert sorted(known) == sorted([*PRIMITIVES, "moon_search"])
    assert len(known) == len(PRIMITIVES) + 1
    assert known["dense_search"] is PRIMITIVES["dense_search"]
    assert "moon_lazily" not in sys.modules
    assert known["moon_search"] is known["moon_search"]
    assert "moon_lazily" in sys.modules


def test_an_unknown_name_lists_the_plugins_without_importing_them(plugin):
    known = PrimitiveSet(PRIMITIVES, [plugin("moon_listed", MOON)])
    with pytest.raises(InputError, match=r"'sun_search'; known: .*moon_search"):
        parse_skill(SKILL.replace("moon_search", "sun_search"), "x.md", known)
    assert "moon_listed" not in sys.modules


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("import no_such_library", "primitive", "raised ModuleNotFoundError: No mod"),
        ("1 / 0", "primitive", "raised ZeroDivisionError: division by zero"),
        ("x = 1", "primitive", "raised AttributeError"),
        ("primitive = 7", "primitive", "it is a int, not a Primitive"),
        (MOON.replace("moon_s", "sun_s"), "primitive", "calls itself 'sun_search'"),
    ],
)
def test_a_broken_plugin_is_named_with_its_reason(plugin, source, target, message):
    broken = plugin("moon_broken", source, target=target)
    known = PrimitiveSet(PRIMITIVES, [broken])
    with pytest.raises(InputError) as caught:
        parse_skill(SKILL, "x.md", known)
    assert message in str(caught.value)
    assert "primitive 'moon_search' of no package (moon_broken:primitive)" in str(
        caught.value
    )
    parse_skill(SKILL.replace("moon_search", "dense_search").replace(
        '{"row": 3}', "{}"), "x.md", known)  # fmt: skip


def test_two_plugins_of_one_name_are_refused(plugin):
    one, two = plugin("moon_one", MOON), plugin("moon_two", MOON)
    with pytest.raises(InputError, match=r"moon_two.* its name is that of .*moon_one"):
        PrimitiveSet(PRIMITIVES, [one, two])


def test_a_plugin_cannot_replace_a_primitive_that_is_built_in(plugin):
    own = plugin("moon_own", MOON, name="dense_search")
    with pytest.raises(InputError, match="its name is built in; rename it"):
        PrimitiveSet(PRIMITIVES, [own])


def test_the_primitives_of_this_installation_hold_the_built_in_ones():
    assert set(PRIMITIVES) <= set(installed_primitives())
