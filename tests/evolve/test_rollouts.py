from dataclasses import replace

import numpy as np
import pytest

from skillmill.evolve.rollouts import asked_hash, memory_hash
from skillmill.skills.executor import execute
from skillmill.skills.primitive import Primitive
from tests.evolve.ground import OFFLINE, arena, questions
from tests.evolve.skills import skill
from tests.memory.records import garden_view
from tests.skills.programs import query
from tests.skills.test_batch import odd


class Shelf:
    """Rollouts kept in a dictionary."""

    def __init__(self):
        self.held = {}

    def known(self, keys):
        return {key: self.held[key] for key in keys if key in self.held}

    def add(self, rollouts):
        self.held.update({one.key: one for one in rollouts})


def test_the_reward_is_that_of_the_ranking_which_the_executor_gives():
    where = arena()
    names = questions(where, "val")
    found = where.rewards(skill("DL"), names)
    for name, value in zip(names, found, strict=True):
        asked = where.asked[name]
        ranking = execute(skill("DL"), asked.query, asked.view, 5).ranking
        wanted = set(asked.evidence)
        assert value == round(len(wanted & set(ranking.items[:3])) / len(wanted), 6)
    assert 0 < np.mean(found) < 1


def test_a_rollout_is_made_once_and_looked_up_afterwards():
    shelf = Shelf()
    first = arena(recorded=shelf)
    names = questions(first, "train")
    rewards = first.rewards(skill("DL"), names)
    assert (first.computed, first.reused) == (9, 0)
    second = arena(recorded=shelf)
    assert second.rewards(skill("DL"), names) == rewards
    assert (second.computed, second.reused) == (0, 9)


def test_editing_one_skill_reruns_only_its_rollouts():
    shelf = Shelf()
    names = questions(arena(), "train")
    for one in (skill("D"), skill("L"), skill("DL")):
        arena(recorded=shelf).rewards(one, names)
    again = arena(recorded=shelf)
    for one in (skill("D"), skill("L", "l", weight=2.0), skill("DL")):
        again.rewards(one, names)
    assert (again.computed, again.reused) == (9, 18)


def test_a_training_rollout_never_serves_as_one_of_validation():
    shelf = Shelf()
    where = arena(recorded=shelf)
    name = questions(where, "train")[0]
    where.rewards(skill("D"), [name])
    asked = {**where.asked, name: replace(where.asked[name], split="val")}
    other = replace(where, asked=asked, computed=0, reused=0)
    other.rewards(skill("D"), [name])
    assert (other.computed, other.reused) == (1, 0)


def test_a_failed_rollout_counts_as_zero_with_its_reason():
    primitives = {**OFFLINE, "odd": Primitive("odd", "search", odd)}
    where = arena(primitives=primitives)
    bad = skill("D")
    node = replace(bad.program[0], primitive="odd")
    odd_skill = replace(bad, program=(node,), content_hash="odd")
    rewards = where.rewards(odd_skill, ["garden/q1", "garden/q2"])
    assert rewards[0] == 0
    assert where.failed == 1
    assert "no luck" in where.first_failure


def test_an_unknown_question_is_an_error():
    with pytest.raises(KeyError):
        arena().rewards(skill("D"), ["garden/q99"])


def test_a_memory_is_known_by_all_that_rollouts_depend_on():
    view = garden_view()
    assert memory_hash(view) == memory_hash(garden_view())
    moved = view.vectors.copy()
    moved[0, 0] = 0.5
    for other in (
        garden_view(vectors=moved),
        garden_view(edges=view.edges[1:]),
        garden_view(mentions=view.mentions[1:]),
        garden_view(speakers=("Ines", "Tim")),
    ):
        assert memory_hash(other) != memory_hash(view)


def test_a_question_is_known_by_its_words_and_vectors():
    one = query()
    assert asked_hash(one, "m") == asked_hash(query(), "m")
    for other in (query(text="Other?"), query(vector=np.array([0.0, 1]))):
        assert asked_hash(other, "m") != asked_hash(one, "m")
    assert asked_hash(one, "n") != asked_hash(one, "m")
