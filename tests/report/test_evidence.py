"""What the explorer tells of what a query needs and what arms found."""

from skillmill.report.evidence import LENGTH, Evidence, evidence_data

EVIDENCE = Evidence(
    texts={
        "a": "Plane the  plank.\nThen sand it.",
        "b": "x" * 400,
        "c": "left \u202eout",
    },
    relevant={"q1": ("b", "gone"), "q2": ("a",)},
    found={
        "q1": {"hybrid": ("b", "a"), "keyword": ()},
        "q2": {"hybrid": ("c", "b", "a", "d", "e", "f")},
    },
)


def told(limit=9, queries=("q1", "q2", "q3")):
    return evidence_data(EVIDENCE, queries, ("hybrid", "keyword"), limit)


def test_a_row_names_what_is_needed_and_the_first_five_of_each_arm():
    data = told()
    assert [item for item, _ in data["items"]] == ["a", "b", "c", "d", "e", "gone"]
    assert data["rows"] == [
        [[1, 5], [[1, 0], []]],
        [[0], [[2, 1, 0, 3, 4], None]],
        [[], [None, None]],
    ]


def test_texts_are_one_line_cut_and_without_hidden_characters():
    texts = dict(told()["items"])
    assert texts["a"] == "Plane the plank. Then sand it."
    assert texts["b"] == "x" * (LENGTH - 1) + "…"
    assert texts["c"] == "left ⟨U+202E⟩out"
    assert texts["gone"] == ""


def test_past_the_limit_nothing_is_told_and_no_item_listed():
    data = told(limit=1)
    assert len(data["rows"]) == 1
    assert [item for item, _ in data["items"]] == ["a", "b", "gone"]
    assert told(limit=0) == {"items": [], "rows": []}
