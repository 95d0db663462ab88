"""Ask a scripted endpoint the way most tests do: role `linker`, no real waits."""

from skillmill.models.llm import ChatClient
from skillmill.models.usage import Budget
from tests.models.endpoint import FakeTime, MemoryReplies, request, rng, settings


def client(script, replies, time=None, mode="live", budget=None, **changes):
    """A client of a scripted endpoint; `changes` are of the role's settings."""
    time = time or FakeTime()
    return ChatClient(
        {"linker": settings(**changes)},
        replies,
        rng=rng(),
        mode=mode,
        budget=budget or Budget(),
        http_client=script.client(time.clock),
        clock=time.clock,
    )


def ask(script, time=None, replies=None, questions=None, **changes):
    """Ask one question (or some) and give the outcome (or all) and the client."""
    replies = MemoryReplies() if replies is None else replies
    with client(script, replies, time, **changes) as chat:
        outcomes = chat.ask_many(questions or [request()])
    return (outcomes if questions else outcomes[0]), chat
