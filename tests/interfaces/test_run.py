"""Arguments on their way to Snakemake."""

import pytest

from skillmill.errors import InputError
from skillmill.interfaces.run import _one_configfile


@pytest.fixture
def overlays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("seed: 1\n")


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["--cores", "2"], ["--cores", "2"]),
        (
            ["--configfile", "a.yaml", "--cores", "1", "--configfile", "b.yaml"],
            ["--cores", "1", "--configfile", "a.yaml", "b.yaml"],
        ),
        (
            ["--configfile=a.yaml", "--configfile", "b.yaml", "library"],
            ["library", "--configfile", "a.yaml", "b.yaml"],
        ),
        (
            ["--configfile", "a.yaml", "b.yaml", "-n"],
            ["-n", "--configfile", "a.yaml", "b.yaml"],
        ),
    ],
)
def test_no_overlay_drops_another(overlays, given, passed):
    assert _one_configfile(given) == passed


def test_a_missing_overlay_is_one_sentence(overlays):
    with pytest.raises(InputError, match=r"no file at c\.yaml"):
        _one_configfile(["--configfile", "a.yaml", "c.yaml"])
