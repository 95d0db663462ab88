"""Pairs invented for these rules; the score on other pairs is in docs/standins.md."""

from datetime import date

import pytest

from skillmill.models.heuristics.judge import MatchJudge

JUDGE = MatchJudge()


@pytest.mark.parametrize(
    ("question", "gold", "said", "label"),
    [
        ("When did Ana move?", "7 May 2023", "May 7th, 2023", "correct"),
        ("When did Ana move?", "7 May 2023", "2023-05-07", "correct"),
        ("When did Ana move?", "7 May 2023", "8 May 2023", "incorrect"),
        ("When did Ana move?", "19 October", "October 19, 2022", "correct"),
        ("When did Ana move?", "The week before 12 April 2022", "8 April 2022",
         "correct"),
        ("When did Ana move?", "The Friday before 6 August 2022", "5 August 2022",
         "correct"),
        ("When did Ana move?", "July 2023", "It was on 3 July 2023", "correct"),
        ("When did Ana move?", "3 July 2023", "in July 2023", "unsure"),
        ("When did Ana move?", "2021", "in 2022", "incorrect"),
        ("When did Ana move?", "2021", "in spring", "incorrect"),
        ("Did Ana sell it?", "Yes", "Probably", "correct"),
        ("Did Ana sell it?", "No", "She didn't sell it", "correct"),
        ("Did Ana sell it?", "Yes", "No, she kept it", "incorrect"),
        ("Is Ana a vet?", "Yes", "She isn't a vet", "incorrect"),
        ("Would Ana like a zoo?", "Likely no", "Not really", "correct"),
        ("Would Ana like a zoo?", "Yes, she loves animals", "Yes", "correct"),
        ("How many cats has Ana?", "3", "three cats", "correct"),
        ("How many cats has Ana?", "three", "She has 4", "incorrect"),
        ("How many cats has Ana?", "three", "She has some", "incorrect"),
        ("How often does Ana row?", "twice a week", "two times a week", "correct"),
        ("What did it cost?", "1,250 euros", "1250 euros", "correct"),
        ("What did Ana buy?", "a red bicycle", "a blue bicycle", "incorrect"),
        ("What did Ana buy?", "a red bicycle", "a bicycle that was red", "correct"),
        ("What did Ana buy?", "a boat", "The boat.", "correct"),
        ("What does Ana study?", "psychology", "to be a psychologist", "correct"),
        ("What did Ana paint?", "boats, dunes, gulls", "boats and gulls", "unsure"),
        ("What did Ana paint?", "boats, dunes, gulls", "gulls, boats, dunes",
         "correct"),
        ("How is her job?", "it is not stressful", "it is stressful", "incorrect"),
        ("Where did Ana go?", "Lisbon", "Porto", "incorrect"),
        ("How long are Ana and Ben married?", "Ana and Ben are married for 5 years",
         "5 years", "correct"),
        ("Where is Ana?", "It is not known", "I don't know", "correct"),
        ("Where is Ana?", "It is not known", "in Lisbon", "incorrect"),
    ],
)  # fmt: skip
def test_an_answer_is_compared_by_dates_numbers_denial_and_words(
    question, gold, said, label
):
    assert JUDGE.judge(question, gold, said).label == label


@pytest.mark.parametrize("said", ["", "  ", "?!", "I don't know", "not mentioned"])
def test_no_answer_is_incorrect(said):
    verdict = JUDGE.judge("Where did Ana go?", "Lisbon", said)
    assert (verdict.label, verdict.reason) == ("incorrect", "no answer was given")


def test_a_relative_date_is_understood_from_the_day_it_was_said():
    """25 May 2023 is a Thursday."""
    args = ("When did Ana move?", "19 May 2023", "last Friday")
    assert JUDGE.judge(*args, day=date(2023, 5, 25)).label == "correct"
    assert JUDGE.judge(*args).label == "incorrect"


def test_both_forms_of_an_accent_are_one_word():
    assert JUDGE.judge("Where?", "cafe\u0301", "caf\u00e9").label == "correct"


def test_a_verdict_says_which_rule_gave_it():
    assert JUDGE.judge("When?", "2021", "2022").reason == "another date"
    assert JUDGE.judge("How many?", "2", "3").reason == "another number"
    assert JUDGE.judge("Who?", "an old sailor", "a sailor").reason.startswith(
        "holds 50%"
    )
