"""The Makefile: a name without a value would make a target do less than it says."""

import re
import shutil
import subprocess

import pytest

from tests.conftest import REPOSITORY

TEXT = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
PHONY = re.findall(r"^\.PHONY: (.*)$", TEXT, re.MULTILINE)[0].split()


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("target", PHONY)
def test_a_target_is_planned_with_every_name_defined(target):
    done = subprocess.run(
        ["make", "--dry-run", "--warn-undefined-variables", target],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "undefined variable" not in done.stderr
    assert done.stdout.strip()


def test_the_help_names_every_target_but_itself():
    (told,) = re.findall(r'@echo "(run .*)"', TEXT)
    assert set(told.split()) == set(PHONY) - {"help"}
