"""Texts as pieces: what the library counts is what the model reads."""

import numpy as np
import pytest

from skillmill.errors import ModelError
from skillmill.models.encoder import BUNDLED, EncoderSettings, load_pieces
from skillmill.models.tokens import (
    EstimatedPieces,
    Row,
    WordPieces,
    encodable,
    may_exceed,
)
from skillmill.models.weights import find_folder
from tests.models.tiny import write_tiny


@pytest.fixture
def tiny(tmp_path):
    write_tiny(tmp_path / "tiny")
    return WordPieces(tmp_path / "tiny", 6)


def test_special_tokens_are_added_and_marked_and_the_end_is_cut(tiny):
    """[CLS] is 2 and [SEP] is 3; a to d are 5 to 8, inside a word 41 to 44."""
    short, long = tiny.rows(["ab", "abcdef"])
    assert short == Row((2, 5, 42, 3), (True, False, False, True), 0)
    assert long.ids == (2, 5, 42, 43, 44, 3)
    assert long.lost == 2


def test_the_room_leaves_out_special_tokens_and_the_prefix(tmp_path):
    write_tiny(tmp_path / "tiny")
    assert WordPieces(tmp_path / "tiny", 18).room == 16
    prefixed = WordPieces(tmp_path / "tiny", 18, "to: ")
    assert prefixed.room == 13
    assert prefixed.rows(["a" * 13, "a" * 14])[1].lost == 1


def test_a_limit_that_the_prefix_fills_is_refused(tmp_path):
    write_tiny(tmp_path / "tiny")
    with pytest.raises(ModelError, match=r"max_length 4 .* filled by 5 .* set encoder"):
        WordPieces(tmp_path / "tiny", 4, "to: ")


def test_pieces_are_counted_and_located(tiny):
    assert tiny.counts(["ab c", "", "x"]) == [3, 0, 1]
    assert tiny.starts("ab  c").tolist() == [0, 1, 4]
    assert tiny.starts("").tolist() == []


def test_half_a_surrogate_pair_is_read_as_the_replacement_character_u37(tiny):
    assert encodable("a\ud800b\U0001f680") == "a\ufffdb\U0001f680"
    half, whole = tiny.rows(["one \udcff two", "one \ufffd two"])
    assert half == whole
    assert len(tiny.starts("one \udcff two")) == tiny.counts(["one \udcff two"])[0]


def test_the_tokenizer_of_the_folder_cuts_as_sentence_transformers_does():
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(find_folder(BUNDLED))
    texts = ["Naïve café, 3.5 km — 你好 ok?", "ALL CAPS\tand\nlines", "", "x" * 300]
    expected = theirs(texts, truncation=True, max_length=256)["input_ids"]
    ours = load_pieces(EncoderSettings()).rows(texts)
    assert [list(row.ids) for row in ours] == expected


def test_a_model_that_lowers_the_case_itself_is_followed(tmp_path):
    write_tiny(tmp_path / "tiny")
    path = tmp_path / "tiny" / "sentence_bert_config.json"
    path.write_text('{"max_seq_length": 18, "do_lower_case": true}')
    pieces = WordPieces(tmp_path / "tiny", 18)
    assert pieces.starts("aİ").max() <= 2
    assert pieces.rows(["AB"])[0].ids == (2, 5, 42, 3)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "no tokenizer.json"), ("{", "is not JSON"), ("{}", "with a 'model'")],
)
def test_a_folder_without_a_tokenizer_is_refused_with_the_way_out(
    tmp_path, content, reason
):
    name = write_tiny(tmp_path / "tiny")
    path = tmp_path / "tiny" / "tokenizer.json"
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises(ModelError, match=f"{reason}.*copy"):
        load_pieces(EncoderSettings(name))


@pytest.mark.parametrize(
    ("text", "exceeds"), [("abc", False), ("abcd", True), ("é", True), ("", False)]
)
def test_only_a_short_plain_text_is_certain_to_fit(text, exceeds):
    assert may_exceed(text, 4) == exceeds


def test_an_unknown_tokenizer_is_estimated_from_above():
    """tokenise = toke + nise; 2026 = 202 + 6; one for each other character."""
    pieces = EstimatedPieces(100)
    assert pieces.counts(["tokenise it, 2026", "你好", ""]) == [6, 2, 0]
    assert pieces.starts("ab, cd").tolist() == [0, 2, 4]
    real = load_pieces(EncoderSettings())
    text = "The unquestionably long-winded documentation of 12,345 configurations."
    assert pieces.counts([text]) > real.counts([text])
    assert isinstance(pieces.starts(text), np.ndarray)


def test_the_limit_of_an_endpoint_is_unknown_unless_configured():
    settings = {"name": "endpoint:m", "base_url": "http://x/v1"}
    assert load_pieces(EncoderSettings(**settings)) is None
    assert load_pieces(EncoderSettings(**settings, max_length=512)).room == 512
