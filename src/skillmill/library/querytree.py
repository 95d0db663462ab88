"""The tree of a task: what it asks for, taken apart into steps for single skills."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.failures import check_failed_share
from skillmill.models.heuristics.decompose import ClauseSplitter
from skillmill.models.heuristics.wording import stems
from skillmill.models.llm import ChatClient
from skillmill.models.prompts import prompt_version, render
from skillmill.models.replies_library import TreeReply
from skillmill.types import State, Task

#: Role of the prompt.
ROLE: Final = "decompose"

Origin = Literal["llm", "heuristic"]

BLANK = "the task holds no word"
NOT_ASKED = "no leaf asks for anything that the task asks for"

_ROOT: Final = "0"


@dataclass(frozen=True, slots=True)
class QueryNode:
    """A node; `parent` is None for the root. Only leaves have types and a rationale."""

    id: str
    parent: str | None
    requirement: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class QueryTree:
    """A task's tree (SkillTrace, eq. 3).

    `nodes` begin with the root; a node stands behind its parent. A tree that is not
    `ok` has none. `remarks` tell what was mended.
    """

    task: str
    nodes: tuple[QueryNode, ...]
    origin: Origin
    state: State = "ok"
    reason: str = ""
    remarks: tuple[str, ...] = ()

    def leaves(self) -> list[QueryNode]:
        """The atomic queries, in order; the root where it stands alone."""
        inner = {node.parent for node in self.nodes}
        return [node for node in self.nodes if node.id not in inner]

    def lines(self) -> list[str]:
        """The tree as indented text, with the types of each leaf."""
        depth: dict[str | None, int] = {None: -1}
        told = []
        for node in _downwards(self.nodes):
            depth[node.id] = depth[node.parent] + 1
            types = ""
            if node.inputs or node.outputs:
                types = f"  [{', '.join(node.inputs)} -> {', '.join(node.outputs)}]"
            told.append(f"{'  ' * depth[node.id]}{node.requirement}{types}")
        return told


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """Bounds of a tree.

    `leaves` is the most that one may have: below it the deepest groups are folded
    into one leaf each, and a root with more children of its own has failed.
    `grounded` is the least share of a leaf's words, by stem, that the task holds: a
    leaf below it asks for something that the task does not ask, and is left out.
    """

    leaves: int = 24
    grounded: float = 0.3

    def __post_init__(self) -> None:
        """Refuse bounds that no tree keeps."""
        if self.leaves < 1 or not 0 <= self.grounded <= 1:
            raise ValueError(
                "expected at least one leaf and a share in [0, 1], got"
                f" {self.leaves} and {self.grounded}"
            )


@dataclass(slots=True)
class _Mended:
    """Nodes and what was done to them."""

    nodes: list[QueryNode]
    remarks: list[str] = field(default_factory=list)


def grow_trees(
    tasks: Sequence[Task],
    client: ChatClient,
    settings: TreeSettings = TreeSettings(),
    *,
    model: str = "",
    failed_share: float = 1.0,
) -> tuple[list[QueryTree], list[Outcome[Any]]]:
    """Trees of tasks, in their order, and what came of the questions.

    By the role `decompose`, or where the client is off by clauses and list items. A
    reply that is no tree is sent back once by the client; if it still is none, or
    asks for nothing that its task asks for, the tree has failed.

    Raises
    ------
    SkillmillError
        As `ChatClient.ask_many`.
    LimitError
        If too many questions brought no usable reply.
    """
    if client.mode == "off":
        return [clause_tree(task.id, task.text, settings) for task in tasks], []
    outcomes = client.ask_many([tree_request(task.id, task.text) for task in tasks])
    check_failed_share(outcomes, failed_share, stage=ROLE, model=model)
    trees = [
        read_tree(task.id, task.text, outcome, settings)
        for task, outcome in zip(tasks, outcomes, strict=True)
    ]
    return trees, outcomes


def tree_request(task: str, text: str) -> ChatRequest:
    """The question about one task."""
    return ChatRequest(
        role=ROLE,
        messages=render(ROLE, task=text),
        reply_model=TreeReply,
        schema_name="tree",
        stage=ROLE,
        record=task,
        version=prompt_version(ROLE),
    )


def clause_tree(
    task: str,
    text: str,
    settings: TreeSettings = TreeSettings(),
) -> QueryTree:
    """A tree without a model: a leaf for each clause and list item of a task."""
    if not text.strip():
        return QueryTree(task, (), "heuristic", "empty", BLANK)
    steps = ClauseSplitter().steps(text, settings.leaves)
    root = QueryNode(_ROOT, None, " ".join(text.split()))
    leaves = [QueryNode(f"{n}", _ROOT, step) for n, step in enumerate(steps, start=1)]
    nodes = (root, *leaves) if len(steps) > 1 else (root,)
    return QueryTree(task, nodes, "heuristic")


def read_tree(
    task: str,
    text: str,
    outcome: Outcome[Any],
    settings: TreeSettings = TreeSettings(),
) -> QueryTree:
    """The tree of a reply, mended where that is harmless."""
    if outcome.state != "ok" or outcome.value is None:
        return QueryTree(task, (), "llm", outcome.state, outcome.reason)
    reply: TreeReply = outcome.value
    nodes = [
        QueryNode(
            id=node.id,
            parent=node.parent,
            requirement=node.requirement,
            inputs=tuple(dict.fromkeys(node.input_types)),
            outputs=tuple(dict.fromkeys(node.output_types)),
            rationale=node.rationale,
        )
        for node in reply.nodes
    ]
    whole = _downwards(nodes)
    mended = _without_unasked(_Mended(whole, _several(whole)), text, settings.grounded)
    if not mended.nodes:
        reason = NOT_ASKED
        return QueryTree(task, (), "llm", "failed", reason, tuple(mended.remarks))
    mended = _folded(mended, settings.leaves)
    tree = QueryTree(task, tuple(mended.nodes), "llm", remarks=tuple(mended.remarks))
    if len(tree.leaves()) > settings.leaves:
        reason = f"{len(tree.leaves())} leaves, {settings.leaves} at most"
        return replace(tree, nodes=(), state="failed", reason=reason)
    return tree


def grounded_share(requirement: str, text: str) -> float:
    """Share of a requirement's words, by stem, that a text holds; 0 without words."""
    own, given = set(stems(requirement)), set(stems(text))
    return len(own & given) / len(own) if own else 0.0


def _downwards(nodes: Sequence[QueryNode]) -> list[QueryNode]:
    """Nodes of a tree, each behind its parent, siblings in the order given."""
    children: dict[str | None, list[QueryNode]] = defaultdict(list)
    for node in nodes:
        children[node.parent].append(node)
    order: list[QueryNode] = []
    waiting = children[None][::-1]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += children[node.id][::-1]
    return order


def _several(nodes: Sequence[QueryNode]) -> list[str]:
    """Remarks on leaves that look like several steps; a guess, so they stay."""
    inner = {node.parent for node in nodes}
    cut = {
        node.requirement: ClauseSplitter().steps(node.requirement)
        for node in nodes
        if node.id not in inner
    }
    return [
        f"maybe {len(steps)} steps in one leaf: {requirement!r}"
        for requirement, steps in cut.items()
        if len(steps) > 1
    ]


def _without_unasked(tree: _Mended, text: str, least: float) -> _Mended:
    """Leave out leaves that the task does not ask for, and groups of nothing else."""
    inner = {node.parent for node in tree.nodes}
    kept: set[str] = set()
    remarks = list(tree.remarks)
    for node in reversed(tree.nodes):
        if node.id in inner:
            continue
        if grounded_share(node.requirement, text) < least:
            remarks.append(f"not asked for, left out: {node.requirement!r}")
        else:
            kept.add(node.id)
    for node in reversed(tree.nodes):
        if node.id in kept and node.parent is not None:
            kept.add(node.parent)
    nodes = [node for node in tree.nodes if node.id in kept]
    return _Mended(nodes, sorted(remarks))


def _folded(tree: _Mended, most: int) -> _Mended:
    """Fold the deepest groups into a leaf each until there are few enough leaves."""
    nodes, remarks = list(tree.nodes), list(tree.remarks)
    while sum(node.id not in {n.parent for n in nodes} for node in nodes) > most:
        depth: dict[str | None, int] = {None: -1}
        for node in nodes:
            depth[node.id] = depth[node.parent] + 1
        deepest = max(nodes, key=lambda node: depth[node.id])
        if deepest.parent is None or depth[deepest.id] == 1:
            break
        group = deepest.parent
        children = [node for node in nodes if node.parent == group]
        nodes = [
            _joined(node, children) if node.id == group else node
            for node in nodes
            if node.parent != group
        ]
        remarks.append(f"too many leaves, {len(children)} folded into {group!r}")
    return _Mended(nodes, remarks)


def _joined(node: QueryNode, children: Sequence[QueryNode]) -> QueryNode:
    """A group as a leaf: it takes and gives what its children do."""
    inputs = dict.fromkeys(name for child in children for name in child.inputs)
    outputs = dict.fromkeys(name for child in children for name in child.outputs)
    return replace(node, inputs=tuple(inputs), outputs=tuple(outputs))
