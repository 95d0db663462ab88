"""SkillRouter's files: what is relevant, and what was predicted."""

import gzip
import json

import pytest

from skillmill.data.relevance import load_pool, load_predictions, load_relevance
from skillmill.errors import InputError

ENTRIES = {
    "b": {"gt_skill_ids": ["x", "y"], "core_gt_ids": ["x"], "relevance": {"x": 3}},
    "a": {"gt_skill_ids": ["y"], "task_type": "generic_only"},
    "c": {"gt_skill_ids": ["z", "z", "x"], "relevance": {"z": 2, "w": 0}},
}


def written(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("core", [("b", ("x",)), ("c", ("z", "x"))]),
        ("all", [("a", ("y",)), ("b", ("x", "y")), ("c", ("z", "x"))]),
        ("single", [("a", ("y",))]),
    ],
)
def test_a_mode_says_which_tasks_and_which_of_their_skills_count(
    tmp_path, mode, expected
):
    path = written(tmp_path / "relevance.json", ENTRIES)
    truths, report = load_relevance(path, mode)
    assert [(truth.task, truth.relevant) for truth in truths] == expected
    assert (report.found, report.loaded, report.failed) == (3, 3, 0)
    left_out = [p.record for p in report.problems if p.code == "left-out"]
    assert set(left_out) == {"a", "b", "c"} - {task for task, _ in expected}


def test_grades_of_zero_are_no_grades(tmp_path):
    truths, _ = load_relevance(written(tmp_path / "relevance.json", ENTRIES))
    assert [truth.grades for truth in truths] == [{"x": 3.0}, {"z": 2.0}]


def test_tasks_one_a_line_are_read_in_both_vocabularies(tmp_path):
    path = tmp_path / "tasks.jsonl"
    rows = [
        {"task_id": "t1", "gt": ["x", "y"], "core_gt": ["y"], "task_type": "mixed"},
        {"id": "t2", "relevant": ["z"]},
        {"id": "t2", "relevant": ["x"]},
        {"id": "t3", "relevant": "z"},
        {"relevant": ["z"]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    truths, report = load_relevance(path)
    assert [(t.task, t.relevant) for t in truths] == [("t1", ("y",)), ("t2", ("z",))]
    assert (report.found, report.failed) == (5, 3)
    assert sorted(p.line for p in report.problems) == [3, 4, 5]


@pytest.mark.parametrize("grade", [-1, "high", True, float("nan")])
def test_a_grade_that_is_no_number_of_at_least_zero_fails_its_task(tmp_path, grade):
    entry = {"t": {"gt_skill_ids": ["x"], "relevance": {"x": grade}}}
    truths, report = load_relevance(written(tmp_path / "relevance.json", entry))
    assert (truths, report.failed) == ([], 1)


def test_a_prediction_that_is_no_list_is_a_failed_one(tmp_path):
    made = {"a": ["x", "y"], "b": [], "c": "x", "d": ["x", 1]}
    found, report = load_predictions(written(tmp_path / "p.json", made))
    assert found == {"a": ("x", "y"), "b": ()}
    assert (report.found, report.loaded, report.failed) == (4, 2, 2)


@pytest.mark.parametrize("load", [load_predictions, load_relevance])
@pytest.mark.parametrize("text", ["[]", "{", "", "3"])
def test_files_of_another_form_are_refused_in_one_sentence(tmp_path, load, text):
    path = tmp_path / "p.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.json"):
        load(path)


def test_a_pool_is_a_file_or_a_folder_of_shards(tmp_path):
    (tmp_path / "part-0.jsonl").write_text('{"skill_id": "x"}\n{"id": "y"}\n')
    (tmp_path / "part-1.jsonl.gz").write_bytes(gzip.compress(b'{"skill_id": "z"}'))
    assert load_pool(tmp_path) == {"x", "y", "z"}
    assert load_pool(tmp_path / "part-0.jsonl") == {"x", "y"}


def test_a_pool_without_ids_is_refused_with_its_line(tmp_path):
    path = tmp_path / "pool.jsonl"
    path.write_text('{"skill_id": "x"}\n{"name": "y"}\n')
    with pytest.raises(InputError, match="line 2: expected `skill_id`"):
        load_pool(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="found none"):
        load_pool(tmp_path / "empty")
