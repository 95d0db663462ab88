"""Rule `rollouts`: one shard's memory and retrieval skills in, rankings out.

Tables: ranking (arm = name of the retrieval skill, query = question, item = atom),
ranking_state (ok, empty or failed, with the reason), usage (tokens of the replies to
`llm_process`). Without a model that step is skipped and counted.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.asked import count_replies, used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.memories import Memory, open_memory
from skillmill.interfaces.progress import Progress
from skillmill.skills.asking import with_model
from skillmill.skills.batch import Known, execute_batch, parts
from skillmill.skills.plugins import installed_primitives
from skillmill.skills.primitive import Primitive
from skillmill.skills.processing import ROLE, ChatProcess
from skillmill.skills.skill import read_skills
from skillmill.store import artifact, load, rankings
from skillmill.store.usage import save_usage
from skillmill.types import Ranking, RetrievalSkill

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    memory_path: Path,
    tokens_path: Path | None,
    skill_files: Sequence[Path],
    budget: int,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
    process: ChatProcess | None = None,
) -> None:
    """Run every retrieval skill on every question of the shard.

    `process` asks a model what the step `llm_process` should do.
    """
    primitives = with_model(installed_primitives(), process)
    skills = read_skills(skill_files, primitives)
    found, skipped = rollouts(
        open_memory(memory_path, tokens_path), skills, budget, primitives
    )
    outcomes = process.outcomes if process else []
    count_replies(counts, outcomes)
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    counts.check("running retrieval skills", failed_share)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "rollouts", counts.states)
        load.save_outcomes(db, ROLE, {("skipped", r): n for r, n in skipped.items()})
        save_usage(db, used_tokens(outcomes, provenance.models))
        rankings.save_rankings(db, found)


def rollouts(
    memory: Memory,
    skills: Sequence[RetrievalSkill],
    budget: int,
    primitives: Mapping[str, Primitive],
) -> tuple[list[Ranking], Mapping[str, int]]:
    """Rank the atoms for every question with every skill, one memory at a time.

    Steps that were left out are counted by their reason.
    """
    found: list[Ranking] = []
    skipped: Counter[str] = Counter()
    asked = sorted(memory.questions, key=lambda pair: pair[0])
    progress = Progress("rollouts", len(asked) * len(skills))
    for conversation, pairs in groupby(asked, key=lambda pair: pair[0]):
        view = memory.views[conversation]
        contexts = tuple(context for _, context in pairs)
        for part in parts(contexts, view):
            known = Known(view, contexts[part])
            for skill in skills:
                done = execute_batch(
                    skill, known.queries, view, budget, primitives, known
                )
                found += done.rankings()
                skipped.update(done.skipped)
                progress.step(len(known.queries))
    return found, skipped


if __name__ == "__main__":
    with job(snakemake) as this:
        tokens = snakemake.input.get("tokens")
        asks = snakemake.params.asks
        with asking(this, [ROLE] if asks else []) as client:
            main(
                memory_path=Path(snakemake.input.memory),
                tokens_path=Path(tokens) if tokens else None,
                skill_files=[Path(path) for path in snakemake.input.skills],
                budget=snakemake.params.budget,
                failed_share=this.failed_share,
                output=Path(snakemake.output.rollouts),
                provenance=this.provenance(
                    "rankings", models={ROLE: asks["model"]} if asks else {}
                ),
                counts=this.counts,
                process=ChatProcess(client) if asks else None,
            )
