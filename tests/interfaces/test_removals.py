"""A build that would drop most of a library asks first."""

from dataclasses import replace

import pytest

from skillmill.errors import InputError
from skillmill.interfaces.removals import ALLOWED, check_removals
from skillmill.store import artifact, catalogue
from tests.library.linker import skill


@pytest.fixture
def built(tmp_path):
    """A catalogue of five files: four skills, of which one has a copy."""
    path = tmp_path / "catalogue.sqlite"
    skills = [skill("a", aliases=("copy",)), skill("b"), skill("c"), skill("d")]
    provenance = artifact.Provenance("catalogue", "s", "0", "c0de")
    with artifact.writing(path, provenance) as db:
        catalogue.save_skills(db, skills)
    return path


@pytest.mark.parametrize(("found", "most"), [(5, 0), (9, 0), (3, 0.4), (1, 1), (0, 1)])
def test_what_is_left_or_moved_is_no_removal_u17(built, found, most):
    check_removals(built, found, most)


@pytest.mark.parametrize(("found", "most"), [(4, 0), (2, 0.5), (1, 0.79)])
def test_more_than_the_share_is_refused_with_numbers_and_way_out_u17(
    built, found, most
):
    with pytest.raises(InputError, match=f"5 skill files .* {found}: {5 - found} are"):
        check_removals(built, found, most)


def test_a_study_that_was_never_built_refuses_nothing(tmp_path):
    check_removals(tmp_path / "none.sqlite", 0, 0)
    (tmp_path / "old.sqlite").write_bytes(b"not of this version")
    check_removals(tmp_path / "old.sqlite", 0, 0)


def test_a_run_may_allow_it(built, monkeypatch):
    monkeypatch.setenv(ALLOWED, "1")
    check_removals(built, 0, 0)


def test_the_own_folder_of_a_skill_called_by_its_name_is_no_file_of_its_own(tmp_path):
    path = tmp_path / "catalogue.sqlite"
    named = replace(
        skill("a"), id="Sieve", path="a/SKILL.md", aliases=("a", "copies/b")
    )
    provenance = artifact.Provenance("catalogue", "s", "0", "c0de")
    with artifact.writing(path, provenance) as db:
        catalogue.save_skills(db, [named])
    check_removals(path, 2, 0)
    with pytest.raises(InputError, match=r"2 skill files .* 1: 1 are"):
        check_removals(path, 1, 0)
