from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.differences import differences
from skillmill.evaluate.draws import draw_table, mean_over_draws
from skillmill.types import QueryScore, Task


def values(arm, *recalls, k=5):
    return [
        QueryScore(arm, f"q{i}", "recall", k, value) for i, value in enumerate(recalls)
    ]


def test_arms_are_compared_query_by_query():
    found = differences(
        [*values("hybrid", 1, 0.5, None), *values("keyword", 0.5, 1, 1)],
        [("hybrid", "keyword"), ("hybrid", "absent")],
        [("recall", 5)],
    )
    assert [(f.arm, f.query, f.metric, f.k, f.value) for f in found] == [
        ("hybrid - keyword", "q0", "recall_difference", 5, 0.5),
        ("hybrid - keyword", "q1", "recall_difference", 5, -0.5),
        ("hybrid - keyword", "q2", "recall_difference", 5, None),
    ]


def test_other_metrics_and_no_values_are_left_out():
    assert differences(values("hybrid", 1, k=1), [("hybrid", "hybrid")], []) == []
    assert differences([], [("hybrid", "keyword")], [("recall", 5)]) == []


def test_the_mean_over_draws_is_taken_query_by_query():
    found = mean_over_draws([values("hybrid", 1, 0), values("hybrid", 0.5, 0)])
    assert [f.value for f in found] == [0.75, 0]


def test_a_table_of_draws_has_means_differences_and_each_draw():
    draws = {
        seed: [*values("hybrid", *hybrid), *values("keyword", 0, 0)]
        for seed, hybrid in enumerate([(1, 0), (0, 0)])
    }
    tasks = [
        Task("q0", "x", ("a",), ("original", "hard")),
        Task("q1", "x", ("b",), ("hard",)),
    ]
    table = draw_table(
        draws,
        tasks,
        {"original"},
        study="s+1000",
        resampling=Resampling(samples=10, level=0.95, seed=0),
    )
    shown = {(r.arm, r.category, r.metric): (r.value, r.n) for r in table}
    assert shown["hybrid", "draws", "recall"] == (0.25, 2)
    assert shown["hybrid", "draws:original", "recall"] == (0.5, 1)
    assert shown["hybrid - keyword", "draws", "recall_difference"] == (0.25, 2)
    assert shown["hybrid", "seed:0", "recall"] == (0.5, 2)
    assert shown["hybrid", "seed:1", "recall"] == (0, 2)
    assert not any(category == "draws:hard" for _, category, _ in shown)
    assert {r.study for r in table} == {"s+1000"}


def test_no_tasks_give_no_rows():
    resampling = Resampling(samples=10, level=0.95, seed=0)
    assert draw_table({0: []}, [], set(), study="s", resampling=resampling) == []
