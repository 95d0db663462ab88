"""Questions about invented talks; only kinds that read phrases load spaCy."""

import sys
from datetime import date

import numpy as np
import pytest

from skillmill.compute.lexical import Bm25, words
from skillmill.compute.textscore import f1_bag
from skillmill.data.locomo import load_locomo
from skillmill.memory.atoms import dated_text, evidence_atoms, turn_pair_atoms
from skillmill.models.heuristics.passages import (
    Evidence,
    scored_sentences,
    speakers_of,
    told_about,
)
from skillmill.models.heuristics.periods import month
from skillmill.models.heuristics.questions import taken_apart
from skillmill.models.heuristics.reader import SpanReader
from skillmill.types import ADVERSARIAL
from tests.conftest import DATA

MAST = Evidence(
    "Ada: The mast broke last Friday, so we row now.\nBo: Oh no! Who will mend it?",
    "2024-03-06T10:00",
)
CATS = Evidence(
    "Ada: How is your garden, Bo?\nBo: Full of cats! My three cats chase every bird."
    " I have grown roses there for six years.",
    "2024-04-01",
)
TRIP = Evidence(
    "Bo: I went to Lisbon with Maria Costa because the fares were low."
    ' I read "The Salt Road" on the train twice a day. [shares a photo of a red tram]',
    "2024-05-02",
)
ALL = [MAST, CATS, TRIP]


def read(question, evidence=None):
    return SpanReader().read(question, ALL if evidence is None else evidence)


@pytest.mark.parametrize(
    ("question", "kind", "answer"),
    [
        ("When did Ada's mast break?", "when", "The Friday before 6 March 2024"),
        ("How many cats does Bo have?", "number", "three"),
        ("How long has Bo grown roses?", "duration", "six years"),
        ("How often did Bo read on the train?", "often", "twice a day"),
        ("Why did Bo go to Lisbon?", "why", "the fares were low"),
        ("Does Ada still row?", "yes-no", "Yes"),
    ],
)
def test_a_typed_question_gets_the_span_of_its_type(question, kind, answer):
    reading = read(question)
    assert (reading.kind, reading.answer, reading.state) == (kind, answer, "ok")


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "kind", "answer"),
    [
        ("Where did Bo go for low fares?", "where", "Lisbon"),
        ("Who went to Lisbon with Bo?", "who", "Maria Costa"),
        ("Which book did Bo read on the train?", "title", "The Salt Road"),
        ("What do Bo's cats chase?", "thing", "bird"),
    ],
)
def test_names_and_phrases_are_found_by_the_parser(question, kind, answer):
    reading = read(question)
    assert reading.kind == kind
    assert answer in reading.answer


def test_an_event_without_a_date_is_placed_on_the_day_it_was_told():
    talk = Evidence("Ada: We opened the boat yard!", "2024-06-09T08:00")
    assert read("When did Ada open the yard?", [talk]).answer == "9 June 2024"


def test_the_date_that_the_question_names_is_no_answer():
    talk = Evidence(
        "Ada: In June I raced twice, the last time on Sunday.", "2024-06-26"
    )
    answer = read("When did Ada race in June?", [talk]).answer
    assert answer == "The Sunday before 26 June 2024"


def test_without_a_date_nothing_is_resolved():
    talk = Evidence("Ada: The mast broke yesterday.", None)
    reading = read("When did the mast break?", [talk])
    assert "2024" not in reading.answer
    assert reading.state == "ok"


@pytest.mark.parametrize("evidence", [[], [Evidence("", None)], [Evidence("\n", None)]])
def test_without_evidence_there_is_no_answer(evidence):
    assert read("When did the mast break?", evidence).answer == ""
    assert read("When did the mast break?", evidence).state == "empty"


def test_of_two_sides_of_an_or_the_one_spoken_of_is_taken():
    talk = Evidence("Ada: I adore the theatre, never the opera house.", "2024-01-01")
    assert (
        "theatre" in read("Would Ada rather go by bus or to a theatre?", [talk]).answer
    )


def test_a_denial_makes_a_no():
    talk = Evidence("Ada: I never eat nuts.", "2024-01-01")
    assert read("Does Ada eat nuts?", [talk]).answer == "No"


def test_the_speaker_asked_about_is_preferred():
    talk = Evidence("Ada: I baked bread.\nBo: I baked bread.", "2024-01-01")
    asked = taken_apart("What did Bo bake?", speakers_of([talk]))
    assert asked.about == ("Bo",)
    assert scored_sentences([talk], asked)[0].speaker == "Bo"


def test_the_reply_to_a_question_counts_its_words():
    talk = Evidence("Ada: What is your boat called?\nBo: The Grey Wren.", "2024-01-01")
    asked = taken_apart("What is the boat of Bo called?", speakers_of([talk]))
    assert scored_sentences([talk], asked)[0].text == "The Grey Wren."


def test_equal_sentences_are_ordered_by_record_then_place():
    talk = Evidence("Ada: Sail. Row. Sail.", "2024-01-01")
    asked = taken_apart("What is new?", ())
    order = [(s.rank, s.order) for s in scored_sentences([talk, talk], asked)]
    assert order == sorted(order)


def test_a_question_about_a_month_looks_from_a_day_before_to_two_weeks_after():
    june = month(2024, 6)
    days = [date(2024, 5, 30), date(2024, 5, 31), date(2024, 7, 14), date(2024, 7, 15)]
    assert [told_about(june, day) for day in days] == [False, True, True, False]
    assert not told_about(None, days[0])
    assert not told_about(june, None)


def test_a_shortened_name_is_still_the_speaker():
    assert taken_apart("What does Mel like?", ["Melinda", "Bo"]).about == ("Melinda",)
    assert taken_apart("What is new?", ["Melinda", "Bo"]).about == ()


def test_a_typed_question_does_not_import_spacy(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    assert read("How many cats does Bo have?").answer == "three"


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.skipif(
    not (DATA / "locomo").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder holding locomo/",
)
def test_the_reader_reaches_its_floors_on_real_conversations():
    """With ten atoms by BM25 alone F1 22 and temporal 48; with gold evidence F1 35."""
    conversations, questions, _ = load_locomo(DATA / "locomo")
    retrieved, gold, temporal = [], [], []
    for conversation in conversations:
        atoms = turn_pair_atoms(conversation)
        bm25 = Bm25([words(dated_text(a), stem=True, stop=True) for a in atoms])
        for question in questions:
            if question.conversation != conversation.id:
                continue
            if question.category == ADVERSARIAL:
                continue
            scores = bm25.scores(words(question.text, stem=True, stop=True))
            best = np.argsort(-scores, kind="stable")[:10]
            held = set(evidence_atoms(question, atoms))
            for rows, scored in (
                ([atoms[row] for row in best], retrieved),
                ([atom for atom in atoms if atom.id in held], gold),
            ):
                evidence = [Evidence(atom.text, atom.timestamp) for atom in rows]
                answer = SpanReader().read(question.text, evidence).answer
                scored.append(f1_bag(answer, question.answer or ""))
            if question.category == 2:
                temporal.append(retrieved[-1])
    assert np.mean(retrieved) >= 0.22
    assert np.mean(temporal) >= 0.48
    assert np.mean(gold) >= 0.35
