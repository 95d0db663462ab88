"""Whether the other end sees an edge the same way."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillmill.library.asking import Answer, Question, question
from skillmill.library.assembly import Key
from skillmill.library.vocabulary import SYMMETRIC, disagree, ends_of
from skillmill.store.graph import EdgeFlag
from skillmill.types import Edge, LibrarySkill

#: Stage of the questions that are asked from the far end.
CHECK = "check_direction"

#: Who looks, and at whom.
_View = tuple[str, str]


def emitted(
    answers: Iterable[Answer], known: Mapping[str, object]
) -> dict[Key, set[str]]:
    """The edges of answers, as they are stored, and the skills whose answers hold them.

    An edge to a skill that is not `known` any more is left out.
    """
    found: dict[Key, set[str]] = defaultdict(set)
    for answer in answers:
        for source, target, relation in answer.entries:
            if source in known and target in known:
                found[*ends_of(source, target, relation), relation].add(answer.skill)
    return dict(sorted(found.items()))


def check_questions(
    emissions: Mapping[Key, set[str]],
    answers: Mapping[str, Answer],
    skills: Mapping[str, LibrarySkill],
) -> list[Question]:
    """A question from the far end of each edge that only one end has had a say in.

    Symmetric relations need none, nor does a pair whose far end was shown the near one
    in its own question. One question a pair, sorted.
    """
    pairs = {
        (far, near)
        for key, emitters in emissions.items()
        for far, near in _far_ends(key, emitters)
        if near not in answers[far].shown
    }
    return [
        question(skills[far], [skills[near]], {}, CHECK) for far, near in sorted(pairs)
    ]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What far ends say of edges: those they reverse, and flags for the others."""

    reversed_ones: frozenset[Key]
    flags: tuple[EdgeFlag, ...]


def far_end_verdicts(
    emissions: Mapping[Key, set[str]],
    answers: Mapping[str, Answer],
    checks: Iterable[Answer],
) -> Verdicts:
    """Compare each directed edge with what its far end answered.

    `confirmed`: it emits the same edge; `unconfirmed`: it was shown the near end and
    says nothing of the kind. An edge that a check answers the other way round is
    reversed; where the far end's own answer does so, both edges are proposals, and
    their contradiction shows without this.
    """
    views: dict[_View, list[Key]] = {}
    checked: set[_View] = set()
    for answer in answers.values():
        _add_views(views, answer)
    for answer in checks:
        if answer.state in ("ok", "empty"):
            checked |= {(answer.skill, other) for other in answer.shown}
            _add_views(views, answer)
    reversed_ones: set[Key] = set()
    flags = []
    for key, emitters in emissions.items():
        if len(emitters) == 2 and key[2] not in SYMMETRIC:
            flags.append(EdgeFlag(*key, "confirmed", "both ends"))
        for view in _far_ends(key, emitters):
            verdict = _verdict(key, views.get(view))
            if verdict != "reversed":
                flags += [EdgeFlag(*key, verdict, view[0])] if verdict else []
            elif view in checked:
                reversed_ones.add(key)
    return Verdicts(frozenset(reversed_ones), tuple(sorted(flags)))


def _verdict(key: Key, said: Sequence[Key] | None) -> str:
    """What a far end says of an edge; '' if it was not shown the near one."""
    if said is None:
        return ""
    if key in said:
        return "confirmed"
    if any(disagree(_edge(key), _edge(other)) for other in said):
        return "reversed"
    return "unconfirmed"


def _far_ends(key: Key, emitters: set[str]) -> list[_View]:
    """(far, near) of a directed edge that one end alone has emitted."""
    if key[2] in SYMMETRIC or len(emitters) > 1:
        return []
    (near,) = emitters
    return [(key[1] if near == key[0] else key[0], near)]


def _add_views(views: dict[_View, list[Key]], answer: Answer) -> None:
    """Note what an answer says of each skill that it was shown."""
    for other in answer.shown:
        views.setdefault((answer.skill, other), [])
    for source, target, relation in answer.entries:
        other = target if source == answer.skill else source
        key = (*ends_of(source, target, relation), relation)
        views.setdefault((answer.skill, other), []).append(key)


def _edge(key: Key) -> Edge:
    return Edge(*key, None, "llm")
