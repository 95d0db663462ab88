"""All reply models by name, as the front matter of a prompt names them."""

from collections.abc import Mapping

from skillmill.models.replies_agent import ActionReply
from skillmill.models.replies_base import Checked, Item, Rejected, Reply, check_entries
from skillmill.models.replies_evolution import (
    DesignReply,
    FailureAnalysis,
    GeneratedSkill,
    SuccessAnalysis,
)
from skillmill.models.replies_library import EdgesReply, SchemaReply, TreeReply
from skillmill.models.replies_memory import (
    AnswerReply,
    JudgeReply,
    ProcessReply,
    RelationReply,
    RouteReply,
    WrittenReply,
)
from skillmill.models.replies_rivals import (
    InstructionReply,
    MemorySkillsReply,
    NotesReply,
    ReasoningReply,
    SheetReply,
)

REPLY_MODELS: Mapping[str, type[Reply]] = {
    model.__name__: model
    for model in (
        RelationReply,
        ProcessReply,
        FailureAnalysis,
        SuccessAnalysis,
        DesignReply,
        GeneratedSkill,
        RouteReply,
        AnswerReply,
        JudgeReply,
        WrittenReply,
        EdgesReply,
        TreeReply,
        SchemaReply,
        SheetReply,
        ReasoningReply,
        InstructionReply,
        NotesReply,
        MemorySkillsReply,
        ActionReply,
    )
}

__all__ = ["REPLY_MODELS", "Checked", "Item", "Rejected", "Reply", "check_entries"]
