"""Typed relations between memory records, labelled by a language model.

ERSkill, eq. 10 and appendix D.4.1: each record is shown with its most similar ones,
and the model gives each of them one label. Nothing here asks; a client does.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from skillmill.memory.atoms import by_time, dated_text
from skillmill.memory.relations import SIMILARITY
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.prompts import prompt_version, render
from skillmill.models.replies_base import entrywise
from skillmill.models.replies_memory import AtomRelation, RelationReply
from skillmill.models.reply_models import check_entries
from skillmill.types import Atom, Edge, State

#: Role of the prompt.
ROLE: Final = "relation_extraction"
NONE = "none"

#: ERSkill, appendix A.1: an edge weighs its cosine, but never less.
LEAST_WEIGHT = 0.5

#: Of a record, characters that a prompt holds.
LONGEST_TEXT = 4000

NO_NEIGHBOUR = "no record is similar"
NO_LATER = "no similar record was said later"
NO_RELATION = "the model sees no relation"
NONE_USABLE = "no entry of the reply can be used"


class LabelledReply(RelationReply):
    """Labels read entry by entry, so that a bad one does not cost the others."""

    relations: Annotated[
        list[Annotated[AtomRelation, entrywise()]], Field(max_length=64)
    ]


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """A record and the neighbours that a model is shown with it.

    `neighbours` maps what a prompt calls each (`n1`, ...) to its similarity edge. Names
    of their own make a prompt depend on texts alone. `request` is None, with the
    `reason`, where there is nothing to show.
    """

    source: str
    neighbours: Mapping[str, Edge]
    request: ChatRequest | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """What came of a question: edges, and how its entries ended.

    `none` neighbours were labelled so, `rejected` entries could not be used and
    `unlabelled` neighbours were left out by the reply. State `empty` is a good reply
    without a relation, or no question.
    """

    source: str
    state: State
    reason: str = ""
    edges: tuple[Edge, ...] = ()
    none: int = 0
    rejected: int = 0
    unlabelled: int = 0


def relation_questions(
    atoms: Sequence[Atom], similar: Iterable[Edge], *, both_ways: bool
) -> list[RelationQuestion]:
    """One question for each atom, in their order.

    Parameters
    ----------
    atoms : sequence of Atom
        Of one or several conversations.
    similar : iterable of Edge
        Edges of the relation `similarity`, the shortlist; others are passed over.
    both_ways : bool
        False: a neighbour must come later, in the order of `by_time`. True: any may be
        shown, for sources without a common order in time (PerLTQA).
    """
    text = {atom.id: dated_text(atom)[:LONGEST_TEXT] for atom in atoms}
    place = _places(atoms)
    near: dict[str, list[Edge]] = defaultdict(list)
    for edge in similar:
        if edge.relation == SIMILARITY:
            near[edge.source].append(edge)
    asked = []
    for atom in atoms:
        nearest = sorted(near[atom.id], key=lambda e: (-(e.weight or 0), e.target))
        shown = [
            edge for edge in nearest if both_ways or place[edge.target] > place[atom.id]
        ]
        named = {f"n{number}": edge for number, edge in enumerate(shown, start=1)}
        request = _request(atom, named, text, ordered=not both_ways) if named else None
        reason = "" if named else NO_LATER if nearest else NO_NEIGHBOUR
        asked.append(RelationQuestion(atom.id, named, request, reason))
    return asked


def read_relations(asked: RelationQuestion, outcome: Outcome[Any] | None) -> Labelled:
    """Make edges of a reply; None where nothing was asked.

    Returns
    -------
    Labelled
        Its edges go from the source to the neighbour, with provenance `llm` and the
        larger of cosine and `LEAST_WEIGHT`, rounded to 6 decimals, as weight.
    """
    if outcome is None:
        return Labelled(asked.source, "empty", asked.reason)
    if outcome.state != "ok" or outcome.value is None:
        reason = outcome.message if outcome.reason == "off" else outcome.reason
        return Labelled(asked.source, outcome.state, reason)
    checked = check_entries(outcome.value.relations, AtomRelation, asked.neighbours)
    edges = tuple(
        Edge(
            asked.source,
            asked.neighbours[entry.atom_id].target,
            entry.label,
            round(max(LEAST_WEIGHT, asked.neighbours[entry.atom_id].weight or 0.0), 6),
            "llm",
        )
        for entry in checked.valid
        if entry.label != NONE
    )
    state, reason = _ending(edges, len(checked.valid), len(checked.rejected))
    return Labelled(
        source=asked.source,
        state=state,
        reason=reason,
        edges=edges,
        none=sum(entry.label == NONE for entry in checked.valid),
        rejected=len(checked.rejected),
        unlabelled=len(checked.unnamed),
    )


def _ending(edges: Sequence[Edge], valid: int, rejected: int) -> tuple[State, str]:
    """How a reply with so many entries ended."""
    if edges:
        return "ok", ""
    if rejected and not valid:
        return "failed", NONE_USABLE
    return "empty", NO_RELATION


def _places(atoms: Iterable[Atom]) -> dict[str, int]:
    """Place of each atom in the time of its conversation."""
    members: dict[str, list[Atom]] = defaultdict(list)
    for atom in atoms:
        members[atom.conversation].append(atom)
    return {
        atom.id: place
        for group in members.values()
        for place, atom in enumerate(by_time(group))
    }


def _request(
    atom: Atom, named: Mapping[str, Edge], text: Mapping[str, str], *, ordered: bool
) -> ChatRequest:
    """Ask for the labels of an atom's neighbours, the most similar first."""
    return ChatRequest(
        role=ROLE,
        messages=render(
            ROLE,
            source_atom=text[atom.id],
            neighbour_atoms=[
                {"atom_id": name, "text": text[edge.target]}
                for name, edge in named.items()
            ],
            ordered=ordered,
        ),
        reply_model=LabelledReply,
        schema_name=ROLE,
        stage=ROLE,
        record=atom.id,
        version=prompt_version(ROLE),
    )
