"""Lines about how far a stage is."""

import pytest

from skillmill.interfaces import progress
from skillmill.interfaces.progress import progress_line, told_batches


@pytest.mark.parametrize(
    ("done", "total", "seconds", "said"),
    [
        (640, 5000, 20.0, "640 of 5,000 rows, 32 a second, 2 min 16 s left"),
        (1, 7201, 1.0, "1 of 7,201 rows, 1.0 a second, 2 h 0 min left"),
        (3, 6, 2.0, "3 of 6 rows, 1.5 a second, 0 min 2 s left"),
    ],
)
def test_a_line_has_rows_rate_and_time_left(done, total, seconds, said):
    assert progress_line("vectors", done, total, seconds) == f"vectors: {said}"


def test_every_row_comes_once_and_in_order(capsys):
    batches = list(told_batches("vectors", list(range(10)), 4))
    assert batches == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(told_batches("vectors", [], 4)) == []
    assert capsys.readouterr().err == ""


def test_a_long_stage_is_told_of_every_ten_seconds_but_not_at_its_end(
    capsys, monkeypatch
):
    """Two of eight rows at a time, six seconds each: told after 12 s."""
    now = iter([0.0, 6.0, 12.0, 18.0, 24.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    list(told_batches("vectors", list(range(8)), 2))
    assert capsys.readouterr().err == (
        "vectors: 4 of 8 rows, 0.3 a second, 0 min 12 s left\n"
    )
