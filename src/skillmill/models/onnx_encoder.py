"""Encoders run by onnxruntime: BERT models on a CPU, without torch.

`float32` gives what torch gives to 1e-6 at twice its speed, `uint8` is five times as
fast as torch. What `uint8` gives differs between CPUs with other instructions, which
therefore are part of its identity.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from skillmill.errors import ModelError
from skillmill.models.local_encoder import Floats, LocalEncoder
from skillmill.models.onnx_export import Precision, export, find_export, stem_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_POOLED = ("cls_token", "max_tokens", "mean_tokens")


@dataclass
class OnnxEncoder(LocalEncoder):
    """A BERT encoder as onnxruntime runs our own export of it."""

    _session: "InferenceSession | None" = field(default=None, repr=False)

    def _run(self, ids: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
        (states,) = self._loaded().run(["states"], {"ids": ids})
        return states, _pooled(states, str(self.identity["pooling"]))

    def _loaded(self) -> "InferenceSession":
        """Open the exported model once, and export it first if need be."""
        if self._session is None:
            precision = precision_of(self.identity)
            stem = stem_of(str(self.identity["revision"]), precision)
            file = find_export(stem)
            if file is None:
                self._prepare()
                file = export(self.folder, stem, precision)
            import onnxruntime  # noqa: PLC0415 lazy: not needed where all is known

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            options.inter_op_num_threads = 1
            # Threads that wait for work would take the cores from other jobs.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._session = onnxruntime.InferenceSession(
                str(file), options, providers=["CPUExecutionProvider"]
            )
        return self._session


def precision_of(identity: Mapping[str, str | int]) -> Precision:
    """Precision that a backend such as `onnx-uint8` names."""
    return cast(Precision, str(identity["backend"]).removeprefix("onnx-"))


def check_pooling(pooling: str, folder: object) -> None:
    """Refuse a pooling that is not done here.

    Raises
    ------
    ModelError
        If it is not one of the three simple ones.
    """
    if pooling not in _POOLED:
        raise ModelError(
            f"the model in {folder} pools by {pooling!r}; the ONNX backends know"
            f" {', '.join(_POOLED)}; set encoder.backend to 'torch'",
            record=str(folder),
        )


def _pooled(states: Floats, pooling: str) -> Floats:
    """One vector (b, d) of the states (b, t, d) of texts of one length."""
    if pooling == "cls_token":
        return states[:, 0]
    if pooling == "max_tokens":
        return np.asarray(states.max(axis=1))
    return np.asarray(states.mean(axis=1))
