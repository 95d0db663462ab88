import pytest

from skillmill.data.standins import load_standins, mark_original
from skillmill.errors import InputError
from skillmill.types import Task


def test_ids_may_stand_alone_or_in_objects(tmp_path):
    file = tmp_path / "s.json"
    file.write_text('["pdf", {"slug": "xlsx", "occurrences": 8}]')
    assert load_standins(file) == {"pdf", "xlsx"}


@pytest.mark.parametrize("text", ['{"a": 1}', "[1]", '[{"name": "pdf"}]', "[", ""])
def test_anything_else_is_one_sentence(tmp_path, text):
    file = tmp_path / "s.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"s\.json"):
        load_standins(file)


def test_a_task_is_original_if_one_of_its_skills_is_no_stand_in():
    tasks = [
        Task("1", "x", ("pdf",), ("hard",)),
        Task("2", "x", ("pdf", "mesh"), ("hard",)),
        Task("3", "x", ("mesh",)),
    ]
    marked = mark_original(tasks, {"pdf"})
    assert [t.categories for t in marked] == [
        ("hard",),
        ("hard", "original"),
        ("original",),
    ]
