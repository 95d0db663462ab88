"""The off-topic gate fitted for a study's own encoder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from skillmill.data.queries import load_queries
from skillmill.errors import InputError
from skillmill.interfaces.libraries import read_skills
from skillmill.interfaces.query_vectors import query_encoder
from skillmill.library.gate import SMALLEST
from skillmill.library.gatefit import FittedGate, fit_gate, signals
from skillmill.library.settings import RankerSettings
from skillmill.models.encoder import Encoder
from skillmill.store import artifact, catalogue, vectors

#: The fewest queries of each side that thresholds may rest on.
FEWEST = 20


def calibrate(
    folder: Path, on: Sequence[Path], off: Sequence[Path], rate: float
) -> tuple[str, FittedGate]:
    """The name of a study's encoder, and the gate fitted for it.

    Parameters
    ----------
    folder : Path
        `results/<study>/library`.
    on, off : sequences of Path
        Files of queries that have a skill in the library, and of some that have none.
    rate : float
        Share of the first that may be refused.

    Raises
    ------
    InputError
        If the study is not built, is too small for a gate, or has too few queries.
    ModelError
        If its encoder is not here.
    """
    stores = [folder / f"{name}.sqlite" for name in ("catalogue", "vectors")]
    lacking = [store for store in stores if not store.is_file()]
    if lacking:
        raise InputError(
            f"{lacking[0]}: the gate is fitted to this store, and it is not there yet;"
            f" build it with `skillmill run {lacking[0]}`",
            record=str(lacking[0]),
        )
    with artifact.reading(stores[0], "catalogue") as db:
        rows = catalogue.load_skills(db)
    known = {name: skill.id for skill in rows for name in (skill.id, *skill.aliases)}
    if len(rows) < SMALLEST:
        raise InputError(
            f"{stores[0]}: expected {SMALLEST} skills or more, got {len(rows)}; a"
            " smaller library has no gate, so nothing is to be fitted",
            record=str(stores[0]),
        )
    texts = [_texts(files, known) for files in (on, off)]
    name, encoder = _encoder(stores[1])
    skills = read_skills(*stores)
    mine, others = (
        signals(
            skills,
            some,
            encoder.encode(some),
            RankerSettings(),
            np.random.default_rng(0),
        )
        for some in texts
    )
    return name, fit_gate(mine, others, len(rows), rate, np.random.default_rng(0))


def _texts(files: Sequence[Path], known: Mapping[str, str]) -> list[str]:
    """The queries of some files that are about a library, or about none."""
    texts = [query.text for file in files for query in load_queries(file, known)[0]]
    if len(texts) < FEWEST:
        raise InputError(
            f"{', '.join(map(str, files))}: expected {FEWEST} queries or more about"
            f" this library, got {len(texts)}; add some, docs/library.md says how",
            record=str(files[0]),
        )
    return texts


def _encoder(store: Path) -> tuple[str, Encoder]:
    """The encoder that made a store's vectors, and its name."""
    with artifact.reading(store, "vectors") as db:
        noted = dict(artifact.load_provenance(db).params)["encoder"]
        stored = vectors.load_encoder(db)
    if not isinstance(noted, dict):
        raise InputError(f"{store}: its encoder is not noted; run the workflow again")
    return str(noted["name"]), query_encoder(noted, stored)


def as_yaml(name: str, gate: FittedGate) -> str:
    """The keys to put into a configuration, and what they refuse."""
    sizes = ", ".join(map(str, gate.sizes))
    (on, off), (held_on, held_off) = gate.refused, gate.held_out
    return (
        f"# fitted at {sizes} skills; at the last it refuses {on:.1%} of queries that"
        f" have a skill\n# and {off:.1%} of those that have none; held out"
        f" {held_on:.1%} and {held_off:.1%}\n"
        f"library:\n  gate_encoder: {name}\n  ranker:\n    gate: {gate.gate}\n"
        f"    gate_growth: {gate.growth}\n"
    )
