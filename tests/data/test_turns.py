import pytest

from skillmill.data.turns import TurnKeys, read_date, read_turn
from skillmill.types import Turn

KEYS = TurnKeys(id="id", text="text", caption="caption")


def read(row):
    reading = read_turn(row, "D1:1", KEYS)
    return reading.turn, [remark.code for remark in reading.remarks]


def test_a_turn_is_read_with_its_caption():
    row = {"speaker": "Ines", "text": "Look.", "caption": "a leek", "id": "x"}
    assert read(row) == (Turn("x", "Ines", "Look.", "a leek"), [])


@pytest.mark.parametrize("text", [None, "", "  "])
def test_a_caption_alone_is_enough(text):
    row = {"speaker": "Ines", "text": text, "caption": "a leek"}
    assert read(row) == (Turn("D1:1", "Ines", "", "a leek"), [])


def test_outer_blanks_are_taken_off_and_told():
    row = {"speaker": "Ines", "text": " Look.\n"}
    assert read_turn(row, "D1:1", KEYS).stripped
    assert read(row)[0] == Turn("D1:1", "Ines", "Look.")


@pytest.mark.parametrize(
    "row",
    [
        None,
        "text",
        [],
        {},
        {"text": "no speaker"},
        {"speaker": " ", "text": "blank speaker"},
        {"speaker": 3, "text": "numbered speaker"},
        {"speaker": "Ines"},
        {"speaker": "Ines", "text": " ", "caption": ""},
        {"speaker": "Ines", "text": ["a"]},
    ],
)
def test_a_turn_without_speaker_or_words_is_refused(row):
    assert read(row) == (None, ["turn-unusable"])


def test_an_id_or_caption_of_the_wrong_type_is_ignored_and_reported():
    row = {"speaker": "Ines", "text": "Look.", "caption": ["a"], "id": {}}
    assert read(row) == (
        Turn("D1:1", "Ines", "Look."),
        ["field-ignored", "field-ignored"],
    )


def test_a_lone_surrogate_is_reported_once_a_turn_u37():
    row = {"speaker": "In\ud83des", "text": "Look\ud83d."}
    assert read(row) == (Turn("D1:1", "In\ufffdes", "Look\ufffd."), ["lone-surrogate"])


def test_a_date_is_kept_as_written_beside_its_iso_form():
    assert read_date(" 1:56 pm on 8 May, 2023 ") == (
        "1:56 pm on 8 May, 2023",
        "2023-05-08T13:56",
        [],
    )
    assert read_date(None) == (None, None, [])


@pytest.mark.parametrize(
    ("value", "text"), [("last spring", "last spring"), ("", None), (2023, None)]
)
def test_an_unknown_date_is_reported(value, text):
    date = read_date(value)
    assert (date.text, date.started) == (text, None)
    assert [remark.code for remark in date.remarks] == ["date-unknown"]
