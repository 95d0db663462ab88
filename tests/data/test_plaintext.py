"""Bytes to text: marks, line ends, Unicode forms, hidden characters, quotes."""

import pytest

from skillmill.data.plaintext import (
    content_hash,
    decode,
    hidden_characters,
    one_line,
    tidy,
    unquote,
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be"]
)
def test_text_is_read_by_its_byte_order_mark_u41(encoding):
    data = "naïve 図".encode(encoding)
    if encoding == "utf-16-be":
        data = b"\xfe\xff" + data
    assert decode(data) == "naïve 図"


def test_nothing_decodes_to_nothing():
    assert decode(b"") == ""


@pytest.mark.parametrize(
    "data", [b"caf\xe9", b"\xff\xfea", b"a\x00b\x00c\x00", b"\x89PNG\r\n\x1a\n"]
)
def test_bytes_that_are_no_text_are_refused_u41(data):
    with pytest.raises(UnicodeDecodeError):
        decode(data)


def test_line_ends_become_lf():
    assert tidy("a\r\nb\rc\n")[0] == "a\nb\nc\n"


def test_a_lone_surrogate_is_replaced_and_reported_with_its_line_u37():
    text, remarks = tidy("one\ntwo \ud83d")
    assert text == "one\ntwo \ufffd"
    assert [(remark.line, remark.code) for remark in remarks] == [(2, "lone-surrogate")]


def test_halves_that_form_a_pair_are_joined_u37():
    assert tidy("\ud83d\ude00") == ("\U0001f600", [])


def test_copies_in_another_form_or_line_end_have_one_hash_u37_u41():
    assert content_hash("café\r\n") == content_hash("cafe\u0301\n")
    assert content_hash("café\n") != content_hash("cafe\n")


def test_one_line_collapses_white_space_and_drops_hidden_characters_u37_u53():
    assert one_line(" a\n\t b\u200f\x00 \U000e0041c ") == "a b c"
    assert one_line("\u200b") == ""


def test_dropping_a_hidden_character_leaves_the_text_in_nfc():
    assert one_line("e\u200b\u0301") == "é"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "می\u200cخواهم",
        "\U0001f468\u200d\U0001f469",
        "\u2764\ufe0f",
        "tab\tand\nbreak",
    ],
)
def test_ordinary_writing_hides_nothing(text):
    assert hidden_characters(text) == []
    assert one_line(text) == " ".join(text.split())


@pytest.mark.parametrize(
    "char",
    ["\x00", "\x1b", "\x85", "\xad", "\u200b", "\u202e", "\ufeff", "\U000e0041"],
)
def test_a_hidden_character_is_flagged_with_its_line_u53(char):
    (remark,) = hidden_characters(f"one\ntwo{char}")
    assert (remark.line, remark.code) == (2, "hidden-characters")
    assert f"U+{ord(char):04X}" in remark.message


def test_joiners_between_latin_letters_and_runs_of_selectors_are_flagged_u53():
    assert hidden_characters("pass\u200dword")
    assert hidden_characters("\u2764\ufe0f\ufe01\ufe02")


def test_many_hidden_characters_make_one_remark_u53():
    text = "".join(chr(0xE0041 + step) for step in range(8))
    (remark,) = hidden_characters(text)
    assert remark.message.startswith("8 hidden characters")
    assert "and 3 others" in remark.message


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ('"closed"', "closed"),
        ('"cut in the mid', "cut in the mid"),
        ('"a", "b"', '"a", "b"'),
        ('"Wash" and dry', '"Wash" and dry'),
        ('"say "wash" now"', 'say "wash" now'),
        ('"say \\"wash\\" now"', 'say "wash" now'),
        ("'it''s dry'", "it's dry"),
        ("'it's dry'", "it's dry"),
        ('"', ""),
    ],
)
def test_quotes_around_the_whole_are_taken_off(given, expected):
    assert unquote(given) == expected
