"""Places for the tests of the stores."""

import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def open_folder():
    """A folder that any user may enter and look at, but only its owner change."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)
