"""The walk: what is a skill file, which folders and links are followed."""

import os
from pathlib import Path

import pytest

from skillmill.data.discovery import find_skill_files, system_path, walk_library
from skillmill.errors import InputError


def put(root, *files):
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\nname: x\n---\n")


def ids(root, **options):
    return [found.id for found in walk_library(root, **options)[0]]


def codes(root):
    return [(each.file, each.code) for each in walk_library(root)[1]]


def remarks(root):
    files, _ = walk_library(root)
    return {x.id: [(r.severity, r.code) for r in x.remarks] for x in files}


def test_skills_are_found_at_any_depth_in_the_order_of_their_ids_u46(tmp_path):
    put(tmp_path, "b/SKILL.md", "group/sub/deep/SKILL.md", "a/SKILL.md")
    assert ids(tmp_path) == ["a", "b", "group/sub/deep"]
    assert find_skill_files(tmp_path) == [
        tmp_path / "a/SKILL.md",
        tmp_path / "b/SKILL.md",
        tmp_path / "group/sub/deep/SKILL.md",
    ]


def test_hidden_and_vendored_folders_are_skipped_u46(tmp_path):
    skipped = (".git/x", ".venv/x", "node_modules/x", "__pycache__", "a/.hidden")
    put(tmp_path, "a/SKILL.md", *(f"{folder}/SKILL.md" for folder in skipped))
    assert ids(tmp_path) == ["a"]


def test_the_folders_to_skip_can_be_named_u46(tmp_path):
    put(tmp_path, "a/SKILL.md", "drafts/b/SKILL.md")
    assert ids(tmp_path, skip=frozenset({"drafts"})) == ["a"]


def test_folders_below_the_depth_are_reported_and_not_read_u46(tmp_path):
    for folder in ("a", "a/b", "a/b/c", "a/b/c/d"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "SKILL.md").write_text("x")
    files, problems = walk_library(tmp_path, depth=2)
    assert [found.id for found in files] == ["a", "a/b"]
    assert [(p.file, p.code) for p in problems] == [("a/b/c", "too-deep")]
    assert walk_library(tmp_path, depth=4)[1] == []


def test_a_packed_skill_is_reported(tmp_path):
    put(tmp_path, "a/SKILL.md", "a/data.zip")
    (tmp_path / "pdf.skill").write_bytes(b"PK\x03\x04")
    assert ids(tmp_path) == ["a"]
    assert codes(tmp_path) == [("pdf.skill", "packed-skill")]


def test_letter_case_does_not_matter_and_one_file_counts_per_folder_u43(tmp_path):
    put(tmp_path, "a/skill.md", "b/Skill.md", "c/skill.md", "c/SKILL.md")
    files = find_skill_files(tmp_path)
    assert [path.name for path in files] == ["skill.md", "Skill.md", "SKILL.md"]
    assert remarks(tmp_path) == {
        "a": [],
        "b": [],
        "c": [("warning", "second-skill-file")],
    }


def test_of_two_files_without_the_exact_name_the_first_by_name_wins_u43(tmp_path):
    put(tmp_path, "a/skill.md", "a/Skill.md")
    assert [path.name for path in find_skill_files(tmp_path)] == ["Skill.md"]


def test_a_root_that_is_a_skill_has_its_folder_as_id(tmp_path):
    put(tmp_path / "sieve", "SKILL.md", "references/SKILL.md")
    assert ids(tmp_path / "sieve") == ["references", "sieve"]


def test_a_root_given_as_a_dot_has_a_name(tmp_path, monkeypatch):
    put(tmp_path / "sieve", "SKILL.md")
    monkeypatch.chdir(tmp_path / "sieve")
    assert ids(Path(".")) == ["sieve"]


def test_a_folder_below_a_root_of_the_same_name_gets_an_id_of_its_own(tmp_path):
    put(tmp_path / "sieve", "SKILL.md", "sieve/SKILL.md")
    assert remarks(tmp_path / "sieve") == {
        "sieve": [],
        "sieve~2": [("warning", "id-collision")],
    }


def test_folder_names_in_two_unicode_forms_are_two_skills_u37(tmp_path):
    put(tmp_path, "café/SKILL.md", "cafe\u0301/SKILL.md")
    if len(os.listdir(tmp_path)) < 2:
        pytest.skip("the file system normalises names")
    assert ids(tmp_path) == ["café", "café~2"]


def test_a_folder_name_that_is_not_unicode_is_replaced_and_reported_u37(tmp_path):
    try:
        os.mkdir(os.fsencode(tmp_path) + b"/caf\xe9")
    except OSError:
        pytest.skip("the file system wants Unicode names")
    put(tmp_path, "caf\udce9/SKILL.md")
    assert remarks(tmp_path) == {"caf\ufffd": [("warning", "undecodable-name")]}


def test_a_stored_name_leads_back_to_the_file_whatever_its_folder_is_called(tmp_path):
    for raw in (b"bad\xffname", "nfd-e\u0301".encode(), b"two\rlines", b"plain"):
        folder = os.fsencode(tmp_path) + b"/shelf/" + raw
        os.makedirs(folder)
        with open(folder + b"/SKILL.md", "wb") as file:
            file.write(raw)
    for found in walk_library(tmp_path)[0]:
        assert system_path(tmp_path, found.file) == found.path
    assert system_path(tmp_path, "gone/SKILL.md") == tmp_path / "gone" / "SKILL.md"


def test_the_order_of_the_file_system_does_not_matter_u44(tmp_path, monkeypatch):
    put(tmp_path, *(f"{name}/SKILL.md" for name in "cabed"))
    real = os.scandir

    class Reversed:
        def __init__(self, path):
            self._entries = real(path)

        def __enter__(self):
            return iter(sorted(self._entries, key=lambda x: x.name, reverse=True))

        def __exit__(self, *_):
            self._entries.close()

    before = walk_library(tmp_path)
    monkeypatch.setattr(os, "scandir", Reversed)
    assert walk_library(tmp_path) == before


def test_a_link_inside_the_library_is_followed_once(tmp_path):
    put(tmp_path, ".store/pdf/SKILL.md")
    for name in ("a", "b"):
        (tmp_path / name).symlink_to(tmp_path / ".store/pdf")
    assert ids(tmp_path) == ["a"]
    assert codes(tmp_path) == [("b", "link-repeated")]


def test_links_that_leave_the_root_or_lead_nowhere_are_reported(tmp_path):
    put(tmp_path, "out/secret/SKILL.md", "lib/a/SKILL.md")
    (tmp_path / "lib/away").symlink_to(tmp_path / "out")
    (tmp_path / "lib/gone").symlink_to(tmp_path / "nothing")
    assert ids(tmp_path / "lib") == ["a"]
    assert sorted(codes(tmp_path / "lib")) == [
        ("away", "link-leaves-root"),
        ("gone", "broken-link"),
    ]


def test_links_that_form_a_loop_end(tmp_path):
    put(tmp_path, "a/SKILL.md", "b/SKILL.md")
    (tmp_path / "a/up").symlink_to(tmp_path)
    (tmp_path / "a/self").symlink_to(tmp_path / "a/self")
    (tmp_path / "a/other").symlink_to(tmp_path / "b")
    (tmp_path / "b/other").symlink_to(tmp_path / "a")
    assert ids(tmp_path) == ["a", "a/other", "b", "b/other"]
    assert {code for _, code in codes(tmp_path)} == {"link-loop"}


def test_a_skill_file_that_links_out_of_the_root_is_not_read(tmp_path):
    put(tmp_path, "secret.md", "lib/a/SKILL.md")
    (tmp_path / "lib/b").mkdir()
    (tmp_path / "lib/b/SKILL.md").symlink_to(tmp_path / "secret.md")
    found = remarks(tmp_path / "lib")
    assert found == {"a": [], "b": [("failed", "unreadable-file")]}


def test_a_folder_or_a_pipe_named_like_a_skill_file_is_found_but_not_read(tmp_path):
    (tmp_path / "a/SKILL.md").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b/SKILL.md")
    failed = [("failed", "unreadable-file")]
    assert remarks(tmp_path) == {"a": failed, "b": failed}


def test_a_file_goes_before_a_folder_of_the_exact_name(tmp_path):
    (tmp_path / "a/SKILL.md").mkdir(parents=True)
    put(tmp_path, "a/skill.md")
    assert remarks(tmp_path) == {"a": [("warning", "second-skill-file")]}


def test_an_unreadable_folder_is_reported(tmp_path, monkeypatch):
    put(tmp_path, "a/SKILL.md", "b/SKILL.md")
    real = os.scandir

    def locked(path):
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", locked)
    assert ids(tmp_path) == ["a"]
    assert codes(tmp_path) == [("b", "unreadable-folder")]


def test_a_missing_root_is_named_with_a_way_out(tmp_path):
    with pytest.raises(
        InputError, match=r"gone: expected the folder .* check the path"
    ):
        walk_library(tmp_path / "gone")


def test_a_file_as_root_is_refused(tmp_path):
    put(tmp_path, "SKILL.md")
    with pytest.raises(InputError, match="found no folder there"):
        walk_library(tmp_path / "SKILL.md")


def test_a_root_without_a_skill_file_is_refused(tmp_path):
    put(tmp_path, "a/README.md")
    with pytest.raises(InputError, match=r"no SKILL\.md was found under it"):
        walk_library(tmp_path)
