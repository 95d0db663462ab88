"""Conversations at the edges: each goes through loader, store and atoms unharmed."""

import json
import time

import pytest

from skillmill.data.chatlog import load_chatlog
from skillmill.data.longmemeval import load_longmemeval
from skillmill.memory.assemble import memory_views
from skillmill.memory.atoms import (
    GRANULARITIES,
    evidence_atoms,
    strip_names,
    turn_pair_atoms,
)
from skillmill.memory.relations import similarity_edges, temporal_neighbours
from skillmill.store.artifact import reading, writing
from skillmill.store.conversations import load_conversations, save_conversations
from skillmill.types import Conversation, Session, Turn
from tests.store.examples import provenance

#: As long as the longest turn of LongMemEval.
LONGEST = 76_560


def line(text="words", speaker="Ines", session=1, **more):
    row = {"conversation": "c", "session": session, "speaker": speaker, "text": text}
    return {**row, **more}


@pytest.fixture
def through(tmp_path):
    """A chat log, loaded, saved and loaded again."""

    def run(rows):
        path = tmp_path / "log.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        conversations, questions, report = load_chatlog(path)
        return stored(tmp_path, conversations), questions, report

    return run


def stored(folder, conversations):
    """What comes back from a store is what went in."""
    path = folder / "conversations.sqlite"
    with writing(path, provenance("conversations")) as db:
        save_conversations(db, conversations)
    with reading(path, "conversations") as db:
        assert load_conversations(db) == conversations
    return conversations


def test_one_turn_is_one_atom_without_neighbours(through):
    (talk,), _, _ = through([line("Hello.", date="2024-03-02")])
    for granularity in GRANULARITIES.values():
        (atom,) = granularity(talk)
        assert (atom.id, atom.text) == ("c/1/0", "Ines: Hello.")
        assert temporal_neighbours([atom]) == []


def test_a_conversation_without_turns_is_an_empty_memory(tmp_path):
    for sessions in ((), (Session(1, None, None, ()),)):
        talk = Conversation("silent", ("Ines",), sessions)
        stored(tmp_path, [talk])
        for granularity in GRANULARITIES.values():
            assert granularity(talk) == []
    views = memory_views({"silent": ("Ines",)}, [], {}, [], {}, [])
    assert (views["silent"].ids, views["silent"].relations) == ((), ())
    assert similarity_edges([], [], views["silent"].vectors) == []


def test_a_hundred_thousand_turns_take_seconds_not_minutes(through):
    rows = [
        line(f"line {n}", "Ines" if n % 2 else "Tom", session=1 + n // 100)
        for n in range(100_000)
    ]
    ask = {"type": "question", "conversation": "c", "category": 4, "text": "Which?"}
    rows.append({**ask, "answer": "it", "evidence": ["D1000:100", "D1:1"]})
    started = time.process_time()
    (talk,), (question,), report = through(rows)
    atoms = turn_pair_atoms(talk)
    found = evidence_atoms(question, atoms)
    assert time.process_time() - started < 30
    assert (report.found, report.failed) == (100_001, 0)
    assert (len(talk.sessions), len(atoms)) == (1000, 50_000)
    assert found == ("c/1/0", "c/1000/49")
    assert len({atom.id for atom in atoms}) == 50_000


def test_two_speakers_with_one_name_are_one_speaker(through):
    (talk,), _, _ = through([line("I am at home."), line("So am I.")])
    assert talk.speakers == ("Ines",)
    assert turn_pair_atoms(talk)[0].text == "Ines: I am at home.\nInes: So am I."
    assert strip_names("Where was Ines?", talk.speakers) == "Where was ?"


def test_right_to_left_text_is_kept_and_its_name_found_u37(through):
    """The mark of direction is part of the text, and none of the name (U37)."""
    name, text = "\u200fשרה", "\u200fשתלתי כרישה במאי.\u200e"
    (talk,), _, report = through([line(text, name)])
    (atom,) = turn_pair_atoms(talk)
    assert atom.text == f"{name}: {text}"
    assert strip_names("מה שרה שתלה?", talk.speakers) == "מה שתלה?"
    assert report.warned == 0


def test_a_date_in_an_unknown_form_leaves_a_session_without_time(through):
    rows = [line(date="the day after the frost"), line(session=2, date="2024-03-02")]
    (talk,), _, report = through(rows)
    first, second = turn_pair_atoms(talk)
    assert (first.timestamp, first.time_keys) == (None, ())
    assert talk.sessions[0].date_text == "the day after the frost"
    assert second.time_keys == ("2024-03-02",)
    assert "date-unknown" in {problem.code for problem in report.problems}


def test_the_longest_turn_stays_whole(through):
    text = ("leek " * LONGEST)[: LONGEST - 1] + "."
    (talk,), _, report = through([line(text), line("Oh.", "Tom")])
    (atom,) = turn_pair_atoms(talk)
    assert len(talk.sessions[0].turns[0].text) == LONGEST
    assert atom.text == f"Ines: {text}\nTom: Oh."
    assert (report.warned, report.failed) == (0, 0)


def history(*sessions):
    """A LongMemEval file of one instance: (id, date, words of each turn)."""
    return [
        {
            "question_id": "q",
            "question_type": "multi-session",
            "question": "Which?",
            "answer": "it",
            "question_date": None,
            "haystack_session_ids": [id for id, _, _ in sessions],
            "haystack_dates": [date for _, date, _ in sessions],
            "haystack_sessions": [
                [{"role": "user", "content": word} for word in words]
                for _, _, words in sessions
            ],
            "answer_session_ids": [],
        }
    ]


def test_copies_and_falling_dates_go_through_a_store_u26(tmp_path):
    """Two sessions called s1, the later one first (U26)."""
    rows = history(
        ("s1", "2024/03/05 (Tue) 10:00", ["late"]),
        ("s2", "2024/03/02 (Sat) 10:00", ["early", "still early"]),
        ("s1", "2024/03/03 (Sun) 10:00", ["between"]),
    )
    (tmp_path / "longmemeval_s.json").write_text(json.dumps(rows))
    (talk,), _, _ = load_longmemeval(tmp_path)
    stored(tmp_path, [talk])
    atoms = turn_pair_atoms(talk)
    assert [(atom.id, atom.turns) for atom in atoms] == [
        ("s/q/1/0", ("D1:1",)),
        ("s/q/2/0", ("D2:1", "D2:2")),
        ("s/q/3/0", ("D3:1",)),
    ]
    assert [session.id for session in talk.sessions] == ["s1", "s2", "s1"]


def test_a_session_of_one_turn_never_joins_the_next_one(tmp_path):
    rows = history(("a", None, ["one"]), ("b", None, ["two", "three", "four"]))
    (tmp_path / "longmemeval_s.json").write_text(json.dumps(rows))
    (talk,), _, _ = load_longmemeval(tmp_path)
    assert [atom.turns for atom in turn_pair_atoms(talk)] == [
        ("D1:1",),
        ("D2:1", "D2:2"),
        ("D2:3",),
    ]


def test_turns_that_say_the_same_are_told_apart_by_place():
    same = (Turn("D1:1", "Ines", "Yes."), Turn("D1:2", "Ines", "Yes."))
    talk = Conversation("c", ("Ines",), (Session(1, None, None, same),))
    one, two = GRANULARITIES["turn"](talk)
    assert one.content_hash == two.content_hash
    assert one.id != two.id
