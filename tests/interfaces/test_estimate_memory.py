"""What the memory track would ask, told without asking, by the code that asks."""

import pytest

from skillmill.config import check_config
from skillmill.errors import InputError
from skillmill.interfaces.estimate import estimate
from skillmill.interfaces.estimate_memory import of_relations
from tests.interfaces.test_answers import ranked, read, results

__all__ = ["results"]  # a fixture

MODEL = {"model": "tiny", "base_url": "http://model.test/v1", "max_tokens": 100}


def config(folder, *roles):
    return check_config(
        {
            "study": "plot",
            "records": str(folder / "records"),
            "library": {"path": None},
            "memory": {"path": "talk.jsonl", "shards": 1},
            "models": {"mode": "live", "roles": dict.fromkeys(roles, MODEL)},
        }
    )


def told(results, *roles):
    rows = estimate(config(results.parent, *roles), results)
    return {(row.role, row.stage): row.calls for row in rows}


def test_answers_and_verdicts_are_told_as_far_as_stores_are_there(results):
    """One question has evidence and a ranking; both arms answer it alike."""
    assert told(results, "answer", "judge_locomo") == {}
    ranked(results)
    assert told(results, "answer", "judge_locomo") == {("answer", "answer"): 2}
    read(results)
    assert told(results, "answer", "judge_locomo", "judge_perltqa") == {
        ("answer", "answer"): 2,
        ("judge_locomo", "judging"): 1,
    }


def test_written_memories_are_told_by_what_is_written(results):
    """Four atoms in two sessions."""
    assert told(results, "memory_writer") == {
        ("memory_writer", "note"): 4,
        ("memory_writer", "tiers"): 2,
        ("memory_writer", "topics"): 2,
    }


def test_relations_need_the_stores_that_no_model_makes(results):
    with pytest.raises(InputError, match=r"atoms\.sqlite`, which asks no model"):
        of_relations(config(results.parent, "relation_extraction"), results / "plot")
