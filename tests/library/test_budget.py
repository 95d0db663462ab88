import pytest

from skillmill.library.budget import CUT, LEAST, fit_listing, shorten
from tests.library.skills import skill


def test_sixty_long_descriptions_share_a_budget_and_none_becomes_a_bare_name_u49():
    words = "First this. " + "then some more of it " * 42
    skills = [skill(f"s{i:02}", description=words[:900]) for i in range(59)]
    skills.append(skill("short", description="Small."))
    listing = fit_listing(skills, 24_000)
    size = sum(len(line) + 1 for line in listing.lines)
    assert 23_000 < size <= 24_000
    assert all("First this." in line for line in listing.lines[:59])
    assert all(line.endswith(CUT) for line in listing.lines[:59])
    assert listing.lines[59] == "- short: Small."
    assert listing.cut == tuple(f"s{i:02}" for i in range(59))
    assert listing.excess == 0


def test_one_character_more_changes_one_width_not_everything_u49():
    skills = [skill(f"s{i}", description="word " * 40) for i in range(10)]
    full = sum(len(f"- {s.name}: {s.description}") + 1 for s in skills)
    assert fit_listing(skills, full).cut == ()
    tight = fit_listing(skills, full - 1)
    assert len(tight.cut) == 10
    assert tight.width >= len(skills[0].description) - 6


def test_the_width_is_the_widest_that_fits():
    skills = [skill("a", description="x" * 50), skill("b", description="y" * 100)]
    # names and marks take 5 characters and a line end each: 12 of 112 leave 100
    listing = fit_listing(skills, 112)
    assert listing.width == 50
    assert listing.lines[0] == "- a: " + "x" * 50


def test_a_budget_that_holds_not_even_the_least_says_by_how_much():
    skills = [skill("a", description="x" * 100)]
    listing = fit_listing(skills, 10)
    assert listing.width == LEAST
    assert listing.excess == len("- a: ") + LEAST + 1 - 10
    with pytest.raises(ValueError, match="at least 0"):
        fit_listing(skills, -1)


def test_no_skills_are_an_empty_listing():
    assert fit_listing([], 100).lines == ()


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (30, "Reads files. Writes them back."),
        (29, "Reads files. Writes them…"),
        (14, "Reads files.…"),
        (10, "Reads…"),
    ],
)
def test_a_cut_falls_between_words_and_is_marked(width, shown):
    assert shorten("Reads files. Writes them back.", width) == shown
