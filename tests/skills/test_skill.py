import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.data.plaintext import tidy
from skillmill.errors import InputError
from skillmill.skills.arguments import Argument
from skillmill.skills.merging import MERGES
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.skill import parse_skill, read_skills, render_skill
from skillmill.skills.state import Step
from skillmill.types import Node, RetrievalSkill

HEADER = """\
---
name: near-and-beside
description: "Finds the nearest: then what is beside it."
preference: Anything
---
"""
PROGRAM = """
Words for people.

```json program
[
  {"id": "near", "primitive": "dense_search", "args": {"form": "literal"}},
  {
    "id": "beside",
    "primitive": "relation_expand",
    "args": {"relations": ["Cause", "TemporalNeighbor"], "seeds": 3},
    "merge": "rrf",
    "weight": 2,
    "budget": 10
  }
]
```
"""


def program(*nodes):
    return "\n```json program\n[\n" + ",\n".join(nodes) + "\n]\n```\n"


def problems(markdown, **options):
    """Line -> problem of a skill that is refused."""
    with pytest.raises(InputError) as caught:
        parse_skill(markdown, "seeds/x.md", **options)
    told = str(caught.value).split("\n")
    assert told[0].startswith("seeds/x.md is no retrieval skill, ")
    assert int(told[0].split(", ")[1].split()[0]) == len(told) - 1
    found = []
    for line in told[1:]:
        place, number, message = line.strip().split(":", 2)
        assert place == "seeds/x.md"
        found.append((int(number), message.strip()))
    return found


def test_a_skill_is_read_with_all_its_fields():
    skill = parse_skill(HEADER + PROGRAM, "x.md")
    assert skill.name == "near-and-beside"
    assert skill.description == "Finds the nearest: then what is beside it."
    assert skill.preference == "Anything"
    assert skill.path == ("dense_search", "relation_expand")
    assert skill.program == (
        Node("near", "dense_search", {"form": "literal"}, "sum", 1.0, None),
        Node(
            "beside",
            "relation_expand",
            {"relations": ("Cause", "TemporalNeighbor"), "seeds": 3},
            "rrf",
            2.0,
            10,
        ),
    )


def test_the_content_hash_is_that_of_the_text_whatever_its_line_ends_and_forms():
    text = (HEADER + PROGRAM).replace("Anything", "café")
    expected = hashlib.sha256(text.encode()).hexdigest()
    for variant in (
        text,
        text.replace("\n", "\r\n"),
        text.replace("é", "e\u0301"),
        "\ufeff" + text,
    ):
        assert parse_skill(variant, "x.md").content_hash == expected
    assert parse_skill(text + "\n", "x.md").content_hash != expected


def test_all_problems_of_a_file_are_told_at_once_with_their_lines():
    header = HEADER.replace("near-and-beside", "Near And Beside").replace(
        "preference: Anything", "prefrence: Anything"
    )
    body = program(
        '{"id": "a", "primitive": "graph_search"}',
        '{"id": "b", "primitive": "dense_search", "args": {"from": "tuned"}}',
        '{"id": "b", "primitive": "entity_search",\n "args": {"restart": 1.5}}',
        '{"id": "c", "primitive": "lexical_search", "merge": "add"}',
        '{"id": "d", "primitive": "temporal_focus_expand"}',
        '{"primitive": "similarity_expand", "wieght": 1, "budget": 0}',
    )
    known = ", ".join(sorted(PRIMITIVES))
    assert problems(header + body) == [
        (1, "the front matter lacks 'preference'"),
        (
            2,
            "name 'Near And Beside': expected lower-case letters and digits with "
            "single hyphens",
        ),
        (4, "no field 'prefrence'; known: name, description, preference"),
        (9, f"node 'a' uses primitive 'graph_search'; known: {known}"),
        (10, "node 'b' gives dense_search the argument 'from'; known: form, late"),
        (11, "node 'b' comes twice"),
        (12, "node 'b' argument 'restart': expected a number from 0 to 1, got 1.5"),
        (
            13,
            "node 'c' field 'merge': expected one of replace, sum, rrf, intersect, "
            "rerank, got 'add'",
        ),
        (
            14,
            "node 'd': temporal_focus_expand needs 'time_range' as an argument or "
            "from an earlier node that writes it, or range 'question'",
        ),
        (
            15,
            "node '(without id)' field 'budget': expected a whole number from 1, or "
            "null, got 0",
        ),
        (
            15,
            "node '(without id)' has no field 'wieght'; known: id, primitive, args, "
            "merge, weight, budget",
        ),
        (15, "node '(without id)' lacks 'id'"),
    ]


TEMPORAL = '{"id": "when", "primitive": "temporal_focus_expand"%s}'


def test_a_time_range_may_be_given_as_an_argument():
    days = ', "args": {"time_range": ["2024-01-01", "2024-01-31"]}'
    skill = parse_skill(HEADER + program(TEMPORAL % days), "x.md")
    assert skill.program[0].args == {"time_range": ("2024-01-01", "2024-01-31")}


def test_a_time_range_may_be_written_by_an_earlier_node():
    llm = '{"id": "dates", "primitive": "llm_process"}'
    parse_skill(HEADER + program(llm, TEMPORAL % ""), "x.md")
    assert problems(HEADER + program(TEMPORAL % "", llm))[0][0] == 9


def test_a_time_range_of_null_is_none():
    given = ', "args": {"time_range": null}'
    assert "needs 'time_range'" in problems(HEADER + program(TEMPORAL % given))[0][1]


def test_a_time_range_may_be_read_from_the_question():
    read = ', "args": {"range": "question", "days_after": 0}'
    skill = parse_skill(HEADER + program(TEMPORAL % read), "x.md")
    assert skill.program[0].args == {"range": "question", "days_after": 0}
    assert problems(HEADER + program(TEMPORAL % ', "args": {"range": "given"}'))


@pytest.mark.parametrize(
    ("primitive", "args", "message"),
    [
        (
            "temporal_focus_expand",
            '{"range": "question", "form": "literal"}',
            "the literal form needs an explicit range; leave out 'range' or 'form'",
        ),
        (
            "dense_search",
            '{"form": "literal", "late": true}',
            "'late' reads the question without names; leave out the literal form",
        ),
    ],
)
def test_arguments_that_contradict_each_other_are_told(primitive, args, message):
    node = f'{{"id": "a", "primitive": "{primitive}",\n "args": {args}}}'
    assert problems(HEADER + program(node)) == [(10, f"node 'a': {message}")]


def test_a_primitive_of_ones_own_is_checked_like_the_others():
    own = Primitive(
        "moon_phase",
        "process",
        lambda query, state, view, args: Step(),
        {"nights": Argument("count", 3)},
        writes=("time_range",),
    )
    known = {**PRIMITIVES, own.name: own}
    moon = '{"id": "moon", "primitive": "moon_phase", "args": {"nights": %s}}'
    skill = parse_skill(
        HEADER + program(moon % 2, TEMPORAL % ""), "x.md", primitives=known
    )
    assert skill.path == ("moon_phase", "temporal_focus_expand")
    assert problems(HEADER + program(moon % '"two"'), primitives=known) == [
        (
            9,
            "node 'moon' argument 'nights': expected a whole number from 1, got 'two'",
        )
    ]


@pytest.mark.parametrize("merge", ["intersect", "rerank"])
def test_the_first_node_cannot_work_on_evidence(merge):
    node = f'{{"id": "a", "primitive": "dense_search", "merge": "{merge}"}}'
    assert problems(HEADER + program(node)) == [
        (9, f"node 'a' comes first, so '{merge}' has no evidence to work on")
    ]


@pytest.mark.parametrize(
    ("block", "line", "message"),
    [
        ("[\n{'id': 1}\n]", 9, "not JSON: Expecting property name"),
        ("[]", 8, "expected a JSON list of at least one node"),
        ("{}", 8, "expected a JSON list of at least one node"),
        ('["dense_search"]', 8, "expected a JSON list of at least one node"),
        ("", 8, "not JSON: Expecting value"),
        ("[" * 100_000, 8, "not a program: brackets nested without end"),
        (
            '[{"id": "a", "id": "b", "primitive": "dense_search"}]',
            8,
            "key 'id' comes twice in one node",
        ),
        (
            '[{"id": "a", "primitive": "dense_search", "weight": NaN}]',
            8,
            "node 'a' field 'weight': expected a number above 0, got nan",
        ),
        (
            '[{"id": "a", "primitive": "dense_search", "weight": 0}]',
            8,
            "node 'a' field 'weight': expected a number above 0, got 0",
        ),
        (
            '[{"id": 7, "primitive": ["dense_search"], "args": []}]',
            8,
            "node 7 field 'args': expected an object of arguments, got []",
        ),
        (
            '[{"id": "half \\ud83d", "primitive": "dense_search"}]',
            8,
            "node 'half \\ud83d' field 'id': expected a text",
        ),
    ],
)
def test_a_program_that_is_none_is_refused(block, line, message):
    found = problems(f"{HEADER}\n```json program\n{block}\n```\n")
    assert found[0][0] == line
    assert found[0][1].startswith(message)


def test_lines_are_right_after_strings_that_hold_brackets():
    first = '{"id": "a}, {", "primitive": "lexical_search"}'
    second = '{"id": "b", "primitive": "nothing"}'
    assert problems(HEADER + program(first, second))[0][0] == 10


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("", (1, "expected front matter between two lines `---` at the top")),
        ("# A skill\n" + HEADER, (1, "expected front matter")),
        ("---\nname: x\n", (1, "expected front matter")),
        ("---\nname: [x\n---\n", (2, "the front matter is not YAML")),
        ("---\n- x\n---\n", (2, "the front matter is not YAML: expected `key: value`")),
        (HEADER.replace("Anything", ""), (4, "'preference' is empty")),
        (HEADER.replace("Anything", "[a]"), (4, "`preference` is a list or a map")),
        (HEADER + "name: x\n", (6, "expected one block ```json program, found 0")),
        (HEADER + PROGRAM * 2, (25, "expected one block ```json program, found 2")),
        (HEADER + "```json program\n[]\n", (6, "the fence ```json program is never")),
    ],
)
def test_a_file_of_another_shape_is_refused(markdown, expected):
    found = problems(markdown)
    assert any(
        line == expected[0] and message.startswith(expected[1])
        for line, message in found
    ), found


def test_a_fence_inside_another_fence_is_no_program():
    shown = "\n````markdown\n```json program\n[]\n```\n````\n"
    assert parse_skill(HEADER + shown + PROGRAM, "x.md").path[0] == "dense_search"


def test_half_a_surrogate_pair_is_told():
    found = problems(HEADER.replace("Anything", "half \ud83d") + PROGRAM)
    assert found == [(4, "one half of a surrogate pair stands alone")]


TEXTS = st.text(min_size=1).map(lambda text: tidy(text)[0]).filter(str.strip)
NODES = st.lists(
    st.builds(
        Node,
        id=TEXTS,
        primitive=st.just("relation_expand"),
        args=st.fixed_dictionaries(
            {},
            optional={
                "seeds": st.integers(min_value=1),
                "relations": st.none() | st.lists(TEXTS, min_size=1).map(tuple),
            },
        ),
        merge=st.sampled_from([rule for rule in MERGES if rule[0] in "s"]),
        weight=st.floats(min_value=0.001, allow_infinity=False, allow_nan=False),
        budget=st.none() | st.integers(min_value=1),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda node: node.id,
)


@given(description=TEXTS, preference=TEXTS, nodes=NODES)
def test_a_rendered_skill_is_read_as_the_same(description, preference, nodes):
    skill = RetrievalSkill("made-up", description, preference, tuple(nodes), "")
    text = render_skill(skill)
    again = parse_skill(text, "x.md")
    assert again.program == skill.program
    assert (again.name, again.description, again.preference) == (
        skill.name,
        skill.description,
        skill.preference,
    )
    assert render_skill(again) == text


def test_skills_of_files_and_folders_are_read_by_name(tmp_path):
    for name in ("zebra", "ape"):
        text = (HEADER + PROGRAM).replace("near-and-beside", name)
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    skills = read_skills([tmp_path, tmp_path / "zebra.md"])
    assert [skill.name for skill in skills] == ["ape", "zebra"]


def test_problems_of_several_files_are_told_together(tmp_path):
    (tmp_path / "a.md").write_text("nothing", encoding="utf-8")
    (tmp_path / "b.md").write_bytes(b"\xff\xfe")
    for name in ("c", "d"):
        (tmp_path / f"{name}.md").write_text(HEADER + PROGRAM, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_skills([tmp_path])
    message = str(caught.value)
    assert "a.md:1: expected front matter" in message
    assert "b.md is not UTF-8 (byte 0)" in message
    assert f"the name 'near-and-beside' is that of {tmp_path / 'c.md'} too" in message


def test_a_path_without_skills_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none.md"):
        with pytest.raises(InputError, match="no retrieval skill at"):
            read_skills([path])
