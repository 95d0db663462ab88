"""Fixtures and paths shared by all tests."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

#: Real data for tests that need it; may be absent, then those tests skip.
DATA = Path(
    os.environ.get("SKILLMILL_DATA", REPOSITORY.parent / "shared" / "data")
).resolve()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole runs first, so that the end is many short tests for all workers."""
    items.sort(key=lambda item: item.path.parent.name != "workflow")
