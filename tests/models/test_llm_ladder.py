"""What an endpoint can do: found out with few requests, remembered, and noted."""

from dataclasses import replace
from typing import Literal

import pytest
from pydantic import BaseModel, RootModel

from skillmill.models.answer import refused_parameter
from skillmill.models.ladder import Shape, body_of, sent_key, strict_schema
from tests.models.asking import client
from tests.models.endpoint import (
    URL,
    Label,
    MemoryReplies,
    Script,
    refuses,
    request,
    requests,
    says,
)

GOOD = says('{"label": "cause"}')
KEY = (URL, "tiny")


class Nested(BaseModel):
    parts: list[Label]
    kind: Literal["a", "b"] = "a"


class Free(BaseModel):
    scores: dict[str, float]


def server(*refused_formats, reply=GOOD, status=400):
    """A server that refuses some kinds of response_format, in words of its own."""

    def answer(body):
        kind = body.get("response_format", {}).get("type", "none")
        if kind in refused_formats:
            return refuses(status, "Das kann ich nicht.")
        return reply

    return Script(answer)


@pytest.mark.parametrize("status", [400, 422, 501])
@pytest.mark.parametrize(
    ("refused", "formats"),
    [
        ([], ["json_schema"]),
        (["json_schema"], ["json_schema", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "json_object", None]),
    ],
)
def test_it_steps_down_by_status_and_remembers_u67(status, refused, formats):
    replies = MemoryReplies()
    script = server(*refused, status=status)
    with client(script, replies) as first:
        outcomes = first.ask_many(requests(6))
    assert {outcome.state for outcome in outcomes} == {"ok"}
    assert script.formats == formats + [formats[-1]] * 5
    again = server(*refused, status=status)
    with client(again, replies) as second:
        assert second.ask_many(requests(6)) == [
            replace(outcome, from_record=True) for outcome in outcomes
        ]
        assert second.ask_many([request("new")])[0].state == "ok"
    assert again.formats == formats[-1:]


def test_the_schema_is_in_the_prompt_where_the_server_does_not_get_it_u67():
    script = server("json_schema", "json_object")
    with client(script, MemoryReplies()) as chat:
        chat.ask_many([request()])
    by_schema, by_object, by_prompt = script.asked
    assert "JSON schema" not in by_schema["messages"][-1]["content"]
    for body in (by_object, by_prompt):
        assert '"enum": ["cause", "effect"]' in body["messages"][-1]["content"]
        assert len(body["messages"]) == 1
    assert "response_format" not in by_prompt


def test_a_server_that_only_talks_costs_two_probes_and_fails_honestly_u67():
    script = Script(says("They are related in some way."))
    replies = MemoryReplies()
    with client(script, replies, concurrency=1) as chat:
        outcomes = chat.ask_many(requests(3))
    assert {(o.state, o.reason) for o in outcomes} == {("failed", "no-json")}
    assert script.formats == ["json_schema", "json_object", None, None, None, None]
    assert replies.notes == {}


def test_a_server_that_ignores_the_schema_but_can_follow_a_prompt_is_found_out_u67():
    def answer(body):
        told = "JSON schema" in str(body["messages"])
        return GOOD if told else says("Related.")

    script = Script(answer)
    replies = MemoryReplies()
    with client(script, replies, concurrency=1) as chat:
        outcomes = chat.ask_many(requests(4))
    assert {outcome.state for outcome in outcomes} == {"ok"}
    # One repair, and from then on each question is understood at once.
    assert len(script.asked) == 5
    assert replies.notes[KEY] == {"rung:*": "json_object"}


def test_prose_later_on_does_not_lower_a_rung_that_was_proven():
    script = Script(GOOD, says("Hm."), GOOD, GOOD)
    with client(script, MemoryReplies(), concurrency=1) as chat:
        chat.ask_many(requests(3))
    assert script.formats == ["json_schema"] * 4


def test_many_workers_probe_once_u67():
    script = server("json_schema", "json_object")
    with client(script, MemoryReplies(), concurrency=16) as chat:
        chat.ask_many(requests(40))
    assert len(script.asked) == 42


def test_a_schema_that_is_refused_by_a_good_server_has_a_rung_of_its_own():
    def answer(body):
        described = body.get("response_format", {}).get("json_schema", {})
        return refuses(400) if described.get("name") == "odd" else GOOD

    script, replies = Script(answer), MemoryReplies()
    with client(script, replies) as chat:
        chat.ask_many([request("a")])
        assert chat.ask_many([request("b", schema_name="odd")])[0].state == "ok"
        chat.ask_many([request("c")])
    assert script.formats == [
        "json_schema",
        "json_schema",
        "json_object",
        "json_schema",
    ]
    assert replies.notes[KEY] == {"rung:odd": "json_object"}


def test_a_question_that_is_refused_in_every_shape_teaches_nothing():
    """A prompt that is too long is refused on every rung."""

    def answer(body):
        return refuses(400) if "long" in body["messages"][0]["content"] else GOOD

    script, replies = Script(answer), MemoryReplies()
    with client(script, replies, concurrency=1) as chat:
        outcomes = chat.ask_many(
            [request(f"r{n}", text=f"long {n}") for n in range(4)] + [request("short")]
        )
    assert [o.reason for o in outcomes] == ["refused"] * 4 + [""]
    assert script.formats[-1] == "json_schema"
    # Two are tried on three rungs, two once, and the last one is fine.
    assert len(script.asked) == 2 * 3 + 2 + 1
    assert replies.notes == {}


def test_a_fault_in_the_messages_is_no_reason_to_step_down():
    script = Script(refuses(400, param="messages", code="context_length_exceeded"))
    with client(script, MemoryReplies()) as chat:
        [outcome] = chat.ask_many([request()])
    assert outcome.reason == "refused"
    assert len(script.asked) == 1


def test_a_server_that_crashes_on_a_schema_is_asked_otherwise_but_not_for_good():
    """llama_cpp.server answers 500 to json_schema; an outage looks the same."""
    script, replies = server("json_schema", status=500), MemoryReplies()
    with client(script, replies) as chat:
        outcomes = chat.ask_many(requests(5))
    assert {outcome.state for outcome in outcomes} == {"ok"}
    assert script.formats == ["json_schema"] * 2 + ["json_object"] * 5
    assert replies.notes == {}
    with client(script, replies) as chat:
        assert all(o.from_record for o in chat.ask_many(requests(5)))


def test_always_500_is_bounded_over_all_rungs_u70():
    script = Script(refuses(500))
    with client(script, MemoryReplies(), max_tries=4) as chat:
        outcomes = chat.ask_many(requests(2))
    assert {outcome.reason for outcome in outcomes} == {"server-error"}
    # Each question has four tries, and two more by which rungs are looked at.
    assert len(script.asked) == 2 * (4 + 2)


@pytest.mark.parametrize(
    ("named", "expected", "noted"),
    [
        (
            "max_tokens",
            {"max_completion_tokens": 2048},
            "sent as 'max_completion_tokens'",
        ),
        ("temperature", {"temperature": None}, "replies may differ"),
        ("seed", {"seed": None}, "replies may differ"),
        ("top_p", {"top_p": None}, "is not sent"),
    ],
)
@pytest.mark.parametrize("form", ["param", "quoted", "detail"])
def test_a_refused_parameter_is_replaced_or_dropped_once_u73(
    named, expected, noted, form
):
    def answer(body):
        if named not in body:
            return GOOD
        if form == "param":
            return refuses(400, "Unsupported.", param=named)
        if form == "quoted":
            return refuses(400, f"Kein '{named}' bitte, und kein 'foo'.")
        detail = [{"loc": ["body", named], "type": "extra_forbidden"}]
        return refuses(422, "no", detail=detail)

    script, replies = Script(answer), MemoryReplies()
    changes = {"seed": 7, "extra": {"top_p": 0.9}}
    with client(script, replies, **changes) as chat:
        outcomes = chat.ask_many(requests(5))
        assert {outcome.state for outcome in outcomes} == {"ok"}
        assert any(named in note and noted in note for note in chat.notes)
        assert chat.refusals == chat.notes
    assert len(script.asked) == 6
    for name, value in expected.items():
        assert script.asked[-1].get(name) == value
    assert script.formats == ["json_schema"] * 6
    again = Script(answer)
    with client(again, replies, **changes) as chat:
        assert all(o.from_record for o in chat.ask_many(requests(5)))
        assert any(named in told for told in chat.refusals)
        chat.ask_many([request("new")])
        assert any(named in note for note in chat.notes)
    assert len(again.asked) == 1


def test_three_refused_parameters_and_a_refused_schema_are_found_out_in_one_go():
    def answer(body):
        for name in ("max_tokens", "temperature", "seed"):
            if name in body:
                return refuses(400, param=name)
        return refuses(400) if "response_format" in body else GOOD

    script = Script(answer)
    with client(script, MemoryReplies(), seed=1) as chat:
        assert all(o.state == "ok" for o in chat.ask_many(requests(10)))
    assert len(script.asked) == 10 + 3 + 2


def test_a_value_that_is_too_large_does_not_cost_the_parameter():
    """vLLM names max_tokens when prompt and reply do not fit the context."""
    script = Script(refuses(400, "'max_tokens' or so is too large: 9999"),
                    refuses(400, "'max_completion_tokens' is too large"))  # fmt: skip
    replies = MemoryReplies()
    with client(script, replies) as chat:
        [outcome] = chat.ask_many([request()])
    assert outcome.reason == "refused"
    assert len(script.asked) == 2
    assert replies.notes == {}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"param": "seed"}, "seed"),
        ({"param": "response_format.json_schema"}, "response_format"),
        ({"param": "stop"}, None),
        ({"param": None, "message": "'seed' is unknown"}, "seed"),
        ({"message": "`seed` and `temperature` are unknown"}, None),
        ({"message": "sow a seed at any temperature"}, None),
        ({"detail": [{"loc": ["body", "seed"]}]}, "seed"),
        ({"detail": "no"}, None),
        ({"message": ["seed"]}, None),
        ({}, None),
    ],
)
def test_the_refused_parameter_is_found_by_its_name(error, expected):
    sent = ["model", "messages", "seed", "temperature", "response_format"]
    assert refused_parameter(error, sent) == expected


def test_a_strict_schema_requires_every_field_and_allows_no_other():
    schema, strict = strict_schema(Nested)
    assert strict
    assert schema["required"] == ["parts", "kind"]
    assert schema["additionalProperties"] is False
    inner = schema["$defs"]["Label"]
    assert inner["required"] == ["label", "why"]
    assert "default" not in str(schema)
    assert "default" in str(Nested.model_json_schema())


@pytest.mark.parametrize("model", [Free, RootModel[list[Label]]])
def test_what_cannot_be_strict_is_sent_as_it_is(model):
    assert strict_schema(model) == (model.model_json_schema(), False)


def test_the_key_holds_all_that_is_sent_and_the_sample_unless_at_zero():
    def key(sample=0, version="1", url=URL, shape=None, **parameters):
        messages = [{"role": "user", "content": "?"}]
        shape = shape or Shape()
        body = body_of(shape, "tiny", messages, parameters, ("label", Label))
        return sent_key(body, url, version, sample)

    base = key(temperature=0.0)
    assert key(temperature=0.0) == base
    assert key(temperature=0.0, sample=3) == base
    others = [
        key(temperature=0.7), key(temperature=0.7, sample=1), key(), key(sample=1),
        key(temperature=0.0, version="2"), key(temperature=0.0, url=URL + "2"),
        key(temperature=0.0, seed=1), key(temperature=0.0, top_p=1),
        key(temperature=0.0, shape=Shape("json_object")),
    ]  # fmt: skip
    assert len({base, *others}) == 10
