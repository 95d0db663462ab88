import pytest

from skillmill.models.heuristics.decompose import ClauseSplitter

STEPS = ClauseSplitter().steps


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        (
            "Please download the logs, parse and filter the errors, then plot them by "
            "hour. Finally, send the chart to Kim.",
            ["download the logs", "parse the errors", "filter the errors",
             "plot them by hour", "send the chart to Kim"],
        ),
        (
            "Hi! I would like you to:\n- clean the table\n- fit a line and report "
            "slope, intercept and error\n* save it",
            ["clean the table", "fit a line", "report slope, intercept and error",
             "save it"],
        ),
        ("1. Read the file\n2) sort rows -> write csv",
         ["Read the file", "sort rows", "write csv"]),
        ("Translate number, date and total of the bill; mail it",
         ["Translate number, date and total of the bill", "mail it"]),
        ("After cleaning the data, train a model. Could you also test it? Thanks!",
         ["After cleaning the data", "train a model", "test it"]),
        ("Our boiler is broken and nobody cares.",
         ["Our boiler is broken and nobody cares"]),
    ],
)  # fmt: skip
def test_a_task_is_cut_into_its_steps_in_order(task, steps):
    assert STEPS(task) == steps


@pytest.mark.parametrize("task", ["", "   ", "...", "\n- \n"])
def test_a_blank_task_has_no_steps(task):
    assert STEPS(task) == []


def test_a_step_named_twice_is_one():
    assert STEPS("Save it. Save it.") == ["Save it"]


def test_what_exceeds_the_bound_stays_joined_to_the_last_step():
    task = "Read it. Sort it. Save it. Send it."
    assert STEPS(task, most=2) == ["Read it", "Sort it; Save it; Send it"]
    assert STEPS(task, most=4) == ["Read it", "Sort it", "Save it", "Send it"]


def test_a_bound_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        STEPS("Read it", most=0)
