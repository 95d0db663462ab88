"""A registry: rows read with care, distractors that are no skill of the library."""

import gzip
import json

import pytest

from skillmill.data.registry import choose_distractors, load_registry
from skillmill.data.skillfile import load_library
from skillmill.errors import InputError
from skillmill.types import LibrarySkill
from tests.conftest import DATA

FIRST = {
    "id": "reg-1",
    "name": "sieve",
    "description": "Sorts gravel.",
    "category": "data",
    "tags": ["gravel", "7", "gravel"],
    "repo": "quarry/skills",
}


def write(tmp_path, *rows, name="registry.jsonl"):
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    data = "".join(line + "\n" for line in lines).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def skill(identity, name="", aliases=()):
    empty = {
        key: () for key in ("tags", "related", "inputs", "outputs", "tools")
    } | dict.fromkeys(
        ("description", "path", "department", "category", "body", "content_hash"), ""
    )
    return LibrarySkill(
        id=identity, kind="skill", name=name, part_of=None, aliases=aliases, **empty
    )


def codes(report):
    return [(each.line, each.severity, each.code) for each in report.problems]


@pytest.mark.parametrize("name", ["registry.jsonl", "registry.jsonl.gz"])
def test_rows_become_listings_ordered_by_id(tmp_path, name):
    path = write(tmp_path, FIRST | {"id": "reg-2"}, FIRST, name=name)
    listings, report = load_registry(path)
    assert [listing.skill.id for listing in listings] == ["reg-1", "reg-2"]
    first = listings[0]
    assert (first.skill.kind, first.skill.name, first.repo) == (
        "listing",
        "sieve",
        "quarry/skills",
    )
    assert first.skill.tags == ("gravel", "7")
    assert (report.found, report.loaded) == (2, 2)


def test_a_row_needs_only_an_id_and_a_name(tmp_path):
    (listing,), report = load_registry(write(tmp_path, {"id": 7, "name": "sieve"}))
    assert (listing.skill.id, listing.skill.description, listing.repo) == ("7", "", "")
    assert codes(report) == [(1, "warning", "missing-description")]


def test_bad_rows_fail_with_their_line(tmp_path):
    path = write(
        tmp_path,
        FIRST,
        "{broken",
        "",
        [1],
        FIRST | {"id": None},
        FIRST | {"id": "reg-2", "name": ""},
        FIRST,
    )
    listings, report = load_registry(path)
    assert len(listings) == 1
    assert (report.found, report.loaded, report.failed) == (6, 1, 5)
    assert [line for line, _, _ in codes(report)] == [2, 4, 5, 6, 7]
    assert "that of line 1" in report.problems[-1].message


@pytest.mark.parametrize("mark", [">", ">-", "|", "|2-", "---", " > "])
def test_a_description_that_is_only_a_yaml_mark_is_none(tmp_path, mark):
    path = write(tmp_path, FIRST | {"description": mark})
    (listing,), report = load_registry(path)
    assert listing.skill.description == ""
    assert codes(report) == [(1, "warning", "missing-description")]


@pytest.mark.parametrize(
    ("left", "clean"),
    [
        ('"Sorts gravel."', "Sorts gravel."),
        ('"Sorts gravel that is', "Sorts gravel that is"),
        ('"Sorts \\"wet\\" and \\', 'Sorts "wet" and'),
    ],
)
def test_leftover_quotes_are_taken_off_with_a_warning(tmp_path, left, clean):
    (listing,), report = load_registry(write(tmp_path, FIRST | {"description": left}))
    assert listing.skill.description == clean
    assert codes(report) == [(1, "warning", "leftover-quote")]


def test_quotes_that_are_part_of_the_text_stay(tmp_path):
    text = '"Wet" gravel, or "dry"'
    (listing,), report = load_registry(write(tmp_path, FIRST | {"description": text}))
    assert listing.skill.description == text
    assert report.problems == ()


def test_odd_characters_are_replaced_and_reported_u37_u53(tmp_path):
    row = FIRST | {"name": "si\u200beve", "description": "Sorts \ud83d"}
    (listing,), report = load_registry(write(tmp_path, row))
    assert (listing.skill.name, listing.skill.description) == ("sieve", "Sorts \ufffd")
    assert codes(report) == [
        (1, "warning", "hidden-characters"),
        (1, "warning", "lone-surrogate"),
    ]


def test_equal_texts_in_two_unicode_forms_have_one_hash_u37(tmp_path):
    rows = [
        FIRST | {"id": f"reg-{form}", "description": form}
        for form in ("café", "cafe\u0301")
    ]
    listings, _ = load_registry(write(tmp_path, *rows))
    assert len({listing.skill.content_hash for listing in listings}) == 1


def test_a_file_that_is_missing_broken_or_no_jsonl_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_registry(tmp_path / "gone.jsonl")
    with pytest.raises(InputError, match=r"gz: expected a gzip file"):
        load_registry(write(tmp_path, FIRST).rename(tmp_path / "x.gz"))
    with pytest.raises(InputError, match="line 1: expected JSONL"):
        load_registry(write(tmp_path, "id,name", "1,sieve"))


def registry(tmp_path, *names, repo="quarry/skills"):
    rows = [
        FIRST | {"id": f"reg-{number}", "name": name, "repo": repo}
        for number, name in enumerate(names)
    ]
    return load_registry(write(tmp_path, *rows))[0]


def test_what_the_library_has_is_no_distractor(tmp_path):
    library = [
        skill("group/sieve", "Gravel Sieve"),
        skill("wash", aliases=("old/rinse",)),
    ]
    names = ["SIEVE", "group/sieve", "gravel sieve", "Wash", "rinse", "crush"]
    chosen = choose_distractors(library, registry(tmp_path, *names), None, seed=0)
    assert [each.name for each in chosen] == ["crush"]


def test_a_row_with_the_id_of_a_skill_or_of_its_copy_is_no_distractor(tmp_path):
    library = [skill("reg-1", "Sieve"), skill("wash", aliases=("reg-3",))]
    names = ["crush", "grind", "press", "polish"]
    chosen = choose_distractors(library, registry(tmp_path, *names), None, seed=0)
    assert sorted(each.id for each in chosen) == ["reg-0", "reg-2"]


def test_rows_of_the_benchmark_itself_are_no_distractors(tmp_path):
    rows = registry(tmp_path, "crush", repo="someone/SkillsBench-fork")
    assert choose_distractors([], rows, None, seed=0) == []


def test_the_draw_depends_on_the_seed_and_ids_alone(tmp_path):
    rows = registry(tmp_path, *(f"skill {number}" for number in range(20)))
    drawn = choose_distractors([], rows, 5, seed=3)
    assert drawn == choose_distractors([], rows[::-1], 5, seed=3)
    assert drawn != choose_distractors([], rows, 5, seed=4)


def test_a_smaller_draw_begins_a_larger_one_and_none_takes_all(tmp_path):
    rows = registry(tmp_path, *(f"skill {number}" for number in range(9)))
    everything = choose_distractors([], rows, None, seed=1)
    assert sorted(x.id for x in everything) == [x.skill.id for x in rows]
    assert choose_distractors([], rows, 4, seed=1) == everything[:4]
    assert choose_distractors([], rows, 0, seed=1) == []
    assert choose_distractors([], rows, 99, seed=1) == everything


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="count is -1"):
        choose_distractors([], [], -1, seed=0)


@pytest.mark.skipif(
    not (DATA / "registry").exists() or not (DATA / "skillsbench").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder holding registry/"
    " and skillsbench/",
)
def test_22548_distractors_remain_beside_skillsbench():
    listings, report = load_registry(DATA / "registry/registry.jsonl.gz")
    found = (report.found, report.warned, report.failed)
    assert found == (22_910, 58 + 667, 0)
    skills, _ = load_library(DATA / "skillsbench/skills")
    assert len(choose_distractors(skills, listings, None, seed=0)) == 22_548
