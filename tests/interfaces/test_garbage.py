"""The thresholds of the garbage collector in the workflow and its jobs."""

import gc

import pytest

from skillmill.interfaces.garbage import collect_seldom


@pytest.fixture
def thresholds():
    """Put back what was set."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("thresholds")
def test_cycles_are_looked_for_seldom_and_still_found():
    collect_seldom()
    assert gc.isenabled()
    assert gc.get_threshold()[0] == 100_000
    cycle = []
    cycle.append(cycle)
    del cycle
    assert gc.collect() >= 1
