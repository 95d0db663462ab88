"""Skills and baselines side by side, worked by hand."""

from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.baselines import FULL, ORACLE
from skillmill.evaluate.comparisons import baseline_scores, compare
from skillmill.types import QueryScore, Question, Ranking

FIGURE = ("recall", 1)
QUESTIONS = [
    Question(f"{home}/q{n}", home, "?", category, "a", "str", None, ("D1:1",), kind)
    for home in ("x", "y")
    for n, (category, kind) in enumerate([(4, "single-hop"), (5, "adversarial")])
]
EVIDENCE = {question.id: (f"{question.conversation}/1/0",) for question in QUESTIONS}


def baselines():
    ranked = [
        Ranking(arm, query, atoms, (1.0,) * len(atoms))
        for query, (atom,) in EVIDENCE.items()
        for arm, atoms in ((ORACLE, (atom,)), (FULL, ("other", atom)))
    ]
    return baseline_scores(ranked, EVIDENCE, [1])


def skills():
    return [
        QueryScore(arm, question.id, *FIGURE, value)
        for arm, value in (("good", 1.0), ("bad", 0.0))
        for question in QUESTIONS
    ]


def compared():
    return compare(
        skills(), baselines(), QUESTIONS, {}, FIGURE,
        study="s", resampling=Resampling(50, 0.95, 0),
    )  # fmt: skip


def rows(done, **wanted):
    return [
        row
        for row in done.table
        if all(getattr(row, name) == value for name, value in wanted.items())
    ]


def test_full_context_has_no_cutoffs_for_its_order_means_nothing():
    found = {(v.arm, v.metric) for v in baselines()}
    assert {metric for arm, metric in found if arm == FULL} == {"recall_returned"}
    assert {v.value for v in baselines() if v.arm == FULL} == {1.0}
    assert (ORACLE, "recall") in found


def test_the_best_skill_is_compared_with_skills_baselines_and_its_held_out_choice():
    done = compared()
    arms = {row.arm for row in rows(done, metric="recall_difference")}
    assert arms == {"good - bad", f"good - {ORACLE}", "good - best_single@loco"}
    (row,) = rows(done, arm="good - bad", category="all", metric="recall_difference")
    assert (row.n, row.value) == (2, 1.0)
    (row,) = rows(done, arm="good - bad", metric="recall_difference_by_conversation")
    assert (row.n, row.low, row.high) == (2, 1.0, 1.0)


def test_choices_are_told_and_skills_are_not_scored_twice():
    done = compared()
    assert done.chosen == {"x": "good", "y": "good"}
    assert {value.arm for value in done.values} == {ORACLE, FULL, "best_single@loco"}
    assert rows(done, arm="good", category="all") == []


def test_adversarial_questions_take_no_part_in_choices_and_pooled_differences():
    done = compared()
    (row,) = rows(done, arm="best_single@loco", category="all", metric="recall")
    assert row.n == 2


def test_conversations_with_too_few_questions_have_no_row():
    assert not [r for r in compared().table if r.category.startswith("conversation:")]
