"""The reply of an agent that acts in a household (SkillTrace, ALFWorld)."""

from typing import Annotated

from pydantic import Field

from skillmill.models.replies_base import Reply, Text


class ActionReply(Reply):
    """What the agent does next; the thought comes first so that it can help."""

    thought: Text = ""
    action: Annotated[str, Field(min_length=1, max_length=200)]
