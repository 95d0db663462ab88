"""What input files hold, whatever their names and times."""

import os
import time
from pathlib import Path

import pytest

from skillmill.errors import InputError
from skillmill.interfaces.contents import check_times, contents


def files(folder, **texts):
    """Files by name, and their paths in that order."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in texts]


def test_the_same_texts_under_other_names_in_another_order_hold_the_same(tmp_path):
    one = contents(files(tmp_path / "one", a="x", b="y"))
    other = contents(reversed(files(tmp_path / "other", c="x", d="y")))
    assert one == other
    assert one.startswith("given:")
    assert contents([]) != one
    assert contents(files(tmp_path / "twice", a="x", b="x")) != contents(
        files(tmp_path / "once", a="x")
    )


def test_a_file_that_is_put_back_with_its_time_is_seen(tmp_path):
    path = tmp_path / "a"
    (file,) = files(tmp_path, a="one")
    time = path.stat().st_mtime_ns
    before = contents([file])
    path.write_text("two")
    os.utime(path, ns=(time, time))
    assert contents([file]) != before
    path.write_text("one")
    assert contents([file]) == before


def test_a_file_that_cannot_be_read_is_no_error(tmp_path):
    assert contents([str(tmp_path / "none")]) == contents([str(tmp_path / "nor this")])


def test_a_file_from_the_future_is_named_with_its_time_and_the_way_out(tmp_path):
    past, later, latest = map(Path, files(tmp_path, a="x", b="y", c="z"))
    check_times([past, later, latest])
    check_times([])
    for path in (later, latest):
        os.utime(path, (0, time.time() + 3600))
    with pytest.raises(InputError, match=r"b \(and 1 others\): expected .* `touch` it"):
        check_times([past, later, latest])
    os.utime(later, (0, time.time() + 1))
    check_times([past, later])
