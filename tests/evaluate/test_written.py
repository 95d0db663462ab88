"""Memories that a model writes: what is asked, what is kept, what is found."""

import numpy as np
import pytest

from skillmill.evaluate.written import (
    KINDS,
    NONE_USABLE,
    NOTHING_WRITTEN,
    Entry,
    read_entries,
    writings,
)
from skillmill.evaluate.written_memories import WrittenMemory, written_rankings
from skillmill.models.chat import Outcome
from skillmill.models.replies_memory import WrittenReply
from tests.memory.records import edge, garden_view
from tests.skills.programs import query

NOTES, TIERS, TOPICS = KINDS
VIEW = garden_view()
A, B, C, D = VIEW.ids
#: Angles of vectors; the query lies at 0 degrees.
EAST, NEAR, FAR, WEST = ([np.cos(a), np.sin(a)] for a in np.deg2rad([0, 30, 60, 170]))


def reply(asked, *entries, state="ok"):
    value = WrittenReply.model_validate({"entries": list(entries)})
    return read_entries(asked, Outcome(state, value, "", "", "", "", ""))


def entry(kind, text="x", records=(), keywords=()):
    return {
        "kind": kind, "text": text, "records": [*records], "keywords": [*keywords],
    }  # fmt: skip


def found(arm, entries, vectors, budget=4, view=VIEW):
    memory = WrittenMemory(view, entries, np.array(vectors))
    [ranking] = written_rankings(arm, memory, [query()], budget)
    return ranking


def test_a_note_is_asked_of_each_record_with_the_earlier_ones_that_are_like_it():
    edges = (edge(C, A, "similarity", 0.5), edge(C, B, "similarity", 0.9))
    edges += (edge(A, C, "similarity", 0.5),)
    asked = writings(garden_view(edges=edges), "note")
    assert [[atom.id for atom in one.own.values()] for one in asked] == [
        [A], [B], [C], [D],
    ]  # fmt: skip
    assert [atom.id for atom in asked[2].earlier.values()] == [B, A]
    assert asked[0].earlier == {}
    prompt = asked[2].request.messages[1]["content"]
    assert '{"id": "e1", "text": "2 March 2024\\nTom: I fixed the shed roof"}' in prompt


def test_tiers_and_topics_are_asked_of_each_session_in_parts_if_it_is_long(monkeypatch):
    for kind in ("tiers", "topics"):
        asked = writings(VIEW, kind)
        assert [[a.id for a in one.own.values()] for one in asked] == [[A, B], [C, D]]
    monkeypatch.setattr("skillmill.evaluate.written.TOGETHER", 1)
    assert len(writings(VIEW, "topics")) == 4


def test_ids_that_were_not_shown_are_dropped_and_entries_of_another_kind_rejected():
    asked = writings(VIEW, "tiers")[0]
    done = reply(
        asked,
        entry("segment", "The shed", ["r2", "r9", "r1", "r2"], ["roof"]),
        entry("note", "no tier"),
        entry("fact", "about nothing", ["r7"]),
    )
    assert done.entries == (Entry("garden", "segment", "The shed roof", (B, A)),)
    assert (done.state, done.rejected) == ("ok", 2)


def test_a_reply_without_entries_is_empty_and_one_without_usable_ones_failed():
    asked = writings(VIEW, "topics")[0]
    assert reply(asked).reason == NOTHING_WRITTEN
    assert reply(asked).state == "empty"
    bad = reply(asked, entry("segment", records=["r1"]))
    assert (bad.state, bad.reason) == ("failed", NONE_USABLE)
    off = Outcome("skipped", None, "off", "the mode is off", "", "", "")
    assert read_entries(asked, off).state == "skipped"


def test_a_note_holds_the_record_s_own_words_too():
    asked = writings(VIEW, "note")[0]
    [note] = reply(asked, entry("note", "Ripe.", keywords=["fruit"])).entries
    assert note.text == "Ines: The tomatoes are ripening\nRipe. fruit"
    assert (note.atoms, note.linked) == ((A,), ())


def test_linked_notes_follow_the_note_that_names_them():
    notes = [
        Entry("garden", "note", "", (A,), ()),
        Entry("garden", "note", "", (B,), (D,)),
        Entry("garden", "note", "", (C,), ()),
    ]
    ranking = found(NOTES, notes, [FAR, EAST, NEAR])
    assert ranking.items == (B, D, C, A)
    assert ranking.scores == (1.0, 0.5, 0.333333, 0.25)
    assert found(NOTES, notes, [FAR, EAST, NEAR], budget=2).items == (B, D)


def test_only_pages_of_open_segments_the_last_ones_and_facts_are_found(monkeypatch):
    """Cosines of the atoms with the query are 1, 1/2, 0 and -1."""
    monkeypatch.setattr("skillmill.evaluate.written_memories.LAST_PAGES", 1)
    monkeypatch.setattr("skillmill.evaluate.written_memories.SEGMENTS", 1)
    tiers = [
        Entry("garden", "segment", "", (A, B)),
        Entry("garden", "segment", "", (C,)),
        Entry("garden", "fact", "", (D,)),
    ]
    assert found(TIERS, tiers, [EAST, FAR, WEST]).items == (A, B, D)
    # The fact brings its page to the front.
    assert found(TIERS, tiers, [FAR, NEAR, EAST]).items == (D, C)


def test_records_come_topic_by_topic():
    topics = [
        Entry("garden", "topic", "", (D, A)),
        Entry("garden", "topic", "", (A, B)),
    ]
    assert found(TOPICS, topics, [NEAR, EAST]).items == (A, B, D)


@pytest.mark.parametrize("arm", KINDS)
def test_a_memory_without_entries_is_empty_with_its_reason(arm):
    ranking = found(arm, [], np.zeros((0, 2)))
    assert (ranking.state, ranking.reason) == ("empty", "nothing was written down")
