"""From the stores of a run to its questions and their values, to compare runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillmill.errors import InputError
from skillmill.evaluate.groups import question_groups, task_groups
from skillmill.evaluate.runs import RunQuestion, RunValues, missing_measures
from skillmill.report.track import Track
from skillmill.store import artifact, catalogue, conversations, scores
from skillmill.types import QueryScore, Question, Task

#: Stores of a study that say what was asked and how it was answered.
COMPARED = (
    "library/tasks",
    "memory/conversations",
    *(f"{stage}/scores" for stage in
      ("library", "memory", "turns", "comparisons", "answers")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """A run by its name; tracks without a scored question are absent.

    `judge` is what judged the answers, "" if none were.
    """

    name: str
    tracks: Mapping[Track, RunValues]
    judge: str = ""


def compared_stores(folder: Path) -> list[Path]:
    """Stores of a study's folder that a comparison reads.

    Raises
    ------
    InputError
        If it is no folder of a study with scores.
    """
    found = [path for name in COMPARED if (path := folder / f"{name}.sqlite").is_file()]
    if not any(path.stem == "scores" for path in found):
        raise InputError(
            f"{folder}: expected the results of a study with scores, such as"
            " results/sample, found none; build that study, or name another folder",
            record=str(folder),
        )
    return found


def read_run(name: str, stores: Iterable[Path]) -> Run:
    """Read what a run asked, and each value that it got; other stores are passed over.

    Raises
    ------
    InputError
        If a score names a question that no store has the text of.
    StoreError
        If a store is missing, damaged or of another version.
    """
    questions: dict[Track, dict[str, RunQuestion]] = {"library": {}, "memory": {}}
    values: list[QueryScore] = []
    judge = ""
    for store in stores:
        kind = artifact.kind_of(store)
        if kind == "tasks":
            with artifact.reading(store, kind) as db:
                questions["library"] |= _tasks(catalogue.load_tasks(db))
        elif kind == "conversations":
            with artifact.reading(store, kind) as db:
                questions["memory"] |= _questions(conversations.load_questions(db))
        elif kind == "scores":
            with artifact.reading(store, kind) as db:
                values += scores.load_query_scores(db)
                judge = judge or _judge(artifact.load_provenance(db))
    unknown = {v.query for v in values}.difference(*questions.values())
    if unknown:
        raise InputError(
            f"run {name}: expected a text for each scored question, got none for"
            f" {min(unknown)!r}: scores and questions are of different builds; run the"
            " evaluation again",
            record=min(unknown),
        )
    parts = {
        track: RunValues(asked, [v for v in values if v.query in asked])
        for track, asked in questions.items()
    }
    tracks = {track: part for track, part in parts.items() if part.values}
    return Run(name, tracks, judge)


def only_in_one(first: Run, second: Run) -> list[str]:
    """Tracks, arms and judges that one run alone has, one sentence each."""
    lines = []
    if first.judge and second.judge and first.judge != second.judge:
        judges = f"{first.judge} in {first.name}, {second.judge} in {second.name}"
        lines.append(
            f"memory: answers were judged by {judges}: do not compare verdicts"
        )
    for run, other in ((first, second), (second, first)):
        for track, part in run.tracks.items():
            if track not in other.tracks:
                lines.append(f"{track}: scores in {run.name} alone")
                continue
            absent = missing_measures(part, other.tracks[track])
            kept = {arm for arm, _, _ in other.tracks[track].measures()}
            arms = sorted({arm for arm, _, _ in absent} - kept)
            if arms:
                lines.append(f"{track}: in {run.name} alone: {', '.join(arms)}")
            rest = sum(arm in kept for arm, _, _ in absent)
            if rest:
                lines.append(f"{track}: {rest} more measures in {run.name} alone")
    return lines


def _judge(made: artifact.Provenance) -> str:
    """What gave the verdicts of a store; "" if it holds none."""
    role = made.params.get("judge")
    if not isinstance(role, str):
        return ""
    model = made.models.get(role)
    return f"the model {model}" if model else "the stand-in"


def _tasks(tasks: list[Task]) -> dict[str, RunQuestion]:
    groups = task_groups(tasks)
    return {
        task.id: RunQuestion(
            task.text, tuple(sorted(task.relevant)), _named(groups[task.id])
        )
        for task in tasks
    }


def _questions(questions: list[Question]) -> dict[str, RunQuestion]:
    groups = question_groups(questions, {})
    return {
        q.id: RunQuestion(q.text, (q.answer or "", *q.evidence), _named(groups[q.id]))
        for q in questions
    }


def _named(groups: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for _, name in groups))
