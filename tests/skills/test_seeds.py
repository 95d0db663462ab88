"""The retrieval skills that come with the package."""

from pathlib import Path

import numpy as np
import pytest

import skillmill.skills
from skillmill.data.locomo import load_locomo
from skillmill.memory.atoms import evidence_atoms, turn_pair_atoms
from skillmill.memory.view import MemoryView
from skillmill.skills.executor import execute
from skillmill.skills.reading import parts_of
from skillmill.skills.skill import parse_skill, read_skills, render_skill
from skillmill.types import ADVERSARIAL
from tests.conftest import DATA
from tests.memory.records import garden_view
from tests.skills.programs import query

SEEDS = Path(skillmill.skills.__file__).parent / "seeds"
LATE = SEEDS.parent / "late"
SKILLS = {skill.name: skill for skill in read_skills([SEEDS])}
FIXED_BEST = (
    "dense_search",
    "lexical_search",
    "temporal_focus_expand",
    "relation_expand",
)


def test_each_search_has_a_tuned_and_a_literal_seed_and_two_programs_fuse():
    assert {name: skill.path for name, skill in SKILLS.items()} == {
        "entity-focus": ("entity_search",),
        "entity-focus-literal": ("entity_search",),
        "fixed-best": FIXED_BEST,
        "fused-clues": ("dense_search", "lexical_search", "relation_expand"),
        "semantic-clue": ("dense_search",),
        "semantic-clue-literal": ("dense_search",),
        "surface-fact": ("lexical_search",),
        "surface-fact-literal": ("lexical_search",),
    }


def test_skills_that_need_token_vectors_lie_apart_from_the_seeds():
    late = {skill.name: skill for skill in read_skills([LATE])}
    assert {name: skill.path for name, skill in late.items()} == {
        "fixed-best-late": FIXED_BEST,
        "semantic-clue-late": ("dense_search",),
    }
    for skill in late.values():
        assert skill.program[0].args == {"form": "tuned", "late": True}
    assert late["fixed-best-late"].program[1:] == SKILLS["fixed-best"].program[1:]
    assert not any("late" in n.args for s in SKILLS.values() for n in s.program)


def test_the_program_without_models_reads_nothing_that_a_memory_may_lack():
    (words,) = read_skills([SEEDS.with_name("words")])
    assert words.name == "fixed-words"
    assert list(parts_of(words)) == []
    assert words.program[-1] == SKILLS["fixed-best"].program[-1]


@pytest.mark.parametrize("skill", SKILLS.values(), ids=lambda skill: skill.name)
def test_a_seed_says_its_form_and_survives_rendering(skill):
    expected = "literal" if skill.name.endswith("literal") else "tuned"
    forms = {node.args["form"] for node in skill.program if "form" in node.args}
    assert forms == {expected}
    again = parse_skill(render_skill(skill), "x.md")
    assert again.program == skill.program
    assert again.description == skill.description


def test_the_file_of_a_seed_has_its_name():
    assert {file.stem for file in SEEDS.glob("*.md")} == set(SKILLS)


@pytest.mark.parametrize("skill", SKILLS.values(), ids=lambda skill: skill.name)
def test_every_seed_finds_the_shed_that_needs_paint(skill):
    done = execute(skill, query(vector=np.array([0.1, 1.0])), garden_view(), 3)
    assert done.ranking.state == "ok"
    assert "garden/2/0" in done.ranking.items


def recall_at_ten(skill, conversations, questions):
    """Mean share of the evidence in the first ten atoms; words alone, no vectors."""
    recalls = []
    for conversation in conversations:
        atoms = turn_pair_atoms(conversation)
        flat = np.zeros((len(atoms), 2))
        view = MemoryView(conversation.id, conversation.speakers, tuple(atoms), flat)
        for question in questions:
            evidence = evidence_atoms(question, atoms)
            if question.category == ADVERSARIAL or not evidence:
                continue
            asked = query(id=question.id, text=question.text)
            items = execute(skill, asked, view, 10).ranking.items
            recalls.append(len({*items} & {*evidence}) / len(evidence))
    return len(recalls), float(np.mean(recalls))


@pytest.mark.skipif(
    not (DATA / "locomo").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder holding locomo/",
)
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("surface-fact-literal", 0.63, 0.66), ("surface-fact", 0.72, 0.75)],
)
def test_tuning_the_lexical_search_is_worth_nine_points_of_recall(name, least, most):
    conversations, questions, _ = load_locomo(DATA / "locomo" / "locomo10_dev.json")
    n, recall = recall_at_ten(SKILLS[name], conversations, questions)
    assert n == 1105
    assert least < recall < most
