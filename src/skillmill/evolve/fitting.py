"""The passes of the router's training, in torch on one thread."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from skillmill.errors import ModelError
from skillmill.evolve.prior_router import Floats, Vectors

if TYPE_CHECKING:
    from torch import Tensor

Parameters = dict[str, npt.NDArray[np.float32]]


class Schedule(Protocol):
    """What of a router's settings fitting reads; `router.RouterSettings` is one."""

    @property
    def width(self) -> int:
        """Length of the projected vectors."""
        ...

    @property
    def epochs(self) -> int:
        """Passes over the window."""
        ...

    @property
    def batch(self) -> int:
        """Instances of a step."""
        ...

    @property
    def rate(self) -> float:
        """Learning rate."""
        ...

    @property
    def decay(self) -> float:
        """Weight decay."""
        ...

    @property
    def device(self) -> str:
        """`cpu` or `cuda`."""
        ...


@dataclass(frozen=True, eq=False)
class Window:
    """Instances to learn from.

    Attributes
    ----------
    questions : (q, d) floats
    skills : (s, e) floats
    targets : (q, s) floats
        Rows add up to 1.
    known : (q, s) bools
        Which skills were run on a question; at least one in each row.
    """

    questions: Vectors
    skills: Vectors
    targets: Floats
    known: npt.NDArray[np.bool_]


def fit(
    parameters: Mapping[str, npt.NDArray[np.float32]],
    window: Window,
    schedule: Schedule,
    rng: np.random.Generator,
) -> Parameters:
    """Parameters after the passes over a window.

    Raises
    ------
    ModelError
        If the device is not there.
    """
    import torch  # noqa: PLC0415 lazy: seconds to import

    device = _device(schedule.device)
    tensors = {
        name: torch.tensor(value, device=device, requires_grad=True)
        for name, value in parameters.items()
    }
    data = _on_device(window, device)
    optimiser = torch.optim.AdamW(
        list(tensors.values()), lr=schedule.rate, weight_decay=schedule.decay
    )
    with _one_thread():
        for _ in range(schedule.epochs):
            order = rng.permutation(len(window.questions))
            for begin in range(0, len(order), schedule.batch):
                rows = torch.from_numpy(order[begin : begin + schedule.batch])
                loss = _loss(tensors, data, rows.to(device), schedule.width)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
    return {
        name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()
    }


def _loss(
    held: "dict[str, Tensor]", data: "dict[str, Tensor]", rows: "Tensor", width: int
) -> "Tensor":
    """Mean cross-entropy of some instances; the scores are those of `Router.scores`."""
    import torch  # noqa: PLC0415

    linear = torch.nn.functional.linear
    questions, known = data["questions"][rows], data["known"][rows]
    asked = linear(questions, held["question.weight"], held["question.bias"])
    offered = linear(data["skills"], held["skill.weight"], held["skill.bias"])
    weight = held["hidden.weight"]
    units = linear(asked, weight[:, :width])[:, None]
    units = units + linear(offered, weight[:, width:])[None] + held["hidden.bias"]
    scores = torch.relu(units) @ held["score.weight"]
    logs = torch.log_softmax(scores.masked_fill(~known, float("-inf")), dim=1)
    # A target of 0 times a logarithm of minus infinity is no number.
    logs = logs.masked_fill(~known, 0.0)
    return -(data["targets"][rows] * logs).sum(dim=1).mean()


def _on_device(window: Window, device: str) -> "dict[str, Tensor]":
    """The window as tensors."""
    import torch  # noqa: PLC0415

    arrays = {
        "questions": window.questions,
        "skills": window.skills,
        "targets": window.targets,
    }
    data = {
        name: torch.tensor(np.asarray(array, dtype=np.float32), device=device)
        for name, array in arrays.items()
    }
    return data | {"known": torch.tensor(window.known, device=device)}


def _device(name: str) -> str:
    """Refuse a GPU that is not there."""
    import torch  # noqa: PLC0415

    if name == "cuda" and not torch.cuda.is_available():
        raise ModelError(
            "the router is to be trained on a CUDA GPU, and torch finds none; set its"
            " device to 'cpu', or run where there is one",
            record="device",
        )
    return name


@contextmanager
def _one_thread() -> Iterator[None]:
    """Train on one thread, so that sums have one order; then as it was."""
    import torch  # noqa: PLC0415

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
