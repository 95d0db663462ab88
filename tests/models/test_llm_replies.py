"""Replies of every shape, from an endpoint in process."""

import pytest

from skillmill.errors import ConfigError, ModelError
from skillmill.models.llm import ChatClient
from tests.models.asking import ask
from tests.models.endpoint import (
    Label,
    MemoryReplies,
    Reply,
    Script,
    request,
    requests,
    rng,
    says,
    settings,
)

GOOD = says('{"label": "cause"}')
CAUSE = Label(label="cause")


def test_a_good_reply_is_a_validated_object_with_its_usage():
    script = Script(GOOD)
    outcome, client = ask(script)
    assert (outcome.state, outcome.value, outcome.reason) == ("ok", CAUSE, "")
    assert (outcome.usage.prompt_tokens, outcome.usage.completion_tokens) == (20, 5)
    assert not outcome.usage.estimated
    assert not outcome.from_record
    [spent] = client.ledger.rows()
    assert (spent.questions, spent.calls, spent.replies) == (1, 1, 1)
    sent = script.asked[0]
    assert sent["model"] == "tiny"
    assert sent["temperature"] == 0.0
    assert sent["response_format"]["json_schema"]["strict"] is True


def test_ask_gives_the_outcome_of_one_question():
    with ChatClient(
        {"linker": settings()},
        MemoryReplies(),
        rng=rng(),
        http_client=Script(GOOD).client(),
    ) as client:
        outcome = client.ask(
            "linker",
            [{"role": "user", "content": "How do they relate?"}],
            Label,
            schema_name="label",
            stage="relations",
            record="r1",
        )
    assert outcome.value.label == "cause"


@pytest.mark.parametrize(
    "content",
    [
        '```json\n{"label": "cause"}\n```',
        'Well: {"label": "cause"} is my answer.',
        '{"label": "cause",\n "why": ""}',
    ],
)
def test_fences_and_prose_around_json_need_no_second_call(content):
    script = Script(says(content))
    outcome, _ = ask(script)
    assert outcome.value == CAUSE
    assert len(script.asked) == 1


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ('{"label": "reason"}', "Input should be 'cause' or 'effect'"),
        ('{"label": "cau', "breaks off"),
        ('{"label": "cause"} or {"label": "effect"}', "2 different values"),
    ],
)
def test_a_bad_reply_is_sent_back_once_with_what_is_wrong(bad, problem):
    replies = MemoryReplies()
    script = Script(says(bad), GOOD)
    outcome, _ = ask(script, replies=replies)
    assert outcome.value == CAUSE
    assert outcome.usage.tokens == 50
    question, quoted, complaint = script.asked[1]["messages"]
    assert question == script.asked[0]["messages"][0]
    assert quoted == {"role": "assistant", "content": bad}
    assert problem in complaint["content"]
    assert '"enum": ["cause", "effect"]' in complaint["content"]
    assert [row["state"] for row in replies.rows] == ["invalid", "ok"]
    assert replies.rows[1]["repairs"] == replies.rows[0]["key"]


def test_a_reply_that_stays_bad_is_a_failure_after_two_calls():
    script = Script(says('{"label": "reason"}'))
    outcome, client = ask(script)
    assert (outcome.state, outcome.reason, outcome.value) == ("failed", "invalid", None)
    assert "label: Input should be 'cause' or 'effect'" in outcome.message
    assert len(script.asked) == 2
    assert client.ledger.rows()[0].failed == 1


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (says('{"label": "cause"}', "length"), "length"),
        (says('{"label": "cause"}', "content_filter"), "content-filter"),
        (says(None, message={"refusal": "I would rather not."}), "refusal"),
        (says(""), "no-content"),
        (says(None), "no-content"),
        (says(None, "tool_calls", message={"tool_calls": []}), "no-content"),
        (Reply(body=b'{"choices": []}'), "no-choices"),
        (Reply(body=b'{"choices": null}'), "no-choices"),
        (says('{"label": "cause"}', "MAX_TOKENS"), "length"),
        (says('{"label": "cause"}', "model_length"), "length"),
        (says(None, message={"reasoning_content": "A cause."}), "only-reasoning"),
        (Reply(body=b'{"error": "the model is not loaded"}'), "error-body"),
        (Reply(body=b'{"error": {"message": "no credit", "code": 402}}'), "refused"),
        (Reply(body=b'["choices"]'), "body-shape"),
        (
            Reply(headers={"content-type": "text/html"}, body=b"<p>Log in</p>"),
            "content-type",
        ),
        (Reply(headers={}, body=b""), "content-type"),
    ],
)
def test_what_is_no_reply_fails_at_once_with_its_reason(reply, reason):
    replies = MemoryReplies()
    script = Script(reply)
    outcome, _ = ask(script, replies=replies)
    assert (outcome.state, outcome.reason, outcome.value) == ("failed", reason, None)
    assert len(script.asked) == 1
    assert [(row["state"], row["reason"]) for row in replies.rows] == [
        ("failed", reason)
    ]


@pytest.mark.parametrize(
    "first",
    [
        Reply(body=b'{"error": {"message": "overloaded", "code": 503}}'),
        Reply(body=b'{"error": {"message": "later", "code": "429"}, "choices": []}'),
        says('{"label": "effect"}', "error"),
    ],
)
def test_an_error_under_a_good_status_is_tried_again_if_it_may_pass(first):
    script = Script(first, GOOD)
    outcome, _ = ask(script)
    assert outcome.value == CAUSE
    assert len(script.asked) == 2


def test_a_byte_order_mark_before_the_body_is_no_part_of_it():
    outcome, _ = ask(Script(Reply(body=b"\xef\xbb\xbf" + says().body)))
    assert outcome.value == CAUSE


def test_a_reply_cut_at_the_most_tokens_is_never_read_even_if_it_parses_u68():
    outcome, _ = ask(Script(says('{"label": "cause"}', "length")))
    assert outcome.value is None
    assert "max_tokens" in outcome.message


def test_an_empty_list_of_tool_calls_beside_prose_is_no_hindrance_u74():
    reply = says(
        'The label: {"label": "cause"}.', "tool_calls", message={"tool_calls": []}
    )
    script = Script(reply)
    outcome, _ = ask(script)
    assert outcome.value == CAUSE
    assert "tools" not in script.asked[0]


def test_content_in_parts_is_read():
    parts = [
        {"type": "text", "text": '{"label":'},
        {"type": "text", "text": '"cause"}'},
    ]
    outcome, _ = ask(Script(says(None, message={"content": parts})))
    assert outcome.value == CAUSE


def test_json_under_a_wrong_content_type_is_read_all_the_same():
    outcome, _ = ask(Script(says(headers={"content-type": "text/plain"})))
    assert outcome.value == CAUSE


def test_usage_that_is_not_reported_is_estimated_and_said_to_be():
    reply = says(usage={"prompt_tokens": None})
    outcome, client = ask(Script(reply), questions=[request(text="x" * 400)])
    assert outcome[0].usage.estimated
    assert outcome[0].usage.prompt_tokens == 100
    assert client.ledger.rows()[0].estimated == 1


def test_the_order_is_kept_and_the_concurrency_bounded():
    def echo(body):
        number = int(body["messages"][0]["content"].split("r")[1].split()[0])
        return says(
            f'{{"label": "cause", "why": "{number}"}}', delay=0.002 * (number % 5)
        )

    questions = [request(f"r{n}", text=f"r{n} ?") for n in range(40)]
    script = Script(echo)
    outcomes, _ = ask(script, questions=questions, concurrency=5)
    assert [outcome.value.why for outcome in outcomes] == [str(n) for n in range(40)]
    assert script.most_at_once == 5


def test_a_prompt_that_cannot_fit_is_not_sent():
    script = Script(GOOD)
    question = request(text="x" * 8000)
    outcome, _ = ask(script, questions=[question], context_tokens=2500, max_tokens=600)
    assert outcome[0].reason == "too-long"
    assert script.asked == []
    outcome, _ = ask(script, questions=[question], context_tokens=2600, max_tokens=600)
    assert outcome[0].state == "ok"


def test_a_server_that_cuts_prompts_is_warned_of_once_u68(caplog):
    cut = says(usage={"prompt_tokens": 4096, "completion_tokens": 9})
    questions = [request(f"r{n}", text="word " * 7200 + str(n)) for n in range(3)]
    _, client = ask(Script(cut), questions=questions)
    assert len([r for r in caplog.records if "may cut prompts" in r.message]) == 1
    [note] = client.notes
    assert "counted 4,096 tokens where about 9,00" in note


def test_a_short_prompt_raises_no_such_alarm():
    reply = says(usage={"prompt_tokens": 3, "completion_tokens": 9})
    _, client = ask(Script(reply), questions=[request(text="word " * 700)])
    assert client.notes == []


def test_a_lone_surrogate_in_a_prompt_is_sent_as_the_replacement_character():
    script = Script(GOOD)
    outcomes, _ = ask(script, questions=[request(text="a\ud800b")])
    assert outcomes[0].state == "ok"
    assert script.asked[0]["messages"][0]["content"] == "a\ufffdb"


def test_off_asks_nothing_and_looks_nothing_up():
    with ChatClient({}, MemoryReplies(), rng=rng(), mode="off") as client:
        [outcome] = client.ask_many([request()])
        assert client.estimate([request()]) == []
    assert (outcome.state, outcome.reason) == ("skipped", "off")


def test_replay_without_a_record_names_role_stage_and_record():
    script = Script(GOOD)
    with (
        ChatClient(
            {"linker": settings(key_variable="NOT_SET_ANYWHERE")},
            MemoryReplies(),
            rng=rng(),
            mode="replay",
            http_client=script.client(),
        ) as client,
        pytest.raises(
            ModelError, match=r"2 of 2 .*'linker'.*'relations'.*'r0'.*mode live"
        ),
    ):
        client.ask_many(requests(2))
    assert script.asked == []


def test_a_role_without_a_model_is_named_with_those_that_have_one():
    with pytest.raises(ConfigError, match="'judge' has no model; known: linker"):
        ask(Script(GOOD), questions=[request(role="judge")])


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"base_url": "localhost:8000"}, "expected a base URL"),
        ({"base_url": "http://h/v1?api-key=s3cret99"}, "with a query"),
        ({"base_url": "http://h/v1/chat/completions"}, "which goes on to"),
        ({"base_url": "http://h:port/v1"}, "cannot be read"),
    ],
)
def test_a_base_url_that_cannot_be_used_is_refused_without_its_secrets(changes, match):
    with pytest.raises(ConfigError, match=match) as caught:
        ask(Script(GOOD), **changes)
    assert "s3cret99" not in str(caught.value)


@pytest.mark.parametrize(
    "changes", [{"max_tries": 0}, {"timeout_s": float("nan")}, {"extra": {"tools": []}}]
)
def test_settings_that_make_no_sense_are_refused(changes):
    with pytest.raises(ConfigError):
        settings(**changes)


def test_requests_in_a_running_event_loop_work_too():
    import asyncio

    async def caller():
        return ask(Script(GOOD))[0]

    assert asyncio.run(caller()).value == CAUSE
