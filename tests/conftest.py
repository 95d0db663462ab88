"""Fixtures and paths shared by all tests."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

#: Real data for tests that need it; may be absent, then those tests skip.
DATA = Path(
    os.environ.get("SKILLMILL_DATA", REPOSITORY.parent / "shared" / "data")
).resolve()
