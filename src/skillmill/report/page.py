"""One self-contained HTML page per study."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from skillmill.report.caveats import (
    failures,
    heuristic_arms,
    outcome_rows,
    problem_list,
    state_counts,
)
from skillmill.report.compared import difference_tables
from skillmill.report.evolution import trie
from skillmill.report.explorer import explorer_data
from skillmill.report.headline import headline
from skillmill.report.inline import inline_svg
from skillmill.report.inputs import Query, ReportInputs
from skillmill.report.skillgraph import graph_data
from skillmill.report.tables import (
    POOLED,
    arm_tables,
    category_tables,
    numbered,
    splits_of,
)
from skillmill.report.track import TRACKS, Track
from skillmill.report.variants import shown_variants
from skillmill.report.visible import script_json, visible_text
from skillmill.types import Score

__all__ = ["Query", "ReportInputs", "render_page"]

TEMPLATES = Path(__file__).parent / "templates"

#: What the figures known by name show; another is captioned by its name.
CAPTIONS: Mapping[str, str] = {
    "recall": "Recall at 10 of each retrieval skill, by question category.",
    "rankers": "Recall at 5 of each ranker, by how the request is worded.",
    "evolution": "Evolution step by step: mean reward on validation, and the sizes of "
    "the two frontiers.",
    "rules": "The rules of the workflow: an arrow leads from a rule to one that "
    "reads its result; arrows that a longer way implies are left out.",
}


def render_page(inputs: ReportInputs) -> str:
    """Return the page: HTML with its style, script, data and drawings inside.

    Equal inputs give equal text. It loads nothing, from disk or network, and shows
    every text of the inputs as text: markup in a name is not interpreted,
    characters that hide or reorder are spelled out.

    Raises
    ------
    InputError
        If a figure is not SVG or a scored query has no text.
    ValueError
        If scores are of another study, or two claim one cell.
    """
    others = sorted({s.study for s in inputs.scores} - {inputs.study})
    if others:
        raise ValueError(f"page of {inputs.study!r} got scores of {others}")
    return (
        environment()
        .get_template("page.html")
        .render(
            inputs=inputs,
            tracks=[_track(inputs, track) for track in TRACKS],
            figures=_figures(inputs.figures),
            dependencies=_dependencies(inputs),
            explorer=explorer_data(inputs),
            differences=difference_tables(inputs.compared, inputs.headline),
            evolved=[(run, trie(run.programs)) for run in inputs.evolved],
            variants=shown_variants(inputs.scores, inputs.evolved),
            graph=graph_data(inputs.graph, inputs.limits.edges),
            loads=[
                problem_list(report, inputs.limits.problems)
                for report in sorted(inputs.load_reports, key=lambda r: r.source)
            ],
            states=state_counts(inputs.outcomes),
            outcomes=outcome_rows(inputs.outcomes),
            failures=failures(inputs),
            heuristic_arms=heuristic_arms(inputs),
        )
    )


@cache
def environment() -> Environment:
    """How our templates are read: texts are shown as text, nothing may be missing."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters |= {
        "numbered": numbered,
        "plain": _plain,
        "script_json": lambda value: Markup(script_json(value)),
        "points": _points,
        "level": lambda share: f"{100 * share:g}\N{NO-BREAK SPACE}%",
    }
    environment.globals["asset"] = _asset
    return environment


def _finalize(value: object) -> object:
    """Spell out what hides or reorders in every text that a template prints.

    Markup too: a text joined to a macro's result is Markup by then, escaped already.
    """
    if isinstance(value, Markup):
        return Markup(visible_text(value))
    return visible_text(value) if isinstance(value, str) else value


def _asset(name: str) -> Markup:
    """Return a template's neighbour as it is; only our own files come here."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def _plain(value: object) -> str:
    """Return a value of the provenance: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _points(fraction: float) -> str:
    """Return a fraction as a CSS percentage within 0 and 100."""
    return f"{100 * min(max(fraction, 0.0), 1.0):.2f}%"


def _track(inputs: ReportInputs, track: Track) -> dict[str, object]:
    splits = splits_of(inputs.scores, track)
    return {
        "name": track,
        "headline": headline(inputs.scores, track, inputs.headline[track]),
        "splits": [_split(inputs.scores, track, split) for split in splits],
    }


def _split(scores: Sequence[Score], track: Track, split: str) -> dict[str, object]:
    here = [score for score in scores if score.split == split]
    by_category = category_tables(here, track)
    return {
        "name": split,
        "pooled": [table for table in by_category if table.name == POOLED],
        "categories": [table for table in by_category if table.name != POOLED],
        "arms": arm_tables(here, track),
    }


def _figures(figures: Mapping[str, str]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, text in figures.items():
        caption = CAPTIONS.get(name, name)
        svg = Markup(inline_svg(name, text, caption))
        rows.append({"name": name, "caption": caption, "svg": svg})
    return rows


def _dependencies(inputs: ReportInputs) -> list[tuple[str, list[str]]]:
    reads: dict[str, list[str]] = {}
    for rule, source in sorted(set(inputs.rule_edges)):
        reads.setdefault(rule, []).append(source)
    return sorted(reads.items())
