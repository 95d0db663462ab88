import math

import numpy as np
import pytest

from skillmill.library import ranker
from skillmill.library.gate import is_off_topic, rare_word
from skillmill.library.ranker import Query, Ranker, RankerSettings

SETTINGS = RankerSettings(
    gate=0.34,
    gate_share=0.2,
    gate_growth=0.025,
    gate_words=0.37,
    gate_words_growth=0.03,
)


def test_a_rare_word_is_bm25s_idf_of_a_word_that_one_skill_holds():
    assert rare_word(100) == pytest.approx(math.log(1 + 99.5 / 1.5))


@pytest.mark.parametrize(
    ("share", "cosine", "off"),
    [
        (0.5, 0.23, True),  # 0.23 + 0.2 * 0.5 = 0.33
        (0.5, 0.25, False),
        (0.6, 0.23, False),
        (0.0, 0.339, True),
        (0.64, 0.0, True),
        (0.66, 0.0, False),  # two rare words are enough
        (0.36, None, True),
        (0.38, None, False),
    ],
)
def test_cosine_and_share_of_a_rare_word_add_up(share, cosine, off):
    assert is_off_topic(share * rare_word(1000), 1000, cosine, SETTINGS) is off


@pytest.mark.parametrize(
    ("size", "cosine", "share"),
    [(100, 0.34 - 0.057565, 0.37 - 0.069078), (22_714, 0.418075, 0.463690)],
)
def test_gates_rise_with_the_logarithm_of_the_size(size, cosine, share):
    # ln(100 / 1000) = -2.302585, ln(22.714) = 3.122981, times 0.025 and 0.03
    assert is_off_topic(0.0, size, cosine - 1e-5, SETTINGS)
    assert not is_off_topic(0.0, size, cosine + 1e-5, SETTINGS)
    assert is_off_topic((share - 1e-5) * rare_word(size), size, None, SETTINGS)
    assert not is_off_topic((share + 1e-5) * rare_word(size), size, None, SETTINGS)


def test_a_small_library_has_no_gate():
    assert not is_off_topic(0.0, 99, 0.0, SETTINGS)
    assert is_off_topic(0.0, 100, 0.0, SETTINGS)


def test_gates_of_zero_are_off():
    none = RankerSettings(gate=0, gate_words=0)
    assert not is_off_topic(0.0, 10**6, -1.0, none)
    assert not is_off_topic(0.0, 10**6, None, none)


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
