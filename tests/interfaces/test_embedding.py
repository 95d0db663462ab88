"""Passages become vectors through the record store; nothing is encoded twice."""

import dataclasses
import logging
import re

import numpy as np
import pytest

from skillmill.errors import ModelError
from skillmill.interfaces import embedding
from skillmill.interfaces.embedding import embed_passages
from skillmill.interfaces.job import Counts
from skillmill.models.encoder import EncoderSettings, load_encoder, load_pieces
from skillmill.store.artifact import reading, writing
from skillmill.store.vectors import (
    load_vectors,
    require_encoder,
    save_encoder,
    save_vectors,
)
from tests.conftest import REPOSITORY
from tests.models.tiny import Words, write_tiny
from tests.store.examples import provenance

LONG = "a b c d e f g"
ROWS = [
    ("skill", "one", 0, "a b"),
    ("skill", "two", 0, LONG),
    ("task", "one", 0, "a b"),
]


class Counting:
    """Vectors that tell how many words a text has; fails after some batches."""

    truncated = 0

    def __init__(self, name="m", last=99):
        self.identity = {"name": name, "dimension": 2}
        self.asked = []
        self.last = last

    def encode(self, texts):
        if len(self.asked) >= self.last:
            raise ModelError("the power went out")
        self.asked.append(list(texts))
        angles = np.array([len(text.split()) for text in texts]) / 10
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def embed(rows, records, encoder=None, long_texts="truncate", pieces=None):
    encoder, counts = encoder or Counting(), Counts()
    found = embed_passages(
        rows, encoder, pieces or Words(4), long_texts, records, counts
    )
    return found, counts, [text for batch in encoder.asked for text in batch]


def angle(vector):
    return float(np.arctan2(vector[1], vector[0]) * 10)


def test_each_passage_has_its_vector_and_equal_texts_are_encoded_once(tmp_path):
    found, counts, asked = embed(ROWS, tmp_path)
    assert [row[:3] for row in found] == [row[:3] for row in ROWS]
    assert [round(angle(vector)) for *_, vector in found] == [2, 7, 2]
    assert asked == ["a b", LONG]
    assert (counts.computed, counts.reused) == (2, 0)


def test_what_is_recorded_is_not_encoded_again(tmp_path):
    first, *_ = embed(ROWS, tmp_path)
    again, counts, asked = embed(ROWS, tmp_path)
    assert asked == []
    assert (counts.computed, counts.reused) == (0, 2)
    assert all((a[3] == b[3]).all() for a, b in zip(first, again, strict=True))


def test_one_mean_vector_stands_for_the_parts_of_a_long_text(tmp_path):
    """Parts of 4 and 3 words, weighed 4 to 3."""
    found, counts, asked = embed(ROWS, tmp_path, long_texts="mean")
    assert asked == ["a b", "e f g", "a b c d"]
    assert [row[:3] for row in found] == [row[:3] for row in ROWS]
    mean = 4 * np.exp(0.4j) + 3 * np.exp(0.3j)
    assert angle(found[1][3]) == pytest.approx(10 * np.angle(mean), abs=1e-5)
    assert np.linalg.norm(found[1][3]) == pytest.approx(1)
    assert counts.computed == 3


def test_each_part_of_a_long_text_has_its_vector_where_the_best_one_counts(tmp_path):
    rows = [*ROWS, ("skill", "two", 1, "a")]
    found, *_ = embed(rows, tmp_path, long_texts="max")
    assert [(kind, id, part, round(angle(v))) for kind, id, part, v in found] == [
        ("skill", "one", 0, 2),
        ("skill", "two", 0, 4),
        ("skill", "two", 2, 3),
        ("task", "one", 0, 2),
        ("skill", "two", 1, 1),
    ]


@pytest.mark.parametrize("mode", ["truncate", "mean", "max"])
def test_long_texts_are_counted_and_their_share_is_logged_u50(tmp_path, caplog, mode):
    caplog.set_level(logging.INFO)
    _, counts, _ = embed(ROWS, tmp_path, long_texts=mode)
    assert dict(counts.states) == {("ok", ""): 2, ("ok", embedding.REASONS[mode]): 1}
    assert "1 of 3 texts (33.3%) are longer than the 4 pieces" in caplog.text
    assert "42.9% of their text lies beyond" in caplog.text
    again = embed(ROWS, tmp_path, long_texts=mode)[1]
    assert again.states == counts.states


def test_where_the_limit_is_unknown_nothing_is_cut(tmp_path):
    counts = Counts()
    found = embed_passages(ROWS, Counting(), None, "mean", tmp_path, counts)
    assert [round(angle(vector)) for *_, vector in found] == [2, 7, 2]
    assert dict(counts.states) == {("ok", ""): 3}


def test_no_passage_has_no_vector(tmp_path):
    found, counts, asked = embed([], tmp_path / "records")
    assert (found, asked, counts.total("ok")) == ([], [], 0)
    assert not (tmp_path / "records").exists()


def test_a_run_that_fails_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "BATCH", 2)
    rows = [("skill", str(n), 0, "word " * n) for n in range(1, 8)]
    with pytest.raises(ModelError, match="power"):
        embed(rows, tmp_path, Counting(last=2), pieces=Words(99))
    _, counts, asked = embed(rows, tmp_path, pieces=Words(99))
    assert asked == ["word " * n for n in (5, 6, 7)]
    assert (counts.computed, counts.reused) == (3, 4)


@pytest.mark.model
def test_another_encoder_of_the_same_dimension_is_refused_then_embeds_anew_u38(
    tmp_path, monkeypatch
):
    """Two models of 32 numbers: a store of one is refused for queries of the other;
    re-embedding computes all once, an interrupted one only the rest, and going back
    computes nothing."""
    monkeypatch.setenv("SKILLMILL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(embedding, "BATCH", 2)
    a, b = (
        EncoderSettings(write_tiny(tmp_path / name, seed), backend="onnx")
        for seed, name in enumerate(["model-a", "model-b"])
    )
    rows = [("skill", name, 0, f"{name} text") for name in "abcdef"]
    records, path = tmp_path / "records", tmp_path / "vectors.sqlite"

    def build(settings, stop_after=None):
        encoder, counts = load_encoder(settings), Counts()
        if stop_after is not None:
            encode, calls = encoder.encode, []

            def failing(texts):
                calls.append(texts)
                if len(calls) > stop_after:
                    raise ModelError("killed")
                return encode(texts)

            encoder.encode = failing
        found = embed_passages(
            rows, encoder, load_pieces(settings), "truncate", records, counts
        )
        with writing(path, provenance("vectors")) as db:
            save_encoder(db, encoder.identity)
            save_vectors(db, "skill", [row[1] for row in found], [0] * len(found),
                         np.stack([row[3] for row in found]))  # fmt: skip
        return counts

    assert build(a).computed == 6
    with reading(path, "vectors") as db:
        require_encoder(db, load_encoder(a).identity)
        first = load_vectors(db, "skill")[2]
        with pytest.raises(ModelError) as caught:
            require_encoder(db, load_encoder(b).identity)
    message = str(caught.value)
    assert "made by 'model-a', not by 'model-b'" in message
    assert "`skillmill run`" in message
    assert "dimension" not in message
    with pytest.raises(ModelError, match="killed"):
        build(b, stop_after=1)
    counts = build(b)
    assert (counts.computed, counts.reused) == (4, 2)
    with reading(path, "vectors") as db:
        require_encoder(db, load_encoder(b).identity)
        assert np.abs(load_vectors(db, "skill")[2] - first).max() > 0.01
    assert build(a).computed == 0
    with reading(path, "vectors") as db:
        assert (load_vectors(db, "skill")[2] == first).all()


def test_the_rule_hands_over_every_setting_of_an_encoder_and_no_other():
    """`threads` are those of the rule itself."""
    rule = (REPOSITORY / "rules" / "vectors.smk").read_text(encoding="utf-8")
    vectors = rule.split("rule vectors:")[1].split("\nrule ")[0]
    handed = [
        name
        for names in re.findall(r"include=\{([^}]*)\}", vectors)
        for name in re.findall(r'"(\w+)"', names)
    ]
    settings = {field.name for field in dataclasses.fields(EncoderSettings)}
    assert sorted(handed) == sorted(settings - {"threads"})
    assert "threads: CONFIG.encoder.threads" in vectors
