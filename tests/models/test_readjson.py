"""What models write around their JSON, and what must never be taken for it."""

from typing import Literal

import pytest
from pydantic import BaseModel, RootModel

from skillmill.models.readjson import mend_text, read_json
from tests.models.endpoint import Label


class Loose(BaseModel):
    """A model that accepts any object: every field has a default."""

    label: str = ""
    parts: list[str] = []


class Event(BaseModel):
    id: str
    event: Literal["UPDATE", "DELETE"] = "UPDATE"


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "cause", "why": "it rains"}',
        '```json\n{"label": "cause", "why": "it rains"}\n```',
        '```\n{"label": "cause", "why": "it rains"}```',
        'Sure! Here it is:\n{"label": "cause", "why": "it rains"}\nHope this helps.',
        '\ufeff {"label": "cause", "why": "it rains"}\n',
        'In [0, 1) and {braces} [1] says: {"label": "cause", "why": "it rains"}',
        '<think>{"label": "effect"} or not</think>{"label":"cause","why":"it rains"}',
        '[THINK]{"label": "effect"}?[/THINK] {"label":"cause","why":"it rains"}',
        '<thinking>{"label": "effect"}</thinking>{"label":"cause","why":"it rains"}',
        '<|channel|>analysis<|message|>{"label":"effect"}<|end|><|channel|>final'
        '<|message|>{"label":"cause","why":"it rains"}',
        '{"label": "cause", "why": "it rains",}',
        "The set {'cause', 'effect'} has {'label': 'cause', 'why': 'it rains'}",
        '{"label": "cause", "why": "it rains", "label": "cause"}',
        '{"label": "cause", "why": "it rains"} and again'
        ' {"label": "cause", "why": "it rains"}',
    ],
)
def test_the_json_is_found_whatever_stands_around_it(text):
    reading = read_json(text, Label)
    assert reading.value == Label(label="cause", why="it rains")
    assert reading.reason == ""


def test_a_raw_newline_in_a_string_is_read():
    assert read_json('{"label": "cause", "why": "two\nlines"}', Label).value == Label(
        label="cause", why="two\nlines"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no-json"),
        ("The first one causes the second.", "no-json"),
        ('{"label": "cau', "broken-json"),
        ('{"label": "cause", "why": "it', "broken-json"),
        ('{"label": "cause"', "broken-json"),
        ("{'label': 'cau", "broken-json"),
        ("{'label': 'cause', 'why': 'it's wet'}", "broken-json"),
        ('{"label": "effect", "label": "cause"}', "broken-json"),
        ('{"label": "cause", "why": "he said "no" to it"}', "broken-json"),
        ('{"label": "reason"}', "invalid"),
        ('{"why": "it rains"}', "invalid"),
        ('[{"label": "cause"}]', "invalid"),
        ('{"label": "cause", "why": NaN}', "broken-json"),
        ('{"label": "cause"} or rather {"label": "effect"}', "ambiguous"),
        ("[" * 100_000, "broken-json"),
        ('{"a":' * 100_000, "broken-json"),
        # A minute and more if each bracket were read to the end of the text.
        ("[1 " * 10_000, "broken-json"),
    ],
)
def test_what_is_no_answer_has_a_reason(text, reason):
    reading = read_json(text, Label)
    assert reading.value is None
    assert reading.reason == reason
    assert reading.message


def test_python_is_read_for_json():
    text = """{'label': 'a "b" it\\'s, ]', 'parts': ['x', "y,}",], 'is': [None]}"""
    reading = read_json(text, Loose)
    assert reading.value == Loose(label='a "b" it\'s, ]', parts=["x", "y,}"])
    assert read_json("[{'id': '1'}, ]", RootModel[list[Event]]).value.root[0].id == "1"


def test_a_part_of_a_broken_object_is_not_taken_for_the_whole():
    """`Loose` accepts any object, so looking inside would find a wrong answer."""
    cut = '{"label": "a", "inner": {"label": "b"}, "parts": ["c", '
    broken = '{"label": "say "x"", "inner": {"label": "b"}}'
    assert read_json(cut, Loose).reason == "broken-json"
    assert read_json(broken, Loose).reason == "broken-json"


def test_a_draft_before_a_broken_answer_does_not_count():
    text = 'Draft: {"label": "cause"}. Final: {"label": "eff'
    assert read_json(text, Label).reason == "broken-json"


def test_the_message_names_the_field_and_what_came():
    message = read_json('{"label": "reason"}', Label).message
    assert message.startswith("label: Input should be 'cause' or 'effect'")
    assert "reason" in message


def test_many_problems_are_told_in_one_short_line():
    items = ", ".join('{"event": "NO"}' for _ in range(50))
    message = read_json(f"[{items}]", RootModel[list[Event]]).message
    assert message.endswith("and 95 more")
    assert len(message) < 600


def test_a_list_is_read_for_a_model_of_lists_u35():
    text = 'Events: [{"id":"12","event":"UPDATE"},{"id":"1"}]'
    value = read_json(text, RootModel[list[Event]]).value
    assert [item.id for item in value.root] == ["12", "1"]


def test_half_a_surrogate_pair_becomes_the_replacement_character():
    value = read_json(
        '{"label": "cause", "why": "a\\ud83d b\\ud83d\\ude00"}', Label
    ).value
    assert value.why == "a\ufffd b\U0001f600"
    assert mend_text("x\ud800y") == "x\ufffdy"
