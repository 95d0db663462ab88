import math

import numpy as np
import pytest

from skillmill.library import ranker
from skillmill.library.gate import is_off_topic, rare_word
from skillmill.library.ranker import Query, Ranker, RankerSettings

SETTINGS = RankerSettings(gate=0.5, gate_cosine=0.23, gate_words=0.3)


def test_a_rare_word_is_bm25s_idf_of_a_word_that_one_skill_holds():
    assert rare_word(100) == pytest.approx(math.log(1 + 99.5 / 1.5))


@pytest.mark.parametrize(
    ("best", "cosine", "off"),
    [
        (0.49, 0.22, True),
        (0.5, 0.22, False),
        (0.49, 0.23, False),
        (0.29, None, True),
        (0.3, None, False),
    ],
)
def test_both_must_be_below_their_gate(best, cosine, off):
    score = best * rare_word(1000) + 1e-12
    assert is_off_topic(score, 1000, cosine, SETTINGS) is off


def test_a_small_library_has_no_gate():
    assert not is_off_topic(0.0, 99, 0.0, SETTINGS)
    assert is_off_topic(0.0, 100, 0.0, SETTINGS)


def test_gates_of_zero_are_off():
    none = RankerSettings(gate=0, gate_words=0)
    assert not is_off_topic(0.0, 1000, -1.0, none)
    assert not is_off_topic(0.0, 1000, None, none)


@pytest.fixture
def library():
    """A hundred skills that point north; all but the last know the word `common`."""
    texts = [f"common tool{i}" for i in range(99)] + ["rare thing"]
    ids = [f"s{i:03}" for i in range(100)]
    return Ranker(ids, texts, np.tile([0.0, 1.0], (100, 1)), SETTINGS)


@pytest.mark.parametrize("arm", ["keyword", "hybrid"])
def test_nothing_fits_is_said_in_words(library, arm):
    found, parts = library.answer(arm, Query("q", "a common question", [1.0, 0.0]))
    assert (found.items, found.state, found.reason) == ((), "empty", ranker.OFF_TOPIC)
    assert parts == {}


@pytest.mark.parametrize("arm", ["keyword", "hybrid"])
def test_a_good_match_by_words_passes(library, arm):
    found, _ = library.answer(arm, Query("q", "a rare thing", [1.0, 0.0]))
    assert found.items[0] == "s099"


def test_a_near_skill_passes_without_any_word(library):
    found, _ = library.answer("hybrid", Query("q", "unheard", [0.0, 1.0]))
    assert found.state == "ok"
