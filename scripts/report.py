"""Rule `report`: every store of a study in, its figures and page out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling
from skillmill.interfaces.job import Counts, job
from skillmill.report.compared import ComparedRun, compared_run
from skillmill.report.curves import evolution_figure
from skillmill.report.figures import ranker_figure, recall_figure
from skillmill.report.inputs import PageLimits, UsageRow
from skillmill.report.othersource import COMPARED, read_run
from skillmill.report.page import render_page
from skillmill.report.rulegraph import rule_graph
from skillmill.report.sources import gather, stage_of
from skillmill.report.variants import shown_variants

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def priced(row: UsageRow, price_in: float | None, price_out: float | None) -> UsageRow:
    """A row with its price, from those of a million tokens of prompts and replies."""
    if price_in is None or price_out is None:
        return row
    usd = row.prompt_tokens * price_in + row.completion_tokens * price_out
    return replace(row, usd=usd / 1e6)


def against(
    study: str,
    stores: Sequence[Path],
    others: Sequence[Path],
    folder: str,
    resampling: Resampling,
) -> ComparedRun | None:
    """The run of the other stores beside this one; None if there is none.

    It is called as the configuration calls its folder, but for a path of this machine.
    """
    if not others:
        return None
    name = Path(folder).name if Path(folder).is_absolute() else folder
    mine = [path for path in stores if stage_of(path) in COMPARED]
    return compared_run(read_run(study, mine), read_run(name, others), resampling)


def main(
    study: str,
    stores: Sequence[Path],
    limits: PageLimits,
    prices: Mapping[str, Sequence[float | None]],
    compared: ComparedRun | None,
    page: Path,
    figures: Mapping[str, Path],
    counts: Counts,
) -> None:
    """Draw and write what the stores hold."""
    inputs = gather(study, stores, limits)
    usage = [priced(row, *prices.get(row.role, (None, None))) for row in inputs.usage]
    variants = shown_variants(inputs.scores, inputs.evolved) or [("", [])]
    drawn = {
        "recall": recall_figure(inputs.scores),
        "rankers": ranker_figure(inputs.scores),
        "evolution": evolution_figure(inputs.evolved, variants[0][1]),
        "rules": rule_graph(inputs.rule_edges),
    }
    for name, svg in drawn.items():
        figures[name].write_text(svg, encoding="utf-8")
    shown = (
        drawn
        if inputs.evolved
        else {k: v for k, v in drawn.items() if k != "evolution"}
    )
    inputs = replace(inputs, figures=shown, usage=usage, compared=compared)
    page.write_text(render_page(inputs), encoding="utf-8")
    counts.add("ok", len(inputs.scores))


if __name__ == "__main__":
    with job(snakemake) as this:
        stores = [Path(path) for path in snakemake.input.stores]
        main(
            study=this.study,
            stores=stores,
            limits=PageLimits(*snakemake.params.limits),
            prices=snakemake.params.prices,
            compared=against(
                this.study,
                stores,
                [Path(path) for path in snakemake.input.other],
                snakemake.params.compare,
                Resampling(*snakemake.params.resampling),
            ),
            page=Path(snakemake.output.page),
            figures={
                name: Path(snakemake.output[name])
                for name in ("recall", "rankers", "evolution", "rules")
            },
            counts=this.counts,
        )
