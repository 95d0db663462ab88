"""Long texts are cut at the best border that fits, and nothing of them is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillmill.models.chunks import Lengths, mean_vector, measure, split_text
from skillmill.models.encoder import EncoderSettings, load_encoder, load_pieces
from skillmill.models.tokens import EstimatedPieces
from tests.models.tiny import Words


def bare(text):
    return "".join(text.split())


@pytest.mark.parametrize("text", ["", "one", "a b c d"])
def test_a_text_that_fits_is_left_as_it_is(text):
    assert split_text(text, Words(4)) == [text]


def test_a_text_is_cut_at_paragraphs_before_sentences():
    text = "One two. Three four.\n\nFive six seven. Eight."
    assert split_text(text, Words(7)) == [
        "One two. Three four.",
        "Five six seven. Eight.",
    ]


def test_a_paragraph_that_does_not_fit_is_cut_at_sentences():
    text = "One two. Three four five. Six seven."
    assert split_text(text, Words(5)) == ["One two. Three four five.", "Six seven."]


def test_a_sentence_that_does_not_fit_is_cut_at_words():
    assert split_text("a b c d e f g", Words(3)) == ["a b c", "d e f", "g"]


def test_a_border_that_would_leave_a_part_less_than_half_full_is_passed_over():
    """The paragraph ends after 1 of 6 words, the sentence after 4."""
    text = "One.\n\nTwo three four. Five six seven eight."
    assert split_text(text, Words(6)) == [
        "One.\n\nTwo three four.",
        "Five six seven eight.",
    ]


def test_sentences_end_without_a_space_in_chinese():
    pieces = EstimatedPieces(5)
    assert split_text("你好世界。我们走吧。", pieces) == ["你好世界。", "我们走吧。"]


def test_a_word_that_fits_no_part_is_cut():
    assert split_text("abcdefghijkl", EstimatedPieces(2)) == ["abcdefgh", "ijkl"]


def test_a_part_that_has_more_pieces_alone_than_in_its_place_is_cut_again():
    """As with tokenizers that mark the beginning of a text by a piece of its own."""

    class Marked(Words):
        def counts(self, texts):
            return [count + 1 for count in super().counts(texts)]

        def starts(self, text):
            return np.concatenate([[0], super().starts(text)])

    parts = split_text("a b c d e f g", Marked(3))
    assert parts == ["a b", "c d", "e f", "g"]


@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet="ab cé。.!\n\t你\U0001f600", max_size=120),
    st.integers(min_value=1, max_value=9),
)
def test_no_part_is_too_long_and_no_character_is_lost(text, room):
    for pieces in (Words(room), EstimatedPieces(room)):
        parts = split_text(text, pieces)
        assert bare("".join(parts)) == bare(text)
        assert all(count <= room for count in pieces.counts(parts))
        assert parts


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.integers(min_value=8, max_value=40))
def test_the_parts_fit_the_real_tokenizer(text, limit):
    pieces = load_pieces(EncoderSettings(max_length=limit))
    parts = split_text(text, pieces)
    assert bare("".join(parts)) == bare(text)
    assert all(row.lost == 0 for row in pieces.rows(parts))


def test_lengths_are_counted_and_told_u50():
    texts = ["a b", "a b c d e f", "a b c d", "a b c d e"]
    lengths, long = measure(texts, Words(4))
    assert lengths == Lengths(texts=4, long=2, pieces=11, beyond=3, room=4)
    assert long == [1, 3]
    assert str(lengths) == (
        "2 of 4 texts (50.0%) are longer than the 4 pieces that the encoder reads;"
        " 27.3% of their text lies beyond"
    )


def test_texts_within_the_limit_are_told_too():
    lengths, long = measure(["a", ""], Words(4))
    assert (str(lengths), long) == ("all 2 texts are within the 4 pieces read", [])
    assert measure([], Words(4))[0].long == 0


def test_the_mean_of_parts_counts_each_by_its_pieces():
    """3 x (1, 0) + 1 x (0, 1) has the direction (3, 1)."""
    mean = mean_vector(np.eye(2, dtype=np.float32), [3, 1])
    assert mean == pytest.approx(np.array([3, 1]) / np.sqrt(10))
    assert mean.dtype == np.float32


def test_parts_that_cancel_each_other_out_leave_the_first():
    vectors = np.array([[1, 0], [-1, 0]], dtype=np.float32)
    assert mean_vector(vectors, [2, 2]).tolist() == [1, 0]


@pytest.mark.model
def test_what_only_the_last_paragraph_says_is_found_by_the_best_part_u50(
    tmp_path, monkeypatch
):
    """6,000 words, of which 256 pieces are read, beside 30 short texts."""
    monkeypatch.setenv("SKILLMILL_CACHE", str(tmp_path))
    settings = EncoderSettings(backend="onnx-uint8")
    encoder, pieces = load_encoder(settings), load_pieces(settings)
    topics = ["sew a hem", "bake rye bread", "tune a piano", "prune roses", "fix a tap"]
    places = ("spring", "summer", "autumn", "winter", "Oslo", "Rome")
    filler = "\n\n".join(
        f"Step {n}: {topics[n % 5]}, take your time and check the result twice."
        for n in range(480)
    )
    long = f"{filler}\n\nStore chunked arrays with zarr consolidated metadata."
    assert len(long.split()) > 6000
    others = [f"How to {topic} in {place}." for topic in topics for place in places]
    query, *rows = encoder.encode(["zarr consolidated metadata", *others])
    parts = encoder.encode(split_text(long, pieces))
    scores = np.array(rows) @ query
    assert np.sum(scores > (parts @ query).max()) < 3
    cut = encoder.encode([long])[0] @ query
    assert cut < (parts @ query).max() - 0.2
