"""What the designer and the generator of retrieval skills are told (ERSkill, B.2)."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

import numpy as np

from skillmill.evolve.proposals import ProposalContext
from skillmill.evolve.table import DECIMALS, RewardTable
from skillmill.evolve.trie import Explored, summary
from skillmill.skills.primitive import Primitive
from skillmill.types import Node, RetrievalSkill

#: Steps of the history that the designer sees.
RECENT = 5


def designer_briefing(context: ProposalContext) -> dict[str, object]:
    """Variables of the designer's prompt, all but the analyses."""
    return {
        "shadow_candidate_top_k": context.limit,
        "primitive_catalog": primitive_catalog(context.primitives),
        "skill_catalog": skill_catalog(context.trie.explored),
        "frontier_skill_catalog": [_card(skill) for skill in context.frontier],
        "trie_history_summary": summary(context.trie),
        "recent_history": [asdict(step) for step in context.history[-RECENT:]],
        "skill_metrics": skill_metrics(context.train, names(context)),
        "oracle_acc": context.train.oracle_mean(),
    }


def names(context: ProposalContext) -> dict[str, str]:
    """Content hash -> name, of all that was explored and of the frontier."""
    explored = (one.skill for one in context.trie.explored)
    return {skill.content_hash: skill.name for skill in (*explored, *context.frontier)}


def primitive_catalog(primitives: Mapping[str, Primitive]) -> list[dict[str, object]]:
    """Each primitive with its kind and what it may be told, by name."""
    return [
        {
            "name": name,
            "kind": primitives[name].kind,
            "arguments": {
                key: {"takes": known.expected, "default": known.default}
                for key, known in primitives[name].arguments.items()
            },
            "needs": list(primitives[name].needs),
            "needs_nothing_with": dict(primitives[name].needless),
            "writes": list(primitives[name].writes),
        }
        for name in sorted(primitives)
    ]


def skill_catalog(explored: Iterable[Explored]) -> list[dict[str, object]]:
    """All explored skills with program and standing; retired ones can be seen, too."""
    return [{**_card(one.skill), "status": one.status} for one in explored]


def skill_metrics(
    table: RewardTable, by_hash: Mapping[str, str]
) -> dict[str, dict[str, object]]:
    """How the skills of the frontier compare on the batch, by name.

    `avg_acc` is the mean reward, `unique_win_ratio` the share of questions on which the
    skill alone is best, `overlap` with each other skill the share of the questions
    either finds anything for that both do (ability overlap).
    """
    means, alone = table.utilities(), table.unique_win_ratio()
    able = table.rewards > 0
    metrics = {}
    for row, skill in enumerate(table.skills):
        overlap = {}
        for other, name in enumerate(table.skills):
            either = int(np.sum(able[row] | able[other]))
            both = int(np.sum(able[row] & able[other]))
            if other != row:
                share = round(both / either, DECIMALS) if either else 0.0
                overlap[by_hash[name]] = share
        metrics[by_hash[skill]] = {
            "avg_acc": means[skill],
            "unique_win_ratio": alone[skill],
            "overlap": overlap,
        }
    return metrics


def _card(skill: RetrievalSkill) -> dict[str, object]:
    """What a prompt shows of a skill."""
    return {
        "name": skill.name,
        "description": skill.description,
        "information_preference": skill.preference,
        "path": " > ".join(skill.path),
        "program": [_node(node) for node in skill.program],
    }


def _node(node: Node) -> dict[str, object]:
    """A step as the generator should write one."""
    return {
        "id": node.id,
        "primitive": node.primitive,
        "args": dict(node.args),
        "merge": node.merge,
        "weight": node.weight,
        "budget": node.budget,
    }
