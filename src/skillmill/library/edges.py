"""The typed skill graph, from a catalogue and its neighbours."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillmill.library.asking import (
    NO_CANDIDATE,
    ROLE,
    Answer,
    Question,
    card_key,
    question,
)
from skillmill.library.assembly import Assembled, Contradicted, Key, assemble, key_of
from skillmill.library.cousage import CoUsage, LearningSettings
from skillmill.library.curated import Curated
from skillmill.library.declared import (
    feeding_edges,
    part_edges,
    producers,
    related,
    related_edges,
)
from skillmill.library.direction import (
    CHECK,
    check_questions,
    emitted,
    far_end_verdicts,
)
from skillmill.library.emitting import Emitter
from skillmill.library.shortlist import Shortlists, ShortlistSettings, shortlists
from skillmill.library.vocabulary import PART_OF
from skillmill.models.usage import Usage
from skillmill.store.graph import (
    Candidate,
    DroppedEdge,
    EdgeFlag,
    EdgeOrigin,
    RejectedEntry,
)
from skillmill.store.usage import UsedTokens
from skillmill.types import Edge, LibrarySkill, State

NO_EDGE = "candidates, but no edge"
OVER_LIMIT = "over the limit"
FAR_END_GONE = "the far end is gone"

#: How a pair that no model was asked about was found, by provenance.
_FOUND_BY = {"curated": "curated", "rule": "declared_io", "learned": "co_usage"}


@dataclass(frozen=True, slots=True)
class EdgeSettings:
    """Knobs of the typed graph.

    `containment` is the least share of a consumer's inputs that a producer makes for a
    `feeds_into` edge by rule, `producers` the most of them a consumer has. With
    `check_direction`, the far end of each directed edge is asked, too.
    """

    shortlist: ShortlistSettings
    containment: float = 0.5
    producers: int = 8
    learning: LearningSettings = LearningSettings()  # noqa: RUF009 frozen
    check_direction: bool = False
    contradicted: Contradicted = "drop"

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "EdgeSettings":
        """The configured settings, as the rule `edges` has them."""
        return cls(
            shortlist=ShortlistSettings(values["candidates"], values["limit"]),
            containment=values["containment"],
            producers=values["producers"],
            learning=LearningSettings(**values["learning"]),
            check_direction=values["check_direction"],
            contradicted=values["contradicted"],
        )


@dataclass(frozen=True, slots=True)
class SkillGraph:
    """A typed graph with all that is known of how it came about.

    `outcomes` counts by stage what became of skills, questions and proposals, `usage`
    the tokens of the replies that the graph rests on.
    """

    edges: tuple[Edge, ...]
    origins: tuple[EdgeOrigin, ...]
    flags: tuple[EdgeFlag, ...]
    dropped: tuple[DroppedEdge, ...]
    rejected: tuple[RejectedEntry, ...]
    candidates: tuple[Candidate, ...]
    usage: tuple[UsedTokens, ...]
    outcomes: Mapping[str, Counter[tuple[State, str]]] = field(default_factory=dict)


def build_graph(
    skills: Sequence[LibrarySkill],
    similar: Iterable[Edge],
    usage: CoUsage,
    curated: Curated | None,
    settings: EdgeSettings,
    emitter: Emitter,
) -> SkillGraph:
    """Find candidates, ask about them, and bring all edges together.

    Parameters
    ----------
    skills : sequence of LibrarySkill
        The whole library.
    similar : iterable of Edge
        The `similar_to` edges; they give candidates and are not in the graph.
    usage : CoUsage
        From a log of calls; empty without one.
    curated : Curated or None
        What a person has settled.
    settings : EdgeSettings
    emitter : Emitter
        Asks the model; if it is off, the graph holds what rules justify.

    Returns
    -------
    SkillGraph

    Raises
    ------
    SkillmillError
        As `Emitter.ask`.

    Notes
    -----
    Comparative paper, section 2.
    """
    by_id = _by_id(skills)
    ordered = [*by_id.values()]
    lists = shortlists(ordered, similar, usage, settings.shortlist)
    asked = questions(by_id, lists, are_silent=emitter.is_off)
    answers = dict(zip(by_id, emitter.ask(asked), strict=True))
    emissions = emitted(answers.values(), by_id)
    checks: list[Answer] = []
    if settings.check_direction and not emitter.is_off:
        checks = emitter.ask(check_questions(emissions, answers, by_id))
    verdicts = far_end_verdicts(emissions, answers, checks)
    graph = assemble(
        [
            *_settled(ordered, usage, curated, settings),
            *(Edge(*key, None, "llm") for key in emissions),
        ],
        vetoes=curated.vetoes if curated else (),
        reversed_by_far_end=verdicts.reversed_ones,
        contradicted=settings.contradicted,
    )
    said = (*verdicts.flags, *_stale(emissions, answers, by_id))
    return SkillGraph(
        edges=graph.edges,
        origins=tuple(_origins(graph.edges, emissions, answers)),
        flags=_flags(graph, said),
        dropped=graph.dropped,
        rejected=tuple(one for answer in answers.values() for one in answer.rejected),
        candidates=tuple(lists.rows()),
        usage=tuple(
            used
            for stage, some in ((ROLE, answers.values()), (CHECK, checks))
            for used in _usage(stage, emitter.model, some)
        ),
        outcomes=_outcomes(
            ordered, lists, [*answers.values()], checks, graph, settings
        ),
    )


def edge_questions(
    skills: Sequence[LibrarySkill],
    similar: Iterable[Edge],
    usage: CoUsage,
    settings: EdgeSettings,
) -> list[Question]:
    """What `build_graph` asks about a library, before it has any reply."""
    by_id = _by_id(skills)
    return questions(
        by_id, shortlists([*by_id.values()], similar, usage, settings.shortlist)
    )


def _by_id(skills: Iterable[LibrarySkill]) -> dict[str, LibrarySkill]:
    return {skill.id: skill for skill in sorted(skills, key=lambda skill: skill.id)}


def questions(
    skills: Mapping[str, LibrarySkill], lists: Shortlists, *, are_silent: bool = False
) -> list[Question]:
    """One question a skill about its candidates, in the order of the skills."""
    keys = {id_: card_key(skill) for id_, skill in skills.items()}
    return [
        question(
            skill,
            [skills[other] for other in lists.found[id_]],
            lists.found[id_],
            keys=keys,
            is_silent=are_silent,
        )
        for id_, skill in skills.items()
    ]


def _usage(stage: str, model: str, answers: Iterable[Answer]) -> list[UsedTokens]:
    """Tokens of the replies behind answers; none where nothing was asked."""
    taken = [answer.usage for answer in answers if answer.usage.tokens]
    if not taken:
        return []
    total = sum(taken, Usage())
    guessed = sum(usage.estimated for usage in taken)
    prompt, reply = total.prompt_tokens, total.completion_tokens
    return [UsedTokens(ROLE, stage, model, len(taken), guessed, prompt, reply)]


def _settled(
    skills: Sequence[LibrarySkill],
    usage: CoUsage,
    curated: Curated | None,
    settings: EdgeSettings,
) -> list[Edge]:
    """Edges that need no model."""
    return [
        *related_edges(skills),
        *part_edges(skills),
        *feeding_edges(skills, settings.containment, settings.producers),
        *usage.edges(settings.learning),
        *(curated.edges if curated else ()),
    ]


def _flags(graph: Assembled, said: Iterable[EdgeFlag]) -> tuple[EdgeFlag, ...]:
    """Flags of the graph, and those on what a model said where that is in it."""
    emitted_ones = {key_of(edge) for edge in graph.edges if edge.provenance == "llm"}
    fit = (flag for flag in said if flag[:3] in emitted_ones)
    return tuple(sorted([*graph.flags, *fit]))


def _origins(
    edges: Iterable[Edge],
    emissions: Mapping[Key, set[str]],
    answers: Mapping[str, Answer],
) -> list[EdgeOrigin]:
    """How the pair of each edge was found."""
    rows = []
    for edge in edges:
        key = key_of(edge)
        if edge.provenance == "llm":
            names = {
                name
                for emitter in emissions[key]
                for name in answers[emitter].origins[_other(key, emitter)]
            }
        elif edge.provenance == "derived":
            names = {"part_of" if edge.relation == PART_OF else "related"}
        else:
            names = {_FOUND_BY[edge.provenance]}
        rows += [EdgeOrigin(*key, name) for name in sorted(names)]
    return rows


def _stale(
    emissions: Mapping[Key, set[str]],
    answers: Mapping[str, Answer],
    skills: Mapping[str, LibrarySkill],
) -> list[EdgeFlag]:
    """A flag for each edge whose far end changed since the answer that holds it."""
    now = {name: card_key(skill) for name, skill in skills.items()}
    return [
        EdgeFlag(*key, "stale", f"{other} has changed")
        for key, emitters in emissions.items()
        for emitter in sorted(emitters)
        if answers[emitter].shown[other := _other(key, emitter)] != now[other]
    ]


def _other(key: Key, end: str) -> str:
    return key[1] if end == key[0] else key[0]


def _outcomes(
    skills: Sequence[LibrarySkill],
    lists: Shortlists,
    answers: Sequence[Answer],
    checks: Sequence[Answer],
    graph: Assembled,
    settings: EdgeSettings,
) -> dict[str, Counter[tuple[State, str]]]:
    """What became of skills, candidates, questions and proposed edges."""
    wired = {end for edge in graph.edges for end in (edge.source, edge.target)}
    known = {skill.id for skill in skills}
    gone = sum(not {*ends[:2]} <= known for a in answers for ends in a.entries)
    _, lost = related(skills)
    _, cut = producers(skills, settings.producers)
    found: dict[str, Counter[tuple[State, str]]] = {
        "shortlists": Counter(
            ("ok", "") if others else ("empty", NO_CANDIDATE)
            for others in lists.found.values()
        ),
        "candidates": Counter(
            {
                ("ok", ""): sum(map(len, lists.found.values())),
                ("skipped", OVER_LIMIT): lists.left_out,
            }
        ),
        "emit_edges": Counter((answer.state, answer.reason) for answer in answers),
        CHECK: Counter((answer.state, answer.reason) for answer in checks),
        "declared": Counter(
            {("skipped", "no such related skill"): lost, ("skipped", OVER_LIMIT): cut}
        ),
        "proposals": Counter([("skipped", row.cause) for row in graph.dropped]),
        "typed_edges": Counter(
            ("ok", "")
            if skill.id in wired
            else ("empty", NO_EDGE if lists.found[skill.id] else NO_CANDIDATE)
            for skill in skills
        ),
    }
    found["proposals"]["ok", ""] = len(graph.edges)
    found["proposals"]["skipped", FAR_END_GONE] = gone
    return {stage: +counts for stage, counts in found.items() if +counts}
