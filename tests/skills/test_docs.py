"""docs/retrieval-skills.md against the code."""

import json
import re

import numpy as np
import pytest

from skillmill.skills.executor import execute
from skillmill.skills.merging import MERGES
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.program import write_program
from skillmill.skills.skill import parse_skill
from tests.conftest import REPOSITORY
from tests.memory.records import garden_view
from tests.skills.programs import query, skill

PAGE = (REPOSITORY / "docs" / "retrieval-skills.md").read_text(encoding="utf-8")


def rows(columns):
    """Cells of every table row of that many columns, without the back quotes."""
    found = re.findall(r"^\|(.+)\|$", PAGE, re.M)
    cells = [[cell.strip().strip("`") for cell in row.split(" | ")] for row in found]
    return [row for row in cells if len(row) == columns]


def test_every_primitive_and_its_kind_is_on_the_page():
    told = {
        row[0]: row[1] for row in rows(3) if row[1] in {"search", "expand", "process"}
    }
    assert told == {name: primitive.kind for name, primitive in PRIMITIVES.items()}


def test_every_argument_with_its_default_and_what_it_takes_is_on_the_page():
    told = [tuple(row) for row in rows(4) if row[0] in PRIMITIVES]
    assert told == [
        (name, key, json.dumps(argument.default), argument.expected)
        for name, primitive in PRIMITIVES.items()
        for key, argument in primitive.arguments.items()
    ]


def test_every_merge_rule_is_on_the_page():
    assert {row[0] for row in rows(3)} >= set(MERGES)


def test_the_skill_on_the_page_is_one():
    text = re.search(r"````markdown\n(.*?)````", PAGE, re.S)[1]
    read = parse_skill(text, "x.md")
    assert read.path == ("lexical_search", "temporal_focus_expand")
    assert json.loads(write_program(read.program))[1]["args"] == {"range": "question"}


@pytest.fixture
def example():
    """What the example of a primitive of one's own defines."""
    names = {}
    code = next(
        c for c in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "def " in c
    )
    exec(code, names)
    return names["latest_first"]


def test_the_primitive_on_the_page_runs(example):
    known = {**PRIMITIVES, example.name: example}
    done = execute(skill(("latest_first", {})), query(), garden_view(), 4, known)
    assert dict(zip(done.ranking.items, done.ranking.scores, strict=True)) == {
        "garden/2/0": 1.0,
        "garden/2/1": 1.0,
        "garden/1/0": 0.0,
        "garden/1/1": 0.0,
    }
    assert np.isfinite(done.evidence.scores).all()
