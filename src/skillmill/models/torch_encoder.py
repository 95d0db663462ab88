"""Encoders run by torch and sentence-transformers: any model, CPU or GPU."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from skillmill.errors import ModelError
from skillmill.models.local_encoder import Floats, LocalEncoder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


@dataclass
class TorchEncoder(LocalEncoder):
    """A sentence-transformers model, in float32 or bfloat16.

    Attributes
    ----------
    device : str
        `cpu` or `cuda`.
    """

    device: str = "cpu"
    _model: "SentenceTransformer | None" = field(default=None, repr=False)

    def _run(self, ids: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
        model = self._loaded()
        import torch  # noqa: PLC0415 lazy: seconds to import

        given = torch.from_numpy(ids).to(self.device)
        with torch.inference_mode():
            found = model(
                {"input_ids": given, "attention_mask": torch.ones_like(given)}
            )
        states, pooled = (
            found[name].float().cpu().numpy()
            for name in ("token_embeddings", "sentence_embedding")
        )
        return states, pooled

    def _loaded(self) -> "SentenceTransformer":
        """Load the model once; from then on the same object."""
        if self._model is None:
            self._prepare()
            import torch  # noqa: PLC0415
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415

            torch.set_num_threads(self.threads)
            if self.device == "cuda" and not torch.cuda.is_available():
                raise ModelError(
                    "a CUDA GPU and its driver are here, but torch cannot use them;"
                    " install the torch that fits the driver, or set encoder.device"
                    " to 'cpu'",
                    record="encoder.device",
                )
            model = SentenceTransformer(
                str(self.folder), device=self.device, local_files_only=True
            ).eval()
            halved = str(self.identity["backend"]).startswith("torch-bfloat16")
            self._model = model.bfloat16() if halved else model.float()
        return self._model
