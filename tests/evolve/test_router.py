"""The router: it learns, forgets order, and is the same file for the same seed."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from skillmill.errors import ModelError, StoreError
from skillmill.evolve.prior_router import UtilityRouting, picks
from skillmill.evolve.router import (
    PARAMETERS,
    SEEN,
    Router,
    RouterSettings,
    load,
    train,
)

SETTINGS = RouterSettings(width=8, hidden=16, temperature=0.1, epochs=40, rate=0.01)
RNG = np.random.default_rng(7)
SKILLS = RNG.normal(size=(3, 5)).astype(np.float32)


def rng(seed=0):
    return np.random.default_rng(seed)


def separable(count=120):
    """Questions of three kinds; skill k is right for kind k and wrong else."""
    kinds = np.arange(count) % 3
    questions = RNG.normal(scale=0.1, size=(count, 4)).astype(np.float32)
    questions[np.arange(count), kinds] += 1
    return questions, (kinds == np.arange(3)[:, None]).astype(float), kinds


def by_hand():
    """A router of width 1 and one hidden unit whose scores can be worked out."""
    one = np.ones((1, 1), np.float32)
    held = {
        "question.weight": 2 * one,
        "question.bias": np.zeros(1, np.float32),
        "skill.weight": one,
        "skill.bias": np.ones(1, np.float32),
        "hidden.weight": np.array([[1, 3]], np.float32),
        "hidden.bias": np.array([-4], np.float32),
        "score.weight": np.array([0.5], np.float32),
        "seen.skills": one,
        "seen.utilities": np.array([0.4], np.float32),
    }
    return Router(RouterSettings(width=1, hidden=1), held)


def test_scores_are_those_of_two_projections_and_two_layers():
    # Question 3 -> 6. Skills 1 and -1 -> 2 and 0. Hidden: relu(6 + 3 * 2 - 4) = 8 and
    # relu(6 + 0 - 4) = 2; halved: 4 and 1.
    router = by_hand()
    questions = np.array([[3.0]], np.float32)
    skills = np.array([[1.0], [-1.0]], np.float32)
    assert router.scores(questions, skills).tolist() == [[4.0, 1.0]]
    shares = router.probabilities(questions, skills)
    assert shares[0] == pytest.approx([1 / (1 + np.exp(-3)), 1 / (1 + np.exp(3))])


def test_the_prior_adds_utility_and_gives_an_unseen_skill_their_mean():
    # prior 2, temperature 0.5: 2 * 0.4 / 0.5 = 1.6, for the seen skill and, as the mean
    # of one, for the other.
    router = by_hand()
    router = replace(
        router, settings=replace(router.settings, prior=2, temperature=0.5)
    )
    skills = np.array([[1.0], [-1.0]], np.float32)
    scores = router.scores(np.array([[3.0]], np.float32), skills)
    assert scores[0] == pytest.approx([5.6, 2.6], abs=1e-6)


def test_it_learns_which_skill_is_for_which_question():
    questions, rewards, kinds = separable()
    router = train(questions[:90], SKILLS, rewards[:, :90], SETTINGS, rng())
    assert (picks(router, questions[90:], SKILLS) == kinds[90:]).all()


def test_probabilities_follow_the_skills_whatever_their_order():
    questions, rewards, _ = separable()
    router = train(questions, SKILLS, rewards, replace(SETTINGS, prior=1.0), rng())
    shares = router.probabilities(questions, SKILLS)
    order = [2, 0, 1]
    moved = router.probabilities(questions, SKILLS[order])
    assert moved == pytest.approx(shares[:, order], abs=1e-6)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(questions)))


def test_equal_seeds_give_equal_bytes_and_others_do_not():
    questions, rewards, _ = separable(30)
    settings = replace(SETTINGS, epochs=2)
    first, again, other = (
        train(questions, SKILLS, rewards, settings, rng(seed)).dump()
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_a_router_survives_a_file():
    questions, rewards, _ = separable(30)
    router = train(questions, SKILLS, rewards, replace(SETTINGS, epochs=2), rng())
    back = load(router.dump())
    assert back.settings == router.settings
    assert back.dump() == router.dump()
    same = back.probabilities(questions, SKILLS) == router.probabilities(
        questions, SKILLS
    )
    assert same.all()


@pytest.mark.parametrize("data", [b"", b"not a router", b"\xff" * 40])
def test_bytes_that_are_no_router_are_refused_with_their_name(data):
    with pytest.raises(StoreError, match=r"step 3: expected a router in safetensors"):
        load(data, "step 3")


def test_a_router_that_lacks_parameters_is_refused():
    held = {name: by_hand().parameters[name] for name in PARAMETERS}
    with pytest.raises(StoreError, match=r"expected the parameters .*seen\.skills"):
        load(Router(SETTINGS, held).dump())
    assert set(SEEN) < set(by_hand().parameters)


def test_skills_that_were_not_run_leave_the_router_as_without_them():
    questions, rewards, _ = separable(30)
    settings = replace(SETTINGS, epochs=3)
    two = train(questions, SKILLS[:2], rewards[:2], settings, rng())
    masked = np.vstack([rewards[:2], np.full((1, 30), np.nan)])
    three = train(questions, SKILLS, masked, settings, rng())
    # AdamW magnifies what rounding does to gradients that are almost 0.
    assert three.scores(questions, SKILLS[:2]) == pytest.approx(
        two.scores(questions, SKILLS[:2]), abs=0.01
    )


def test_a_window_without_rewards_teaches_nothing():
    questions = np.zeros((2, 4), np.float32)
    nothing = np.full((3, 2), np.nan)
    router = train(questions, SKILLS, nothing, SETTINGS, rng())
    empty = train(questions[:0], SKILLS, nothing[:, :0], SETTINGS, rng())
    assert router.dump() == empty.dump()


def test_training_goes_on_from_the_router_before():
    questions, rewards, kinds = separable()
    short = replace(SETTINGS, epochs=3)
    router = train(questions, SKILLS, rewards, short, rng())
    for step in range(12):
        router = train(questions, SKILLS, rewards, short, rng(step), router)
    assert (picks(router, questions, SKILLS) == kinds).mean() > 0.95
    again = train(questions, SKILLS, rewards, short, rng(11))
    assert (picks(again, questions, SKILLS) == kinds).mean() < 0.95


def test_a_router_of_another_kind_or_shape_is_no_start():
    questions, rewards, _ = separable(6)
    other = UtilityRouting().train(questions, SKILLS, rewards)
    wide = train(
        questions, SKILLS, rewards, replace(SETTINGS, width=9, epochs=1), rng()
    )
    for start in (other, wide):
        with pytest.raises(ValueError, match="another shape: expected width 8"):
            train(questions, SKILLS, rewards, SETTINGS, rng(), start)


def test_shapes_that_do_not_fit_are_refused():
    questions, rewards, _ = separable(6)
    with pytest.raises(ValueError, match=r"expected rewards of shape \(3, 5\)"):
        train(questions[:5], SKILLS, rewards, SETTINGS, rng())
    router = train(questions, SKILLS, rewards, replace(SETTINGS, epochs=1), rng())
    with pytest.raises(ValueError, match="expected skill vectors of 5 numbers"):
        router.probabilities(questions, SKILLS[:, :4])


@pytest.mark.parametrize(
    "wrong", [{"width": 0}, {"temperature": 0}, {"prior": -1}, {"device": "tpu"}]
)
def test_settings_that_make_no_router_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        RouterSettings(**wrong)


def test_a_gpu_that_is_not_there_is_told():
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    questions, rewards, _ = separable(6)
    with pytest.raises(ModelError, match="torch finds none; set its device to 'cpu'"):
        train(questions, SKILLS, rewards, replace(SETTINGS, device="cuda"), rng())


def test_using_a_router_does_not_import_torch(tmp_path):
    file = tmp_path / "router"
    file.write_bytes(by_hand().dump())
    code = (
        "import sys, pathlib, numpy as np\n"
        "from skillmill.evolve.router import load\n"
        "router = load(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "router.probabilities(np.ones((1, 1)), np.ones((2, 1)))\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)
