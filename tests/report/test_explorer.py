import pytest

from skillmill.errors import InputError
from skillmill.report.explorer import explorer_data
from skillmill.report.inputs import Query, ReportInputs
from skillmill.types import QueryScore

QUERIES = {
    "t2": Query("second", "library", ("direct",)),
    "t1": Query("first", "library"),
    "c/q0": Query("when?", "memory", ("temporal",)),
    "unused": Query("never scored", "memory"),
}


def entries(*scores):
    return explorer_data(
        ReportInputs(study="s", title="t", queries=QUERIES, query_scores=scores)
    )


def test_values_are_places_in_a_list_of_levels_per_metric_query_and_arm():
    (entry,) = entries(
        QueryScore("b", "t1", "recall", 5, 1.0),
        QueryScore("a", "t1", "recall", 5, 0.5),
        QueryScore("a", "t2", "recall", 5, 0.0),
        QueryScore("a", "t2", "recall", 1, None),
    )
    assert entry == {
        "track": "library",
        "arms": ["a", "b"],
        "metrics": ["recall@1", "recall@5"],
        "chosen": 1,
        "levels": [0.0, 0.5, 1.0],
        "labels": ["0.0", "50.0", "100.0"],
        "queries": [["t2", "second", ["direct"]], ["t1", "first", []]],
        "evidence": {"items": [], "rows": []},
        "other": None,
        "values": [[[None, -1], [-1, -1]], [[0, -1], [1, 2]]],
    }


def test_the_tracks_are_kept_apart_library_first():
    tracks = entries(
        QueryScore("a", "c/q0", "recall", 10, 1.0),
        QueryScore("a", "t1", "recall", 5, 1.0),
    )
    assert [entry["track"] for entry in tracks] == ["library", "memory"]
    assert [len(entry["queries"]) for entry in tracks] == [1, 1]


def test_without_scores_there_is_nothing_to_explore():
    assert entries() == []


def test_a_scored_query_without_a_text_is_refused_by_id():
    with pytest.raises(InputError, match="none for 'gone'"):
        entries(QueryScore("a", "gone", "recall", 5, 1.0))


def test_two_scores_for_one_query_are_refused():
    with pytest.raises(ValueError, match="two scores"):
        entries(
            QueryScore("a", "t1", "recall", 5, 1.0),
            QueryScore("a", "t1", "recall", 5, 0.0),
        )
