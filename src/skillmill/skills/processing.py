"""The step `llm_process` through a chat client: an `Ask` for programs."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from skillmill.errors import ModelError
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.llm import ChatClient
from skillmill.models.prompts import prompt_version, render
from skillmill.models.replies_memory import ProcessReply
from skillmill.skills.asking import KEPT, Request

#: Role of the prompt.
ROLE: Final = "llm_process"

#: Of the evidence held, what a model is shown, best first; and characters of each.
SHOWN, LONGEST_TEXT = 30, 2000

#: What a step without an instruction of its own is told.
USUAL_INSTRUCTION = "Set whatever helps to find what answers the question."


class ChatProcess:
    """Asks the model of the role `llm_process` what a state should become.

    Parameters
    ----------
    client : ChatClient
        Its recorded replies answer what was asked before.

    Attributes
    ----------
    outcomes : list of Outcome
        One for each different question, in the order asked.
    """

    def __init__(self, client: ChatClient) -> None:
        self.outcomes: list[Outcome[Any]] = []
        self._client = client
        self._known: dict[str, Outcome[Any]] = {}

    def ahead(self, requests: Iterable[Request]) -> None:
        """Ask many questions at once, each different one once.

        Raises
        ------
        SkillmillError
            As `ChatClient.ask_many`.
        """
        fresh: dict[str, ChatRequest] = {}
        for request in requests:
            asked = _chat_request(request)
            key = _key(asked)
            if key not in self._known:
                fresh[key] = asked
        found = self._client.ask_many([*fresh.values()])
        self._known |= zip(fresh, found, strict=True)
        self.outcomes += found

    def ask(self, request: Request) -> Mapping[str, object]:
        """Give the variables to write.

        Evidence beyond the `SHOWN` best is not shown, so it goes where the model says
        what to keep.

        Raises
        ------
        ModelError
            If there is no usable reply.
        """
        key = _key(_chat_request(request))
        if key not in self._known:
            self.ahead([request])
        outcome = self._known[key]
        if outcome.state != "ok" or outcome.value is None:
            raise ModelError(
                f"{ROLE}: {outcome.reason}: {outcome.message}", record=request.id
            )
        reply: dict[str, object] = outcome.value.model_dump(mode="json")
        if outcome.value.kept_evidence is not None:
            names = {name: atom for name, atom, _ in _named(request)}
            kept = outcome.value.kept_evidence
            # An id that was not shown costs no other.
            reply[KEPT] = [names[name] for name in kept if name in names]
        return reply


def _named(request: Request) -> list[tuple[str, str, str]]:
    """What a prompt calls each atom shown, its id and its text."""
    return [
        (f"e{number}", atom, text[:LONGEST_TEXT])
        for number, (atom, text) in enumerate(request.evidence[:SHOWN], start=1)
    ]


def _chat_request(request: Request) -> ChatRequest:
    messages = render(
        ROLE,
        instruction=request.instruction or USUAL_INSTRUCTION,
        question=request.original or request.question,
        current_query=request.question,
        evidence=[{"id": name, "text": text} for name, _, text in _named(request)],
    )
    return ChatRequest(
        role=ROLE,
        messages=messages,
        reply_model=ProcessReply,
        schema_name=ROLE,
        stage=ROLE,
        record=request.id,
        version=prompt_version(ROLE),
    )


def _key(request: ChatRequest) -> str:
    return json.dumps([*map(dict, request.messages)], ensure_ascii=False)
