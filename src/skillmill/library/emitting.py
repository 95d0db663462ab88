"""One call a skill to a language model, and when not to call again."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any, Protocol, cast

from skillmill.library.asking import ROLE, Answer, Question, read_answer
from skillmill.models.chat import Outcome
from skillmill.models.failures import check_failed_share
from skillmill.models.forecast import Forecast
from skillmill.models.llm import ChatClient
from skillmill.models.prompts import prompt_version
from skillmill.models.usage import Usage
from skillmill.store.graph import RejectedEntry
from skillmill.store.records import text_key

#: Questions asked at a time; what came is kept before the next are asked.
_AT_ONCE = 64


class Answers(Protocol):
    """Where answers about skills are kept; `store.records.TagRecords` is one."""

    def known(self, keys: Iterable[str]) -> Mapping[str, object]:
        """Give the values of keys; unknown ones are absent."""
        ...

    def add(self, values: Mapping[str, object]) -> None:
        """Keep values, safe when this returns."""
        ...


class Emitter:
    """Asks questions about skills.

    Parameters
    ----------
    client : ChatClient
        Its recorded replies answer every request that has not changed: invalidation
        `exact`, which equals a clean build.
    answers : Answers or None
        If given, a skill whose own text has been answered about is never asked about
        again, whatever its candidates say by now: invalidation `source` (Comparative
        paper, eq. 3, one call for each skill that is new or whose text changed).
    model : str
        For messages.
    failed_share : float
        The largest share of questions without a usable reply.

    Attributes
    ----------
    model : str
    failed_share : float
    asked, recalled : int
        Questions that were sent, and that were answered from what is recorded.
    """

    def __init__(
        self,
        client: ChatClient,
        answers: Answers | None = None,
        *,
        model: str = "",
        failed_share: float = 1.0,
    ) -> None:
        self.asked = 0
        self.recalled = 0
        self._client = client
        self._answers = answers
        self.model = model
        self.failed_share = failed_share

    @property
    def is_off(self) -> bool:
        """Whether nothing is asked at all."""
        return self._client.mode == "off"

    @property
    def refusals(self) -> list[str]:
        """Parameters that the endpoint is not sent as they are configured."""
        return self._client.refusals

    def estimate(self, questions: Sequence[Question]) -> list[Forecast]:
        """What `ask` would send and spend; nothing is sent."""
        remembered = self._remembered(questions)
        return self._client.estimate(
            [q.request for q in questions if q.shown and _key(q) not in remembered]
        )

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Answer questions, in their order.

        Raises
        ------
        SkillmillError
            As `ChatClient.ask_many`; what was answered before is kept.
        LimitError
            If too many questions brought no usable reply; names stage and model.
        """
        remembered = self._remembered(questions)
        outcomes: dict[str, Outcome[Any]] = {}
        open_ones = [q for q in questions if q.shown and _key(q) not in remembered]
        for start in range(0, len(open_ones), _AT_ONCE):
            some = open_ones[start : start + _AT_ONCE]
            found = self._client.ask_many([q.request for q in some])
            outcomes |= zip(map(_key, some), found, strict=True)
            self._keep([read_answer(q, outcomes.get(_key(q))) for q in some], some)
        if open_ones:
            check_failed_share(
                [*outcomes.values()],
                self.failed_share,
                stage=open_ones[0].request.stage,
                model=self.model,
            )
        unlisted = [q for q in questions if not q.shown and _key(q) not in remembered]
        self._keep([read_answer(q, None) for q in unlisted], unlisted)
        self._count(outcomes.values(), len(remembered))
        return [
            remembered.get(_key(q)) or read_answer(q, outcomes.get(_key(q)))
            for q in questions
        ]

    def _remembered(self, questions: Iterable[Question]) -> dict[str, Answer]:
        """Answers about skills whose own text has not changed since."""
        if self._answers is None or self.is_off:
            return {}
        skills = {_key(q): q.skill for q in questions}
        known = self._answers.known(skills)
        return {key: _restored(skills[key], value) for key, value in known.items()}

    def _keep(self, answers: Sequence[Answer], questions: Sequence[Question]) -> None:
        if self._answers is None or self.is_off:
            return
        good = {
            _key(q): _stored(answer)
            for q, answer in zip(questions, answers, strict=True)
            if answer.state in ("ok", "empty")
        }
        self._answers.add(good)

    def _count(self, outcomes: Collection[Outcome[Any]], remembered: int) -> None:
        sent = [outcome for outcome in outcomes if outcome.state != "skipped"]
        recorded = sum(outcome.from_record for outcome in sent)
        self.asked += len(sent) - recorded
        self.recalled += recorded + remembered


def answers_identity(endpoint: str, model: str) -> dict[str, str | int]:
    """What an answer depends on beside the skills: the key of its record store."""
    version = prompt_version(ROLE)
    return {"role": ROLE, "endpoint": endpoint, "model": model, "version": version}


def _key(asked: Question) -> str:
    """What the answer to a question is kept under: the skill's own text alone.

    A question of the direction check is about a pair, so its far end belongs to it.
    """
    if asked.request.stage == ROLE:
        return asked.own
    return text_key("\n".join([asked.request.stage, asked.own, *asked.shown.values()]))


def _stored(answer: Answer) -> dict[str, object]:
    return {
        "state": answer.state,
        "reason": answer.reason,
        "entries": [list(ends) for ends in answer.entries],
        "rejected": [[one.entry, one.reason] for one in answer.rejected],
        "shown": dict(answer.shown),
        "origins": {other: list(names) for other, names in answer.origins.items()},
        "usage": [*astuple(answer.usage)],
    }


def _restored(skill: str, value: object) -> Answer:
    stored = cast(Mapping[str, Any], value)
    return Answer(
        skill=skill,
        state=stored["state"],
        reason=stored["reason"],
        entries=tuple((s, t, relation) for s, t, relation in stored["entries"]),
        rejected=tuple(
            RejectedEntry(skill, place, entry, reason)
            for place, (entry, reason) in enumerate(stored["rejected"])
        ),
        shown=stored["shown"],
        origins={other: tuple(names) for other, names in stored["origins"].items()},
        # Answers of older versions have none.
        usage=Usage(*stored.get("usage", ())),
    )
