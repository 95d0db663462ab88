"""Texts to token vectors through the record store: only unknown texts are encoded."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skillmill.interfaces.job import Counts
from skillmill.interfaces.progress import told_batches
from skillmill.models.encoder import TokenEncoder
from skillmill.store.records import text_key
from skillmill.store.token_records import TokenRecords

#: Texts encoded between two commits.
BATCH = 64


def token_vectors(
    texts: Sequence[str], encoder: TokenEncoder, records: Path, counts: Counts
) -> list[npt.NDArray[np.float16]]:
    """Token vectors of each text, (t, d) of length one, in the order given.

    Each batch is recorded as soon as it is there; `counts` is told what was computed
    and reused.
    """
    by_key = {text_key(text): text for text in texts}
    with TokenRecords(records, encoder.token_identity) as recorded:
        known = recorded.known(by_key)
        missing = [key for key in by_key if key not in known]
        missing.sort(key=lambda key: (len(by_key[key]), key))
        for batch in told_batches("token vectors", missing, BATCH):
            found = encoder.encode_tokens([by_key[key] for key in batch])
            fresh = dict(zip(batch, found, strict=True))
            recorded.add(fresh)
            known.update(fresh)
    counts.computed += len(missing)
    counts.reused += len(by_key) - len(missing)
    return [known[text_key(text)] for text in texts]
