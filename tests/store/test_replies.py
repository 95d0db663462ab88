"""Recorded replies: kept per reply, found by key, carried along and thrown out."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from skillmill.errors import InputError, StoreError
from skillmill.store.connect import connect_shared
from skillmill.store.replies import GIVEN, READ, ReplyRecords
from skillmill.store.reply_notes import all_abilities, forget_endpoint
from skillmill.store.reply_tables import REPLY
from skillmill.store.reply_transfer import (
    ImportCounts,
    export_replies,
    import_replies,
)
from skillmill.store.reply_upkeep import (
    PruneCounts,
    merge_replies,
    prune_replies,
    reply_counts,
)
from skillmill.store.shards import shards_in
from tests.conftest import REPOSITORY

URL = "http://model.test/v1"

#: Adds rows in a process of its own: folder, name, number, whether it kills itself.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from skillmill.store.replies import ReplyRecords
from tests.store.test_replies import row

folder, name, count, dies = sys.argv[1:]
records = ReplyRecords(Path(folder))
for number in range(int(count)):
    records.add(row(f"{name}-{number}"))
    records.add(row(f"shared-{number}"))
    assert f"{name}-{number}" in records.known([f"{name}-{number}"])
if dies == "yes":
    os.kill(os.getpid(), signal.SIGKILL)
records.close()
"""


def row(key="k1", state="ok", **changes):
    reason = "" if state == "ok" else "length"
    return {
        "key": key,
        "endpoint": URL,
        "model": "tiny",
        "role": "linker",
        "stage": "relations",
        "record": "r1",
        "version": "1",
        "sample": 0,
        "state": state,
        "reason": reason,
        "message": reason,
        "request": '{"model": "tiny"}',
        "reply": '{"choices": []}',
        "finish": "stop",
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "estimated": 0,
        "tries": 1,
        "seconds": 0.25,
    } | changes


def filled(folder, *rows):
    with ReplyRecords(folder) as records:
        for one in rows:
            records.add(one)
    return folder


def states(folder, *keys):
    with ReplyRecords(folder) as records:
        found = records.known(keys)
    return {key: [one["state"] for one in rows] for key, rows in found.items()}


def test_a_reply_is_found_by_its_key_with_all_that_a_client_reads(tmp_path):
    filled(tmp_path, row("a", reply='{"é": "日"}'), row("b"))
    with ReplyRecords(tmp_path) as records:
        found = records.known(["a", "none"])
    assert list(found) == ["a"]
    [one] = found["a"]
    assert set(one) == set(READ)
    assert (one["state"], one["reply"], one["seconds"]) == ("ok", '{"é": "日"}', 0.25)


def test_an_empty_folder_knows_nothing_and_stays_empty(tmp_path):
    with ReplyRecords(tmp_path / "none") as records:
        assert records.known([]) == {}
        assert records.known(["a"]) == {}
        assert records.abilities(URL, "tiny") == {}
    assert not (tmp_path / "none").exists()
    assert reply_counts(tmp_path) == []
    assert prune_replies(tmp_path, failures=True) == PruneCounts(0, 0, 0, 0, 0)
    assert merge_replies(tmp_path).shards == 0


def test_good_rows_come_first_and_none_is_lost(tmp_path):
    filled(tmp_path, row(state="failed", reply=None), row(state="invalid"))
    filled(tmp_path, row("k1", seconds=1.0), row("k1", state="failed"))
    filled(tmp_path, row("k1", seconds=2.0))
    assert states(tmp_path, "k1") == {"k1": ["ok", "ok", "failed", "invalid", "failed"]}
    with ReplyRecords(tmp_path) as records:
        # Of two good ones the older stays the answer.
        assert records.known(["k1"])["k1"][0]["seconds"] == 1.0


def test_a_reply_is_safe_before_the_file_is_closed(tmp_path):
    writer = ReplyRecords(tmp_path)
    writer.add(row())
    assert states(tmp_path, "k1") == {"k1": ["ok"]}
    assert [
        path.name.endswith(".open.sqlite") for path in shards_in(tmp_path / "replies")
    ]
    writer.close()
    assert states(tmp_path, "k1") == {"k1": ["ok"]}


def test_eight_processes_of_which_four_are_killed_lose_nothing(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path), f"p{n}", "12",
             "yes" if n % 2 else "no"],
            cwd=REPOSITORY, stderr=subprocess.PIPE,
        )
        for n in range(8)
    ]  # fmt: skip
    for number, process in enumerate(processes):
        _, error = process.communicate(timeout=60)
        expected = -signal.SIGKILL if number % 2 else 0
        assert process.returncode == expected, error.decode()
    keys = [f"p{n}-{m}" for n in range(8) for m in range(12)]
    assert states(tmp_path, *keys) == {key: ["ok"] for key in keys}
    counts = merge_replies(tmp_path)
    assert (counts.shards, counts.rows, counts.left) == (8, 192, 0)
    assert states(tmp_path, *keys) == {key: ["ok"] for key in keys}
    assert states(tmp_path, "shared-3") == {"shared-3": ["ok"] * 8}
    [main] = shards_in(tmp_path / "replies")
    with closing(connect_shared(main)) as db:
        assert db.execute("pragma integrity_check").fetchone()[0] == "ok"


def test_a_merge_leaves_the_shard_of_a_living_process_alone(tmp_path):
    filled(tmp_path, row("a"))
    writer = ReplyRecords(tmp_path)
    writer.add(row("b"))
    assert merge_replies(tmp_path).left == 1
    writer.add(row("c"))
    writer.close()
    assert merge_replies(tmp_path).rows == 2
    assert set(states(tmp_path, "a", "b", "c")) == {"a", "b", "c"}


def test_a_broken_shard_is_set_aside_and_the_rest_is_read(tmp_path):
    filled(tmp_path, row("a"))
    broken = tmp_path / "replies" / "other-1-00.sqlite"
    broken.write_bytes(b"no database " * 400)
    with ReplyRecords(tmp_path) as records:
        assert list(records.known(["a"])) == ["a"]
        assert [path.name for path in records.damaged] == ["other-1-00.sqlite.damaged"]


def test_a_shard_that_is_taken_away_is_told(tmp_path):
    writer = ReplyRecords(tmp_path)
    writer.add(row())
    [shard] = shards_in(tmp_path / "replies")
    shard.unlink()
    with pytest.raises(StoreError, match="leave the records alone"):
        writer.add(row("b"))


def test_a_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "records").write_text("")
    with pytest.raises(StoreError, match="set `records` to a folder"):
        ReplyRecords(tmp_path / "records").add(row())


def test_a_row_that_does_not_fit_is_refused_whole(tmp_path):
    with ReplyRecords(tmp_path) as records:
        with pytest.raises(StoreError, match="CHECK constraint"):
            records.add(row(state="fine"))
        with pytest.raises(StoreError, match="finite"):
            records.add(row(seconds=float("nan")))
    assert states(tmp_path, "k1") == {}


def test_a_read_only_folder_can_be_replayed_from(tmp_path):
    filled(tmp_path, row())
    merge_replies(tmp_path)
    folder = tmp_path / "replies"
    for path in [*folder.iterdir(), folder, tmp_path]:
        path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with ReplyRecords(tmp_path, note_use=False) as records:
            assert list(records.known(["k1"])) == ["k1"]
            assert records.abilities(URL, "tiny") == {}
    finally:
        for path in [tmp_path, folder, *folder.iterdir()]:
            path.chmod(stat.S_IRWXU)


def test_abilities_are_remembered_per_endpoint_and_model(tmp_path):
    with ReplyRecords(tmp_path) as records:
        records.remember(URL, "tiny", {"rung:*": "json_object", "change:seed": ""})
        records.remember(URL, "large", {"rung:*": "prompt"})
        records.remember(URL, "tiny", {"rung:*": "prompt"})
        assert records.abilities(URL, "tiny") == {"change:seed": "", "rung:*": "prompt"}
        assert records.abilities("http://other/v1", "tiny") == {}
    assert forget_endpoint(tmp_path, URL, "tiny") == 2
    assert forget_endpoint(tmp_path, URL) == 1
    assert forget_endpoint(tmp_path, URL) == 0


def test_notes_of_another_version_are_refused(tmp_path):
    with ReplyRecords(tmp_path) as records:
        records.remember(URL, "tiny", {"rung:*": "prompt"})
        with closing(sqlite3.connect(tmp_path / "reply-notes.sqlite")) as db:
            db.execute("pragma user_version = 99")
        with pytest.raises(StoreError, match="found version 99; move the file away"):
            records.abilities(URL, "tiny")


def test_counts_are_summed_over_shards_by_role_stage_and_state(tmp_path):
    filled(tmp_path, row("a", tries=3), row("b", state="failed", estimated=1))
    filled(tmp_path, row("c"), row("d", role="judge"))
    judge, failed, fine = sorted(
        reply_counts(tmp_path), key=lambda one: (one.role, one.state)
    )
    assert (judge.role, judge.replies) == ("judge", 1)
    assert (failed.state, failed.replies, failed.estimated) == ("failed", 1, 1)
    assert (fine.endpoint, fine.model, fine.stage) == (URL, "tiny", "relations")
    assert (fine.replies, fine.prompt_tokens, fine.completion_tokens) == (2, 40, 10)
    assert (fine.tries, fine.seconds) == (4, 0.5)
    assert reply_counts(tmp_path, since="9999") == []


def test_export_and_import_carry_replies_and_notes_along(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    filled(here, row("b", reply="日\n本"), row("a", state="failed", reply=None))
    with ReplyRecords(here) as records:
        records.remember(URL, "tiny", {"rung:*": "prompt"})
    assert export_replies(here, tmp_path / "all.jsonl") == 2
    assert import_replies(there, tmp_path / "all.jsonl") == ImportCounts(2, 0, 1)
    assert import_replies(there, tmp_path / "all.jsonl") == ImportCounts(0, 2, 0)
    assert states(there, "a", "b") == {"a": ["failed"], "b": ["ok"]}
    assert [note[:4] for note in all_abilities(there)] == [
        (URL, "tiny", "rung:*", "prompt")
    ]
    export_replies(there, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (
        tmp_path / "all.jsonl"
    ).read_bytes()
    assert "日\\n本" in (tmp_path / "all.jsonl").read_text(encoding="utf-8")


def test_an_export_can_be_of_one_role(tmp_path):
    filled(tmp_path, row("a"), row("b", role="judge"))
    assert export_replies(tmp_path, tmp_path / "one.jsonl", role="judge") == 1


def test_an_import_leaves_what_is_known_of_an_endpoint(tmp_path):
    for name, rung in [("one", "prompt"), ("two", "json_object")]:
        with ReplyRecords(tmp_path / name) as records:
            records.remember(URL, "tiny", {"rung:*": rung})
    export_replies(tmp_path / "one", tmp_path / "one.jsonl")
    assert import_replies(tmp_path / "two", tmp_path / "one.jsonl").notes == 0
    assert all_abilities(tmp_path / "two")[0][3] == "json_object"


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda line: line[:-3], "line 2: .*no JSON"),
        (lambda line: "[]", "line 2: .*neither a 'reply' nor an 'ability'"),
        (lambda line: '{"reply": 3}', "line 2: .*int where an object belongs"),
        (lambda line: line.replace('"tries": 1', '"tries": "1"'), "line 2: .*'tries'"),
        (lambda line: line.replace('"role"', '"rolle"'), "line 2: .*None as 'role'"),
    ],
)
def test_a_file_with_a_wrong_line_is_refused_whole(tmp_path, spoil, match):
    filled(tmp_path / "here", row("a"), row("b"))
    file = tmp_path / "all.jsonl"
    export_replies(tmp_path / "here", file)
    first, second = file.read_text(encoding="utf-8").splitlines()
    file.write_text(f"{first}\n{spoil(second)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=match):
        import_replies(tmp_path / "there", file)
    assert not (tmp_path / "there").exists()


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="skillmill replies export"):
        import_replies(tmp_path, tmp_path / "none.jsonl")


def test_old_versions_of_a_role_are_pruned_and_other_roles_kept(tmp_path):
    filled(
        tmp_path,
        row("a", version="1"), row("b", version="2"), row("c", version="3"),
        row("d", version="1", role="judge"),
    )  # fmt: skip
    counts = prune_replies(tmp_path, versions={"linker": ["2", "3"]})
    assert counts == PruneCounts(1, 0, 0, kept=3, left=0)
    assert set(states(tmp_path, *"abcd")) == {"b", "c", "d"}


def test_failures_are_pruned_but_not_what_a_repair_mended(tmp_path):
    filled(
        tmp_path,
        row("failed", state="failed"),
        row("hopeless", state="invalid"),
        row("vain", state="invalid", repairs="hopeless"),
        row("broken", state="invalid"),
        row("mended", repairs="broken"),
    )
    counts = prune_replies(tmp_path, failures=True)
    assert counts == PruneCounts(0, 3, 0, kept=2, left=0)
    keys = ("failed", "hopeless", "vain", "broken", "mended")
    assert set(states(tmp_path, *keys)) == {"broken", "mended"}


def test_what_nobody_used_for_a_while_is_pruned(tmp_path):
    """Everything is made today; the pruning looks back from a month on."""
    keys = ("used", "broken", "mended", "idle")
    filled(tmp_path, row("used"), row("broken", state="invalid"),
           row("mended", repairs="broken"), row("idle"))  # fmt: skip
    later = datetime.now(UTC) + timedelta(days=30)
    notes = tmp_path / "reply-notes.sqlite"
    with ReplyRecords(tmp_path) as records:
        records.known(["used", "mended"])
    with closing(sqlite3.connect(notes)) as db, db:
        assert db.execute("select count(*) from reply_use").fetchone()[0] == 2
        db.execute("update reply_use set day = ?", (later.date().isoformat(),))
    assert prune_replies(tmp_path, unused_days=31, now=later).kept == 4
    assert prune_replies(tmp_path, unused_days=7, now=later).unused == 1
    assert set(states(tmp_path, *keys)) == {"used", "broken", "mended"}
    assert prune_replies(tmp_path, now=later).kept == 3


def test_what_a_client_gives_and_the_table_has_is_the_same():
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(REPLY)
        columns = [name for _, name, *_ in db.execute("pragma table_info(reply)")]
    assert columns == ["key", "id", "model", *GIVEN, "created"]
    assert set(READ) <= set(columns)


def test_a_request_is_kept_as_it_was_sent(tmp_path):
    body = json.dumps({"model": "tiny", "messages": []})
    filled(tmp_path, row(request=body))
    [shard] = shards_in(tmp_path / "replies")
    with closing(connect_shared(shard)) as db:
        assert db.execute("select request from reply").fetchone()[0] == body
    assert os.access(shard, os.R_OK)
