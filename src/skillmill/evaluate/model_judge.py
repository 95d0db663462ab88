"""Verdicts of a language model on answers (ERSkill, appendix D.4.2)."""

from collections.abc import Iterable
from typing import Any

from skillmill.evaluate.judge_roles import JudgeRole
from skillmill.evaluate.judging import ToJudge
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.heuristics.judge import Verdict
from skillmill.models.llm import ChatClient
from skillmill.models.prompts import prompt, prompt_version, render
from skillmill.models.replies_memory import JudgeReply

#: Question type of LongMemEval whose rule holds where the data names another: the
#: reply must hold the whole answer, here that it is not known.
PLAIN_TYPE = "single-session-user"


class ModelJudge:
    """Has a model judge answers, all at once, and then tells each verdict.

    An answer whose judgement failed is `unsure`, which counts as incorrect.
    """

    def __init__(self, client: ChatClient, role: JudgeRole) -> None:
        self._client = client
        self._role: JudgeRole = role
        self._verdicts: dict[tuple[str, str, str], Verdict] = {}

    def prepare(self, answers: Iterable[ToJudge]) -> list[Outcome[Any]]:
        """Ask about every answer; an outcome for each different one, in order.

        Raises
        ------
        SkillmillError
            As `ChatClient.ask_many`.
        """
        asked = judge_requests(answers, self._role)
        outcomes = self._client.ask_many([*asked.values()])
        self._verdicts = dict(zip(asked, map(_verdict, outcomes), strict=True))
        return outcomes

    def judge(self, question: str, gold: str, prediction: str) -> Verdict:
        """The verdict on an answer that was prepared."""
        return self._verdicts[question, gold, prediction]


def judge_requests(
    answers: Iterable[ToJudge], role: JudgeRole
) -> dict[tuple[str, str, str], ChatRequest]:
    """What a judge is asked, once for each different question, gold and prediction."""
    asked: dict[tuple[str, str, str], ChatRequest] = {}
    for one in answers:
        if one.key not in asked:
            asked[one.key] = _request(one, role)
    return asked


def _request(one: ToJudge, role: JudgeRole) -> ChatRequest:
    values: dict[str, object] = {
        "question": one.text,
        "gold_answer": one.gold,
        "generated_answer": one.prediction,
    }
    types = prompt(role).choices.get("question_type", ())
    if types:
        values["question_type"] = one.kind if one.kind in types else PLAIN_TYPE
    return ChatRequest(
        role=role,
        messages=render(role, **values),
        reply_model=JudgeReply,
        schema_name=role,
        stage="judging",
        record=one.query,
        version=prompt_version(role),
    )


def _verdict(outcome: Outcome[Any]) -> Verdict:
    if outcome.state != "ok" or outcome.value is None:
        return Verdict("unsure", f"{outcome.reason}: {outcome.message}")
    return Verdict(
        "correct" if outcome.value.score else "incorrect", outcome.value.explanation
    )
