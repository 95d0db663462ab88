"""One's own skills and chats, from nothing to an answer, as the commands say."""

import json
import os
import subprocess
import sys

import pytest

from tests.interfaces.shelf import write_skills

pytestmark = pytest.mark.workflow

CHAT = """\
02/03/2024, 09:15 - Ines: I sowed the first leeks today.
02/03/2024, 09:16 - Tom: Mine are on the window sill.
20/04/2024, 18:40 - Tom: The frost took half of my leeks.
"""


def skillmill(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "skillmill", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_from_a_folder_and_a_chat_to_answers_and_one_skill_more(tmp_path):
    skills = write_skills(tmp_path / "skills")
    (tmp_path / "chat.txt").write_text(CHAT)
    skillmill(
        tmp_path, "init", "own", "--skills", skills, "--chats", "chat.txt",
        "--study", "mine",
    )  # fmt: skip
    own = tmp_path / "own"
    config = ("--configfile", "skillmill.yaml")
    targets = [
        "results/mine/library/library.sqlite",
        "results/mine/library/dependencies.sqlite",
        "results/mine/memory/0/memory.sqlite",
    ]  # fmt: skip
    skillmill(own, "run", *config, *targets)
    asked = ("search", "brew a pot of tea", "--study", "mine", "--arm", "keyword")
    assert skillmill(own, *asked).startswith("empty: ")
    said = skillmill(own, "recall", "What did the frost take?", "--study", "mine",
                     "--skill", "surface-fact", "--json")  # fmt: skip
    rows = [json.loads(line) for line in said.splitlines()]
    assert rows[1]["date"].startswith("2024-04-20")
    write_skills(tmp_path / "new", {"tea": ("tea", "Brew a pot of tea.", "Boil.")})
    skillmill(own, "add", tmp_path / "new" / "tea", *config, "--no-run")
    skillmill(own, "run", *config, *targets)
    assert "tea" in skillmill(own, *asked)
    assert "tea" in skillmill(own, "trace", "Brew a pot of tea.", *config)
    assert "kitchen/bread" in skillmill(
        own, "search", "bake sourdough", "--study", "mine", "--arm", "keyword"
    )


def test_a_file_of_listings_is_a_library_that_an_edit_rebuilds(tmp_path):
    rows = [
        {"id": "r1", "name": "sieve", "description": "Sort gravel by size."},
        {"id": "r2", "name": "tea", "description": "Brew a pot of tea."},
    ]
    file = tmp_path / "listings.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    skillmill(tmp_path, "init", "own", "--skills", file, "--study", "mine")
    own, config = tmp_path / "own", ("--configfile", "skillmill.yaml")
    store = "results/mine/library/library.sqlite"
    skillmill(own, "run", *config, store)
    asked = ("search", "sort gravel", "--study", "mine", "--arm", "keyword", "--json")
    found = [json.loads(line) for line in skillmill(own, *asked).splitlines()]
    assert [row["skill"] for row in found[1:]] == ["r1"]
    rows[1]["description"] = "Sort gravel for tea gardens."
    file.write_text("\n".join(map(json.dumps, rows)))
    skillmill(own, "run", *config, store)
    found = [json.loads(line) for line in skillmill(own, *asked).splitlines()]
    assert {row["skill"] for row in found[1:]} == {"r1", "r2"}
