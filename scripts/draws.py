"""Rule `draws`: catalogue, tasks and vectors in, scores among draws of distractors out.

Table score: study `<study>+<size>`, category `draws` (mean over the draws, interval
over tasks), `draws:original`, `seed:0`, ... Metric `recall_difference` of the arm
`hybrid - keyword` is a paired difference, in [-1, 1]. Every vector is that of the
study; nothing is encoded but tokens of skills that late interaction has not met.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.data.registry import draw
from skillmill.data.standins import ORIGINAL
from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.draws import draw_table
from skillmill.evaluate.ranked import library_metrics, score_rankings
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.libraries import read_queries, read_skills, token_source
from skillmill.library.settings import RankerSettings
from skillmill.library.study import rank_tasks
from skillmill.models.encoder import EncoderSettings
from skillmill.store import artifact, catalogue, load, scores

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    paths: Mapping[str, Path],
    draws: Mapping[str, Any],
    settings: Mapping[str, Any],
    encoder: EncoderSettings,
    cutoffs: Sequence[int],
    resampling: Resampling,
    records: Path,
    output: tuple[Path, artifact.Provenance],
    counts: Counts,
) -> None:
    """Rank and score with every arm among each draw of each size."""
    ranker = RankerSettings(**settings)
    tokens = token_source(encoder, records, counts) if ranker.late_weight else None
    skills = read_skills(paths["catalogue"], paths["vectors"])
    queries = read_queries(paths["tasks"], paths["vectors"], tokens)
    with artifact.reading(paths["catalogue"], "catalogue") as db:
        kinds = {skill.id: skill.kind for skill in catalogue.load_skills(db)}
    with artifact.reading(paths["tasks"], "tasks") as db:
        tasks = catalogue.load_tasks(db)
    relevant = {task.id: task.relevant for task in tasks}
    own = {item for item, kind in kinds.items() if kind == "skill"}
    listings = sorted(kinds.keys() - own)
    table = []
    for size in draws["sizes"]:
        count = None if size == "all" else int(size)
        found = {}
        # A draw of nothing or of everything is the same for every seed.
        whole = count == 0 or count is None or count >= len(listings)
        for seed in range(1 if whole else draws["seeds"]):
            drawn = own | set(draw(listings, count, seed))
            answers, _ = rank_tasks(skills.only(drawn), queries, ranker, tokens)
            for one in answers.rankings:
                counts.add(one.state, 1, one.reason)
            arms = {one.arm for one in answers.rankings}
            metrics = library_metrics(cutoffs)
            found[seed] = score_rankings(answers.rankings, relevant, metrics, arms)
        study = f"{output[1].study}+{size}"
        table += draw_table(
            found, tasks, {ORIGINAL}, study=study, resampling=resampling
        )
    with artifact.writing(*output) as db:
        load.save_outcomes(db, "draws", counts.states)
        scores.save_scores(db, table)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            paths={name: Path(path) for name, path in snakemake.input.items()},
            draws=params.draws,
            settings=params.ranker,
            encoder=EncoderSettings(
                **params.encoder, **params.encoding, threads=snakemake.threads
            ),
            cutoffs=params.cutoffs,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            records=this.records,
            output=(
                Path(snakemake.output.scores),
                this.provenance("scores", without=["encoding"]),
            ),
            counts=this.counts,
        )
