"""The router: which skill of a set is for which question (ERSkill, section 2.3).

A frozen encoder turns questions and the markdown of skills into vectors. Both are
projected, put side by side and scored by a perceptron of two layers; a softmax over the
scores of the skills at hand gives their probabilities. So a skill that the router has
never seen can be scored. Only training needs torch.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np
import numpy.typing as npt

from skillmill.errors import StoreError
from skillmill.evolve import fitting
from skillmill.evolve.prior_router import Floats, Vectors
from skillmill.evolve.prior_router import Router as AnyRouter
from skillmill.evolve.targets import masked_softmax, soft_targets, utilities

Singles = npt.NDArray[np.float32]

#: Parameters that are learnt, in the order in which they are drawn.
PARAMETERS = (
    "question.weight",
    "question.bias",
    "skill.weight",
    "skill.bias",
    "hidden.weight",
    "hidden.bias",
    "score.weight",
)
#: Vectors of the skills that were trained on, and their utilities.
SEEN = ("seen.skills", "seen.utilities")
_KEY = "router"


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """Shape and training of a router.

    Attributes
    ----------
    width : int
        Length of the projected vectors.
    hidden : int
        Units of the perceptron.
    temperature : float
        Of the target distribution; the paper's is 1.
    prior : float
        How much a skill's utility counts: `prior * utility / temperature` is added to
        its score once it is trained. 0, as in the paper, for none.
    epochs, batch, rate, decay
        Passes over the window, instances of a step, learning rate and weight decay of
        AdamW.
    device : str
        `cpu`, on one thread, or `cuda`.
    """

    width: int = 64
    hidden: int = 64
    temperature: float = 1.0
    prior: float = 0.0
    epochs: int = 20
    batch: int = 32
    rate: float = 1e-3
    decay: float = 0.0
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in ("width", "hidden", "epochs", "batch", "rate", "temperature"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        if min(self.prior, self.decay) < 0:
            raise ValueError("prior and decay must be at least 0")
        if self.device not in {"cpu", "cuda"}:
            raise ValueError(f"device must be cpu or cuda, got {self.device!r}")


@dataclass(frozen=True, eq=False)
class Router:
    """A scoring function of questions and skills, with its parameters.

    Attributes
    ----------
    settings : RouterSettings
    parameters : mapping of str to float32 array
        By the names of `PARAMETERS` and `SEEN`.
    """

    settings: RouterSettings
    parameters: Mapping[str, Singles] = field(repr=False)

    def scores(self, questions: Vectors, skills: Vectors) -> Floats:
        """Score every skill for every question.

        Parameters
        ----------
        questions : (q, d) floats
        skills : (s, e) floats
            In any order: their scores come in the same.

        Returns
        -------
        (q, s) float64

        Raises
        ------
        ValueError
            If the vectors have another length than those it was trained on.
        """
        self._check(questions, skills)
        held, width = self.parameters, self.settings.width
        asked = questions @ held["question.weight"].T + held["question.bias"]
        offered = skills @ held["skill.weight"].T + held["skill.bias"]
        # Each half of the first layer meets its own input, so that no pair of vectors
        # is ever written side by side.
        weight = held["hidden.weight"]
        units = (asked @ weight[:, :width].T)[:, None]
        units = units + (offered @ weight[:, width:].T)[None] + held["hidden.bias"]
        found = (np.maximum(units, 0) @ held["score.weight"]).astype(np.float64)
        return found + self._offset(skills)

    def probabilities(self, questions: Vectors, skills: Vectors) -> Floats:
        """Softmax of `scores` over the skills, (q, s) floats (ERSkill, eq. 1)."""
        scores = self.scores(questions, skills)
        return masked_softmax(scores, np.ones_like(scores, dtype=bool))

    def dump(self) -> bytes:
        """The router as a safetensors file; equal routers give equal bytes."""
        from safetensors.numpy import save  # noqa: PLC0415 lazy: few callers save

        # One entry only: the order of several is not fixed.
        told = json.dumps(asdict(self.settings), sort_keys=True)
        return bytes(save(dict(self.parameters), metadata={_KEY: told}))

    def _offset(self, skills: Vectors) -> Floats:
        """What utility adds to each skill's score; of an unseen skill, their mean."""
        seen, values = (self.parameters[name] for name in SEEN)
        known = {row.tobytes(): float(v) for row, v in zip(seen, values, strict=True)}
        middle = float(np.mean(values)) if len(values) else 0.0
        rows = np.ascontiguousarray(skills, dtype=np.float32)
        found = np.array([known.get(row.tobytes(), middle) for row in rows])
        return self.settings.prior * found / self.settings.temperature

    def _check(self, questions: Vectors, skills: Vectors) -> None:
        """Refuse vectors of another encoder."""
        for name, rows in (("question", questions), ("skill", skills)):
            expected = self.parameters[f"{name}.weight"].shape[1]
            if rows.ndim != 2 or rows.shape[1] != expected:
                raise ValueError(
                    f"expected {name} vectors of {expected} numbers, got an array of"
                    f" shape {rows.shape}; a router fits one encoder"
                )


def train(
    questions: Vectors,
    skills: Vectors,
    rewards: Floats,
    settings: RouterSettings,
    rng: np.random.Generator,
    start: AnyRouter | None = None,
) -> Router:
    """Train a router by soft-label cross-entropy.

    Parameters
    ----------
    questions : (q, d) float32
        A question of several steps comes once for each.
    skills : (s, e) float32
        Vectors of their markdown.
    rewards : (s, q) floats
        In [0, 1], or less what a skill costs (`targets.cost_aware`); nan where a skill
        was not run on a question. Questions without any are left out.
    settings : RouterSettings
    rng : numpy.random.Generator
        Draws the first parameters and the mini-batches; an equal state gives equal
        bytes on one CPU type.
    start : Router, optional
        To go on from, as the paper does from step to step. Its settings give way to
        those given.

    Returns
    -------
    Router
        It remembers the utility of the skills given (`targets.utilities`).

    Raises
    ------
    ModelError
        If the device is not there.
    ValueError
        If shapes do not fit each other, or `start` is a router of another kind or
        shape.

    Notes
    -----
    ERSkill, section 2.4, router update. The loss is the mean over a mini-batch, where
    the paper has the sum; AdamW begins anew in each call. Utilities take no part in it:
    a softmax fitted to soft targets would learn to undo them.
    """
    expected = (len(skills), len(questions))
    if np.shape(rewards) != expected:
        raise ValueError(f"expected rewards of shape {expected}, got {rewards.shape}")
    shape = questions.shape[1], skills.shape[1]
    if start is None:
        held = initial(settings, shape, rng)
    else:
        held = _learnt(start, settings, shape)
    means = utilities(rewards)
    known = ~np.isnan(rewards).T
    used = np.flatnonzero(known.any(axis=1))
    if len(used):
        window = fitting.Window(
            questions=questions[used],
            skills=skills,
            targets=soft_targets(rewards, settings.temperature)[used],
            known=known[used],
        )
        held = fitting.fit(held, window, settings, rng)
    seen = zip(SEEN, (skills, means), strict=True)
    singles = {name: np.ascontiguousarray(rows, np.float32) for name, rows in seen}
    return Router(settings, {**held, **singles})


def load(data: bytes, record: str = "router") -> Router:
    """Read a router from the bytes that `Router.dump` gives.

    Raises
    ------
    StoreError
        If they are none; `record` is named.
    """
    from safetensors import SafetensorError  # noqa: PLC0415 lazy: few callers load
    from safetensors import numpy as safetensors  # noqa: PLC0415

    try:
        parameters = safetensors.load(data)
        size = int.from_bytes(data[:8], "little")
        noted = json.loads(data[8 : 8 + size])["__metadata__"][_KEY]
        settings = RouterSettings(**json.loads(noted))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"{record}: expected a router in safetensors, got {len(data)} bytes that"
            f" are none ({error}); train it again",
            record=record,
        ) from error
    expected = sorted((*PARAMETERS, *SEEN))
    if sorted(parameters) != expected:
        raise StoreError(
            f"{record}: expected the parameters {', '.join(expected)}, got"
            f" {', '.join(sorted(parameters)) or 'none'}; train the router again",
            record=record,
        )
    return Router(settings, parameters)


def initial(
    settings: RouterSettings, dimensions: tuple[int, int], rng: np.random.Generator
) -> dict[str, Singles]:
    """Parameters of a router that knows nothing, for vectors of these lengths.

    Uniform within 1 / sqrt(inputs). The last layer has no bias, which the softmax over
    skills would cancel.
    """
    width, hidden = settings.width, settings.hidden
    asked, offered = dimensions
    shapes: dict[str, tuple[tuple[int, ...], int]] = {
        "question.weight": ((width, asked), asked),
        "question.bias": ((width,), asked),
        "skill.weight": ((width, offered), offered),
        "skill.bias": ((width,), offered),
        "hidden.weight": ((hidden, 2 * width), 2 * width),
        "hidden.bias": ((hidden,), 2 * width),
        "score.weight": ((hidden,), hidden),
    }
    drawn = {}
    for name in PARAMETERS:
        shape, inputs = shapes[name]
        drawn[name] = rng.uniform(-1, 1, shape).astype(np.float32)
        drawn[name] *= np.float32(inputs**-0.5)
    return drawn


def _learnt(
    start: AnyRouter, settings: RouterSettings, shape: tuple[int, int]
) -> dict[str, Singles]:
    """What a router has learnt so far, to go on from."""
    fits = isinstance(start, Router) and (
        start.parameters["question.weight"].shape == (settings.width, shape[0])
        and start.parameters["skill.weight"].shape == (settings.width, shape[1])
        and start.parameters["hidden.bias"].shape == (settings.hidden,)
    )
    if not (isinstance(start, Router) and fits):
        raise ValueError(
            "cannot go on from a router of another shape: expected width"
            f" {settings.width}, hidden {settings.hidden}, vectors of {shape} numbers"
        )
    return {name: start.parameters[name] for name in PARAMETERS}
