"""Answers from evidence: what a reader is given, and what becomes of each question."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skillmill.models.heuristics.passages import Evidence
from skillmill.models.usage import CHARACTERS_PER_TOKEN
from skillmill.store.answers import Answer
from skillmill.types import Atom, Question, Ranking, State

NOTHING_TO_READ = "there was no evidence to read"
NOTHING_SAID = "the reader found no answer in the evidence"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the evidence that one arm found for it.

    `given` is the answer known before any reading: evidence could not be found, or
    there is none. None where a reader is to be asked.
    """

    arm: str
    question: Question
    evidence: tuple[Evidence, ...]
    given: Answer | None


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader made of one `Asked`: its answer, `""` for none, or a failure.

    `tokens` are those of prompt and reply as a model's endpoint counted them; None
    where they are to be estimated.
    """

    text: str
    failure: str | None = None
    tokens: tuple[int, int] | None = None


def to_ask(
    rankings: Iterable[Ranking],
    questions: Mapping[str, Question],
    atoms: Mapping[str, Atom],
    k: int,
    reader: str,
    *,
    skip_empty: bool = False,
) -> list[Asked]:
    """What a reader is asked, one for each ranking.

    Parameters
    ----------
    rankings : iterable of Ranking
        Of atoms; the best `k` are read, best first.
    questions, atoms : by id
    reader : str
        Its label.
    skip_empty : bool
        A ranking without atoms is `skipped`, for a ceiling that knows no evidence,
        not `empty`, as for a search that found none.

    Returns
    -------
    list of Asked
        In the order given. A failed ranking is a failed answer with its reason.

    Raises
    ------
    KeyError
        If a ranking is of another question or holds another atom.
    ValueError
        If `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    asked = []
    for ranking in rankings:
        question = questions[ranking.query]
        found = [atoms[item] for item in ranking.items[:k]]
        evidence = tuple(Evidence(atom.text, atom.timestamp) for atom in found)
        given = None
        if ranking.state == "failed" or not found:
            state: State = "skipped" if skip_empty else "empty"
            if ranking.state == "failed":
                state = "failed"
            reason = ranking.reason or NOTHING_TO_READ
            given = Answer(ranking.arm, question.id, reader, state, reason, "", 0, 0)
        asked.append(Asked(ranking.arm, question, evidence, given))
    return asked


def questions_of_shard(
    ranked: tuple[Sequence[Ranking], Iterable[Ranking]],
    questions: Mapping[str, Question],
    atoms: Mapping[str, Atom],
    skills: Sequence[str],
    k: int,
    reader: str,
) -> tuple[list[Asked], str | None]:
    """What a reader is asked: from the first known skill, and from the gold evidence.

    Parameters
    ----------
    ranked : tuple
        What all skills found, and the gold evidence as rankings.
    questions, atoms, k, reader
        As for `to_ask`.
    skills : sequence of str
        The first that found anything is read.

    Returns
    -------
    asked : list of Asked
    skill : str or None
        The one that is read; None: nothing of any of them is there.
    """
    found, gold = ranked
    known = {ranking.arm for ranking in found}
    best = next((name for name in skills if name in known), None)
    mine = [ranking for ranking in found if ranking.arm == best]
    asked = [
        *to_ask(mine, questions, atoms, k, reader),
        *to_ask(gold, questions, atoms, k, reader, skip_empty=True),
    ]
    return asked, best


def answered(asked: Sequence[Asked], read: Sequence[Read], reader: str) -> list[Answer]:
    """The answer to each question, from what the reader made of those it was asked.

    Parameters
    ----------
    asked : sequence of Asked
    read : sequence of Read
        One for each of `asked` that has no answer given, in that order.
    reader : str
        Its label.

    Raises
    ------
    ValueError
        If there are more or fewer.
    """
    waiting = [a for a in asked if a.given is None]
    own = iter(
        _answer(question, reading, reader)
        for question, reading in zip(waiting, read, strict=True)
    )
    return [a.given if a.given is not None else next(own) for a in asked]


def _answer(asked: Asked, read: Read, reader: str) -> Answer:
    """One answer with what it cost."""
    texts = [asked.question.text, *(record.text for record in asked.evidence)]
    cost = tokens(texts) if read.tokens is None else read.tokens[0]
    bare = Answer(asked.arm, asked.question.id, reader, "ok", None, "", cost, 0)
    if read.failure is not None:
        return replace(bare, state="failed", reason=read.failure)
    if not read.text:
        return replace(bare, state="empty", reason=NOTHING_SAID)
    said = tokens([read.text]) if read.tokens is None else read.tokens[1]
    return replace(bare, text=read.text, answer_tokens=said)


def tokens(texts: Iterable[str]) -> int:
    """Estimate of the tokens of texts: their characters by four, rounded up."""
    return math.ceil(sum(map(len, texts)) / CHARACTERS_PER_TOKEN)
