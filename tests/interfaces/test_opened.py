"""What is remembered of files, and when it is read again."""

import os
import threading
import time

import pytest

from skillmill.errors import StoreError
from skillmill.interfaces.opened import file_stamp, remembered


def reader(most=2):
    """A reader of texts that notes what it read."""
    read = []

    @remembered(most)
    def texts(files, suffix=""):
        read.append([file.name for file in files])
        return "".join(file.read_text() for file in files) + suffix

    return texts, read


def replace(path, text):
    """Put a new file in place, as a build does."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    os.replace(fresh, path)


def test_a_file_is_read_once_until_it_is_replaced_u52(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    texts, read = reader()
    assert [texts([path]), texts([path])] == ["one", "one"]
    assert len(read) == 1
    replace(path, "two")
    assert texts([path]) == "two"
    assert len(read) == 2


def test_other_arguments_and_other_files_are_other_results(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    a, b = tmp_path / "a", tmp_path / "b"
    texts, read = reader(3)
    assert [texts([a]), texts([a], "!"), texts([a, b])] == ["a", "a!", "ab"]
    assert [texts([a]), texts([a], "!"), texts([a, b])] == ["a", "a!", "ab"]
    assert len(read) == 3


def test_a_relative_path_means_another_file_in_another_folder(tmp_path, monkeypatch):
    texts, _ = reader()
    for name in "xy":
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text(name)
    found = []
    for name in "xy":
        monkeypatch.chdir(tmp_path / name)
        found.append(texts([(tmp_path / name / "a").relative_to(tmp_path / name)]))
    assert found == ["x", "y"]


def test_the_result_used_longest_ago_is_forgotten_first(tmp_path):
    for name in "abc":
        (tmp_path / name).write_text(name)
    texts, read = reader(2)
    for name in "abacabc":
        texts([tmp_path / name])
    assert [one for [one] in read] == ["a", "b", "c", "b", "c"]


def test_an_error_is_not_remembered_u52(tmp_path):
    path = tmp_path / "a"
    path.write_text("no number")

    @remembered(2)
    def number(files):
        return int(files[0].read_text())

    with pytest.raises(ValueError, match="invalid literal"):
        number([path])
    replace(path, "7")
    assert number([path]) == 7


def test_a_file_that_is_gone_is_an_error_although_it_was_read(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    texts, _ = reader()
    texts([path])
    path.unlink()
    with pytest.raises(StoreError, match="was built"):
        texts([path])
    with pytest.raises(StoreError):
        file_stamp(path)


def test_threads_that_ask_at_once_wait_for_one_reading(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    read = []

    @remembered(2)
    def slow(files):
        read.append(files)
        time.sleep(0.05)
        return files[0].read_text()

    found = []
    threads = [
        threading.Thread(target=lambda: found.append(slow([path]))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, len(read)) == (["one"] * 8, 1)
