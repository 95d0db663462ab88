"""Which rows a query counts in."""

from skillmill.evaluate.groups import absent_from_data, question_groups, task_groups
from skillmill.types import CATEGORIES, Question, Task


def question(name, conversation, category):
    kind = CATEGORIES[category]
    return Question(name, conversation, "?", category, "x", "string", None, (), kind)


def chat_question(name, kind, *, abstention=False):
    asked = (name, name, "?", None, "x", "string", None, (), kind)
    return Question(*asked, abstention=abstention)


def test_a_task_counts_in_the_pooled_row_and_in_its_categories():
    tasks = [Task("t1", "do", ("a",), ("direct",)), Task("t2", "do", ("a",))]
    assert task_groups(tasks) == {
        "t1": [("all", "all"), ("all", "direct")],
        "t2": [("all", "all")],
    }


def test_category_numbers_bear_locomos_names_u20():
    """1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial (U20)."""
    groups = question_groups([question(f"q{c}", "c1", c) for c in range(1, 6)], {})
    assert groups == {
        "q1": [("all", "all"), ("all", "multi-hop")],
        "q2": [("all", "all"), ("all", "temporal")],
        "q3": [("all", "all"), ("all", "open-domain")],
        "q4": [("all", "all"), ("all", "single-hop")],
        "q5": [("all", "adversarial")],
    }


def test_a_kind_without_a_number_has_a_row_and_abstention_is_apart_u22():
    """What must not be answered would change the pooled figure's meaning (U22)."""
    asked = [
        chat_question("q1", "multi-session"),
        chat_question("q2", "abstention", abstention=True),
        chat_question("q3", "events"),
    ]
    assert question_groups(asked, {}) == {
        "q1": [("all", "all"), ("all", "multi-session")],
        "q2": [("all", "abstention")],
        "q3": [("all", "all"), ("all", "events")],
    }


def test_a_question_counts_in_the_split_of_its_conversation():
    asked = [question("q1", "c1", 4), question("q2", "c2", 4)]
    groups = question_groups(asked, {"train": ["c1"], "test": []})
    assert groups["q1"] == [
        ("all", "all"),
        ("all", "single-hop"),
        ("train", "all"),
        ("train", "single-hop"),
    ]
    assert groups["q2"] == [("all", "all"), ("all", "single-hop")]


def test_a_split_may_name_what_the_data_lacks_and_it_is_said():
    asked = [question("q1", "c1", 4)]
    splits = {"train": ["c1"], "val": ["c9", "c8"]}
    assert absent_from_data(asked, splits) == ["c8", "c9"]
    assert ("train", "all") in question_groups(asked, splits)["q1"]


def test_a_category_called_all_does_not_count_a_task_twice():
    tasks = [Task("t1", "do", ("a",), ("all", "direct", "direct"))]
    assert task_groups(tasks) == {"t1": [("all", "all"), ("all", "direct")]}
