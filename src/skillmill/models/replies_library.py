"""Replies of the roles of the skill library (Comparative; SkillTrace)."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from skillmill.models.heuristics.decompose import ClauseSplitter
from skillmill.models.heuristics.wording import stem, words
from skillmill.models.replies_base import Id, Item, Reply, Text, label_of

EdgeLabel = Literal[
    "requires", "specializes", "feeds_into", "routes_to", "precedes", "complements",
    "alternative_to", "verifies",
]  # fmt: skip
#: How deep a tree of a task may be; SkillTrace forbids steps below a skill's level.
DEEPEST_TREE = 5
#: What says for sure that one step follows another.
_IN_TURN = re.compile(r"\b(?:then|afterwards?|finally|lastly)\b|->|→", re.IGNORECASE)


class TypedEdge(Item):
    """A typed edge between two skills that were shown, in the direction stated."""

    id_fields: ClassVar[tuple[str, ...]] = ("source", "target")
    key_fields: ClassVar[tuple[str, ...]] = ("source", "target", "relation")

    source: Id
    target: Id
    relation: Annotated[
        EdgeLabel,
        label_of(
            "requires", "specializes", "feeds_into", "routes_to", "precedes",
            "complements", "alternative_to", "verifies",
        ),
    ]  # fmt: skip
    reason: Text = ""

    @model_validator(mode="after")
    def _of_two(self) -> Self:
        """Refuse an edge from a skill to itself."""
        if self.source == self.target:
            raise ValueError("an edge joins two different skills")
        return self


class EdgesReply(Reply):
    """What `emit_edges` is called with: edges of one skill and its candidates."""

    bare: ClassVar[str | None] = "edges"

    edges: Annotated[list[TypedEdge], Field(max_length=64)]


def _typed(value: str) -> str:
    """Write a type of artefact as lower-case words and hyphens, `invoice-pdf`."""
    name = re.sub(r"[\s_./-]+", "-", value.strip().lower()).strip("-")
    if not name:
        raise ValueError("expected the type of an artefact, got nothing")
    return name


#: The type of an artefact that goes into or comes out of a skill.
Slot = Annotated[str, AfterValidator(_typed), Field(max_length=80)]
Slots = Annotated[list[Slot], Field(max_length=20)]


class TreeNode(Item):
    """A node of a task's tree; a leaf is one step, fit for one skill.

    `parent` is null for the root. The leaf's fields are the paper's: requirement,
    input and output types, and why one skill can do it. `transformation` is the one
    verb of the requirement that a leaf carries out; inner nodes have none.
    """

    key_fields: ClassVar[tuple[str, ...]] = ("id",)

    id: Id
    parent: Id | None = None
    requirement: Annotated[Text, Field(min_length=1)]
    transformation: Text = ""
    input_types: Slots = Field(default_factory=list)
    output_types: Slots = Field(default_factory=list)
    rationale: Text = ""


def _check_way_up(node: str, parents: Mapping[str, str | None]) -> None:
    """Refuse a node from which no short way leads up to the root."""
    above = parents[node]
    for _ in range(DEEPEST_TREE):
        if above is None:
            return
        if above not in parents:
            raise ValueError(f"node {node!r} has the unknown ancestor {above!r}")
        above = parents[above]
    if above is not None:
        raise ValueError(f"node {node!r} lies too deep or in a cycle")


def _check_single(node: TreeNode) -> None:
    """Refuse a leaf that does not name one transformation, or does several in turn."""
    verbs = words(node.transformation)
    if len(verbs) != 1:
        raise ValueError(
            f"leaf {node.id!r} does exactly one transformation, so expected one verb in"
            f" `transformation`, got {node.transformation[:60]!r}; make each a leaf"
        )
    told = words(node.requirement)
    if stem(verbs[0]) not in map(stem, told) and verbs[0] not in node.requirement:
        raise ValueError(
            f"leaf {node.id!r}: its requirement does not say its transformation"
            f" {verbs[0]!r}; begin it with that verb"
        )
    steps = ClauseSplitter().steps(node.requirement)
    if len(steps) > 1 and _IN_TURN.search(node.requirement):
        raise ValueError(
            f"leaf {node.id!r} does {len(steps)} transformations in turn:"
            f" {'; '.join(steps)[:200]}; make each a leaf"
        )


class TreeReply(Reply):
    """The tree of a task as a flat list, the root first (SkillTrace, eq. 3).

    A list with parents and not nested objects: many servers cannot hold a model to a
    schema that contains itself.
    """

    bare: ClassVar[str | None] = "nodes"

    nodes: Annotated[list[TreeNode], Field(min_length=1, max_length=60)]

    @model_validator(mode="after")
    def _is_a_tree(self) -> Self:
        """Refuse what is no tree, and leaves that do not do exactly one thing.

        No tree: two roots, unknown parents, cycles, too deep.
        """
        ids = [node.id for node in self.nodes]
        roots = [node.id for node in self.nodes if node.parent is None]
        if len(set(ids)) < len(ids):
            raise ValueError("two nodes have the same id")
        if len(roots) != 1:
            raise ValueError(f"expected one root, got {len(roots)}")
        parents = {node.id: node.parent for node in self.nodes}
        for node in ids:
            _check_way_up(node, parents)
        for leaf in self.leaves():
            _check_single(leaf)
        return self

    def leaves(self) -> Sequence[TreeNode]:
        """The atomic steps, in the order given (the root where it stands alone)."""
        inner = {node.parent for node in self.nodes}
        return [node for node in self.nodes if node.id not in inner]


class SchemaReply(Reply):
    """Types of what a skill takes and gives (SkillTrace, eq. 7).

    The paper names neither prompt nor fields; these are those of a SKILL.md here.
    """

    inputs: Slots
    outputs: Slots
