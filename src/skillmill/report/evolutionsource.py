"""From the last store of a run of evolution to what its page says."""

import json
from pathlib import Path
from sqlite3 import Connection

from skillmill.report.evolution import Evolved, StepCurve, TriedProgram
from skillmill.store import evolution
from skillmill.store.artifact import load_provenance


def read_evolution(db: Connection, name: str) -> Evolved:
    """The programs that a run tried, and its figures step by step."""
    rows = evolution.load_evolution(db)
    tallies = {tally.skill: tally for tally in rows.tallies if tally.split == "val"}
    history: dict[int, list[str]] = {}
    for event in rows.events:
        when = "" if event.step < 0 else f"step {event.step}: "
        why = f" ({event.reason})" if event.reason else ""
        history.setdefault(event.skill, []).append(f"{when}{event.fate}{why}")
    programs = [
        TriedProgram(
            name=row.name,
            path=tuple(json.loads(row.path)),
            step=row.step,
            status=row.status,
            value=_mean(tallies.get(row.position)),
            n=tallies[row.position].n if row.position in tallies else 0,
            history=tuple(history.get(row.position, ())),
        )
        for row in rows.explored
    ]
    fields = StepCurve.__dataclass_fields__
    curve = [StepCurve(*(getattr(row, f) for f in fields)) for row in rows.curve]
    noted = load_provenance(db).params.get("section")
    section = dict(noted) if isinstance(noted, dict) else {}
    section.pop("batch", None)
    rules = json.dumps(section, sort_keys=True) if section else ""
    batch = max((row.batch for row in rows.curve), default=0)
    return Evolved(name, programs, curve, batch, rules)


def _mean(tally: evolution.TallyRow | None) -> float | None:
    return None if tally is None else tally.total / tally.n


def run_name(store: Path) -> str:
    """Name of a run of evolution: its folders below `results/<study>/evolution`."""
    return " ".join(store.parts[store.parts.index("results") + 3 : -1])
