import importlib.util
import sys

import numpy as np
import pytest

from skillmill.compute.hnsw import HnswSettings, nearest_approximate
from skillmill.compute.vectors import nearest
from skillmill.errors import ConfigError

needs_hnswlib = pytest.mark.skipif(
    importlib.util.find_spec("hnswlib") is None, reason="hnswlib is not installed"
)
SETTINGS = HnswSettings()


@pytest.fixture
def clustered():
    """3,000 rows around 150 centres, as texts of a few hundred topics are."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(150, 32))
    rows = centres[rng.integers(150, size=3000)] + 0.6 * rng.normal(size=(3000, 32))
    rows[17] = 0
    return rows


@needs_hnswlib
def test_nearly_all_exact_edges_are_found_with_the_same_cosines(clustered):
    found = nearest_approximate(clustered, 8, 0.5, SETTINGS)
    source, target, cosine = nearest(clustered, 8, 0.5)
    exact = dict(zip(zip(source, target, strict=True), cosine, strict=True))
    ours = dict(
        zip(zip(found.source, found.target, strict=True), found.cosine, strict=True)
    )
    shared = exact.keys() & ours.keys()
    assert len(shared) / len(exact) >= 0.99
    assert found.recall >= 0.99
    assert all(exact[pair] == pytest.approx(ours[pair], abs=2e-6) for pair in shared)


@needs_hnswlib
def test_edges_are_ordered_without_loops_and_without_lost_rows(clustered):
    found = nearest_approximate(clustered, 8, 0.5, SETTINGS)
    keys = list(zip(found.source, -found.cosine, found.target, strict=True))
    assert keys == sorted(keys)
    assert (found.source != found.target).all()
    assert 17 not in found.source
    assert 17 not in found.target
    assert found.cosine.min() >= 0.5
    assert np.bincount(found.source).max() <= 8


@needs_hnswlib
def test_two_builds_are_equal(clustered):
    first = nearest_approximate(clustered, 8, 0.5, SETTINGS)
    second = nearest_approximate(clustered, 8, 0.5, SETTINGS)
    for one, other in zip(first[:3], second[:3], strict=True):
        assert np.array_equal(one, other)


@needs_hnswlib
def test_copies_find_each_other():
    found = nearest_approximate(np.tile([1.0, 2.0], (20, 1)), 3, 0.5, SETTINGS)
    assert found.recall == 1
    assert (found.cosine == 1).all()
    assert (np.bincount(found.source) == 3).all()


@needs_hnswlib
def test_a_poor_index_says_so(clustered):
    poor = nearest_approximate(clustered, 8, -1, HnswSettings(4, 10, 10))
    good = nearest_approximate(clustered, 8, -1, SETTINGS)
    assert poor.recall < good.recall
    with pytest.raises(ConfigError, match="hnsw_links"):
        nearest_approximate(clustered, 8, -1, HnswSettings(2, 2, 2))


@pytest.mark.parametrize("rows", [np.empty((0, 3)), np.ones((1, 3)), np.zeros((5, 3))])
def test_fewer_than_two_directions_have_no_edges(rows):
    found = nearest_approximate(rows, 8, 0.5, SETTINGS)
    assert len(found.source) == 0
    assert found.recall == 1


def test_a_missing_library_and_a_k_below_one_are_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    with pytest.raises(ConfigError, match="hnsw_above"):
        nearest_approximate(np.eye(3), 2, -1, SETTINGS)
    with pytest.raises(ValueError, match="at least 1"):
        nearest_approximate(np.eye(3), 0, -1, SETTINGS)
