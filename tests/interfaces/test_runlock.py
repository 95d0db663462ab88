"""One run at a time: a dead run's lock is taken over, a living one's never."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace

import pytest

from skillmill.errors import BusyError
from skillmill.interfaces import runlock
from skillmill.interfaces.runlock import LOCK, Holder, holder_of, only_run, unlock
from skillmill.store.shards import host_name

HOLD = (
    "import sys, time; from pathlib import Path\n"
    "from skillmill.interfaces.runlock import take\n"
    "print(take(Path(sys.argv[1])), flush=True); time.sleep(60)"
)


@pytest.fixture
def holding(tmp_path):
    """Another process that holds the lock of `tmp_path`."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


def written(folder, **changes):
    """A lock as a run of this process would leave it, with some of it changed."""
    with only_run(folder):
        holder = replace(holder_of(folder), **changes)
    (folder / LOCK).write_text(json.dumps(asdict(holder)))
    return holder


def test_a_run_that_ended_leaves_no_lock(tmp_path):
    with only_run(tmp_path):
        assert holder_of(tmp_path).pid == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_is_told_who_holds_the_lock_and_the_way_out_u11(tmp_path, holding):
    with (
        pytest.raises(BusyError, match=f"`kill {holding.pid}`") as caught,
        only_run(tmp_path),
    ):
        pass
    assert str(tmp_path) in str(caught.value)
    assert holder_of(tmp_path).pid == holding.pid


def test_the_lock_of_a_killed_run_is_taken_over_u11(tmp_path, holding):
    holding.kill()
    holding.wait()
    with only_run(tmp_path):
        assert holder_of(tmp_path).pid == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_killed_process_that_nobody_buried_is_taken_over(
    tmp_path, holding
):
    """A zombie has a number still, but it will never give the lock back."""
    holding.kill()
    for _ in range(100):
        if holder_of(tmp_path).life() == "dead":
            break
        time.sleep(0.02)
    assert holding.returncode is None
    with only_run(tmp_path):
        assert holder_of(tmp_path).pid == os.getpid()


def test_a_process_that_got_the_dead_ones_number_is_not_taken_for_it(tmp_path):
    holder = written(tmp_path, started=1)
    assert holder.life() == "dead"
    with only_run(tmp_path) as token:
        assert token != holder.token


def test_a_run_on_another_host_counts_as_alive_until_it_is_forced(tmp_path):
    written(tmp_path, host="other.4026531836", pid=7)
    for attempt in (lambda: only_run(tmp_path).__enter__(), lambda: unlock(tmp_path)):
        with pytest.raises(BusyError, match=r"process 7 on other.*unlock --force"):
            attempt()
    assert "unlocked" in unlock(tmp_path, force=True)
    assert holder_of(tmp_path) is None


def test_a_living_run_is_not_unlocked_even_by_force(tmp_path, holding):
    with pytest.raises(BusyError, match="wait for it"):
        unlock(tmp_path, force=True)
    assert holder_of(tmp_path).pid == holding.pid


def test_unlocking_drops_snakemakes_locks_too(tmp_path):
    locks = tmp_path / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.input.lock").write_text("a\n")
    assert "unlocked" in unlock(tmp_path)
    assert not locks.exists()
    assert "was not locked" in unlock(tmp_path)


def test_a_lock_that_was_cut_short_is_taken_over(tmp_path):
    (tmp_path / LOCK).write_text('{"host": "h')
    with only_run(tmp_path):
        assert holder_of(tmp_path).pid == os.getpid()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(BusyError, match=r"can be written"), only_run(tmp_path / "none"):
        pass


def test_a_file_system_without_hard_links_is_locked_too(tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    with only_run(tmp_path):
        assert holder_of(tmp_path).pid == os.getpid()
        with pytest.raises(BusyError), only_run(tmp_path):
            pass


def test_jobs_that_outlive_a_killed_run_are_waited_for(tmp_path, capsys):
    holder = written(tmp_path, started=1)
    orphan = subprocess.Popen(
        ["sleep", "60"], env={**os.environ, runlock.TOKEN: holder.token}
    )
    try:
        assert holder.life() == "orphans"
        with pytest.raises(BusyError, match=f"kill {orphan.pid}"):
            unlock(tmp_path, force=True)
        timer = threading.Timer(0.3, orphan.kill)
        timer.start()
        with only_run(tmp_path):
            assert orphan.poll() is not None
    finally:
        orphan.kill()
        orphan.wait()
    assert capsys.readouterr().err.count(f"kill {orphan.pid}") == 1


def test_jobs_that_outlive_snakemake_keep_the_lock_and_the_next_run_waits(
    tmp_path, capsys
):
    """Only the process in the middle was killed: the run ends, its jobs go on."""
    with only_run(tmp_path) as token:
        job = subprocess.Popen(
            ["sleep", "60"], env={**os.environ, runlock.TOKEN: token}
        )
    try:
        assert f"`kill {job.pid}`" in capsys.readouterr().err
        assert holder_of(tmp_path).life() == "orphans"
        threading.Timer(0.3, job.kill).start()
        with only_run(tmp_path):
            assert job.poll() is not None
    finally:
        job.kill()
        job.wait()
    assert list(tmp_path.iterdir()) == []


def test_of_many_that_take_over_a_dead_lock_at_once_one_wins(tmp_path):
    written(tmp_path, started=1)
    code = (
        "import sys, time; from pathlib import Path\n"
        "from skillmill.errors import BusyError\n"
        "from skillmill.interfaces.runlock import take\n"
        "sys.stdin.read(1)\n"
        "try: take(Path(sys.argv[1])); print('won', flush=True)\n"
        "except BusyError: print('busy', flush=True)\n"
        "sys.stdin.read()"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for racer in racers:
        racer.stdin.write("x")
        racer.stdin.flush()
    said = sorted(racer.stdout.readline().strip() for racer in racers)
    for racer in racers:
        racer.communicate()
    assert said == ["busy"] * 5 + ["won"]


def test_a_process_of_another_user_counts_as_alive(tmp_path, monkeypatch):
    def forbid(pid, signal):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "kill", forbid)
    assert Holder(host_name(), 1, 0, "t", "now").life() == "alive"
