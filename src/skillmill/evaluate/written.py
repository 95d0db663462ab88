"""Memories that a language model writes: what it is asked, and how replies are read.

Small re-implementations of published ideas, for comparison: linked notes (A-Mem), tiers
(MemoryOS), compressed topics (LightMem). docs/evaluation.md says what they leave out.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from skillmill.evaluate.arms import BASELINE
from skillmill.memory.atoms import by_time, dated_text
from skillmill.memory.relations import SIMILARITY
from skillmill.memory.view import MemoryView
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.prompts import prompt_version, render
from skillmill.models.replies_memory import WrittenReply
from skillmill.types import Atom, State

#: Role of the prompt.
ROLE: Final = "memory_writer"

Kind = Literal["note", "tiers", "topics"]
EntryKind = Literal["note", "segment", "fact", "topic"]

#: Arm -> what a model is asked for.
KINDS: Mapping[str, Kind] = {
    f"{BASELINE}note-linking (A-Mem)": "note",
    f"{BASELINE}tiered (MemoryOS)": "tiers",
    f"{BASELINE}compressed-topic (LightMem)": "topics",
}

#: Kinds of entries that a reply to each may hold.
_WANTED: Mapping[Kind, frozenset[str]] = {
    "note": frozenset({"note"}),
    "tiers": frozenset({"segment", "fact"}),
    "topics": frozenset({"topic"}),
}

#: Of a record, characters that a prompt holds; and records of a session in one prompt.
LONGEST_TEXT, TOGETHER = 2000, 24

NOTHING_WRITTEN = "the model wrote nothing down"
NONE_USABLE = "no entry of the reply can be used"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that a model wrote down.

    `text` is what a search compares with, `atoms` the records that it stands for, best
    first, `linked` those that a note points to.
    """

    conversation: str
    kind: EntryKind
    text: str
    atoms: tuple[str, ...]
    linked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Writing:
    """One question to the model: `own` and `earlier` map names in it to atoms."""

    conversation: str
    kind: Kind
    own: Mapping[str, Atom]
    earlier: Mapping[str, Atom]
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class Written:
    """What came of a question; `rejected` entries could not be used."""

    state: State
    reason: str = ""
    entries: tuple[Entry, ...] = ()
    rejected: int = 0


def writings(view: MemoryView, kind: Kind) -> list[Writing]:
    """What is asked to write a memory: one question an atom, or a part of a session."""
    return _ASKING[kind](view)


def read_entries(asked: Writing, outcome: Outcome[Any]) -> Written:
    """Entries of a reply; ids that were not shown are dropped from them."""
    if outcome.state != "ok" or outcome.value is None:
        reason = outcome.message if outcome.reason == "off" else outcome.reason
        return Written(outcome.state, reason)
    found = [_entry(asked, entry) for entry in outcome.value.entries]
    entries = tuple(entry for entry in found if entry is not None)
    rejected = len(found) - len(entries)
    if entries:
        return Written("ok", "", entries, rejected)
    if rejected:
        return Written("failed", NONE_USABLE, (), rejected)
    return Written("empty", NOTHING_WRITTEN)


def _notes(view: MemoryView) -> list[Writing]:
    """Each record with those of its nearest that came earlier (A-Mem)."""
    order = by_time(view.atoms)
    place = {atom.id: number for number, atom in enumerate(order)}
    near: dict[str, list[str]] = defaultdict(list)
    for edge in sorted(view.edges, key=lambda e: (-(e.weight or 0), e.target)):
        if edge.relation == SIMILARITY and place[edge.target] < place[edge.source]:
            near[edge.source].append(edge.target)
    atoms = {atom.id: atom for atom in view.atoms}
    return [
        _writing(view, "note", [atom], [atoms[name] for name in near[atom.id]])
        for atom in order
    ]


def _sessions(kind: Kind) -> Callable[[MemoryView], list[Writing]]:
    """Each session, in parts if it is long (MemoryOS, LightMem)."""

    def ask(view: MemoryView) -> list[Writing]:
        sessions: dict[int, list[Atom]] = defaultdict(list)
        for atom in by_time(view.atoms):
            sessions[atom.session].append(atom)
        return [
            _writing(view, kind, part, [])
            for atoms in sessions.values()
            for part in _parts(atoms)
        ]

    return ask


def _parts(atoms: Sequence[Atom]) -> Iterable[Sequence[Atom]]:
    return (atoms[i : i + TOGETHER] for i in range(0, len(atoms), TOGETHER))


_ASKING: Mapping[Kind, Callable[[MemoryView], list[Writing]]] = {
    "note": _notes,
    "tiers": _sessions("tiers"),
    "topics": _sessions("topics"),
}


def _writing(
    view: MemoryView, kind: Kind, own: Sequence[Atom], earlier: Sequence[Atom]
) -> Writing:
    named = {f"r{number}": atom for number, atom in enumerate(own, start=1)}
    before = {f"e{number}": atom for number, atom in enumerate(earlier, start=1)}
    request = ChatRequest(
        role=ROLE,
        messages=render(ROLE, kind=kind, records=_shown(named), earlier=_shown(before)),
        reply_model=WrittenReply,
        schema_name=ROLE,
        stage=kind,
        record=own[0].id,
        version=prompt_version(ROLE),
    )
    return Writing(view.conversation, kind, named, before, request)


def _shown(named: Mapping[str, Atom]) -> list[dict[str, str]]:
    return [
        {"id": name, "text": dated_text(atom)[:LONGEST_TEXT]}
        for name, atom in named.items()
    ]


def _entry(asked: Writing, entry: Any) -> Entry | None:  # noqa: ANN401 - a reply's item
    """One entry, None if it is of another kind or stands for no record."""
    if entry.kind not in _WANTED[asked.kind]:
        return None
    text = " ".join([entry.text, *entry.keywords]).strip()
    if asked.kind == "note":
        [own] = asked.own.values()
        linked = _known(entry.records, asked.earlier)
        return Entry(
            asked.conversation, "note", f"{own.text}\n{text}", (own.id,), linked
        )
    atoms = _known(entry.records, asked.own)
    return Entry(asked.conversation, entry.kind, text, atoms) if atoms else None


def _known(names: Iterable[str], atoms: Mapping[str, Atom]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(atoms[name].id for name in names if name in atoms))
