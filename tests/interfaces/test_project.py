"""A project of one's own: begun, fed with skills, never overwritten."""

import os

import pytest
import yaml
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from skillmill.interfaces.configured import read_config
from skillmill.interfaces.project import CHAT_FILE, CONFIG_FILE
from tests.interfaces.shelf import write_skills

CHAT = """\
02/03/2024, 09:15 - Ines: I sowed the first leeks today.
02/03/2024, 09:16 - Tom: Mine are on the window sill.
20/04/2024, 18:40 - Tom: The frost took half of my leeks.
"""


def run(*arguments, code=0):
    done = CliRunner().invoke(main, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    if code:
        assert done.stderr.startswith("error: ")
    return done


@pytest.fixture
def skills(tmp_path):
    return write_skills(tmp_path / "our skills: all")


def test_a_folder_of_skills_becomes_a_configuration_that_reads(tmp_path, skills):
    done = run("init", tmp_path / "new", "--skills", skills, "--study", "ours")
    file = tmp_path / "new" / CONFIG_FILE
    config = read_config([file])
    assert config.study == "ours"
    assert config.library.path == str(skills)
    assert (config.library.tasks, config.memory.path) == (None, None)
    assert "6 skills, 6 usable\n" in done.stderr
    *_, build, ask = done.stdout.splitlines()
    assert build.strip() == f"skillmill run --configfile {CONFIG_FILE}"
    assert ask.strip() == 'skillmill search "what you want done" --study ours'
    text = file.read_text()
    for key in ("study", "path", "tasks"):
        assert f"{key}: " in text
    for line in text.splitlines():
        explained = "#" in line or line.endswith(":") or not line
        assert explained or line.strip() == "format: chatlog", line


def test_a_chat_export_is_converted_and_a_chat_log_is_left_where_it_is(tmp_path):
    chat = tmp_path / "chat.txt"
    chat.write_text(CHAT)
    run("init", tmp_path / "new", "--chats", chat)
    config = read_config([tmp_path / "new" / CONFIG_FILE])
    assert (config.study, config.memory.path) == ("chat", CHAT_FILE)
    assert config.library.path is None
    log = tmp_path / "new" / CHAT_FILE
    assert len(log.read_text().splitlines()) == 3
    run("init", tmp_path / "other", "--chats", log)
    again = read_config([tmp_path / "other" / CONFIG_FILE])
    assert again.memory.path == str(log)
    assert not (tmp_path / "other" / CHAT_FILE).exists()


def test_what_is_there_is_never_overwritten(tmp_path, skills):
    run("init", tmp_path, "--skills", skills)
    before = (tmp_path / CONFIG_FILE).read_bytes()
    done = run("init", tmp_path, "--skills", skills, code=3)
    assert "is there already" in done.stderr
    assert (tmp_path / CONFIG_FILE).read_bytes() == before
    chat = tmp_path / "chat.txt"
    chat.write_text(CHAT)
    place = tmp_path / "second"
    place.mkdir()
    (place / CHAT_FILE).write_text("mine\n")
    assert "is there already" in run("init", place, "--chats", chat, code=3).stderr
    assert (place / CHAT_FILE).read_text() == "mine\n"
    assert not (place / CONFIG_FILE).exists()


@pytest.mark.parametrize("name", ["ünïcode (1)", "…", "-x", "a b"])
def test_a_study_takes_a_name_that_it_may_have_from_any_folder(tmp_path, name):
    skills = write_skills(tmp_path / name)
    run("init", tmp_path / "new", "--skills", skills)
    config = read_config([tmp_path / "new" / CONFIG_FILE])
    assert config.library.path == str(skills)
    assert config.study.isascii()


def test_what_cannot_be_begun_is_one_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("no chat\n")
    assert "--skills" in run("init", tmp_path, code=3).stderr
    for option, place in (
        ("--skills", "none"), ("--skills", "empty"), ("--chats", "file"),
        ("--chats", "none"),
    ):  # fmt: skip
        run("init", tmp_path / "new", option, tmp_path / place, code=3)
        assert not (tmp_path / "new" / CONFIG_FILE).exists()
    done = run("init", tmp_path / "file", "--chats", tmp_path / "file", code=3)
    assert "file" in done.stderr


@pytest.fixture
def project(tmp_path, skills):
    """A configuration whose library is `skills`, and a skill outside of it."""
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump({"library": {"path": str(skills), "tasks": None}}))
    write_skills(tmp_path / "new", {"tea": ("tea", "Brew a pot of tea.", "Boil.")})
    (tmp_path / "new" / "tea" / "leaves.txt").write_text("green\n")
    return file


def test_a_skill_is_copied_whole_and_nothing_else_changes(tmp_path, skills, project):
    before = {p: p.read_bytes() for p in skills.rglob("*") if p.is_file()}
    done = run("add", tmp_path / "new" / "tea", "--configfile", project, "--no-run")
    assert f"added {skills / 'tea'}" in done.stderr
    after = {p: p.read_bytes() for p in skills.rglob("*") if p.is_file()}
    added = {p.relative_to(skills).as_posix() for p in after.keys() - before.keys()}
    assert added == {"tea/SKILL.md", "tea/leaves.txt"}
    assert {p: after[p] for p in before} == before


def test_to_a_file_of_listings_no_folder_is_added(tmp_path, project):
    file = tmp_path / "listings.jsonl"
    file.write_text('{"id": "a", "name": "a"}\n')
    project.write_text(yaml.safe_dump({"library": {"path": str(file), "tasks": None}}))
    done = run("add", tmp_path / "new" / "tea", "--configfile", project, code=3)
    assert "add rows to the file" in done.stderr
    assert file.read_text() == '{"id": "a", "name": "a"}\n'


def test_a_skill_file_stands_for_its_folder_u17(tmp_path, skills, project):
    file = tmp_path / "new" / "tea" / "SKILL.md"
    run("add", file, "--configfile", project, "--no-run")
    assert len([*skills.rglob("SKILL.md")]) == 7


def test_a_skill_that_is_there_is_replaced_only_if_asked(tmp_path, skills, project):
    again = write_skills(tmp_path / "again", {"tea": ("tea", "Brew.", "Stir.")})
    options = ("--configfile", project, "--no-run")
    run("add", tmp_path / "new" / "tea", *options)
    assert "--replace" in run("add", again / "tea", *options, code=3).stderr
    assert (skills / "tea" / "leaves.txt").exists()
    run("add", again / "tea", "--replace", *options)
    assert not (skills / "tea" / "leaves.txt").exists()
    assert "Stir." in (skills / "tea" / "SKILL.md").read_text()
    assert not [name for name in os.listdir(skills) if name.startswith(".")]


def test_all_are_checked_before_one_is_copied(tmp_path, skills, project):
    bare = tmp_path / "bare"
    bare.mkdir()
    options = ("--configfile", project, "--no-run")
    done = run("add", tmp_path / "new" / "tea", bare, *options, code=3)
    assert str(bare) in done.stderr
    assert not (skills / "tea").exists()


def test_a_link_out_of_a_skill_is_not_copied(tmp_path, skills, project):
    (tmp_path / "secret").write_text("s\n")
    (tmp_path / "new" / "tea" / "notes").symlink_to(tmp_path / "secret")
    done = run(
        "add", tmp_path / "new" / "tea", "--configfile", project, "--no-run", code=3
    )
    assert "leads out of the skill" in done.stderr
    assert not (skills / "tea").exists()


def test_a_link_that_names_its_target_from_the_root_is_not_copied(tmp_path, project):
    tea = tmp_path / "new" / "tea"
    (tea / "notes").symlink_to(tea / "leaves.txt")
    done = run("add", tea, "--configfile", project, "--no-run", code=3)
    assert "or would in its copy" in done.stderr


@pytest.mark.parametrize("name", [".tea", "node_modules"])
def test_a_folder_that_no_library_reads_is_not_copied(tmp_path, skills, project, name):
    hidden = (tmp_path / "new" / "tea").rename(tmp_path / "new" / name)
    done = run("add", hidden, "--configfile", project, "--no-run", code=3)
    assert "no library reads a folder of that name; rename it" in done.stderr
    assert not (skills / name).exists()


@pytest.mark.parametrize("options", [(), ("--replace",)])
def test_two_folders_of_one_name_are_not_copied_over_each_other_u44(
    tmp_path, skills, project, options
):
    again = write_skills(tmp_path / "again", {"tea": ("tea", "Brew.", "Stir.")})
    both = (tmp_path / "new" / "tea", again / "tea")
    done = run("add", *both, "--configfile", project, "--no-run", *options, code=3)
    assert f"{again / 'tea'}: another folder of that name" in done.stderr
    assert not (skills / "tea").exists()


def test_a_part_of_the_library_is_no_news_to_it(skills, project):
    done = run("add", skills / "data" / "maps", "--configfile", project, code=3)
    assert "lies in the library" in done.stderr
