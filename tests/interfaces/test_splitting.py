"""Stores of single shards, brought up to date before any job runs."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from skillmill.interfaces import dealing, splitting
from skillmill.interfaces.runlock import TOKEN, only_run
from skillmill.interfaces.source import Source
from skillmill.interfaces.splitting import split_conversations
from skillmill.memory.shards import shard_of
from skillmill.store.artifact import load_provenance, reading
from skillmill.store.conversations import load_conversations, load_questions

FOLDER = Path("results", "plot", "memory")
NAMES = ["beds", "shed", "pond", "path", "hens"]


def write(names, said="Hello."):
    """A chat log with a turn and a question in each conversation."""
    rows = []
    for name in names:
        rows.append({"type": "turn", "conversation": name, "session": 1,
                     "speaker": "Ines", "text": said})  # fmt: skip
        rows.append({"type": "question", "conversation": name, "category": 4,
                     "text": "Who spoke?", "answer": "Ines"})  # fmt: skip
    lines = [json.dumps(row) for row in rows]
    Path("chats.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(TOKEN, raising=False)
    write(NAMES)
    return Source("plot", Path("chats.jsonl"), ("chats.jsonl",), "chatlog", 3, 0.2)


def stamps(shards=3):
    """Time of each shard's store, to the nanosecond."""
    return [(FOLDER / f"{n}/conversations.sqlite").stat().st_mtime_ns
            for n in range(shards)]  # fmt: skip


def contents():
    """Bytes of every store, by path."""
    return {path: path.read_bytes() for path in sorted(FOLDER.rglob("*.sqlite"))}


def homes(shard):
    with reading(FOLDER / f"{shard}/conversations.sqlite", "conversations") as db:
        assert load_provenance(db).inputs == {}
        talks = [talk.id for talk in load_conversations(db)]
        assert {q.conversation for q in load_questions(db)} == set(talks)
        return talks


def test_every_conversation_is_in_the_store_of_its_own_shard(source):
    assert split_conversations(source, FOLDER, leads=True)
    found = {shard: homes(shard) for shard in range(3)}
    assert found == {
        shard: [name for name in NAMES if shard_of(name, 3) == shard]
        for shard in range(3)
    }
    assert all(found.values())


def test_an_edit_of_one_conversation_touches_its_store_alone(source):
    assert split_conversations(source, FOLDER, leads=True)
    before = stamps()
    text = Path("chats.jsonl").read_text(encoding="utf-8")
    Path("chats.jsonl").write_text(text.replace("Hello.", "Good day.", 1))
    assert split_conversations(source, FOLDER, leads=True)
    changed = [n for n in range(3) if stamps()[n] != before[n]]
    assert changed == [shard_of(NAMES[0], 3)]


@pytest.mark.parametrize("names", [[*NAMES, "well"], NAMES[1:]])
def test_adding_and_removing_one_touches_its_store_alone(source, names):
    assert split_conversations(source, FOLDER, leads=True)
    before = stamps()
    write(names)
    assert split_conversations(source, FOLDER, leads=True)
    (other,) = set(names) ^ set(NAMES)
    assert [n for n in range(3) if stamps()[n] != before[n]] == [shard_of(other, 3)]


def test_what_is_split_again_equals_what_is_split_afresh(source, tmp_path):
    assert split_conversations(source, FOLDER, leads=True)
    write([*NAMES, "well"], "Good day.")
    assert split_conversations(source, FOLDER, leads=True)
    mine = contents()
    for path in mine:
        path.unlink()
    assert split_conversations(source, FOLDER, leads=True)
    assert contents() == mine


def test_nothing_is_read_again_unless_something_is_another(source, monkeypatch):
    assert split_conversations(source, FOLDER, leads=True)
    os.utime("chats.jsonl", (1, 1))
    read = []
    monkeypatch.setattr(dealing, "deal_out", lambda *given: read.append(given))
    assert split_conversations(source, FOLDER, leads=True)
    assert read == []
    (FOLDER / "1/conversations.sqlite").write_bytes(b"cut short")
    assert split_conversations(source, FOLDER, leads=True)
    assert split_conversations(replace(source, shards=4), FOLDER, leads=True)
    assert len(read) == 2


def test_a_store_that_was_deleted_or_damaged_is_made_again(source):
    assert split_conversations(source, FOLDER, leads=True)
    mine = contents()
    (FOLDER / "0/conversations.sqlite").unlink()
    (FOLDER / "1/conversations.sqlite").write_bytes(b"cut short")
    assert split_conversations(source, FOLDER, leads=True)
    assert contents() == mine


def test_without_its_note_equal_stores_keep_their_times(source):
    assert split_conversations(source, FOLDER, leads=True)
    before = stamps()
    (splitting.NOTES / "plot.json").write_text("cut sho")
    assert split_conversations(source, FOLDER, leads=True)
    assert stamps() == before


def test_too_many_lost_conversations_leave_every_store_as_it_was(source):
    assert split_conversations(source, FOLDER, leads=True)
    mine = contents()
    with Path("chats.jsonl").open("a") as file:
        file.write("no JSON\n" * 20)
    assert not split_conversations(source, FOLDER, leads=True)
    assert not split_conversations(source, FOLDER, leads=True)
    assert contents() == mine
    assert split_conversations(replace(source, failed_share=1.0), FOLDER, leads=True)


def test_a_file_that_cannot_be_read_is_left_to_the_job(source):
    Path("chats.jsonl").write_bytes(b"\xff\xfe\x00")
    assert not split_conversations(source, FOLDER, leads=True)
    assert not list(FOLDER.rglob("*.sqlite"))


def test_a_job_on_another_node_writes_nothing(source):
    assert not split_conversations(source, FOLDER, leads=False)
    assert not FOLDER.exists()
    assert split_conversations(source, FOLDER, leads=True)
    before = contents()
    write(NAMES, "Good day.")
    assert split_conversations(source, FOLDER, leads=False)
    assert contents() == before


def test_while_a_run_is_at_work_only_that_run_writes(source, monkeypatch):
    """Its jobs read these stores; a dry run beside it must not change them."""
    with only_run(Path.cwd()) as token:
        assert not split_conversations(source, FOLDER, leads=True)
        monkeypatch.setenv(TOKEN, token)
        assert split_conversations(source, FOLDER, leads=True)
