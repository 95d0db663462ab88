"""Scores by session and by turn, for data that says which sessions hold the evidence.

A system returns items (atoms); each item covers turns, and each turn has a place: the
id of its session and its number in it. Copies of one session share an id and thereby
their places, so relevance counts them once (LongMemEval lists some sessions twice).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillmill.compute import scoring
from skillmill.types import QueryScore, Question, Ranking

#: Session id and place in it from 0.
Place = tuple[str, int]
#: Item -> the places of the turns it covers; an item without sources is no key.
Sources = Mapping[str, Sequence[Place]]

ABSTENTION = "the right reply is to abstain"
NO_SESSION = "no evidence session is known"
NO_TURN = "no turn is marked as evidence"
NO_SOURCE = "the items name no source"
#: As in LongMemEval's oracle variant: whatever is retrieved is right.
NO_CHOICE = "every session is evidence"


def session_ranking(items: Sequence[str], sources: Sources) -> list[str] | None:
    """Sessions in the order in which the ranked items first reach them.

    None if an item has no known source: then its session cannot be told, and the
    sessions after it have no rank.
    """
    sessions: dict[str, None] = {}
    for item in items:
        if not sources.get(item):
            return None
        sessions.update(dict.fromkeys(session for session, _ in sources[item]))
    return list(sessions)


def turn_recall(
    items: Sequence[str], wanted: Collection[Place], sources: Sources, k: int
) -> float | None:
    """Share of the evidence turns that the top `k` items cover.

    None if there are none, or if one of these items has no known source.

    Raises
    ------
    ValueError
        If `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if not wanted or any(not sources.get(item) for item in items[:k]):
        return None
    covered = {place for item in items[:k] for place in sources[item]}
    return len(covered & set(wanted)) / len(set(wanted))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question should retrieve, or why that cannot be asked.

    `sessions` and `places` are empty where the figure cannot be computed; the reason
    is in `no_session`, `no_turn`, None where there is none.
    """

    sessions: tuple[str, ...]
    places: frozenset[Place]
    no_session: str | None
    no_turn: str | None


def wanted_by(
    questions: Iterable[Question], turns: Mapping[tuple[str, str], Place]
) -> dict[str, Wanted]:
    """What each question should retrieve, by its id.

    Parameters
    ----------
    questions : iterable of Question
    turns : mapping
        (conversation, turn id) -> its place, for every turn of their conversations.

    Raises
    ------
    KeyError
        If evidence is no turn of its conversation.
    """
    known: dict[str, set[str]] = {}
    for (conversation, _), (session, _) in turns.items():
        known.setdefault(conversation, set()).add(session)
    wanted = {}
    for question in questions:
        sessions = question.evidence_sessions
        places = frozenset(turns[question.conversation, t] for t in question.evidence)
        no_session = None if sessions else NO_SESSION
        no_turn = None if places else NO_TURN
        if sessions and set(sessions) >= known.get(question.conversation, set()):
            no_session = NO_CHOICE
        if question.abstention:
            no_session = no_turn = ABSTENTION
        wanted[question.id] = Wanted(
            () if no_session else sessions,
            frozenset() if no_turn else places,
            no_session,
            no_turn,
        )
    return wanted


def session_scores(
    rankings: Iterable[Ranking],
    wanted: Mapping[str, Wanted],
    sources: Sources,
    cutoffs: Sequence[int],
    arms: Collection[str],
) -> list[QueryScore]:
    """Session and turn recall of every arm for every question.

    `session_recall_any` is 1 if any evidence session is among the first k sessions,
    `session_recall_all` if all are, `turn_recall` the share of the evidence turns that
    the first k items cover. There is no value where nothing is wanted or the items
    name no source; a missing or failed ranking is 0 and counts.

    Parameters
    ----------
    rankings : iterable of Ranking
        At most one per arm and question.
    wanted : mapping
        Question -> what it should retrieve; every question that was asked is a key.
    sources : mapping
        Item -> the places of its turns.
    cutoffs : sequence of int
        Values of k, at least 1.
    arms : collection of str
        The arms that were asked.

    Returns
    -------
    list of QueryScore
        Sorted by arm and question, then metric and k.
    """
    found = {(r.arm, r.query): r.items for r in rankings if r.state == "ok"}
    return [
        QueryScore(arm, question, metric, k, value)
        for arm in sorted(arms)
        for question in sorted(wanted)
        for metric, k, value in _values(
            found.get((arm, question), ()), wanted[question], sources, cutoffs
        )
    ]


def _values(
    items: Sequence[str], wanted: Wanted, sources: Sources, cutoffs: Sequence[int]
) -> Iterator[tuple[str, int, float | None]]:
    """Metric, k and value of one ranking for one question."""
    reached = session_ranking(items, sources)
    for name, metric in (
        ("session_recall_all", scoring.recall_all),
        ("session_recall_any", scoring.recall_any),
    ):
        for k in sorted(set(cutoffs)):
            value = None if reached is None else metric(reached, wanted.sessions, k)
            yield name, k, value
    for k in sorted(set(cutoffs)):
        yield "turn_recall", k, turn_recall(items, wanted.places, sources, k)


def skipped(wanted: Mapping[str, Wanted], values: Iterable[QueryScore]) -> Counter[str]:
    """How many questions a figure leaves out, by figure and reason.

    A question counts once for each figure and reason, whatever the number of arms and
    cut-offs.
    """
    reasons: Counter[str] = Counter()
    missing = {
        (value.query, value.metric == "turn_recall")
        for value in values
        if value.value is None
    }
    for question, by_turn in sorted(missing):
        figure = "turn recall" if by_turn else "session recall"
        of = wanted[question]
        reason = (of.no_turn if by_turn else of.no_session) or NO_SOURCE
        reasons[f"{figure}: {reason}"] += 1
    return reasons
