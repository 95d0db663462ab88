"""Tasks: our own rows and those of SkillsBench, with what is wrong in them."""

import json

import pytest

from skillmill.data.skillfile import load_library
from skillmill.data.tasks import load_tasks
from skillmill.errors import InputError
from skillmill.types import Task
from tests.conftest import DATA

KNOWN = {"sieve": "sieve", "old/sieve": "sieve", "wash": "wash"}
OWN = {"id": "t1", "text": "Sort the heap.", "relevant": ["sieve"]}
BENCH = {
    "task_id": "heap",
    "instruction_text": "Sort the heap.",
    "gt": ["sieve"],
    "difficulty": "hard",
    "task_type": "clean",
    "tags": ["not", "a", "category"],
}


def load(tmp_path, *rows):
    path = tmp_path / "tasks.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return load_tasks(path, KNOWN)


def codes(report):
    return [(each.line, each.record, each.code) for each in report.problems]


def test_our_own_rows_are_read_in_file_order(tmp_path):
    tasks, report = load(
        tmp_path, OWN | {"id": "t2", "categories": ["direct", "direct"]}, OWN
    )
    assert tasks == [
        Task("t2", "Sort the heap.", ("sieve",), ("direct",)),
        Task("t1", "Sort the heap.", ("sieve",), ()),
    ]
    assert (report.found, report.loaded, report.problems) == (2, 2, ())


def test_rows_of_skillsbench_get_prefixed_categories(tmp_path):
    tasks, _ = load(tmp_path, BENCH)
    categories = ("difficulty:hard", "type:clean")
    assert tasks == [Task("heap", "Sort the heap.", ("sieve",), categories)]


def test_an_alias_stands_for_its_skill_and_a_repeat_counts_once(tmp_path):
    (task,), report = load(tmp_path, OWN | {"relevant": ["wash", "old/sieve", "sieve"]})
    assert task.relevant == ("wash", "sieve")
    assert report.loaded == 1


def test_an_unknown_skill_is_dropped_with_task_and_line(tmp_path):
    (task,), report = load(tmp_path, OWN | {"relevant": ["sieve", "LICENSE", 7]})
    assert task.relevant == ("sieve",)
    assert report.warned == 1
    assert codes(report) == [(1, "t1", "unknown-skill")] * 2
    assert "task 't1', line 1" in report.problems[0].message


def test_a_task_without_a_known_skill_fails_with_the_reason(tmp_path):
    tasks, report = load(
        tmp_path,
        OWN | {"relevant": ["LICENSE"]},
        OWN | {"id": "t2", "relevant": []},
        OWN | {"id": "t3", "relevant": "sieve"},
    )
    assert tasks == []
    assert (report.found, report.failed) == (3, 3)
    assert codes(report) == [
        (1, "t1", "no-known-skill"),
        (1, "t1", "unknown-skill"),
        (2, "t2", "no-relevant-skill"),
        (3, "t3", "no-relevant-skill"),
    ]


def test_a_task_whose_ground_truth_is_not_given_is_loaded_and_told(tmp_path):
    row = {key: value for key, value in OWN.items() if key != "relevant"}
    tasks, report = load(tmp_path, row, OWN | {"id": "t2"})
    assert [(task.id, len(task.relevant)) for task in tasks] == [("t1", 0), ("t2", 1)]
    assert (report.failed, codes(report)) == (0, [(1, "t1", "no-ground-truth")])


def test_solved_rows_of_a_log_of_queries_are_tasks(tmp_path):
    logged = {"id": "q1", "text": "Sort it.", "chosen": ["old/sieve"]}
    tasks, report = load(
        tmp_path,
        logged | {"outcome": "solved"},
        logged | {"id": "q2", "outcome": "failed"},
        logged | {"id": "q3", "outcome": "solvd"},
        logged | {"id": "q4", "outcome": "solved", "chosen": "sieve"},
    )
    assert tasks == [Task("q1", "Sort it.", ("sieve",), ())]
    assert (report.loaded, report.failed) == (2, 2)
    assert codes(report) == [
        (2, "q2", "not-solved"),
        (3, "q3", "bad-row"),
        (4, "q4", "bad-row"),
    ]


def test_a_repeated_id_fails_with_both_lines(tmp_path):
    tasks, report = load(tmp_path, OWN, "", OWN | {"text": "Wash it."})
    assert [task.text for task in tasks] == ["Sort the heap."]
    assert codes(report) == [(3, "t1", "repeated-id")]
    assert "in line 1 and again in line 3" in report.problems[0].message


def test_bad_rows_fail_alone(tmp_path):
    tasks, report = load(
        tmp_path, "{broken", OWN | {"id": ""}, OWN | {"id": "t2", "text": " "}, OWN, "7"
    )
    assert [task.id for task in tasks] == ["t1"]
    assert (report.found, report.loaded, report.failed) == (5, 1, 4)
    assert [line for line, _, _ in codes(report)] == [1, 2, 3, 5]


def test_text_and_ids_are_nfc_and_a_lone_surrogate_is_reported_u37(tmp_path):
    known = {"café": "café"}
    path = tmp_path / "tasks.jsonl"
    row = OWN | {"text": "cafe\u0301 \ud83d", "relevant": ["cafe\u0301"]}
    path.write_text(json.dumps(row))
    (task,), report = load_tasks(path, known)
    assert (task.text, task.relevant) == ("café \ufffd", ("café",))
    assert codes(report) == [(1, "t1", "lone-surrogate")]


@pytest.mark.parametrize(
    "text", ["id: t1\ntext: x\n", '[\n  {"id": "t1"}\n]\n', "", "7"]
)
def test_a_file_that_is_no_jsonl_is_refused_with_file_and_line(tmp_path, text):
    path = tmp_path / "tasks.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=r"tasks\.jsonl, line 1: expected JSONL"):
        load_tasks(path, KNOWN)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_tasks(tmp_path / "gone.jsonl", KNOWN)


@pytest.mark.skipif(
    not (DATA / "skillsbench").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder holding skillsbench/",
)
def test_the_tasks_of_skillsbench_find_all_their_skills():
    skills, _ = load_library(DATA / "skillsbench/skills")
    known = {name: skill.id for skill in skills for name in (skill.id, *skill.aliases)}
    for file, count in (("tasks.jsonl", 39), ("tasks_extra.jsonl", 4)):
        tasks, report = load_tasks(DATA / "skillsbench" / file, known)
        assert (len(tasks), report.loaded, report.problems) == (count, count, ())
        assert all(len(task.categories) == 2 for task in tasks)
