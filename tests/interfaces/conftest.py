"""A results folder with two small studies, written by the store itself."""

import pytest

from skillmill.store import artifact, scores
from skillmill.types import Score


def score(**fields):
    """A score row with the values that a test does not care about filled in."""
    usual = {
        "track": "library", "study": "one", "arm": "hybrid", "split": "all",
        "category": "all", "metric": "recall", "k": 5, "n": 12, "value": 0.5,
        "low": 0.25, "high": 0.75, "heuristic": False,
    }  # fmt: skip
    return Score(**(usual | fields))


ROWS = {
    "one/library": [
        score(arm="keyword", value=0.1225, low=0.1, high=0.2),
        score(),
        score(category="direct", n=4),
        score(metric="hit"),
    ],
    "two/memory": [
        score(track="memory", study="two", arm="fused-clues", k=10, heuristic=True),
        score(track="memory", study="two", arm="fused-clues", k=10, category="temporal",
              n=0, value=None, low=None, high=None),
    ],
}  # fmt: skip


@pytest.fixture
def results(tmp_path):
    """`<tmp>/results` with the scores of studies `one` and `two`."""
    for place, rows in ROWS.items():
        study = place.split("/")[0]
        path = tmp_path / "results" / place / "scores.sqlite"
        provenance = artifact.Provenance("scores", study, "0", "c0de")
        with artifact.writing(path, provenance) as db:
            scores.save_scores(db, rows)
    return tmp_path / "results"
