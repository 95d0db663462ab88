from dataclasses import replace

import numpy as np
import pytest

from skillmill.errors import InputError
from skillmill.evolve.state import Rules
from skillmill.evolve.step import advanced, started
from skillmill.evolve.storing import rows_of, state_of
from skillmill.skills.skill import parse_skill, render_skill
from skillmill.store import artifact, evolution
from tests.evolve.ground import OFFLINE, SEEDS, ground, questions

OURS = Rules(limit=4, identity="program", keep_best=True, window=2)


def stored(state, path, texts=None):
    provenance = artifact.Provenance("evolution", "study", "1", "code")
    with artifact.writing(path, provenance) as db:
        evolution.save_evolution(db, rows_of(state, texts))
    with artifact.reading(path, "evolution") as db:
        return evolution.load_evolution(db)


def run(where, rules, steps, path=None):
    """A run in one go, or one that is stored and read again after each step."""
    names = questions(where.arena, "train")
    state = started(SEEDS, where, rules)
    for step in range(steps):
        if path:
            state = state_of(stored(state, path), rules.identity, OFFLINE)
        batch = names[3 * step : 3 * step + 3]
        state = advanced(state, batch, where, rules, np.random.default_rng(step))
    return state


@pytest.mark.parametrize("rules", [OURS, replace(OURS, frontiers="none")])
def test_a_run_that_is_stored_after_each_step_is_that_in_one_go(tmp_path, rules):
    whole = run(ground(), rules, 3)
    resumed = run(ground(), rules, 3, tmp_path / "state.sqlite")
    assert rows_of(resumed) == rows_of(whole)
    assert len(whole.window) == 2
    assert len(whole.history) == 4


def test_the_text_of_a_seed_is_kept_with_its_words(tmp_path):
    text = render_skill(SEEDS[0]) + "\nWords for people.\n"
    seed = parse_skill(text, "f")
    state = started([seed], ground(), Rules())
    rows = stored(state, tmp_path / "s.sqlite", {seed.content_hash: text})
    assert rows.explored[0].markdown == text
    assert state_of(rows, "path", OFFLINE).trie[seed.content_hash].skill == seed


def test_a_primitive_that_was_removed_is_named(tmp_path):
    rows = stored(started(SEEDS, ground(), Rules()), tmp_path / "s.sqlite")
    fewer = {name: OFFLINE[name] for name in OFFLINE if name != "dense_search"}
    with pytest.raises(InputError, match="explored skill d is no retrieval skill"):
        state_of(rows, "path", fewer)


def test_the_curve_can_be_read_alone(tmp_path):
    state = run(ground(), OURS, 1)
    path = tmp_path / "s.sqlite"
    stored(state, path)
    with artifact.reading(path, "evolution") as db:
        curve = evolution.load_curve(db)
    assert [row.step for row in curve] == [-1, 0]
    assert curve[1].rollouts == state.history[1].rollouts
