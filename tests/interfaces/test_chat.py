"""A job asks as it is configured, within the run's budget, and logs what it spent."""

from types import SimpleNamespace

import pytest

from skillmill.config import check_config
from skillmill.errors import LimitError
from skillmill.interfaces.chat import asking, role_settings
from skillmill.interfaces.costs import costs_of, total_usd
from skillmill.models.chat import RoleSettings
from skillmill.store.costs import read_costs
from tests.models.endpoint import URL, Script, request, says

SECTION = {
    "mode": "live",
    "default": {"model": "tiny", "base_url": URL, "price_in": 1.0, "price_out": 2.0},
    "roles": {"router": {"model": "larger", "max_tokens": None}},
    "budget": {"calls": None, "tokens": None, "usd": None},
}


def job(folder, run="r1", role="router", **budget):
    """A running job of the rule `route`, of a run with this budget."""
    section = SECTION | {"budget": SECTION["budget"] | budget}
    return SimpleNamespace(
        run=run, rule="route", study="s", part="", records=folder, models=section
    )


def asked(this, count=1, script=None, record="r"):
    script = script or Script(says('{"label": "cause"}'))
    questions = [
        request(f"{record}{n}", role="router", stage="routes") for n in range(count)
    ]
    with asking(this, ["router"], script.client()) as client:
        outcomes = client.ask_many(questions)
    return outcomes, script


def test_a_role_has_the_default_under_what_it_sets_itself():
    assert role_settings(SECTION, "router").model == "larger"
    assert role_settings(SECTION, "router").max_tokens is None
    assert role_settings(SECTION, "answer").model == "tiny"


@pytest.mark.parametrize("role", ["router", "answer"])
def test_a_job_and_an_estimate_read_the_same_settings(role):
    of = check_config({"models": SECTION}).models.of(role)
    assert RoleSettings(**of.model_dump()) == role_settings(SECTION, role)


def test_without_roles_the_client_is_off_and_nothing_is_written(tmp_path):
    with asking(job(tmp_path), []) as client:
        [outcome] = client.ask_many([request()])
    assert (outcome.state, outcome.reason) == ("skipped", "off")
    assert list(tmp_path.iterdir()) == []


def test_what_was_spent_is_logged_by_role_and_stage(tmp_path):
    asked(job(tmp_path), 3)
    asked(job(tmp_path, run="r2"), 4)
    first, second = read_costs(tmp_path)
    assert (first.role, first.stage, first.model) == ("router", "routes", "larger")
    assert (first.questions, first.recorded, first.calls) == (3, 0, 3)
    assert (first.prompt_tokens, first.completion_tokens) == (60, 15)
    # 60 tokens at 1 and 15 at 2 USD a million.
    assert first.usd == pytest.approx(90e-6)
    assert (second.run, second.recorded, second.calls) == ("r2", 3, 1)


def test_costs_are_summed_over_parts_and_told_apart_by_run(tmp_path):
    for run, record in (("b", "x"), ("b", "y"), ("a", "z")):
        asked(job(tmp_path, run=run), 2, record=record)
    rows = costs_of(tmp_path)
    assert [(row.run, row.calls, row.prompt_tokens) for row in rows] == [
        ("b", 4, 80),
        ("a", 2, 40),
    ]
    assert total_usd(rows) == pytest.approx(180e-6)
    assert [row.calls for row in costs_of(tmp_path, run="a")] == [2]
    assert costs_of(tmp_path, study="other") == []


def test_a_budget_counts_all_jobs_of_a_run_and_no_other_run(tmp_path):
    asked(job(tmp_path, calls=5), 3)
    script = Script(says('{"label": "cause"}'))
    with pytest.raises(LimitError, match="budget of 5 calls is spent: 5 calls"):
        asked(job(tmp_path, calls=5), 4, script, record="more")
    assert len(script.asked) == 2
    # The failed job has logged what it spent; the next run goes on.
    assert sum(row.calls for row in read_costs(tmp_path, "r1")) == 5
    outcomes, script = asked(job(tmp_path, run="r2", calls=5), 4, record="more")
    assert [outcome.state for outcome in outcomes] == ["ok"] * 4
    assert len(script.asked) == 2


def test_a_cost_log_that_cannot_be_written_does_not_lose_the_replies(tmp_path, caplog):
    (tmp_path / "costs.sqlite").mkdir()
    outcomes, _ = asked(job(tmp_path, run=""), 1)
    assert outcomes[0].state == "ok"
    assert "expected to write the cost log" in caplog.text
