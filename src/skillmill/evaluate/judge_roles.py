"""Whose prompt judges answers, by how conversations are written."""

from collections.abc import Mapping
from typing import Final, Literal

JudgeRole = Literal["judge_locomo", "judge_longmemeval", "judge_perltqa"]

#: How conversations are written -> whose prompt judges answers about them.
ROLES: Final[Mapping[str, JudgeRole]] = {
    "locomo": "judge_locomo",
    "chatlog": "judge_locomo",
    "longmemeval": "judge_longmemeval",
    "perltqa": "judge_perltqa",
}
