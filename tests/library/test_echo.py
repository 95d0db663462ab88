import pytest

from skillmill.data.queries import load_queries
from skillmill.data.skillfile import load_library
from skillmill.errors import InputError
from skillmill.library.echo import echoes
from tests.conftest import DATA, REPOSITORY
from tests.library.skills import skill

MERGE = skill(
    "office/merge-pdf",
    name="PDF merger",
    description="Joins several documents into one file and keeps their bookmarks",
)


@pytest.mark.parametrize(
    "query",
    [
        "merging this PDF",  # the folder's words, stemmed
        "I want a merger of pdf documents",  # the name's
        "it joins several documents into one file",  # four words of the description
    ],
)
def test_a_query_that_reuses_the_words_of_its_target_is_rejected(query):
    assert echoes(query, MERGE)


@pytest.mark.parametrize(
    "query", ["put my scans together", "one pdf out of many", "joins several documents"]
)
def test_other_words_and_short_runs_are_no_echo(query):
    assert echoes(query, MERGE) == []


def test_the_name_of_an_alias_counts():
    copy = skill("a", name="x1", description="y", aliases=("old/read-mail",))
    assert echoes("read my mail", copy) == [
        "it holds every word of the name 'read-mail'"
    ]


def test_a_name_of_stop_words_or_no_text_echoes_nothing():
    assert echoes("what is it", skill("it", name="it", description="")) == []


KNOWN = {"a": "a", "b": "b", "old-a": "a"}


def write(path, *rows):
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_written_queries_logged_ones_and_off_topic_ones_are_read(tmp_path):
    file = write(
        tmp_path / "q.jsonl",
        '{"id": "1", "text": "x", "relevant": ["old-a", "a"], "categories": ["easy"]}',
        '{"id": "2", "text": "y", "chosen": ["b"], "outcome": "solved"}',
        '{"id": "3", "text": "z", "chosen": ["b"], "outcome": "failed"}',
        '{"id": "4", "text": "w", "relevant": [], "categories": ["off-topic"]}',
    )
    queries, report = load_queries(file, KNOWN)
    assert [(q.id, q.relevant) for q in queries] == [
        ("1", ("a",)),
        ("2", ("b",)),
        ("4", ()),
    ]
    assert queries[0].categories == ("easy",)
    assert (report.found, report.loaded, report.failed) == (4, 4, 0)
    assert [p.code for p in report.problems] == ["not-solved"]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ('{"id": "1", "text": "x", "relevant": []}', "no-known-skill"),
        ('{"id": "1", "text": "x", "relevant": ["nope"]}', "no-known-skill"),
        ('{"id": "1", "text": " ", "relevant": ["a"]}', "bad-row"),
        ('{"text": "x", "relevant": ["a"]}', "bad-row"),
        ("[1]", "bad-row"),
        ('{"id": "1", "text": "x", "relevant": "a"}', "bad-row"),
        ('{"id": "1", "text": "x", "chosen": "a", "outcome": "solved"}', "bad-row"),
        ('{"id": "1", "text": "x", "chosen": ["a"], "outcome": "Solved"}', "bad-row"),
        ('{"id": "1", "text": "x", "chosen": ["a"]}', "bad-row"),
    ],
)
def test_a_query_that_cannot_be_scored_is_failed(tmp_path, row, code):
    good = '{"id": "0", "text": "x", "relevant": ["a"]}'
    _, report = load_queries(write(tmp_path / "q.jsonl", good, row), KNOWN)
    assert (report.found, report.failed) == (2, 1)
    assert code in [p.code for p in report.problems]


def test_a_repeated_id_is_failed_and_a_missing_file_an_error(tmp_path):
    row = '{"id": "0", "text": "x", "relevant": ["a"]}'
    _, report = load_queries(write(tmp_path / "q.jsonl", row, row), KNOWN)
    assert report.failed == 1
    with pytest.raises(InputError):
        load_queries(tmp_path / "none.jsonl", KNOWN)


@pytest.mark.skipif(
    not (DATA / "skillsbench").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder holding skillsbench/",
)
def test_the_shipped_sets_are_what_they_say():
    skills, _ = load_library(DATA / "skillsbench" / "skills")
    by_id = {s.id: s for s in skills}
    known = {name: s.id for s in skills for name in (s.id, *s.aliases)}

    def echoing(name):
        queries, report = load_queries(
            REPOSITORY / "data" / "queries" / f"{name}.jsonl", known
        )
        assert report.usable == report.found
        hit = [q for q in queries if any(echoes(q.text, by_id[s]) for s in q.relevant)]
        return queries, hit

    queries, hit = echoing("non_echo")
    assert len(queries) == 90
    assert hit == []
    for kind in ("direct", "paraphrase", "indirect"):
        assert sum(kind in q.categories for q in queries) == 30
    queries, hit = echoing("echo")
    assert len(queries) == len(hit) == 40
    queries, _ = echoing("off_topic")
    assert len(queries) == 40


def test_the_file_of_both_sets_is_one_after_the_other():
    folder = REPOSITORY / "data" / "queries"
    parts = ("non_echo", "echo")
    texts = [(folder / f"{name}.jsonl").read_text(encoding="utf-8") for name in parts]
    assert (folder / "both.jsonl").read_text(encoding="utf-8") == "".join(texts)
