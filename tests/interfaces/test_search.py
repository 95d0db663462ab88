"""Search of a built library: from a file, from a command, by a served object."""

import json
import shutil
import time
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from skillmill.errors import InputError, ModelError, StoreError
from skillmill.interfaces.cli import main
from skillmill.interfaces.query_vectors import query_encoder
from skillmill.interfaces.searching import LONGEST, library_store, search
from skillmill.interfaces.served import ServedLibrary, read_build
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.settings import RankerSettings
from skillmill.library.wordindex import StoredWords, WordIndex
from skillmill.store import artifact, catalogue, vectors
from tests.interfaces.shelf import SHELF, build_library, write_skills

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """`skills/` and `results/shelf/library/library.sqlite`; do not change them."""
    root = tmp_path_factory.mktemp("shelf")
    build_library(write_skills(root / "skills"), root / "results")
    return root


@pytest.fixture(scope="module")
def store(shelf):
    return library_store(shelf / "results")


def ids(found):
    return [hit.skill.id for hit in found.hits]


@pytest.mark.parametrize("arm", ["keyword", "semantic", "hybrid"])
def test_each_arm_finds_the_skill_that_was_asked_for(store, arm):
    found = search(store, "draw charts of a table", arm)
    assert (found.state, ids(found)[0]) == ("ok", "data/charts")
    assert [hit.rank for hit in found.hits] == [*range(1, len(found.hits) + 1)]


def test_meaning_finds_what_no_word_tells(store):
    assert ids(search(store, "pastry and dough", "semantic"))[0] == "kitchen/bread"
    found = search(store, "pastry dough", "keyword")
    assert (found.state, found.hits) == ("empty", ())
    assert found.reason == "no skill shares a word with the query"


def test_stored_postings_score_to_the_last_bit_as_an_index_made_anew(store):
    texts = [f"{name}: {about}" for name, about, _ in SHELF.values()]
    names = [name for name, _, _ in SHELF.values()]
    settings = RankerSettings(k3=0.5)
    fresh = WordIndex(texts, names, settings)
    kept = {word: (rows, weights) for word, rows, weights in fresh.postings()}
    none = (np.empty(0, int), np.empty(0))
    stored = StoredWords(len(texts), lambda word: kept.get(word, none), settings)
    whole = Ranker(sorted(SHELF), texts, None, settings, names=names)
    for query in ("draw a table", "table table charts of bread", "the of and", "ἄρτος"):
        terms = query.split()
        assert stored.scores(terms).tolist() == fresh.scores(terms).tolist()
        expected = whole.rank("keyword", ["q"], [query])[0]
        found = search(store, query, "keyword", 10)
        assert tuple(ids(found)) == expected.items
        assert tuple(hit.score for hit in found.hits) == expected.scores


def test_a_served_library_and_one_search_say_the_same(store):
    served = ServedLibrary(store)
    for arm in ("keyword", "semantic", "hybrid"):
        assert served.search("cook soup", arm) == search(store, "cook soup", arm)


def test_parts_of_a_score_sum_up_to_it(store):
    for hit in search(store, "write letters about soup", "hybrid").hits:
        parts = hit.parts
        total = parts["keyword"] + parts["semantic"] + parts["name"]
        assert hit.score == pytest.approx(total, abs=3e-6)


@pytest.mark.parametrize(
    ("query", "arm", "limit", "message"),
    [
        ("  \n", "keyword", 5, "got a blank one"),
        ("x" * (LONGEST + 1), "hybrid", 5, "at most 100,000 characters, got 100,001"),
        ("charts", "hybrid+late", 5, r"got 'hybrid\+late'"),
        ("charts", "keyword", 0, "between 1 and 100 results, got 0"),
        ("charts", "keyword", 101, "got 101"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_both_ways(
    store, query, arm, limit, message
):
    for ask in (search, lambda _, *rest: ServedLibrary(store).search(*rest)):
        with pytest.raises(InputError, match=message):
            ask(store, query, arm, limit)


@pytest.mark.parametrize(
    "query",
    [
        "'; drop table skill; --",
        '" or 1=1',
        "charts\x00\x1b[2J",
        "%s {0} ${HOME}",
        "💥",
    ],
)
def test_a_query_is_text_and_nothing_else(store, query):
    before = store.read_bytes()
    for arm in ("keyword", "hybrid"):
        assert search(store, query, arm).state in ("ok", "empty")
    assert store.read_bytes() == before


def test_a_rebuilt_library_is_seen_without_a_restart_u52(tmp_path, shelf):
    skills, results = tmp_path / "skills", tmp_path / "results"
    shutil.copytree(shelf / "skills", skills)
    path = build_library(skills, results)
    served = ServedLibrary(path)
    first = served.status()
    assert ids(served.search("bake bread", "keyword")) == ["kitchen/bread"]
    shutil.rmtree(skills / "kitchen" / "bread")
    build_library(skills, results, similar=[])
    assert served.search("bake bread", "keyword").state == "empty"
    second = served.status()
    assert (first.skills, second.skills) == (6, 5)
    assert first.version != second.version
    path.unlink()
    with pytest.raises(StoreError, match="build it with `skillmill run`"):
        served.search("soup")
    path.write_bytes(b"no store")
    with pytest.raises(StoreError, match="not SQLite"):
        served.search("soup")
    write_skills(skills)
    build_library(skills, results)
    assert ids(served.search("bake bread", "keyword")) == ["kitchen/bread"]


def test_the_age_of_an_index_is_that_of_its_file(store):
    told = ServedLibrary(store).status()
    assert told.age_seconds == pytest.approx(time.time() - store.stat().st_mtime, abs=5)
    assert (told.study, told.skills, told.edges) == ("shelf", 6, 4)


def test_another_encoder_is_refused_and_another_way_to_run_it_is_not(store):
    with artifact.reading(store, "library") as db:
        stored = vectors.load_encoder(db)
    noted = {"name": "bundled:all-MiniLM-L6-v2", "backend": "torch"}
    torch_made = stored | {"backend": "torch-float32"}
    assert query_encoder(noted, torch_made).identity == stored
    with pytest.raises(ModelError, match=r"revision .* search with --arm keyword"):
        query_encoder(noted, stored | {"revision": "other"})


def test_skills_are_found_by_id_and_by_a_name_of_their_own(store):
    served = ServedLibrary(store)
    assert served.find("Bread").id == served.find("kitchen/bread").id == "kitchen/bread"
    with pytest.raises(InputError, match="near it: kitchen/bread"):
        served.find("kitchen/braed")


def test_neighbours_are_those_of_the_graph(store):
    served = ServedLibrary(store)
    around = served.neighbours(served.find("charts"))
    assert [(one.skill, one.role) for one in around] == [
        ("data/clean", "before"),
        ("data/maps", "alternative"),
    ]
    assert [one.skill for one in served.neighbours(served.find("bread"))] == [
        "kitchen/soup"
    ]


def test_the_postings_of_a_library_are_all_its_words(store):
    build = read_build(store)
    with artifact.reading(store, "library") as db:
        assert catalogue.load_ids(db) == sorted(SHELF)
        found = catalogue.find_skills(db, ["data/maps", "nothing"])
    assert list(found) == ["data/maps"]
    assert found["data/maps"] == replace(build.skills["data/maps"], aliases=())


def run(shelf, *arguments):
    return CliRunner().invoke(
        main, ["search", *arguments, "--results", str(shelf / "results")]
    )


def test_the_command_prints_skills_or_rows(shelf):
    done = run(shelf, "draw charts", "--arm", "keyword", "--explain")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("  1 ")
    assert "data/charts" in done.stdout
    assert "bm25 " in done.stdout
    done = run(shelf, "draw charts", "--json", "-n", "2")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["row"] for row in rows] == ["query", "skill", "skill"]
    assert rows[0]["state"] == "ok"
    assert set(rows[1]) == {
        "row", "rank", "skill", "name", "description", "kind", "score"
    }  # fmt: skip


def test_nothing_is_said_to_be_nothing(shelf):
    done = run(shelf, "xylophone", "--arm", "keyword")
    assert (done.exit_code, done.stdout) == (
        0, "empty: no skill shares a word with the query\n",
    )  # fmt: skip


def test_a_library_file_may_be_named_and_a_missing_one_is_one_sentence(shelf, tmp_path):
    file = library_store(shelf / "results")
    done = CliRunner().invoke(
        main, ["search", "soup", "--arm", "keyword", "--results", str(file)]
    )
    assert "kitchen/soup" in done.stdout
    done = CliRunner().invoke(main, ["search", "soup", "--results", str(tmp_path)])
    assert (done.exit_code, done.stderr[:7]) == (3, "error: ")
    assert "run `skillmill run` first" in done.stderr
    done = run(shelf, "soup", "--study", "other")
    assert "no library is built of study 'other'" in done.stderr
    assert "shelf" in done.stderr


def test_several_libraries_ask_for_the_study(shelf, tmp_path):
    for study in ("one", "two"):
        place = tmp_path / study / "library"
        place.mkdir(parents=True)
        shutil.copy(library_store(shelf / "results"), place)
    with pytest.raises(InputError, match=r"several .*--study; there are: one, two"):
        library_store(tmp_path)
    assert library_store(tmp_path, "two").parts[-3] == "two"


def test_hostile_text_reaches_no_terminal_u53(tmp_path):
    """An escape code, a bidi override and a tag character in name and description."""
    hostile = {
        "evil/skill": (
            '"red\\e[31m"', '"wipe \\e[2J screens \\u202E txt \\U000E0041"', "x"
        )
    }  # fmt: skip
    root = write_skills(tmp_path / "skills", hostile)
    build_library(root, tmp_path / "results", typed=[], similar=[])
    done = CliRunner().invoke(
        main, ["search", "wipe screens", "--arm", "keyword", "--results",
               str(tmp_path / "results")],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "evil/skill" in done.stdout
    assert not {"\x1b", "\u202e", "\U000e0041"} & set(done.stdout)


def test_stored_words_know_the_names_that_a_text_holds():
    names = ["bread", "soup pot", "the", "soup", ""]
    texts = [f"{name}: text" for name in names]
    fresh = WordIndex(texts, names, RankerSettings())
    stored = StoredWords(5, lambda _: ([], []), RankerSettings(), names)
    assert stored.has_names
    for rows in (np.arange(5), np.array([3, 1]), np.array([], int)):
        for terms in (["soup"], ["pot", "soup", "bread"], []):
            expected = fresh.named(terms, rows).tolist()
            assert stored.named(terms, rows).tolist() == expected


def test_the_hybrid_arm_from_stored_postings_is_that_of_an_index_made_anew(store):
    build = read_build(store)
    texts = [f"{skill.name}: {skill.description}" for skill in build.skills.values()]
    names = [skill.name for skill in build.skills.values()]
    with artifact.reading(store, "library") as db:
        matrix = vectors.load_vectors(db, "skill")[2]
    fresh = Ranker([*build.skills], texts, matrix, RankerSettings(k3=0.5), names=names)
    for text in ("write letters about bread", "draw charts"):
        vector = build.query_encoder.encode([text])
        for ask in ("hybrid", "semantic"):
            query = Query("q", text, vector)
            assert build.ranker.answer(ask, query) == fresh.answer(ask, query)
