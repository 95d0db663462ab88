"""Rule `conversations`: chat files in, conversations and questions out.

Tables: conversation, session, turn, question, evidence, evidence_session, load_count,
load_problem.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.data.formats import LOADERS
from skillmill.evaluate.splitting import Declared, splits_of, without_surplus
from skillmill.interfaces.job import Counts, count_report, job
from skillmill.store import artifact, conversations, load

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    path: Path,
    file_format: str,
    splits: Declared,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Read one file or a folder of them."""
    found, asked, report = LOADERS[file_format](path)
    count_report(counts, report, failed_share)
    questions = without_surplus(splits, asked)
    over = len(asked) - len(questions)
    counts.add("skipped", over, "more questions than memory.splits.questions")
    for split, names in splits_of(splits, questions).items():
        logging.info("%s: %s", split, ", ".join(names) or "no conversation")
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "conversations", counts.states)
        conversations.save_conversations(db, found)
        conversations.save_questions(db, questions)
        load.save_report(db, report)


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            path=Path(snakemake.params.path),
            file_format=snakemake.params.format,
            splits=snakemake.params.splits,
            failed_share=this.failed_share,
            output=Path(snakemake.output.conversations),
            provenance=this.provenance("conversations", without=["path", "splits"]),
            counts=this.counts,
        )
