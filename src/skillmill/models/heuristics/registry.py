"""Which roles have a stand-in when no language model is used, and which have none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from skillmill.models.heuristics.decompose import ClauseSplitter
from skillmill.models.heuristics.judge import MatchJudge
from skillmill.models.heuristics.reader import SpanReader
from skillmill.models.heuristics.related import CosineRelated

NEEDS_A_MODEL = "needs a language model"


@dataclass(frozen=True, slots=True)
class StandIn:
    """What takes the place of a role's model.

    With `state` `skipped` nothing does: the step emits nothing, with `reason`.
    """

    role: str
    state: Literal["ok", "skipped"]
    name: str | None = None
    version: str | None = None
    reason: str = ""

    @property
    def label(self) -> str:
        """How outputs name it: `heuristic span-reader 1`, or the reason for nothing."""
        if self.state == "skipped":
            return f"skipped: {self.reason}"
        return f"heuristic {self.name} {self.version}"


def _by(role: str, kind: type) -> StandIn:
    """A role that a class of this package stands in for."""
    return StandIn(role, "ok", kind.name, kind.version)  # type: ignore[attr-defined]


#: `related` is no role of a prompt: it tells whether two records have to do with
#: each other, which is all of relation and edge typing that works offline.
STAND_INS: Mapping[str, StandIn] = {
    stand_in.role: stand_in
    for stand_in in (
        _by("answer", SpanReader),
        _by("decompose", ClauseSplitter),
        _by("judge_locomo", MatchJudge),
        _by("judge_longmemeval", MatchJudge),
        _by("judge_perltqa", MatchJudge),
        _by("related", CosineRelated),
        StandIn("agent", "skipped", reason=NEEDS_A_MODEL),
        StandIn("designer", "skipped", reason=NEEDS_A_MODEL),
        StandIn("emit_edges", "skipped", reason=NEEDS_A_MODEL),
        StandIn("failure_analyst", "skipped", reason=NEEDS_A_MODEL),
        StandIn("generator", "skipped", reason=NEEDS_A_MODEL),
        StandIn("io_schema", "skipped", reason=NEEDS_A_MODEL),
        StandIn("llm_process", "skipped", reason=NEEDS_A_MODEL),
        StandIn("memory_writer", "skipped", reason=NEEDS_A_MODEL),
        StandIn("relation_extraction", "skipped", reason=NEEDS_A_MODEL),
        StandIn("router", "skipped", reason=NEEDS_A_MODEL),
        StandIn("curate_sheet", "skipped", reason=NEEDS_A_MODEL),
        StandIn("distil_reasoning", "skipped", reason=NEEDS_A_MODEL),
        StandIn("guided_answer", "skipped", reason=NEEDS_A_MODEL),
        StandIn("note_memory", "skipped", reason=NEEDS_A_MODEL),
        StandIn("revise_memory_skills", "skipped", reason=NEEDS_A_MODEL),
        StandIn("rewrite_instruction", "skipped", reason=NEEDS_A_MODEL),
        StandIn("success_analyst", "skipped", reason=NEEDS_A_MODEL),
    )
}


def stand_in(role: str) -> StandIn:
    """The stand-in of a role.

    Raises
    ------
    ValueError
        If there is no such role.
    """
    if role not in STAND_INS:
        raise ValueError(f"unknown role {role!r}; known are {', '.join(STAND_INS)}")
    return STAND_INS[role]
