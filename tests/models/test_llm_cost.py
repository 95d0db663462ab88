"""What is counted, foretold and bounded."""

from dataclasses import replace

import pytest

from skillmill.errors import ConfigError, LimitError
from skillmill.models.chat import unanswered
from skillmill.models.failures import check_failed_share
from skillmill.models.forecast import Forecast
from skillmill.models.llm import ChatClient
from skillmill.models.usage import Budget, Spent, estimate_tokens
from tests.models.endpoint import (
    FakeTime,
    MemoryReplies,
    Script,
    refuses,
    request,
    requests,
    rng,
    says,
    settings,
)

#: 20 tokens of prompt and 5 of reply: 20 * 2 + 5 * 8 = 80 millionths.
PRICED = settings(price_in=2.0, price_out=8.0, max_tokens=100)


def client(script, replies=None, roles=None, **options):
    return ChatClient(
        roles or {"linker": PRICED},
        replies if replies is not None else MemoryReplies(),
        rng=rng(),
        http_client=script.client(),
        **options,
    )


def test_tokens_and_money_are_summed_by_role_and_stage():
    roles = {"linker": PRICED, "judge": settings(price_in=None)}
    asked = [*requests(3), request("j", role="judge", stage="answers")]
    with client(Script(says()), roles=roles) as chat:
        chat.ask_many(asked)
        chat.ask_many(asked)
        judge, linker = chat.ledger.rows()
        total = chat.ledger.total()
    assert linker == Spent(
        "linker", "relations", questions=6, recorded=3, calls=3, replies=3,
        prompt_tokens=60, completion_tokens=15, money=pytest.approx(240e-6),
    )  # fmt: skip
    assert (judge.calls, judge.money) == (1, None)
    assert (total.calls, total.prompt_tokens) == (4, 80)
    assert total.money == pytest.approx(240e-6)


def test_a_repair_is_paid_for_too():
    with client(Script(says("{}"), says())) as chat:
        chat.ask_many([request()])
        [spent] = chat.ledger.rows()
    assert (spent.questions, spent.calls, spent.replies) == (1, 2, 2)
    assert spent.money == pytest.approx(160e-6)


def test_an_estimate_sends_nothing_and_counts_what_is_recorded_as_free():
    script = Script(says())
    questions = [request(f"r{n}", text="x" * 400 + str(n)) for n in range(10)]
    with client(script) as chat:
        chat.ask_many(questions[:4])
        before = len(script.asked)
        [told] = chat.estimate([*questions, questions[9]])
        assert len(script.asked) == before
        # 401 characters each, a quarter of that rounded up, and 100 of reply.
        assert told == Forecast(
            "linker", "relations", questions=11, recorded=4, calls=6,
            prompt_tokens=606, completion_tokens=600,
            money=pytest.approx((606 * 2 + 600 * 8) / 1e6),
        )  # fmt: skip
        chat.ask_many([*questions, questions[9]])
        assert len(script.asked) - before == told.calls
        assert chat.estimate(questions)[0].calls == 0
        assert chat.estimate([]) == []


def test_an_estimate_without_a_limit_or_a_price_admits_it():
    roles = {"linker": settings(max_tokens=None, price_in=1.0, price_out=1.0)}
    with client(Script(says()), roles=roles) as chat:
        [told] = chat.estimate([request()])
    assert (told.completion_tokens, told.money) == (None, None)


@pytest.mark.parametrize(
    ("budget", "calls"),
    [(Budget(calls=4), 4), (Budget(tokens=100), 4), (Budget(money=320e-6), 4),
     (Budget(tokens=101), 5), (Budget(calls=0), 0)],
)  # fmt: skip
def test_a_budget_stops_the_run_and_the_next_run_goes_on(budget, calls):
    script, replies = Script(says()), MemoryReplies()
    one_by_one = {"linker": replace(PRICED, concurrency=1)}
    with client(script, replies, one_by_one, budget=budget) as chat:
        with pytest.raises(LimitError, match=f"is spent: {calls} calls.*run again"):
            chat.ask_many(requests(10))
        with pytest.raises(LimitError):
            chat.ask_many([request("another")])
    assert len(script.asked) == calls
    assert len(replies.rows) == calls
    with client(script, replies) as chat:
        assert len(chat.ask_many(requests(10))) == 10
    assert len(script.asked) == 10


def test_a_budget_of_calls_holds_with_many_workers():
    script = Script(says(delay=0.01))
    with client(script, budget=Budget(calls=7)) as chat, pytest.raises(LimitError):
        chat.ask_many(requests(50))
    assert len(script.asked) == 7


def test_retries_count_against_the_budget():
    script = Script(refuses(500))
    with (
        client(script, budget=Budget(calls=3), clock=FakeTime().clock) as chat,
        pytest.raises(LimitError, match="3 calls"),
    ):
        chat.ask_many([request()])


def test_a_budget_of_money_needs_a_price():
    with pytest.raises(ConfigError, match=r"'linker'.*price_in and price_out"):
        client(Script(says()), roles={"linker": settings()}, budget=Budget(money=1.0))


def test_what_is_recorded_fits_any_budget():
    script, replies = Script(says()), MemoryReplies()
    with client(script, replies) as chat:
        chat.ask_many(requests(5))
    with client(script, replies, budget=Budget(calls=0, tokens=0, money=0.0)) as chat:
        assert all(outcome.state == "ok" for outcome in chat.ask_many(requests(5)))


def test_the_estimate_is_a_quarter_of_the_characters():
    assert estimate_tokens([]) == 0
    assert estimate_tokens([{"content": "abcd"}, {"content": "e"}]) == 2


def test_too_many_failures_end_the_run_with_model_stage_and_first_cause_u34():
    script = Script(says("ok"))
    with client(script) as chat:
        outcomes = chat.ask_many(requests(10))
    with pytest.raises(LimitError) as caught:
        check_failed_share(outcomes, 0.2, stage="relations", model="tiny")
    message = str(caught.value)
    assert "stage 'relations', model 'tiny': 10 of 10 questions" in message
    assert "(10 no-json)" in message
    assert "20% are allowed" in message
    assert "record 'r0': there is no JSON in 'ok'" in message


def test_a_dead_endpoint_is_a_failure_and_not_an_empty_answer_u32():
    with client(Script(refuses(404, "no such model"))) as chat:
        outcomes = chat.ask_many(requests(10))
    with pytest.raises(
        LimitError, match=r"9 endpoint-down, 1 not-found.*no such model"
    ):
        check_failed_share(outcomes, 0.2, stage="answers", model="tiny")


@pytest.mark.parametrize(("share", "raises"), [(0.2, False), (0.19, True), (0.0, True)])
def test_the_share_itself_is_allowed(share, raises):
    fine = [unanswered(request(f"r{n}"), "skipped", "off", "") for n in range(4)]
    outcomes = [*fine, unanswered(request("bad"), "failed", "length", "cut")]
    if raises:
        with pytest.raises(LimitError, match="record 'bad': cut"):
            check_failed_share(outcomes, share, stage="s", model="m")
    else:
        check_failed_share(outcomes, share, stage="s", model="m")
    check_failed_share([], 0.0, stage="s", model="m")
