"""Predictions in SkillRouter's format."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import ndcg_score

from skillmill.compute.scoring import ndcg_graded
from skillmill.data.relevance import Relevance
from skillmill.evaluate.predictions import (
    as_predictions,
    compared,
    in_pool,
    score_predictions,
    strata,
)
from skillmill.interfaces.cli import main
from skillmill.store import rankings
from skillmill.store.artifact import Provenance, writing
from skillmill.types import Ranking

ONE = Relevance("one", ("x",), {})
TWO = Relevance("two", ("x", "y"), {})


def values(predictions, truths):
    rows = score_predictions("arm", predictions, truths)
    return {(row.query, row.metric, row.k): row.value for row in rows}


def test_each_metric_has_the_value_worked_by_hand():
    found = values({"two": ["a", "x", "b", "y"]}, [TWO])
    ideal = 1 + 1 / math.log2(3)
    assert found["two", "hit", 1] == 0
    assert found["two", "precision", 3] == pytest.approx(1 / 3)
    assert found["two", "mrr", 10] == 0.5
    assert found["two", "ndcg_standard", 1] == 0
    assert found["two", "ndcg_standard", 3] == pytest.approx(1 / math.log2(3) / ideal)
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert found["two", "ndcg_standard", 10] == pytest.approx(gained / ideal)
    assert [found["two", "full_coverage", k] for k in (3, 5, 10)] == [0, 1, 1]
    assert found["two", "recall", 10] == 1


def test_a_missing_prediction_scores_zero_on_every_metric_and_counts():
    found = values({"one": ["x"]}, [ONE, TWO])
    assert {v for (task, _, _), v in found.items() if task == "two"} == {0.0}
    assert found["one", "hit", 1] == 1


def test_a_first_hit_below_rank_ten_has_no_reciprocal_rank():
    ranked = [f"other-{n}" for n in range(10)] + ["x"]
    assert values({"one": ranked}, [ONE])["one", "mrr", 10] == 0


def test_grades_bring_a_metric_of_their_own_that_equals_scikit_learns():
    rng = np.random.default_rng(3)
    for _ in range(20):
        grades = {f"s{n}": float(g) for n, g in enumerate(rng.integers(0, 4, 12))}
        order = [f"s{n}" for n in rng.permutation(12)]
        if not any(grades.values()):
            continue
        truth = [[grades[skill] for skill in order]]
        score = [list(range(12, 0, -1))]
        for k in (1, 3, 10):
            assert ndcg_graded(order, grades, k) == pytest.approx(
                ndcg_score(truth, score, k=k)
            )


def test_ungraded_tasks_among_graded_ones_take_one_for_each_skill():
    graded = Relevance("graded", ("x",), {"x": 2.0, "w": 1.0})
    found = values({"graded": ["w", "x"], "one": ["x"]}, [graded, ONE])
    best = 2 + 1 / math.log2(3)
    assert found["graded", "ndcg_graded", 3] == pytest.approx(
        (1 + 2 / math.log2(3)) / best
    )
    assert found["one", "ndcg_graded", 1] == 1
    assert ("one", "ndcg_graded", 1) not in values({}, [ONE])


@pytest.mark.parametrize("grade", [-1.0, math.nan, math.inf])
def test_a_grade_out_of_range_is_refused(grade):
    with pytest.raises(ValueError, match="grades"):
        ndcg_graded(["x"], {"x": grade}, 1)


def test_an_item_named_twice_gains_once():
    assert ndcg_graded(["x", "x"], {"x": 1.0, "y": 1.0}, 2) == pytest.approx(
        1 / (1 + 1 / math.log2(3))
    )
    assert ndcg_graded(["x"], {}, 1) == 0


def test_a_task_without_skills_in_the_pool_is_not_scored():
    kept, lost = in_pool([ONE, TWO, Relevance("far", ("q",), {})], {"y"})
    assert [(truth.task, truth.relevant) for truth in kept] == [("two", ("y",))]
    assert lost == ["one", "far"]
    assert in_pool([ONE], None) == ([ONE], [])


def test_strata_and_counts():
    assert strata([ONE, TWO]) == {
        "one": [("all", "all"), ("all", "single")],
        "two": [("all", "all"), ("all", "multi")],
    }
    fit = compared({"one", "stray", "far"}, [ONE, TWO], ["far"])
    assert (fit.scored, fit.missing, fit.unknown) == (2, ("two",), ("stray",))


def test_a_failed_ranking_is_exported_as_an_empty_list():
    made = as_predictions(
        [
            Ranking("a", "t2", (), (), "failed", "broke"),
            Ranking("a", "t1", ("x", "y", "z"), (3.0, 2.0, 1.0)),
        ],
        2,
    )
    assert made == {"t1": ["x", "y"], "t2": []}


def test_the_way_from_a_study_to_scores_that_show_scores_reads(tmp_path):
    store = tmp_path / "results" / "plot" / "library" / "rankings.sqlite"
    store.parent.mkdir(parents=True)
    with writing(store, Provenance("rankings", "plot", "0", "c0de")) as db:
        rankings.save_rankings(
            db,
            [
                Ranking("hybrid", "one", ("x", "a"), (2.0, 1.0)),
                Ranking("hybrid", "two", ("x", "a"), (2.0, 1.0)),
                Ranking("keyword", "one", ("a",), (1.0,)),
            ],
        )
    traced = store.with_name("traces.sqlite")
    with writing(traced, Provenance("traces", "plot", "0", "c0de")) as db:
        rankings.save_rankings(db, [Ranking("trace@6", "two", ("y",), (1.0,))])
    own = ["--results", str(tmp_path / "results")]
    run = CliRunner().invoke
    bundle = run(
        main, ["predictions", "export", "--study", "plot", "--arm", "trace@6", *own]
    )
    assert json.loads(bundle.stdout) == {"two": ["y"]}
    names = []
    for arm in ("hybrid", "keyword"):
        done = run(
            main, ["predictions", "export", "--study", "plot", "--arm", arm, *own]
        )
        assert done.exit_code == 0, done.stderr
        (tmp_path / f"{arm}.json").write_text(done.stdout)
        names.append(str(tmp_path / f"{arm}.json"))
    truth = tmp_path / "tasks.jsonl"
    truth.write_text(
        '{"id": "one", "relevant": ["x"]}\n{"id": "two", "relevant": ["x", "y"]}\n'
    )
    asked = ["--relevance", str(truth), "--study", "plot", *own]
    done = run(main, ["predictions", "score", *names, *asked, "--json"])
    assert done.exit_code == 0, done.stderr
    assert "keyword: 2 tasks scored, 1 without a prediction score zero" in done.stderr
    shown = run(main, ["show", "scores", "--study", "plot", "--json", *own])
    assert shown.stdout == done.stdout
    rows = {
        (r["arm"], r["category"], r["metric"], r["k"]): (r["value"], r["n"])
        for r in map(json.loads, done.stdout.splitlines())
    }
    assert rows["hybrid", "all", "hit", 1] == (1.0, 2)
    assert rows["hybrid", "all", "full_coverage", 10] == (0.5, 2)
    assert rows["keyword", "multi", "recall", 10] == (0.0, 1)


def test_refusals_of_the_commands_are_one_sentence(tmp_path):
    run = CliRunner().invoke
    own = ["--results", str(tmp_path)]
    done = run(main, ["predictions", "export", "--study", "no", "--arm", "a", *own])
    assert (done.exit_code, done.stderr.count("\n")) == (3, 1)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.json").write_text("{}")
    truth = tmp_path / "relevance.json"
    truth.write_text('{"t": {"gt_skill_ids": ["x"]}}')
    files = [str(tmp_path / f / "p.json") for f in ("a", "b")]
    asked = ["--relevance", str(truth)]
    done = run(main, ["predictions", "score", *files, *asked])
    assert "two files are called 'p'" in done.stderr
    (tmp_path / "pool.jsonl").write_text('{"id": "q"}')
    pool = ["--pool", str(tmp_path / "pool.jsonl")]
    done = run(main, ["predictions", "score", files[0], *asked, *pool])
    assert "no task is left to score" in done.stderr
