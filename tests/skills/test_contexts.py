from dataclasses import replace

import numpy as np
import pytest

from skillmill.skills.contexts import question_contexts
from skillmill.types import Mention, Question


def asked(name, text, conversation="garden"):
    return Question(name, conversation, text, 4, None, "null", None, ())


def contexts(questions, tuned=None, **options):
    names = [question.id for question in questions]
    texts = {question.id: question.text for question in questions}
    vectors = {name: np.full(2, i, np.float32) for i, name in enumerate(names)}
    given = {
        "mentions": [],
        "entity_vectors": {},
        "last_days": {"garden": "2023-10-22", "pond": "2021-05-31"},
    } | options
    return question_contexts(questions, tuned or texts, vectors, vectors, **given)


def test_relative_dates_count_from_the_end_of_the_question_s_own_memory():
    found = contexts([asked("a", "in June?"), asked("b", "in June?", "pond")])
    assert [context.time_range for context in found] == [
        ("2023-06-01", "2023-06-30"),
        ("2020-06-01", "2020-06-30"),
    ]


def test_a_question_that_says_when_it_is_asked_counts_from_that_day():
    """LongMemEval gives each question a date, often long after the last session."""
    plain = asked("b", "What did I buy two weeks ago?")
    later = replace(plain, id="a", date="2024-03-20T10:00")
    dated, undated = contexts([later, plain])
    assert dated.time_range[0] <= "2024-03-06" <= dated.time_range[1]
    assert undated.time_range[0] <= "2023-10-08" <= undated.time_range[1]


def test_a_speaker_called_june_is_no_month():
    (found,) = contexts(
        [asked("a", "What did Tom say to June?")], {"a": "What did say to?"}
    )
    assert found.time_range is None
    assert found.text == "What did Tom say to June?"


def test_entities_are_those_of_the_question_and_never_of_atoms():
    mentions = [
        Mention("ner", "question", "a", "Oslo", 2),
        Mention("noun", "question", "a", "shed", 1),
        Mention("ner", "atom", "a", "Rome", 1),
    ]
    (found,) = contexts(
        [asked("a", "x")], mentions=mentions, entity_vectors={"Oslo": np.ones(2)}
    )
    assert found.entities == {"ner": {"Oslo": 2}, "noun": {"shed": 1}}
    assert list(found.entity_vectors) == ["Oslo"]


def test_token_vectors_are_there_for_the_questions_that_have_some():
    rows = np.ones((3, 2))
    one, other = contexts([asked("a", "x"), asked("b", "y")], tokens={"a": rows})
    assert one.tokens is rows
    assert other.tokens is None


def test_a_question_about_an_unknown_memory_is_a_misuse():
    with pytest.raises(KeyError, match="lake"):
        contexts([asked("a", "x", "lake")])
