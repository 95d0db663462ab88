"""What evolution left behind: its trie and its curves, from the stores of its steps."""

import json
from collections.abc import Iterator
from pathlib import Path

from skillmill.errors import InputError
from skillmill.store import artifact
from skillmill.store.evolution import (
    CurveRow,
    EvolutionRows,
    ExploredRow,
    load_curve,
    load_evolution,
)

#: What stands before a skill, by where it stands.
MARKS = {"both": "**", "capability": "* ", "deploy": "d ", "displaced": "- "}


def state_path(
    results: Path, study: str, variant: str, run: int, step: int | None
) -> Path:
    """The store of one step of a run; of its last without a number.

    Raises
    ------
    InputError
        If there is none; tells which runs there are.
    """
    folder = results / study / "evolution" / variant / f"run-{run}"
    found = {int(p.stem.removeprefix("step-")): p for p in folder.glob("step-*.sqlite")}
    wanted = max(found, default=None) if step is None else step
    if wanted is not None and wanted in found:
        return found[wanted]
    known = sorted(
        f"{path.parts[-2]}, {path.name}"
        for path in (results / study / "evolution").glob("*/run-*")
    )
    raise InputError(
        f"no evolution of study {study!r}, variant {variant!r}, run {run}"
        f"{'' if step is None else f', step {step}'} below {results}; there are:"
        f" {'; '.join(known) or 'none yet, run `skillmill run -- evolution` first'}"
    )


def curve_of(path: Path) -> list[CurveRow]:
    """What each step up to a store did, that of the seeds first."""
    with artifact.reading(path, "evolution") as db:
        return list(load_curve(db))


def explored_of(path: Path) -> list[dict[str, object]]:
    """Every explored skill: a row in the order of the trie's paths."""
    with artifact.reading(path, "evolution") as db:
        rows = load_evolution(db)
    return [_row(rows, one) for one in sorted(rows.explored, key=_place)]


def trie_lines(path: Path) -> Iterator[str]:
    """The trie as text: a primitive a line, shared prefixes once, skills at their ends.

    `**` is on both frontiers, `*` on the capability frontier, `d` deployed alone, `-`
    was on one, nothing was turned away.
    """
    before: tuple[str, ...] = ()
    for row in explored_of(path):
        steps = tuple(json.loads(str(row["path"])))
        shared = 0
        while shared < min(len(before), len(steps)) and (
            before[shared] == steps[shared]
        ):
            shared += 1
        for depth in range(shared, len(steps)):
            yield f"{'  ' * depth}{steps[depth]}"
        before = steps
        mark = MARKS.get(str(row["status"]), "  ")
        step = "seed" if row["step"] == -1 else f"step {row['step']}"
        means = ", ".join(
            f"{split} {row[split]:.3f} of {row[f'n_{split}']}"
            for split in ("val", "train")
            if row[split] is not None
        )
        yield f"{'  ' * len(steps)}{mark}{row['name']} ({step}; {means}): {row['fate']}"


def _place(one: ExploredRow) -> tuple[list[str], int]:
    return json.loads(one.path), one.position


def _row(rows: EvolutionRows, one: ExploredRow) -> dict[str, object]:
    tallies = {t.split: t for t in rows.tallies if t.skill == one.position}
    last = [event for event in rows.events if event.skill == one.position][-1]
    means = {
        split: round(tallies[split].total / tallies[split].n, 6)
        if split in tallies
        else None
        for split in ("train", "val")
    }
    counts = {
        f"n_{split}": tallies[split].n if split in tallies else 0
        for split in ("train", "val")
    }
    return {
        "name": one.name,
        "path": one.path,
        "status": one.status,
        "step": one.step,
        "fate": last.fate,
        **means,
        **counts,
        "source": one.source,
        "skill": one.skill,
    }
