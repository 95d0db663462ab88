"""A gate fitted to a library refuses what it should, on queries that did not choose."""

import numpy as np
import pytest

from skillmill.config import check_config, gate_fits
from skillmill.library.gatefit import fit, fit_gate, signals, sizes_of
from skillmill.library.settings import RankerSettings
from skillmill.library.study import Skills


def test_sizes_are_quarters_that_are_large_enough_for_a_gate():
    assert (
        sizes_of(22_714) == [354, 1419, 5678, 22_714] or sizes_of(22_714)[-1] == 22_714
    )
    assert sizes_of(1600) == [100, 400, 1600]
    assert sizes_of(150) == [150]


def test_the_threshold_lies_where_so_many_queries_fall_below_it():
    """Ten queries with a skill, 0.1 to 1.0: a tenth of them may be refused."""
    on = np.arange(1, 11)[None, :] / 10
    off = np.array([[0.05, 0.15, 0.25, 0.9]])
    assert fit(on, off, np.zeros(1), 0.1)[1] == pytest.approx(0.2)


def test_a_gate_that_rises_with_size_is_found_where_signals_do():
    rng = np.random.default_rng(0)
    sizes = np.array(sizes_of(6400))
    rise = 0.03 * np.log(sizes / 1000)[:, None]
    on = 0.6 + 0.02 * rng.normal(size=(1, 80)) + rise
    off = 0.4 + 0.02 * rng.normal(size=(1, 60)) + rise
    found = fit_gate(on, off, 6400, 0.02, rng)
    assert found.growth >= 0.03
    assert found.refused[0] <= 0.03
    assert found.refused[1] == 1.0
    assert found.held_out[0] < 0.1
    assert found.held_out[1] > 0.9


def test_a_query_passes_by_its_rare_words_and_else_by_its_cosine():
    ids = [f"s{n:03}" for n in range(120)]
    texts = [f"thing{n} tool{n}" for n in range(120)]
    vectors = np.eye(120)
    library = Skills(ids, texts, texts, vectors)
    asked = ["thing7 with tool7", "nothing known"]
    found = signals(
        library, asked, vectors[[7, 9]], RankerSettings(), np.random.default_rng(0)
    )
    assert found.shape == (1, 2)
    assert found[0, 0] == np.inf
    assert found[0, 1] == pytest.approx(1.0)


def test_a_gate_fitted_for_another_encoder_is_off():
    mine = {"encoder": {"name": "models/other"}}
    assert check_config({}).library.ranker.gate == 0.34
    other = check_config(mine)
    assert (other.library.ranker.gate, gate_fits(other)) == (0.0, False)
    assert other.library.ranker.gate_words == 0.37
    fitted = {"gate_encoder": "models/other", "ranker": {"gate": 0.5}}
    assert check_config(mine | {"library": fitted}).library.ranker.gate == 0.5
