"""What questions would cost, told by the code that would send them."""

from collections.abc import Sequence
from dataclasses import dataclass

from skillmill.models.recorded import Plan
from skillmill.models.usage import estimate_tokens


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the questions of one role and stage would cost.

    `calls` is one for each question that is not recorded: retries, probes and repair
    rounds come on top. `completion_tokens` are the most that the settings allow; None
    if they set no limit. `money` is None without prices, or without that limit.
    `prompt_tokens` is None where prompts depend on what is not known yet.
    """

    role: str
    stage: str
    questions: int
    recorded: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    money: float | None


def forecast(plans: Sequence[Plan], known: Sequence[bool]) -> list[Forecast]:
    """Sum up questions by role and stage, sorted; equal ones are asked once.

    `known` tells for each whether its reply is recorded.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for number, plan in enumerate(plans):
        group = plan.request.role, plan.request.stage
        groups.setdefault(group, []).append(number)
    asked: set[tuple[str, int]] = set()
    rows = []
    for (role, stage), members in sorted(groups.items()):
        prompt, calls = 0, 0
        for number in members:
            plan = plans[number]
            key = plan.current_key(), plan.request.sample
            if known[number] or key in asked:
                continue
            asked.add(key)
            calls += 1
            shape = plan.lane.shape(plan.request.schema_name)
            body = plan.body(shape, plan.messages)
            prompt += estimate_tokens(body["messages"])
        settings = plans[members[0]].settings
        most = settings.max_tokens
        completion = 0 if calls == 0 else None if most is None else most * calls
        money = None if completion is None else settings.cost(prompt, completion)
        recorded = sum(known[number] for number in members)
        rows.append(
            Forecast(
                role, stage, len(members), recorded, calls, prompt, completion, money
            )
        )
    return rows
