"""What a memory holds about a question: its best records with their dates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillmill.errors import ModelError
from skillmill.evaluate.answering import Asked
from skillmill.interfaces.explain import USUAL_SKILL, Explanation, explain
from skillmill.interfaces.job import Counts
from skillmill.interfaces.reading import Reader
from skillmill.models.heuristics.passages import Evidence
from skillmill.report.visible import visible_text
from skillmill.skills.asking import Ask
from skillmill.types import Atom, Question, Ranking


@dataclass(frozen=True, eq=False)
class Recalled:
    """A question, what a skill found in one memory, and perhaps an answer.

    `atoms` are best first. `answer` is None unless it was asked for, `""` where the
    `reader` found none.
    """

    question: str
    conversation: str
    ranking: Ranking
    atoms: tuple[Atom, ...]
    answer: str | None
    reader: str | None


def recall(
    results: Path,
    study: str,
    question: str,
    skill: str = USUAL_SKILL,
    conversation: str | None = None,
    budget: int = 10,
    *,
    reader: Reader | None = None,
    model: Ask | None = None,
) -> Recalled:
    """Find what a memory holds about a question; parameters as for `explain`.

    A `reader` answers from what was found, too.

    Raises
    ------
    InputError, ModelError
        As `explain`, and if the reader fails.
    """
    told = explain(results, study, question, skill, conversation, budget, model)
    ranking, view = told.execution.ranking, told.view
    atoms = tuple(view.atoms[view.row[item]] for item in ranking.items)
    said = None if reader is None else _answer(reader, told, atoms)
    label = None if reader is None else reader.label
    text = told.query.text
    return Recalled(text, view.conversation, ranking, atoms, said, label)


def _answer(reader: Reader, told: Explanation, atoms: Sequence[Atom]) -> str:
    """What a reader makes of atoms; `""` where there is nothing to read or to say."""
    if not atoms:
        return ""
    evidence = tuple(Evidence(atom.text, atom.timestamp) for atom in atoms)
    asked = Question(
        told.query.id,
        told.view.conversation,
        told.query.text,
        category=None,
        answer=None,
        answer_type="null",
        trap=None,
        evidence=(),
    )
    arm = told.execution.ranking.arm
    [read] = reader.read([Asked(arm, asked, evidence, None)], Counts())
    if read.failure is not None:
        raise ModelError(
            f"{reader.label} gave no answer: {read.failure}; the records are found"
            " without --answer",
            record=told.query.id,
        )
    return read.text


def recalled_rows(found: Recalled) -> Iterator[dict[str, Any]]:
    """One row for the question, one for each record found."""
    yield {
        "row": "question",
        "text": found.question,
        "conversation": found.conversation,
        "skill": found.ranking.arm,
        "state": found.ranking.state,
        "reason": found.ranking.reason,
        "answer": found.answer,
        "reader": found.reader,
    }
    for rank, (atom, score) in enumerate(_scored(found), start=1):
        yield {
            "row": "evidence",
            "rank": rank,
            "score": score,
            "atom": atom.id,
            "date": atom.timestamp,
            "days": atom.time_keys,
            "session": atom.session,
            "turns": atom.turns,
            "text": atom.text,
        }


def recalled_lines(found: Recalled) -> Iterator[str]:
    """Lines for a terminal; nothing in them can move its cursor."""
    if found.ranking.state != "ok":
        yield f"{found.ranking.state}: {visible_text(found.ranking.reason or '')}"
    for rank, (atom, score) in enumerate(_scored(found), start=1):
        day = atom.timestamp or "no date"
        yield f"{rank:3d} {score:8.4f}  {day.replace('T', ' '):16}  {atom.id}"
        yield from (f"      {visible_text(line)}" for line in atom.text.split("\n"))
    if found.answer is not None:
        said = visible_text(found.answer) or "no answer found"
        yield f"answer ({found.reader}): {said}"


def _scored(found: Recalled) -> Sequence[tuple[Atom, float]]:
    return list(zip(found.atoms, found.ranking.scores, strict=True))
