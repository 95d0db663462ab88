"""An encoder adapted to one library by contrast: near to its own text, far from others.

Off unless it is asked for: plain name and description pairs gained nothing where we
tried, and a gain on one's own queries has to be measured on others that were held out.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skillmill.errors import InputError, ModelError
from skillmill.models.local_encoder import OFFLINE

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

#: What was done to a model, beside its weights.
RECORD = "adapted.json"
_WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class AdaptSettings:
    """How an encoder is adapted.

    Attributes
    ----------
    epochs, batch : int
        Passes over all pairs, and pairs a step; the others of a batch are what a text
        is told apart from.
    rate, temperature : float
        Step of AdamW, and what cosines are divided by.
    layers : int
        Layers, counted from the top, whose weights change; the rest stay as they are.
    max_length : int
        Pieces read of each text while training.
    seed : int
        Orders the pairs.
    """

    epochs: int = 1
    batch: int = 32
    rate: float = 2e-5
    temperature: float = 0.05
    layers: int = 2
    max_length: int = 64
    seed: int = 0


def adapt(
    folder: Path,
    pairs: Sequence[tuple[str, str]],
    settings: AdaptSettings,
    output: Path,
    *,
    device: str = "cpu",
    threads: int = 1,
) -> list[float]:
    """Train a copy of a BERT-like sentence encoder on pairs of texts, and save it.

    Parameters
    ----------
    folder : Path
        A sentence-transformers model with one weight file.
    pairs : sequence of (str, str)
        Texts that belong together. Within a batch the second texts are each other's
        contrast; equal ones are not.
    settings : AdaptSettings
    output : Path
        Folder of the adapted model, which must not exist.
    device, threads
        As of the encoder. A CPU with one thread gives the same weights each time.

    Returns
    -------
    list of float
        Mean loss of each epoch; it says nothing about retrieval.

    Raises
    ------
    InputError
        If there are fewer than two different second texts: nothing to tell apart.
    ModelError
        If the model has no layers that can be trained.

    Notes
    -----
    Symmetric cross-entropy over in-batch cosines (van den Oord et al. 2018; Henderson
    et al. 2017). Dropout is off: it would only add noise to so few steps.
    """
    if len({second for _, second in pairs}) < 2:
        raise InputError(
            f"expected pairs of at least two skills to adapt an encoder, got"
            f" {len(pairs)} pairs; add skills, sections or queries"
        )
    model = _loaded(folder, device, threads)
    trained = _trained(model, settings.layers, folder)
    losses = _train(model, trained, pairs, settings)
    _save(folder, model, output)
    record = {"settings": asdict(settings), "pairs": len(pairs), "loss": losses}
    text = json.dumps(record, indent=2, sort_keys=True) + "\n"
    (output / RECORD).write_text(text, encoding="utf-8")
    return losses


def _loaded(folder: Path, device: str, threads: int) -> "SentenceTransformer":
    os.environ.update(OFFLINE, OMP_NUM_THREADS=str(threads))
    try:
        import torch  # noqa: PLC0415 lazy: seconds to import
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    except ImportError as error:
        raise ModelError(
            "an encoder is adapted by torch and sentence-transformers, which are not"
            " installed; run `pip install 'skillmill[gpu]'`",
            record=error.name,
        ) from error

    torch.set_num_threads(threads)
    if device == "cuda" and not torch.cuda.is_available():
        raise ModelError(
            "no CUDA GPU that torch can use; set encoder.device to 'cpu'",
            record="encoder.device",
        )
    model = SentenceTransformer(str(folder), device=device, local_files_only=True)
    return model.float().eval()


def _trained(
    model: "SentenceTransformer", layers: int, folder: Path
) -> "list[torch.nn.Parameter]":
    """The weights that change; all others are frozen."""
    blocks: Any = getattr(_network(model), "encoder", None)
    blocks = getattr(blocks, "layer", None)
    if blocks is None or not (folder / _WEIGHTS).is_file():
        raise ModelError(
            f"{folder}: expected a BERT-like model with {_WEIGHTS}, found another;"
            " adapt the bundled encoder, or one of its kind",
            record=str(folder),
        )
    for weight in model.parameters():
        weight.requires_grad = False
    chosen = [weight for block in blocks[-layers:] for weight in block.parameters()]
    for weight in chosen:
        weight.requires_grad = True
    return chosen


def _network(model: "SentenceTransformer") -> Any:  # noqa: ANN401 any architecture
    return model[0].auto_model


def _train(
    model: "SentenceTransformer",
    trained: "list[torch.nn.Parameter]",
    pairs: Sequence[tuple[str, str]],
    settings: AdaptSettings,
) -> list[float]:
    import torch  # noqa: PLC0415

    optimiser = torch.optim.AdamW(trained, lr=settings.rate)
    rng = np.random.default_rng(settings.seed)
    losses = []
    for _ in range(settings.epochs):
        spent = []
        for batch in _batches(pairs, settings.batch, rng):
            optimiser.zero_grad()
            loss = _loss(model, batch, settings)
            torch.autograd.backward(loss)
            optimiser.step()
            spent.append(float(loss.detach()))
        losses.append(round(float(np.mean(spent)), 6))
    return losses


def _batches(
    pairs: Sequence[tuple[str, str]], size: int, rng: np.random.Generator
) -> Iterator[list[tuple[str, str]]]:
    """Batches in random order; those that hold nothing to tell apart are left out."""
    order = rng.permutation(len(pairs)).tolist()
    for start in range(0, len(order), size):
        batch = [pairs[row] for row in order[start : start + size]]
        if len({second for _, second in batch}) > 1:
            yield batch


def _loss(
    model: "SentenceTransformer",
    batch: Sequence[tuple[str, str]],
    settings: AdaptSettings,
) -> "torch.Tensor":
    import torch  # noqa: PLC0415

    first, second = zip(*batch, strict=True)
    anchors, positives = (
        _encoded(model, texts, settings.max_length) for texts in (first, second)
    )
    cosines = anchors @ positives.T / settings.temperature
    number = {text: place for place, text in enumerate(dict.fromkeys(second))}
    owner = torch.tensor([number[text] for text in second], device=cosines.device)
    same = (owner[:, None] == owner[None, :]).fill_diagonal_(False)
    cosines = cosines.masked_fill(same, float("-inf"))
    wanted = torch.arange(len(batch), device=cosines.device)
    entropy = torch.nn.functional.cross_entropy
    return (entropy(cosines, wanted) + entropy(cosines.T, wanted)) / 2


def _encoded(
    model: "SentenceTransformer", texts: Sequence[str], length: int
) -> "torch.Tensor":
    """Unit vectors (b, d) with their gradients."""
    import torch  # noqa: PLC0415

    given = model.tokenizer(
        [*texts], padding=True, truncation=True, max_length=length, return_tensors="pt"
    )
    names = ("input_ids", "attention_mask")
    found = model({name: given[name].to(model.device) for name in names})
    return torch.nn.functional.normalize(found["sentence_embedding"], dim=1)


def _save(folder: Path, model: "SentenceTransformer", output: Path) -> None:
    """Copy a model's folder with the weights that it has now."""
    from safetensors.torch import load_file, save_file  # noqa: PLC0415

    shutil.copytree(folder, output)
    weights = load_file(folder / _WEIGHTS)
    state = _network(model).state_dict()
    found = {name: state.get(name, weights[name]) for name in weights}
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in found.items()}
    save_file(kept, output / _WEIGHTS, metadata={"format": "pt"})
