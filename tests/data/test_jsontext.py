import unicodedata

import pytest

from skillmill.data.jsontext import (
    clean_text,
    parse_json,
    read_id,
    read_text_file,
    shown,
)
from skillmill.errors import InputError


def test_nfc_and_nfd_become_one_text_u37():
    forms = {unicodedata.normalize(form, "café") for form in ("NFC", "NFD")}
    assert len(forms) == 2
    assert {clean_text(form).text for form in forms} == {"café"}


def test_a_lone_surrogate_is_replaced_and_counted_u37():
    assert clean_text("a\ud83d b\udc00") == ("a\ufffd b\ufffd", False, 2)
    assert clean_text("\U0001f600") == ("\U0001f600", False, 0)


def test_outer_blanks_are_taken_off_and_inner_ones_kept():
    assert clean_text(" a  b\n") == ("a  b", True, 0)
    assert clean_text("") == ("", False, 0)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("D1:1", "D1:1"), (" x ", "x"), (7, "7"), (0, "0")],
)
def test_an_id_is_a_text_or_a_whole_number(value, expected):
    assert read_id(value) == expected


@pytest.mark.parametrize("value", [None, "", " ", True, 1.0, [], {}, "a\ud83d"])
def test_anything_else_is_no_id(value):
    assert read_id(value) is None


def test_a_value_in_a_message_is_short_and_can_be_written():
    assert shown("\ud83d") == r"'\ud83d'"
    assert len(shown("x" * 1000)) < 80
    assert len(shown([[["x" * 1000] * 1000] * 1000])) < 200


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf[1]")
    assert read_text_file(path) == "[1]"


@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.json: expected JSON, got an empty file"):
        read_text_file(path)


def test_a_file_in_another_encoding_is_refused_with_its_line(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes('["a",\n "é"]'.encode("latin-1"))
    with pytest.raises(InputError, match=r"line 2: expected UTF-8 .* 0xe9; save"):
        read_text_file(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"no\.json: .*No such file"):
        read_text_file(tmp_path / "no.json")
    with pytest.raises(InputError, match="directory"):
        read_text_file(tmp_path)


def test_an_unreadable_file_is_refused(tmp_path, monkeypatch):
    def denied(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", denied)
    with pytest.raises(InputError, match="Permission denied"):
        read_text_file(tmp_path / "a.json")


def test_broken_json_is_named_with_line_and_column():
    with pytest.raises(InputError, match=r"^f, line 2, column 2: expected JSON, got b"):
        parse_json("[1,\n }", "f")
    with pytest.raises(InputError, match=r"^f, line 7, column 4"):
        parse_json("[1,", "f", first_line=7)


@pytest.mark.parametrize(
    ("text", "fault"),
    [("[" * 100_000, "nested too deep"), ("9" * 10_000, "too many digits")],
)
def test_json_beyond_the_limits_of_the_reader_is_refused(text, fault):
    with pytest.raises(InputError, match=fault):
        parse_json(text, "f")
