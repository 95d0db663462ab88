import pytest

from skillmill.models import prompts
from skillmill.models.heuristics.registry import STAND_INS, stand_in


def test_every_role_of_a_prompt_has_a_stand_in_or_a_reason_for_none():
    assert set(prompts.roles()) | {"related"} == set(STAND_INS)


def test_typing_of_relations_and_edges_emits_nothing_and_says_why():
    for role in ("relation_extraction", "emit_edges"):
        assert stand_in(role).state == "skipped"
        assert stand_in(role).label == "skipped: needs a language model"


def test_the_label_of_a_stand_in_says_heuristic_name_and_version():
    assert stand_in("answer").label == "heuristic span-reader 1"


def test_an_unknown_role_is_refused():
    with pytest.raises(ValueError, match="unknown role 'poet'"):
        stand_in("poet")
