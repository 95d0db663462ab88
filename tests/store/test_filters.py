"""Rows that are no class of their own, and loading a part of the rows."""

import pytest

from skillmill.errors import StoreError
from skillmill.store.artifact import reading, writing
from skillmill.store.atoms import (
    load_question_atoms,
    save_question_atoms,
)
from skillmill.store.conversations import (
    load_speakers,
    save_speakers,
)
from skillmill.store.edges import load_edges, save_edges
from skillmill.store.entities import load_mentions, save_mentions
from skillmill.store.load import (
    Outcome,
    count_rows,
    load_outcomes,
    save_outcomes,
)
from skillmill.store.passages import load_all_passages, load_passages, save_passages
from skillmill.store.rankings import (
    Part,
    load_parts,
    load_rankings,
    save_parts,
    save_rankings,
)
from skillmill.store.scores import (
    load_query_scores,
    load_scores,
    save_query_scores,
    save_scores,
)
from tests.store.examples import (
    CHINESE,
    EDGES,
    HEBREW,
    MENTIONS,
    QUERY_SCORES,
    RANKINGS,
    SCORES,
    provenance,
)
from tests.store.files import saved_and_loaded


@pytest.mark.parametrize(
    ("filters", "places"),
    [
        ({}, [0, 1, 2, 3]),
        ({"study": "a"}, [3]),
        ({"arm": "dense"}, [0, 1, 2]),
        ({"metric": "recall", "study": "s"}, [1, 2]),
        ({"category": "temporal"}, [3]),
        ({"split": "test", "metric": "mrr"}, [0]),
        ({"arm": "no such arm"}, []),
    ],
)
def test_scores_can_be_filtered(tmp_path, filters, places):
    kind, save, rows = "scores", save_scores, SCORES
    found = saved_and_loaded(
        tmp_path, kind, save, rows, lambda db: load_scores(db, **filters)
    )
    assert found == [SCORES[place] for place in places]


def test_query_scores_rankings_and_edges_can_be_filtered(tmp_path):
    kind, save, rows = "scores", save_query_scores, QUERY_SCORES
    assert (
        saved_and_loaded(
            tmp_path, kind, save, rows, lambda db: load_query_scores(db, metric="mrr")
        )
        == QUERY_SCORES[:1]
    )
    kind, save, rows = "rankings", save_rankings, RANKINGS
    assert (
        saved_and_loaded(
            tmp_path, kind, save, rows, lambda db: load_rankings(db, "lexical")
        )
        == RANKINGS[2:]
    )
    kind, save, rows = "edges", save_edges, EDGES
    assert (
        saved_and_loaded(tmp_path, kind, save, rows, lambda db: load_edges(db, "needs"))
        == EDGES[2:]
    )


def test_passages_come_back_sorted_and_by_kind(tmp_path):
    rows = [("b", 1, HEBREW), ("b", 0, ""), ("a", 10, CHINESE), ("a", 2, "x")]
    with writing(tmp_path / "m.sqlite", provenance("memory")) as db:
        save_passages(db, "atom", rows)
        save_passages(db, "question", [("a", 0, "another kind")])
    with reading(tmp_path / "m.sqlite", "memory") as db:
        assert load_passages(db, "atom") == sorted(rows)
        assert load_passages(db, "question") == [("a", 0, "another kind")]
        assert load_passages(db, "skill") == []
        assert load_all_passages(db) == [
            *(("atom", *row) for row in sorted(rows)),
            ("question", "a", 0, "another kind"),
        ]


def test_the_speakers_of_a_memory_come_back_in_their_order(tmp_path):
    rows = [("talk-2", ("Ada", HEBREW)), ("talk-1", ())]
    found = saved_and_loaded(tmp_path, "atoms", save_speakers, rows, load_speakers)
    assert found == rows


def test_question_atoms_come_back_sorted_without_empty_questions(tmp_path):
    given = {"q2": ["b", "a"], "q1": ("c",), "q3": ()}
    found = saved_and_loaded(
        tmp_path, "atoms", save_question_atoms, given, load_question_atoms
    )
    assert found == {"q1": ("c",), "q2": ("a", "b")}


def test_mentions_can_be_filtered(tmp_path):
    path = tmp_path / "e.sqlite"
    with writing(path, provenance("entities")) as db:
        save_mentions(db, MENTIONS)
    with reading(path, "entities") as db:
        assert load_mentions(db, kind="ner") == MENTIONS[:1]
        assert load_mentions(db, owner_kind="question") == MENTIONS[2:]
        assert load_mentions(db, "ner", "question") == []


def test_rows_can_be_counted(tmp_path):
    path = tmp_path / "e.sqlite"
    with writing(path, provenance("entities")) as db:
        save_mentions(db, MENTIONS)
    with reading(path, "entities") as db:
        assert count_rows(db, "mention") == 3
        assert count_rows(db, "passage") == 0


def test_parts_of_scores_come_back_sorted_and_filtered(tmp_path):
    rows = [
        Part("dense", "t1", "a", "cosine", 0.5),
        Part("mixed", "t1", "a", "cosine", 0.25),
        Part("mixed", "t2", "a", "lexical", -1.0),
    ]
    path = tmp_path / "r.sqlite"
    with writing(path, provenance("rankings")) as db:
        save_parts(db, rows[::-1])
    with reading(path, "rankings") as db:
        assert load_parts(db) == rows
        assert load_parts(db, "mixed") == rows[1:]
        assert load_parts(db, "mixed", "t2") == rows[2:]


def test_outcomes_come_back_with_and_without_reasons(tmp_path):
    path = tmp_path / "v.sqlite"
    with writing(path, provenance("vectors")) as db:
        save_outcomes(db, "encode", {"ok": 5, "skipped": 0})
        save_outcomes(db, "cut", {("failed", HEBREW): 2, ("ok", ""): 3})
    with reading(path, "vectors") as db:
        assert load_outcomes(db) == [
            Outcome("cut", "failed", HEBREW, 2),
            Outcome("cut", "ok", "", 3),
            Outcome("encode", "ok", "", 5),
            Outcome("encode", "skipped", "", 0),
        ]


@pytest.mark.parametrize("counts", [{"lost": 1}, {"ok": -1}])
def test_an_outcome_that_makes_no_sense_is_refused(tmp_path, counts):
    with (
        pytest.raises(StoreError, match=r"table 'outcome', row 0 .*CHECK"),
        writing(tmp_path / "v.sqlite", provenance("vectors")) as db,
    ):
        save_outcomes(db, "encode", counts)
