"""Which parts of a memory skills search, and memories that lack some."""

import re
from dataclasses import replace

import numpy as np
import pytest

from skillmill.errors import InputError
from skillmill.skills.executor import execute
from skillmill.skills.reading import parts_of, refuse_reading
from tests.memory.records import garden_view
from tests.skills.programs import query, skill


@pytest.mark.parametrize(
    ("primitive", "args", "parts"),
    [
        ("lexical_search", {}, set()),
        ("dense_search", {}, {"vectors"}),
        ("dense_search", {"late": True}, {"vectors"}),
        ("entity_search", {}, {"noun", "vectors"}),
        ("entity_search", {"prior": 0.0}, {"noun"}),
        ("entity_search", {"form": "literal", "prior": 0.0}, {"ner", "vectors"}),
        ("similarity_expand", {}, {"vectors"}),
        ("relation_expand", {}, set()),
        ("temporal_focus_expand", {"range": "question"}, {"vectors"}),
        ("temporal_focus_expand", {"range": "question", "rerank": False}, set()),
        ("llm_process", {}, set()),
    ],
)
def test_each_primitive_says_what_it_searches(primitive, args, parts):
    one = skill((primitive, {"args": args}))
    assert {part for _, part in parts_of(one)} == parts


@pytest.mark.parametrize("part", ["vectors", "noun", "ner"])
def test_what_a_primitive_does_not_name_it_does_not_search(part):
    """Without the part, exactly the steps that name it fail, and say why."""
    view = replace(garden_view(), lacking=frozenset([part]))
    if part == "vectors":
        view = replace(view, vectors=np.zeros((len(view.atoms), 0)))
    for primitive, args in (
        ("lexical_search", {}),
        ("dense_search", {}),
        ("entity_search", {}),
        ("entity_search", {"prior": 0.0}),
        ("entity_search", {"form": "literal"}),
        ("temporal_focus_expand", {"time_range": ["2024-01-01", "2024-12-31"]}),
        ("temporal_focus_expand", {"time_range": ["2024-01-01", "2024-12-31"],
                                   "rerank": False}),
        ("relation_expand", {}),
    ):  # fmt: skip
        one = skill((primitive, {"args": args}))
        done = execute(one, query(), view, 3).ranking
        named = part in {found for _, found in parts_of(one)}
        assert (done.state == "failed") == named, (primitive, args, done)
        if named:
            assert re.search(r"built without .*memory\.(vectors|entities)", done.reason)


def test_all_skills_that_search_what_is_lacking_are_named_at_once():
    skills = [
        skill(("lexical_search", {})),
        skill(("dense_search", {}), ("entity_search", {})),
    ]
    refuse_reading(skills, [])
    refuse_reading(skills[:1], ["vectors", "noun", "ner"])
    wanted = (
        r"'\w.*' step '.*' searches vectors; .* step '.*' searches nouns; .*"
        r"built without; add 'noun' to memory.entities, set memory.vectors to true"
    )
    with pytest.raises(InputError, match=wanted):
        refuse_reading(skills, ["vectors", "noun"])
