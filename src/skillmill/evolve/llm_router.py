"""A language model in place of the trained router (ERSkill, appendix D.4.3).

It reads the question and the words of the skills on offer, and names one of them. It
learns nothing: the ablation without a router.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from skillmill.evolve.prior_router import Floats, Router, Vectors
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.prompts import prompt_version, render, reply_model
from skillmill.types import RetrievalSkill, State

ROLE = "router"
STAGE = "routing"

_log = logging.getLogger(__name__)


class Client(Protocol):
    """Whoever asks language models; `models.llm.ChatClient` is one."""

    def ask_many(self, requests: Sequence[ChatRequest]) -> list[Outcome[Any]]:
        """Ask questions; outcomes come in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Sent:
    """Which skill a model names for a question.

    `skill` is a place in the skills on offer, None unless the state is `ok`.
    """

    state: State
    skill: int | None
    reason: str = ""


def send(
    client: Client, questions: Sequence[str], skills: Sequence[RetrievalSkill]
) -> list[Sent]:
    """Ask for each question which skill suits it, in the order of the questions.

    A name that is not on offer is a failure. One skill is taken unasked.
    """
    if len(skills) == 1:
        return [Sent("ok", 0)] * len(questions)
    offered = sorted(skills, key=lambda skill: skill.name)
    cards = [
        {
            "name": skill.name,
            "description": skill.description,
            "information_preference": skill.preference,
        }
        for skill in offered
    ]
    names = [skill.name for skill in offered]
    requests = [
        ChatRequest(
            role=ROLE,
            messages=render(
                ROLE,
                question=question,
                skill_candidates=cards,
                allowed_skill_names=names,
            ),
            reply_model=reply_model(ROLE),
            schema_name=ROLE,
            stage=STAGE,
            record=question[:80],
            version=prompt_version(ROLE),
        )
        for question in questions
    ]
    place = {skill.name: number for number, skill in enumerate(skills)}
    return [_read(outcome, place) for outcome in client.ask_many(requests)]


def _read(outcome: Outcome[Any], place: dict[str, int]) -> Sent:
    """What a reply names, if that is on offer."""
    if outcome.state != "ok" or outcome.value is None:
        return Sent(outcome.state, None, outcome.message)
    name = outcome.value.skill
    if name not in place:
        return Sent("failed", None, f"the model names {name!r}, which is not on offer")
    return Sent("ok", place[name])


@dataclass(eq=False)
class LlmRouting:
    """The same where a trained router is expected (`prior_router.Routing`).

    It knows questions and skills by their vectors, so all must be told before.

    Attributes
    ----------
    client : Client
    questions : mapping of bytes to str
        Vector -> text.
    skills : mapping of bytes to RetrievalSkill
        Vector -> skill.
    failed : mapping of str to str
        Questions without a usable reply, and why; all skills have equal shares then.
    """

    client: Client
    questions: dict[bytes, str] = field(default_factory=dict)
    skills: dict[bytes, RetrievalSkill] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def know(
        self,
        vectors: Vectors,
        texts: Sequence[str],
    ) -> None:
        """Tell the texts of questions, one a row of `vectors`."""
        for row, text in zip(_rows(vectors), texts, strict=True):
            self.questions[row] = text

    def know_skills(self, vectors: Vectors, skills: Sequence[RetrievalSkill]) -> None:
        """Tell the skills, one a row of `vectors`."""
        self.skills |= dict(zip(_rows(vectors), skills, strict=True))

    def probabilities(self, questions: Vectors, skills: Vectors) -> Floats:
        """1 for the skill that the model names, (q, s).

        Raises
        ------
        KeyError
            If a vector is not known.
        """
        offered = [self.skills[row] for row in _rows(skills)]
        texts = [self.questions[row] for row in _rows(questions)]
        shares = np.zeros((len(texts), len(offered)))
        sent = send(self.client, texts, offered) if offered else []
        for number, (text, one) in enumerate(zip(texts, sent, strict=True)):
            if one.skill is None:
                _log.warning("%s: %s", text[:80], one.reason)
                self.failed[text] = one.reason
                shares[number] = 1 / len(offered)
            else:
                shares[number, one.skill] = 1.0
        return shares

    def dump(self) -> bytes:
        """A name: there is nothing that it has learnt."""
        return b"llm"

    def train(
        self,
        questions: Vectors,
        skills: Vectors,
        rewards: Floats,
        settings: object,
        rng: np.random.Generator,
        start: Router | None = None,
    ) -> "LlmRouting":
        """Learn nothing."""
        return self

    def load(self, data: bytes) -> "LlmRouting":
        """Itself."""
        return self


def _rows(vectors: Vectors) -> list[bytes]:
    """Each row as a key."""
    return [row.tobytes() for row in np.ascontiguousarray(vectors, dtype=np.float32)]
