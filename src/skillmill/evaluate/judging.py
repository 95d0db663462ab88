"""Scores of answers, and counts that say what they are means of."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from skillmill.compute.textscore import bleu1, f1_bag, f1_locomo, f1_set
from skillmill.models.heuristics.judge import Verdict
from skillmill.store.answers import Answer
from skillmill.types import ADVERSARIAL, CATEGORIES, QueryScore, Question, Score

#: The right reply to what was never said, as a judge is told it.
NOT_KNOWN = "The conversation does not mention this; it is not known."

#: Of answers to what has a gold answer, and to what should be refused.
ANSWER_METRICS = ("f1_bag", "f1_set", "f1_locomo", "bleu1", "judge", "judge_unsure")
REFUSAL = "refusal"

#: How the labels of stand-ins begin.
STAND_IN = "heuristic "

#: Metrics that a judge decides.
JUDGED = ("judge", "judge_unsure", REFUSAL)


class Judge(Protocol):
    """Tells whether a prediction says what the gold answer does."""

    def judge(self, question: str, gold: str, prediction: str) -> Verdict:
        """Judge one prediction."""
        ...


def calls_for_refusal(question: Question) -> bool:
    """Whether the right reply is that it is not known."""
    return question.abstention or question.category == ADVERSARIAL


def is_scorable(question: Question) -> bool:
    """Whether there is something to hold an answer against."""
    return calls_for_refusal(question) or question.answer is not None


@dataclass(frozen=True, slots=True)
class ToJudge:
    """An answer that a judge is asked about.

    `gold` is the gold answer, or that it is not known; `kind` the question's kind.
    """

    query: str
    text: str
    kind: str
    gold: str
    prediction: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What a judge is told."""
        return self.text, self.gold, self.prediction


def to_judge(
    answers: Iterable[Answer], questions: Mapping[str, Question]
) -> list[ToJudge]:
    """The answers that are judged: those that say something and can be scored."""
    found = []
    for answer in sorted(answers, key=lambda answer: (answer.arm, answer.query)):
        question = questions[answer.query]
        if answer.state == "ok" and is_scorable(question):
            found.append(
                ToJudge(
                    question.id,
                    question.text,
                    question.kind,
                    _gold(question),
                    answer.text,
                )
            )
    return found


def _gold(question: Question) -> str:
    """What a right answer says."""
    return NOT_KNOWN if calls_for_refusal(question) else question.answer or ""


def score_answers(
    answers: Iterable[Answer], questions: Mapping[str, Question], judge: Judge
) -> list[QueryScore]:
    """Every metric of every answer.

    A question with a gold answer gets `f1_bag`, `f1_set`, `bleu1`, `judge` (1 if
    judged correct), `judge_unsure` (1 if it could not tell, which counts as incorrect)
    and, in a category of LoCoMo, `f1_locomo`. One that asks for what was never said
    gets `refusal` alone: 1 if the answer says that it is not known. Failed and empty
    answers are 0 and count, so an empty answer is no refusal; skipped ones, and those
    to questions without a gold answer, have no value.

    Returns
    -------
    list of QueryScore
        Sorted by arm and question, then in the order named.
    """
    ordered = sorted(answers, key=lambda answer: (answer.arm, answer.query))
    return [
        QueryScore(answer.arm, answer.query, metric, None, value)
        for answer in ordered
        for metric, value in _values(answer, questions[answer.query], judge).items()
    ]


def _values(
    answer: Answer, question: Question, judge: Judge
) -> dict[str, float | None]:
    """Metric -> value of one answer."""
    refusal = calls_for_refusal(question)
    names = [REFUSAL] if refusal else list(ANSWER_METRICS)
    if not refusal and (question.category or 0) not in CATEGORIES:
        names.remove("f1_locomo")
    if answer.state == "skipped" or not is_scorable(question):
        return dict.fromkeys(names)
    if answer.state != "ok":
        return dict.fromkeys(names, 0.0)
    gold = _gold(question)
    label = judge.judge(question.text, gold, answer.text).label
    if refusal:
        return {REFUSAL: float(label == "correct")}
    values: dict[str, float | None] = {
        "f1_bag": f1_bag(answer.text, gold),
        "f1_set": f1_set(answer.text, gold),
        "bleu1": bleu1(answer.text, gold),
        "judge": float(label == "correct"),
        "judge_unsure": float(label == "unsure"),
    }
    if question.category is not None and question.category in CATEGORIES:
        values["f1_locomo"] = f1_locomo(answer.text, gold, question.category)
    return {name: values[name] for name in names}


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the questions of one arm and kind.

    `asked` are all of them; `answered`, `empty`, `failed` and `skipped` add up to it.
    `scored` are those that a mean is over: all but the skipped and the `unscorable`,
    which have no gold answer.

    Raises
    ------
    ValueError
        If they do not add up.
    """

    arm: str
    kind: str
    asked: int
    answered: int
    empty: int
    failed: int
    skipped: int
    unscorable: int
    scored: int

    def __post_init__(self) -> None:
        ended = self.answered + self.empty + self.failed + self.skipped
        left = self.asked - self.skipped - self.unscorable
        if ended != self.asked or self.scored != left:
            raise ValueError(f"the counts of {self.arm}, {self.kind} do not add up")


def tallies(
    answers: Iterable[Answer],
    questions: Mapping[str, Question],
    values: Iterable[QueryScore],
) -> list[Tally]:
    """Count what was asked, answered, failed and scored, by arm and kind.

    Returns
    -------
    list of Tally
        Sorted by arm and kind.

    Raises
    ------
    ValueError
        If an arm was not asked every question once, or a score is missing: its mean
        would be over another number of questions than is told.
    """
    scored = {(v.arm, v.query) for v in values if v.value is not None}
    by_arm: dict[str, dict[str, Answer]] = defaultdict(dict)
    for answer in answers:
        by_arm[answer.arm][answer.query] = answer
    found = []
    for arm, mine in sorted(by_arm.items()):
        if mine.keys() != questions.keys():
            raise ValueError(
                f"{arm}: {len(mine)} answers to {len(questions)} questions"
            )
        kinds: dict[str, list[Answer]] = defaultdict(list)
        for query, answer in mine.items():
            kinds[questions[query].kind].append(answer)
        found += [_tally(arm, kind, kinds[kind], questions, scored)
                  for kind in sorted(kinds)]  # fmt: skip
    return found


def _tally(
    arm: str,
    kind: str,
    answers: Sequence[Answer],
    questions: Mapping[str, Question],
    scored: set[tuple[str, str]],
) -> Tally:
    """Count the answers of one arm and kind."""
    states = [answer.state for answer in answers]
    return Tally(
        arm=arm,
        kind=kind,
        asked=len(answers),
        answered=states.count("ok"),
        empty=states.count("empty"),
        failed=states.count("failed"),
        skipped=states.count("skipped"),
        unscorable=sum(
            answer.state != "skipped" and not is_scorable(questions[answer.query])
            for answer in answers
        ),
        scored=sum((arm, answer.query) in scored for answer in answers),
    )


def marked(
    table: Iterable[Score], answers: Iterable[Answer], *, judged_by_model: bool
) -> list[Score]:
    """Mark the rows of arms that a stand-in answered, and those that one judged."""
    read = {answer.arm for answer in answers if answer.reader.startswith(STAND_IN)}
    return [
        replace(
            row,
            heuristic=row.arm in read or (row.metric in JUDGED and not judged_by_model),
        )
        for row in table
    ]


def different_n(first: Iterable[Score], second: Iterable[Score]) -> list[str]:
    """Rows of two runs, or two arms, that are means over other numbers of queries.

    Rows are matched by split, category, metric and cut-off, and by arm where both
    have it; with one arm on each side their names do not matter.

    Returns
    -------
    list of str
        One sentence a row, sorted; empty where the runs can be compared. A row that
        only one of them has is not comparable and not told.
    """
    mine, other = list(first), list(second)
    single = all(len({row.arm for row in rows}) == 1 for rows in (mine, other))

    def key(row: Score) -> tuple[object, ...]:
        arm = "" if single else row.arm
        return arm, row.split, row.category, row.metric, row.k

    numbers = {key(row): row for row in other}
    found = []
    for row in mine:
        match = numbers.get(key(row))
        if match is not None and match.n != row.n:
            at = "" if row.k is None else f"@{row.k}"
            found.append(
                f"{row.arm} and {match.arm}, {row.split} {row.category}"
                f" {row.metric}{at}: n is {row.n} and {match.n}; compare them on the"
                " questions that both have"
            )
    return sorted(found)
