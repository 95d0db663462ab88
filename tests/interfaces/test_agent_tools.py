"""What an agent is told, what it may read, and what is noted of it."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from skillmill.errors import InputError
from skillmill.interfaces.agent_tools import AgentTools
from skillmill.interfaces.calllog import CallLog
from skillmill.interfaces.served import ServedLibrary
from skillmill.interfaces.skilltext import LARGEST, library_root, read_skill
from skillmill.library.cousage import load_calls, sequences
from skillmill.library.declared import Names
from skillmill.store.graph import DroppedEdge
from tests.interfaces import gardens
from tests.interfaces.shelf import SHELF, build_library, write_skills
from tests.library.skills import skill

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A library with files beside a skill, and traps around it."""
    root = tmp_path_factory.mktemp("tools")
    skills = write_skills(root / "skills")
    charts = skills / "data" / "charts"
    (charts / "references").mkdir()
    (charts / "references" / "colours.md").write_text("red\u202eder\r\nblue\x1b[2J\n")
    (charts / "plot.py").write_text("print('plot')\n")
    (charts / ".env").write_text("KEY=secret\n")
    (charts / "logo.png").write_bytes(b"\x89PNG\xff\x00")
    (charts / "zero.txt").write_bytes(b"a\x00b")
    (charts / "large.txt").write_bytes(b"x" * (LARGEST + 1))
    (root / "secret.txt").write_text("outside\n")
    (charts / "leak.txt").symlink_to(root / "secret.txt")
    (charts / "up").symlink_to(root)
    (charts / "inside.md").symlink_to("plot.py")
    build_library(skills, root / "results")
    return root


@pytest.fixture(scope="module")
def tools(place):
    return AgentTools(ServedLibrary(store_of(place)))


def store_of(place):
    return place / "results" / "shelf" / "library" / "library.sqlite"


def test_a_search_says_what_fits_and_how_old_the_index_is(tools):
    told = tools.search_skills("draw charts of a table", 2)
    assert told["state"] == "ok"
    assert told["skills"][0]["skill"] == "data/charts"
    assert len(told["skills"]) == 2
    assert told["index"]["version"] == tools.status()["version"]
    assert told["index"]["age_seconds"] >= 0
    nothing = tools.search_skills("xylophone", arm="keyword")
    assert (nothing["state"], nothing["skills"]) == ("empty", [])
    assert nothing["reason"] == "no skill shares a word with the query"


def test_bundles_are_a_tool_where_a_study_has_dependencies_and_no_tasks(tools, place):
    assert "trace_task" not in [tool.__name__ for tool in tools.tools]
    graph = store_of(place).with_name("dependencies.sqlite")
    graph.touch()
    try:
        assert "trace_task" in [tool.__name__ for tool in tools.tools]
    finally:
        graph.unlink()


def test_a_skill_is_read_with_what_stands_around_it(tools):
    told = tools.read_skill("charts")
    assert told["text"].startswith("---\nname: charts\ndescription: Draw bar and line")
    assert told["text"].endswith("Use a ruler.")
    assert told["around"] == {
        "prerequisites": ["data/clean"],
        "next_steps": [],
        "alternatives": ["data/maps"],
    }
    assert tools.read_skill("clean")["around"]["next_steps"] == [
        "data/charts",
        "data/maps",
    ]


def test_only_files_that_can_be_read_are_listed(tools):
    listed = tools.read_skill("charts")["files"]
    readable = {"inside.md", "plot.py", "references/colours.md"}
    assert readable <= set(listed)
    assert not {".env", "leak.txt", "up", "SKILL.md"} & set(listed)
    for name in readable:
        assert tools.read_skill("charts", name)["text"]


def test_hidden_characters_of_a_file_are_spelled_out_u53(tools):
    text = tools.read_skill("charts", "references/colours.md")["text"]
    assert text == "red⟨U+202E⟩der\nblue⟨U+001B⟩[2J\n"


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("../clean/SKILL.md", "expected a name below"),
        ("/etc/passwd", "expected a name below"),
        ("references/../../../../secret.txt", "expected a name below"),
        ("references//colours.md", "expected a name below"),
        ("..\\secret.txt", "expected a name below"),
        ("plot.py\x00.md", "expected a name below"),
        (".env", "expected a name below"),
        ("", "expected a name below"),
        ("leak.txt", "it leads out of the skill's folder"),
        ("up/secret.txt", "it leads out of the skill's folder"),
        ("references", "it is no file"),
        ("nothing.md", "there is no such file"),
        ("x" * 5000, "there is no such file"),
        ("logo.png", "no UTF-8 text"),
        ("zero.txt", "it is no text"),
        ("large.txt", "larger than 1,000,000 bytes"),
    ],
)
def test_no_name_leads_out_of_a_skill(tools, file, why):
    with pytest.raises(InputError, match=why) as refused:
        tools.read_skill("charts", file)
    assert "outside" not in str(refused.value)
    assert "\x00" not in str(refused.value)


def test_a_skill_folder_that_became_a_link_out_is_not_followed(tmp_path):
    skills = write_skills(tmp_path / "skills")
    build_library(skills, tmp_path / "results")
    elsewhere = tmp_path / "elsewhere"
    os.rename(skills / "kitchen" / "soup", elsewhere)
    (elsewhere / "recipe.md").write_text("private\n")
    (skills / "kitchen" / "soup").symlink_to(elsewhere)
    tools = AgentTools(ServedLibrary(store_of(tmp_path)))
    told = tools.read_skill("soup")
    assert (told["files"], told["text"].splitlines()[-1]) == ([], "Simmer.")
    with pytest.raises(InputError, match="can be read"):
        tools.read_skill("soup", "recipe.md")


def test_files_lie_in_a_folder_whose_name_on_disk_has_another_unicode_form(tmp_path):
    folder = tmp_path / "e\u0301tude"
    folder.mkdir()
    (folder / "notes.md").write_text("adagio\n")
    stored = skill("\u00e9tude")
    assert read_skill(stored, tmp_path).files == ("notes.md",)
    assert read_skill(stored, tmp_path, "notes.md").text == "adagio\n"


def test_without_the_folder_the_indexed_text_is_still_read(place, tmp_path):
    moved = tmp_path / "library.sqlite"
    moved.write_bytes(store_of(place).read_bytes())
    tools = AgentTools(ServedLibrary(moved))
    assert tools.read_skill("charts")["files"] == []
    assert tools.status()["files_at_hand"] is False
    with pytest.raises(InputError, match="can be read"):
        tools.read_skill("charts", "plot.py")
    named = AgentTools(ServedLibrary(moved), place / "skills")
    assert named.read_skill("charts", "plot.py")["text"] == "print('plot')\n"


def test_the_folder_of_a_library_is_where_its_catalogue_says(place):
    assert library_root(store_of(place)) == (place / "skills").resolve()


def test_a_registry_listing_has_no_files(tools):
    skill = tools.library.find("charts")
    listing = type(skill)(**{
        **{name: getattr(skill, name) for name in skill.__slots__}, "kind": "listing",
    })  # fmt: skip
    assert read_skill(listing, tools.root).files == ()


def test_directions_are_told_only_while_the_census_allows_it(tmp_path):
    """Of three pairs one contradicts itself: a share of 1/3."""
    skills = write_skills(tmp_path / "skills")
    dropped = [
        DroppedEdge(*ends, "requires", "llm", "contradicted", "")
        for ends in (("data/charts", "data/clean"), ("data/clean", "data/charts"))
    ]
    for limit, told in ((0.3, False), (0.34, True)):
        build_library(skills, tmp_path / str(limit), dropped=dropped, limit=limit)
        path = tmp_path / str(limit) / "shelf" / "library" / "library.sqlite"
        tools = AgentTools(ServedLibrary(path))
        status = tools.status()
        assert status["contradictory"] == pytest.approx(1 / 3, abs=1e-6)
        assert status["tells_directions"] is told
        around = tools.read_skill("charts")["around"]
        assert ("prerequisites" in around) is told
        rows = tools.neighbours("charts")["neighbours"]
        assert bool(rows) is told
        if not told:
            assert around["directions"].startswith("not told: 33.3%")
            assert tools.neighbours("bread")["neighbours"][0]["skill"] == "kitchen/soup"


def test_neighbours_are_told_with_names_and_up_to_a_limit(tools):
    told = tools.neighbours("charts", 1)
    assert told["neighbours"][0] == {
        "skill": "data/clean", "role": "before", "relation": "requires",
        "forward": True, "weight": None, "provenance": "curated", "name": "clean",
    }  # fmt: skip
    assert told["left_out"] == 1


def test_calls_are_noted_only_if_asked_and_can_be_learned_from(place, tmp_path):
    log = tmp_path / "calls.jsonl"
    library = ServedLibrary(store_of(place))
    silent = AgentTools(library)
    silent.read_skill("charts")
    assert not log.exists()
    for _ in range(2):  # two processes
        tools = AgentTools(library, calls=CallLog(log))
        tools.search_skills("draw charts")
        tools.read_skill("clean", task="monthly report")
        tools.read_skill("charts", task="monthly report")
        tools.read_skill("soup")
        with pytest.raises(InputError):
            tools.read_skill("bread", "../../x", task="monthly report")
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(rows) == 8
    assert set(rows[0]) == {"version", "task", "step", "skill", "outcome"}
    build = library.build()
    calls, report = load_calls(log, Names(build.skills.values()))
    assert (report.found, report.failed, report.warned) == (8, 0, 0)
    used = list(sequences(calls).values())
    assert used.count(("data/clean", "data/charts")) == 2
    assert used.count(("kitchen/soup",)) == 2
    assert [call.skill for call in calls if call.outcome == "failed"] == [
        "kitchen/bread"
    ] * 2


def test_a_log_that_cannot_be_written_is_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="--log-calls"):
        CallLog(tmp_path / "no" / "such" / "calls.jsonl")


def test_memories_are_no_tool_unless_served(tools):
    names = [tool.__name__ for tool in tools.tools]
    assert names == ["search_skills", "read_skill", "neighbours", "status"]
    with pytest.raises(InputError, match="--memories"):
        tools.recall_memory("who?")
    assert len(SHELF) == tools.status()["skills"]


def test_a_memory_is_recalled_with_dates_where_it_is_served(tools, tmp_path):
    gardens.build(tmp_path)
    serving = AgentTools(tools.library, results=tmp_path, study="plot")
    assert serving.tools[-1].__name__ == "recall_memory"
    told = serving.recall_memory("garden/q0", limit=1)
    assert (told["question"]["conversation"], told["question"]["state"]) == (
        "garden", "ok",
    )  # fmt: skip
    [first] = told["evidence"]
    assert (first["atom"], first["days"]) == ("garden/2/0", ("2024-04-10",))
    json.dumps(told)
    for question, why in (("  ", "got a blank one"), ("garden/q99", "no question")):
        with pytest.raises(InputError, match=why):
            serving.recall_memory(question)


def test_fifty_at_once_recall_what_each_asked_and_a_rebuild_is_seen_u52(
    tools, tmp_path, monkeypatch
):
    shard = gardens.build(tmp_path)
    serving = AgentTools(tools.library, results=tmp_path, study="plot")

    def asked(number):
        told = serving.recall_memory(f"garden/q{number % 2}", limit=1)
        return told["question"]["text"], told["evidence"][0]["atom"]

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(asked, range(50)))
    assert found == [asked(0), asked(1)] * 25
    assert found[0] != found[1]
    with monkeypatch.context() as patch:
        patch.setitem(gardens.QUESTIONS, "garden/q0", "Is it new?")
        gardens.build(tmp_path)
    assert asked(0)[0] == "Is it new?"
    (shard / "memory.sqlite").unlink()
    with pytest.raises(InputError, match="no question"):
        asked(0)
