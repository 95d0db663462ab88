"""Trials as rows for people: success counts, costs, and whether time buys success."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from skillmill.compute.correlation import pearson
from skillmill.compute.statistics import wilson
from skillmill.evaluate.downstream.counting import NO_TRIAL, Counted
from skillmill.types import Trial

Row = dict[str, str | int | float | None]


def success_rows(
    rows: Iterable[Counted], part: Callable[[Trial], str] | None = None
) -> list[Row]:
    """Successes of each method and backbone, pooled or by a part of their tasks.

    Percent with Wilson's 95 % interval. `errors` are infrastructure errors, `missing`
    those of them that were never tried; both count as no success.
    """
    found: list[Row] = []
    for names, own in _grouped(rows, part):
        states = [row.trial.state for row in own]
        wins = states.count("success")
        share = wilson(wins, len(states))
        row: Row = {"method": names[0], "backbone": names[1]}
        if part is not None:
            row["part"] = names[2]
        row |= {
            "tasks": len(states),
            "success": wins,
            "percent": share and round(100 * share.value, 2),
            "low": share and round(100 * share.low, 2),
            "high": share and round(100 * share.high, 2),
            "errors": states.count("error"),
            "missing": sum(r.trial.reason == NO_TRIAL for r in own),
            "retried": sum(r.retried for r in own),
            "ignored": sum(r.ignored for r in own),
        }
        found.append(row)
    return found


def backbone_rows(rows: Iterable[Counted]) -> list[Row]:
    """Percent of success, methods down and backbones across, with n of each."""
    found: dict[str, Row] = {}
    for row in success_rows(rows):
        own = found.setdefault(str(row["method"]), {"method": row["method"]})
        own[str(row["backbone"])] = row["percent"]
        own[f"n {row['backbone']}"] = row["tasks"]
    return [found[method] for method in sorted(found)]


def cost_rows(counted: Iterable[Counted], trials: Sequence[Trial]) -> list[Row]:
    """What trials of each method and backbone took.

    Means over the counted trials that ended and tell (`n_seconds`, ...); totals over
    all attempts, also those that broke: they were paid for.
    """
    found: list[Row] = []
    for (method, backbone, *_), own in _grouped(counted, None):
        ended = [row.trial for row in own if row.trial.state != "error"]
        made = [t for t in trials if (t.method, t.backbone) == (method, backbone)]
        row: Row = {"method": method, "backbone": backbone, "attempts": len(made)}
        for name in ("steps", "prompt_tokens", "completion_tokens", "seconds"):
            known = [v for t in ended if (v := getattr(t, name)) is not None]
            mean = math.fsum(known) / len(known) if known else None
            row[f"mean_{name}"] = None if mean is None else round(mean, 2)
            row[f"n_{name}"] = len(known)
        tokens = [
            (t.prompt_tokens or 0) + (t.completion_tokens or 0)
            for t in made
            if t.prompt_tokens is not None or t.completion_tokens is not None
        ]
        row["all_tokens"] = sum(tokens) if tokens else None
        money = [t.usd for t in made if t.usd is not None]
        row["all_usd"] = round(math.fsum(money), 6) if money else None
        found.append(row)
    return found


def time_rows(counted: Sequence[Counted]) -> list[Row]:
    """Pearson's r of seconds and success, with n; `r` None where it has no meaning.

    `tasks` correlates over the tasks of one method and backbone, `backbones` over the
    backbones of a method (mean seconds against success rate, as SkillTrace's figure 5):
    few points, descriptive only.
    """
    found: list[Row] = []
    means: dict[str, list[tuple[float, float]]] = {}
    for (method, backbone, *_), own in _grouped(counted, None):
        timed = [
            (row.trial.seconds, float(row.trial.state == "success"))
            for row in own
            if row.trial.state != "error" and row.trial.seconds is not None
        ]
        found.append(_time_row("tasks", method, backbone, timed))
        if timed:
            seconds = math.fsum(s for s, _ in timed) / len(timed)
            wins = sum(row.trial.state == "success" for row in own)
            means.setdefault(method, []).append((seconds, wins / len(own)))
    for method, points in means.items():
        found.append(_time_row("backbones", method, "", points))
    return found


def _time_row(
    over: str, method: str, backbone: str, points: Sequence[tuple[float, float]]
) -> Row:
    made = pearson([x for x, _ in points], [y for _, y in points])
    ends = (made.low, made.high) if made else (None, None)
    low, high = (None if end is None else round(end, 4) for end in ends)
    return {
        "over": over,
        "method": method,
        "backbone": backbone,
        "n": len(points),
        "r": round(made.r, 4) if made else None,
        "low": low,
        "high": high,
    }


def _grouped(
    rows: Iterable[Counted], part: Callable[[Trial], str] | None
) -> list[tuple[tuple[str, ...], list[Counted]]]:
    """Rows by method, backbone and, if given, part; sorted."""

    def names(row: Counted) -> tuple[str, ...]:
        own = (row.trial.method, row.trial.backbone)
        return own if part is None else (*own, part(row.trial))

    ordered = sorted(rows, key=names)
    return [(key, list(own)) for key, own in groupby(ordered, key=names)]
