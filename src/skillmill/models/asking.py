"""Many questions at once, within the limits of their roles, none of them twice."""

import asyncio
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skillmill.errors import SkillmillError
from skillmill.models.chat import Outcome, unanswered
from skillmill.models.exchange import Tools, converse
from skillmill.models.recorded import Plan, recall
from skillmill.models.usage import estimate_tokens


class Asking:
    """Asks the questions of one client, all in one event loop.

    `concurrency` is the most questions of each role that are under way at once.
    `begin`, called with a stage and a number of questions, gives what to call as each
    of them ends.
    """

    def __init__(
        self,
        concurrency: Mapping[str, int],
        tools: Tools,
        begin: Callable[[str, int], Callable[[], None]],
    ) -> None:
        self._tools = tools
        self._begin = begin
        self._slots = {role: asyncio.Semaphore(n) for role, n in concurrency.items()}
        # The same question twice at a time is one call: the second waits for it.
        self._under_way: weakref.WeakValueDictionary[str, asyncio.Lock] = (
            weakref.WeakValueDictionary()
        )

    async def ask_all(self, plans: Sequence[Plan]) -> list[Outcome[Any]]:
        """Ask all, in any order; outcomes come in the order of the questions.

        Raises
        ------
        SkillmillError
            The first that a question met. What is under way is still ended and
            recorded, nothing more is begun.
        """
        errors: list[SkillmillError] = []
        stage = plans[0].request.stage if plans else ""
        step = self._begin(stage, len(plans))

        async def one(plan: Plan) -> Outcome[Any] | None:
            async with self._slots[plan.request.role]:
                if errors:
                    return None
                try:
                    outcome = await self._ask(plan)
                except SkillmillError as error:
                    errors.append(error)
                    return None
                step()
                return outcome

        tasks = [asyncio.ensure_future(one(plan)) for plan in plans]
        try:
            results = await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            raise
        if errors:
            raise errors[0]
        return [result for result in results if result is not None]

    async def _ask(self, plan: Plan) -> Outcome[Any]:
        if too_long := _too_long(plan):
            return unanswered(plan.request, "failed", "too-long", too_long)
        async with plan.lane.entrance(plan.request.schema_name):
            key = plan.current_key()
            async with self._under_way.setdefault(key, asyncio.Lock()):
                # Another process, or the same question, may have been quicker.
                recalled = recall([plan], self._tools.replies)[0]
                if recalled.outcome is not None:
                    return recalled.outcome
                if down := plan.lane.down:
                    return unanswered(plan.request, "skipped", "endpoint-down", down)
                return await converse(plan, self._tools, recalled.to_mend)


def _too_long(plan: Plan) -> str:
    """Say that a question does not fit into its model's context; '' if it may."""
    settings = plan.settings
    if settings.context_tokens is None:
        return ""
    room = settings.context_tokens - (settings.max_tokens or 0)
    tokens = estimate_tokens(plan.messages)
    if tokens <= room:
        return ""
    return (
        f"the prompt has about {tokens:,} tokens, and {settings.model!r} reads"
        f" {room:,} and keeps the rest for its reply; shorten the prompt, or raise"
        " context_tokens if the server allows more"
    )
