"""Rule `report`: every store of a study in, its figures and page out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.job import Counts, job
from skillmill.report.figures import ranker_figure, recall_figure
from skillmill.report.page import render_page
from skillmill.report.rulegraph import rule_graph
from skillmill.report.sources import gather

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    study: str,
    stores: Sequence[Path],
    problems: int,
    page: Path,
    figures: Mapping[str, Path],
    counts: Counts,
) -> None:
    """Draw and write what the stores hold."""
    inputs = gather(study, stores, problems)
    drawn = {
        "recall": recall_figure(inputs.scores),
        "rankers": ranker_figure(inputs.scores),
        "rules": rule_graph(inputs.rule_edges),
    }
    for name, svg in drawn.items():
        figures[name].write_text(svg, encoding="utf-8")
    page.write_text(render_page(replace(inputs, figures=drawn)), encoding="utf-8")
    counts.add("ok", len(inputs.scores))


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            study=this.study,
            stores=[Path(path) for path in snakemake.input.stores],
            problems=snakemake.params.problems,
            page=Path(snakemake.output.page),
            figures={
                name: Path(snakemake.output[name])
                for name in ("recall", "rankers", "rules")
            },
            counts=this.counts,
        )
