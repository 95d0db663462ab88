"""What becomes of texts longer than the encoder reads: cut, averaged, or in parts.

    OMP_NUM_THREADS=1 python -m benchmarks.long_texts --data data/external/locomo

Atoms are whole sessions of LoCoMo, all of which are longer than MiniLM reads; questions
are asked without the speakers' names, by one cosine. Prints the share of the evidence
sessions among the first k, with paired differences; asserts nothing.
"""

import argparse
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np

from skillmill.compute.statistics import paired_difference
from skillmill.data.locomo import load_locomo
from skillmill.interfaces.embedding import LongTexts, embed_passages
from skillmill.interfaces.job import Counts
from skillmill.memory.assemble import memory_views
from skillmill.memory.atoms import evidence_atoms, session_atoms, strip_names
from skillmill.models.encoder import EncoderSettings, load_encoder, load_pieces
from skillmill.types import ADVERSARIAL, Conversation, Question

MODES: tuple[LongTexts, ...] = ("truncate", "mean", "max")
CUTOFFS = (1, 3, 5)
ENCODER = EncoderSettings(name="bundled:all-MiniLM-L6-v2", backend="onnx")


def main() -> None:
    """Print recall of sessions for each way, and what each gains over another."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True)
    conversations, asked, _ = load_locomo(parser.parse_args().data)
    with tempfile.TemporaryDirectory() as records:
        found = {m: recalls(m, conversations, asked, Path(records)) for m in MODES}
    for mode, rows in found.items():
        shares = ", ".join(
            f"{100 * share:.1f} at {k}"
            for k, share in zip(CUTOFFS, rows.mean(axis=0), strict=True)
        )
        print(f"{mode:9} n = {len(rows)}: {shares}")
    for less, more in combinations(MODES, 2):
        for column, k in enumerate(CUTOFFS):
            rng = np.random.default_rng(0)
            gain = paired_difference(
                found[more][:, column], found[less][:, column], rng, 2000
            )
            print(f"{more} - {less} at {k}: {[round(100 * x, 1) for x in gain or ()]}")


def recalls(
    mode: LongTexts,
    conversations: list[Conversation],
    asked: list[Question],
    records: Path,
) -> np.ndarray:
    """Share of the evidence sessions among the first k, (questions, cut-offs)."""
    atoms = {one.id: session_atoms(one) for one in conversations}
    speakers = {one.id: one.speakers for one in conversations}
    texts = [("atom", a.id, 0, a.text) for own in atoms.values() for a in own]
    texts += [
        ("question", q.id, 0, strip_names(q.text, speakers[q.conversation]))
        for q in asked
    ]
    own: dict[tuple[str, str], list[np.ndarray]] = {}
    for kind, name, _, vector in embed_passages(
        texts, load_encoder(ENCODER), load_pieces(ENCODER), mode, records, Counts()
    ):
        own.setdefault((kind, name), []).append(vector)
    every = [atom for group in atoms.values() for atom in group]
    vectors = {atom.id: np.array(own["atom", atom.id]) for atom in every}
    views = memory_views(speakers, every, vectors, [], {}, [])
    rows = []
    for question in asked:
        wanted = set(evidence_atoms(question, atoms[question.conversation]))
        if question.category == ADVERSARIAL or not wanted:
            continue
        view = views[question.conversation]
        cosines = view.cosines(own["question", question.id][0])
        order = np.argsort(-np.round(cosines, 6), kind="stable")
        ranks = [view.ids[row] for row in order]
        rows.append([len(wanted & {*ranks[:k]}) / len(wanted) for k in CUTOFFS])
    return np.array(rows)


if __name__ == "__main__":
    main()
