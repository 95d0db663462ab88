"""The primitive that asks a language model, and how a model is handed in.

A model is anything with `ask`: it is told what it may decide about and answers with
the variables that it wants to write. What it may not write is left out and noted, so
a bad reply changes nothing and is seen in the trace.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from skillmill.memory.atoms import dated_text
from skillmill.memory.view import MemoryView
from skillmill.skills.arguments import Argument, is_days, is_text
from skillmill.skills.primitive import Arguments, Primitive
from skillmill.skills.state import LEFT_OUT, EvidenceState, QueryContext, Step

#: State variables that a model may write (ERSkill, appendix A.1).
WRITTEN = ("preferred_relations", "time_range", "current_query", "view_summary")

#: Why the step is left out.
NO_MODEL = "llm_process: no language model is asked"

#: It may also say which atoms to go on with; that is evidence, not a variable.
KEPT = "kept_evidence"


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is told.

    Attributes
    ----------
    question : str
        As asked, or as an earlier step rewrote it.
    instruction : str or None
        What the program wants of it.
    evidence : tuple of (atom id, text)
        The atoms held, best first, each text with its days before it.
    relations : tuple of str
        Typed relations that the memory holds.
    variables : mapping
        What earlier steps wrote.
    id, original : str
        Id of the question, and the question as it was asked.
    """

    question: str
    instruction: str | None
    evidence: tuple[tuple[str, str], ...]
    relations: tuple[str, ...]
    variables: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    original: str = ""


class Ask(Protocol):
    """A model that may steer a program.

    It raises a `SkillmillError` when it cannot answer, which fails the query.
    """

    def ask(self, request: Request) -> Mapping[str, object]:
        """Give the variables to write; null or absent ones stay as they are."""
        ...


@runtime_checkable
class AskAhead(Protocol):
    """A model that is told of all requests of a batch before the first."""

    def ahead(self, requests: Iterable[Request]) -> None:
        """Take note of requests; an error ends the batch."""
        ...


def llm_process(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> Step:
    """Leave the step out: rewriting, filtering and choosing need a language model."""
    return Step(changes={LEFT_OUT: WRITTEN}, note=NO_MODEL, skipped=True)


def asking(model: Ask) -> Primitive:
    """Make the `llm_process` of a model: `{**PRIMITIVES, "llm_process": asking(m)}`."""

    def run(
        query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
    ) -> Step:
        request, held = _request(query, state, view, args)
        return _step(model.ask(request), held, view)

    def ahead(
        pairs: Sequence[tuple[QueryContext, EvidenceState]],
        view: MemoryView,
        args: Arguments,
    ) -> None:
        if isinstance(model, AskAhead):
            model.ahead(_request(query, state, view, args)[0] for query, state in pairs)

    wants = ahead if isinstance(model, AskAhead) else None
    return replace(llm_primitive(run), ahead=wants)


def with_model(
    primitives: Mapping[str, Primitive], model: Ask | None
) -> Mapping[str, Primitive]:
    """Primitives whose `llm_process` asks a model; None: they stay as they are."""
    return primitives if model is None else {**primitives, "llm_process": asking(model)}


def _request(
    query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
) -> tuple[Request, list[int]]:
    """What a model is told about a state, and the rows held, best first."""
    held = state.best(view, len(view.atoms)).tolist()
    request = Request(
        question=str(state.variables.get("current_query", query.text)),
        instruction=args["instruction"],
        evidence=tuple((view.ids[row], dated_text(view.atoms[row])) for row in held),
        relations=view.relations,
        variables=state.variables,
        id=query.id,
        original=query.text,
    )
    return request, held


def llm_primitive(
    run: Callable[[QueryContext, EvidenceState, MemoryView, Arguments], Step],
) -> Primitive:
    """The primitive `llm_process` with a way to run it."""
    arguments = {"instruction": Argument("text")}
    return Primitive("llm_process", "process", run, arguments, writes=WRITTEN)


def _step(reply: Mapping[str, object], held: Sequence[int], view: MemoryView) -> Step:
    """Check a reply and make a step of what may be written."""
    changes: dict[str, Any] = {}
    kept = None
    rejected = []
    for name, value in sorted(reply.items()):
        if value is None:
            continue
        if name == KEPT:
            kept, fault = _kept(value, held, view)
        else:
            fault = _fault(name, value, view)
            if fault is None:
                changes[name] = _frozen(value)
        rejected += [] if fault is None else [fault]
    return Step(changes=changes, note="; ".join(rejected), kept=kept)


def _fault(name: str, value: object, view: MemoryView) -> str | None:
    """Tell why a variable may not be written, None if it may."""
    if name in {"current_query", "view_summary"}:
        fits, expected = is_text(value), "a text"
    elif name == "time_range":
        fits, expected = is_days(value), "two ISO days, the first not after the last"
    elif name == "preferred_relations":
        named = list(value) if isinstance(value, (list, tuple)) else []
        fits = bool(named) and all(relation in view.relations for relation in named)
        expected = f"some of {', '.join(view.relations) or 'no relations'}"
    else:
        return f"rejected {name!r}: it may write {', '.join((*WRITTEN, KEPT))}"
    return None if fits else f"rejected {name}: expected {expected}, got {value!r}"


def _kept(
    value: object, held: Sequence[int], view: MemoryView
) -> tuple[np.ndarray | None, str | None]:
    """Mark the atoms to keep; None and why if it names others than those held."""
    named = list(value) if isinstance(value, (list, tuple)) else []
    rows = [view.row.get(name) if isinstance(name, str) else None for name in named]
    if not rows or not set(rows) <= set(held):
        others = [n for n, row in zip(named, rows, strict=True) if row not in set(held)]
        told = f"got {others[:3]!r}" if others else f"got {value!r}"
        return None, f"rejected {KEPT}: expected ids of the atoms held, {told}"
    kept = np.zeros(len(view.atoms), dtype=bool)
    kept[[row for row in rows if row is not None]] = True
    return kept, None


def _frozen(value: object) -> object:
    """Make a list a tuple."""
    return tuple(value) if isinstance(value, list) else value
