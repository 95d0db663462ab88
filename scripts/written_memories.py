"""Rule `written_memories`: one shard's memory in, rankings of written memories out.

A language model writes three memories of each conversation (docs/evaluation.md); the
encoder of the memory embeds what it wrote. Tables: ranking, ranking_state, usage
(tokens by what was written), outcome.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skillmill.evaluate.written import KINDS, ROLE, Entry, read_entries, writings
from skillmill.evaluate.written_memories import WrittenMemory, written_rankings
from skillmill.interfaces.asked import count_replies, used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.embedding import embed_passages
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.memories import Memory, open_memory
from skillmill.models.chat import Outcome
from skillmill.models.encoder import Encoder, EncoderSettings, load_encoder
from skillmill.models.failures import check_failed_share
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, load, rankings, vectors
from skillmill.store.usage import save_usage
from skillmill.types import Ranking

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    memory_path: Path,
    budget: int,
    client: ChatClient,
    encoder: Encoder,
    records: Path,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Write every memory in every way, and rank its atoms for every question."""
    with artifact.reading(memory_path, "memory") as db:
        vectors.require_encoder(db, encoder.identity)
    memory = open_memory(memory_path)
    found: list[Ranking] = []
    asked: list[Outcome[Any]] = []
    for arm in KINDS:
        entries, outcomes = written(arm, memory, client, failed_share, counts)
        asked += outcomes
        rows = [("entry", str(n), 0, entry.text) for n, entry in enumerate(entries)]
        embedded = embed_passages(rows, encoder, None, "truncate", records, Counts())
        found += ranked(arm, memory, entries, [row[3] for row in embedded], budget)
    count_replies(counts, asked)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "written_memories", counts.states)
        save_usage(db, used_tokens(asked, provenance.models))
        rankings.save_rankings(db, found)


def written(
    arm: str, memory: Memory, client: ChatClient, failed_share: float, counts: Counts
) -> tuple[list[Entry], list[Outcome[Any]]]:
    """What a model writes down of all conversations of a shard."""
    questions = [
        one for view in memory.views.values() for one in writings(view, KINDS[arm])
    ]
    outcomes = client.ask_many([one.request for one in questions])
    check_failed_share(outcomes, failed_share, stage=arm, model=ROLE)
    done = [read_entries(*pair) for pair in zip(questions, outcomes, strict=True)]
    for one in done:
        counts.add(one.state, 1, f"{arm}: {one.reason or 'written'}")
        counts.add("failed", one.rejected, f"{arm}: an entry that cannot be used")
    return [entry for one in done for entry in one.entries], outcomes


def ranked(
    arm: str,
    memory: Memory,
    entries: Sequence[Entry],
    rows: Sequence[np.ndarray],
    budget: int,
) -> list[Ranking]:
    """Rank the atoms for the questions of each conversation."""
    found: list[Ranking] = []
    for home, view in memory.views.items():
        mine = [n for n, entry in enumerate(entries) if entry.conversation == home]
        matrix = np.array([rows[n] for n in mine])
        own = WrittenMemory(view, [entries[n] for n in mine], matrix)
        queries = [query for name, query in memory.questions if name == home]
        found += written_rankings(arm, own, queries, budget)
    return found


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        settings = EncoderSettings(
            **params.encoder, **params.encoding, threads=snakemake.threads
        )
        with asking(this, [ROLE]) as client:
            main(
                memory_path=Path(snakemake.input.memory),
                budget=params.budget,
                client=client,
                encoder=load_encoder(settings),
                records=this.records,
                failed_share=this.failed_share,
                output=Path(snakemake.output.rankings),
                provenance=this.provenance(
                    "rankings",
                    models={ROLE: params.asks["model"]},
                    without=["encoding"],
                ),
                counts=this.counts,
            )
