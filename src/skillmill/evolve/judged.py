"""Rollouts worth what a judge says of the answer read from them (ERSkill, 2.4).

Answers and verdicts are replies of language models, which are recorded: a rollout that
comes again asks nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillmill.evaluate.answering import Asked as ToRead
from skillmill.evaluate.judge_roles import JudgeRole
from skillmill.evaluate.judging import ToJudge
from skillmill.evaluate.model_judge import ModelJudge
from skillmill.evaluate.model_reader import answer_request, readings
from skillmill.evolve.rollouts import Arena
from skillmill.models.heuristics.passages import Evidence
from skillmill.models.llm import ChatClient
from skillmill.store.rollout_records import RolloutRow
from skillmill.types import Question, RetrievalSkill


@dataclass(eq=False, kw_only=True)
class JudgedArena(Arena):
    """An arena where a reader answers from what was found, and a judge marks it.

    A rollout that failed or found nothing, a reply that cannot be used and a question
    without a right answer are worth 0; what failed is counted as failed.

    Attributes
    ----------
    client : ChatClient
        With a model for the reader (`answer`) and the judge.
    judge : str
        Its role.
    questions : mapping of str to Question
        With their right answers.
    atoms : int
        How many of what was found are read.
    """

    client: ChatClient
    judge: JudgeRole
    questions: Mapping[str, Question]
    atoms: int

    def rewards(self, skill: RetrievalSkill, questions: Sequence[str]) -> list[float]:
        """1 where the answer is judged right, else 0, in the order of the questions."""
        found = self.rollouts(skill, questions)
        for one in found.values():
            if one.state == "failed":
                self._fails(one.reason or "")
        waiting = [q for q in questions if found[q].items and self.questions[q].answer]
        asked = [answer_request(self._to_read(found[name])) for name in waiting]
        read = readings(self.client.ask_many(asked) if asked else [])
        said: dict[str, ToJudge] = {}
        for name, reading in zip(waiting, read, strict=True):
            if reading.failure is not None:
                self._fails(reading.failure)
            elif reading.text:
                said[name] = self._to_judge(name, reading.text)
        judge = ModelJudge(self.client, self.judge)
        for outcome in judge.prepare(said.values()) if said else ():
            if outcome.state != "ok":
                self._fails(f"{self.judge}: {outcome.message}")
        right = {
            name: float(judge.judge(*one.key).label == "correct")
            for name, one in said.items()
        }
        return [right.get(name, 0.0) for name in questions]

    def _fails(self, reason: str) -> None:
        self.failed += 1
        self.first_failure = self.first_failure or reason

    def _to_read(self, found: RolloutRow) -> ToRead:
        """A question with the best of what was found for it."""
        view = self.asked[found.question].view
        atoms = [view.atoms[view.row[item]] for item in found.items[: self.atoms]]
        evidence = tuple(Evidence(atom.text, atom.timestamp) for atom in atoms)
        return ToRead(found.skill, self.questions[found.question], evidence, None)

    def _to_judge(self, name: str, answer: str) -> ToJudge:
        question = self.questions[name]
        gold = question.answer or ""
        return ToJudge(name, question.text, question.kind, gold, answer)
