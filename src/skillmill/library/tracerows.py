"""Schemas, dependencies, trees and bundles as rows of stores, and back."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, cast, get_args

from skillmill.library.bundle import Bundle, Member, Mode, Role
from skillmill.library.dependencies import Dependency, Match
from skillmill.library.ioschema import IOSchema, Kind, Slot, Source
from skillmill.library.querytree import Origin, QueryNode, QueryTree
from skillmill.store.rows import json_text, json_texts
from skillmill.store.traces import (
    BundleMember,
    BundleNote,
    BundleRow,
    DependencyRow,
    SchemaState,
    ServedRow,
    SlotRow,
    TreeNodeRow,
    TreeRemark,
    TreeRow,
)
from skillmill.types import State

#: A row of any of the tables.
Row = tuple[Any, ...]


def schema_rows(schemas: Iterable[IOSchema]) -> list[Row]:
    """Rows of slots, and one of each schema's state."""
    rows: list[Row] = []
    for schema in schemas:
        rows.append(SchemaState(schema.skill, schema.state, schema.reason))
        for side, slots in (("input", schema.inputs), ("output", schema.outputs)):
            rows += [
                SlotRow(schema.skill, side, slot.name, slot.kind, slot.source)
                for slot in slots
            ]
    return rows


def schemas_of(
    states: Iterable[SchemaState], slots: Iterable[SlotRow]
) -> list[IOSchema]:
    """Schemas of rows, by skill."""
    held: dict[tuple[str, str], list[Slot]] = defaultdict(list)
    for row in slots:
        kind, source = cast(Kind, row.kind), cast(Source, row.source)
        held[row.skill, row.side].append(Slot(row.name, kind, source))
    return [
        IOSchema(
            row.skill,
            tuple(sorted(held[row.skill, "input"])),
            tuple(sorted(held[row.skill, "output"])),
            cast(State, row.state),
            row.reason,
        )
        for row in states
    ]


def dependency_rows(edges: Iterable[Dependency]) -> list[Row]:
    """Rows of edges and of the slots behind them."""
    rows: list[Row] = []
    for e in edges:
        rows.append(DependencyRow(e.consumer, e.producer, e.weight, e.source))
        rows += [
            ServedRow(e.consumer, e.producer, name, output, likeness)
            for output, name, likeness in e.slots
        ]
    return rows


def dependencies_of(
    rows: Iterable[DependencyRow], served: Iterable[ServedRow]
) -> list[Dependency]:
    """Edges of rows, in their order."""
    slots: dict[tuple[str, str], list[Match]] = defaultdict(list)
    for row in served:
        match = (row.output, row.input, row.likeness)
        slots[row.producer, row.consumer].append(match)
    return [
        Dependency(
            row.producer,
            row.consumer,
            row.weight,
            tuple(slots[row.producer, row.consumer]),
            cast(Source, row.source),
        )
        for row in rows
    ]


def tree_rows(trees: Iterable[QueryTree]) -> list[Row]:
    """Rows of trees, their nodes and what was mended in them."""
    rows: list[Row] = []
    for tree in trees:
        rows.append(TreeRow(tree.task, tree.origin, tree.state, tree.reason))
        rows += [
            TreeNodeRow(
                tree.task,
                place,
                node.id,
                node.parent,
                node.requirement,
                json_text(node.inputs),
                json_text(node.outputs),
                node.rationale,
            )
            for place, node in enumerate(tree.nodes)
        ]
        rows += [
            TreeRemark(tree.task, place, remark)
            for place, remark in enumerate(tree.remarks)
        ]
    return rows


def trees_of(
    trees: Iterable[TreeRow],
    nodes: Iterable[TreeNodeRow],
    remarks: Iterable[TreeRemark],
) -> list[QueryTree]:
    """Trees of rows, by task; nodes and remarks come in order."""
    held: dict[str, list[QueryNode]] = defaultdict(list)
    for node in nodes:
        held[node.task].append(
            QueryNode(
                node.id,
                node.parent,
                node.requirement,
                json_texts(node.inputs),
                json_texts(node.outputs),
                node.rationale,
            )
        )
    told: dict[str, list[str]] = defaultdict(list)
    for remark in remarks:
        told[remark.task].append(remark.remark)
    return [
        QueryTree(
            row.task,
            tuple(held[row.task]),
            cast(Origin, row.origin),
            cast(State, row.state),
            row.reason,
            tuple(told[row.task]),
        )
        for row in trees
    ]


def bundle_rows(bundle: Bundle) -> list[Row]:
    """Rows of a bundle, its members and its notes."""
    rows: list[Row] = [
        BundleRow(
            bundle.task,
            bundle.mode,
            bundle.state,
            bundle.reason,
            bundle.tokens,
            int(bundle.converged),
            bundle.steps,
            bundle.residual,
        )
    ]
    rows += [
        BundleMember(
            bundle.task,
            place,
            member.skill,
            member.role,
            member.rank,
            member.score,
            json_text(member.leaves),
            json_text(member.path),
            json_text(member.slots),
            member.tokens,
        )
        for place, member in enumerate(bundle.members, start=1)
    ]
    notes: dict[str, Sequence[tuple[str, str]]] = {
        "broken": bundle.broken,
        "unmatched": [(leaf, "") for leaf in bundle.unmatched],
        "external": bundle.external,
        "left_out": bundle.left_out,
        "remark": [(remark, "") for remark in bundle.remarks],
    }
    for kind, pairs in notes.items():
        rows += [
            BundleNote(bundle.task, kind, place, first, second)
            for place, (first, second) in enumerate(pairs)
        ]
    return rows


def bundle_of(
    row: BundleRow, members: Iterable[BundleMember], notes: Iterable[BundleNote]
) -> Bundle:
    """The bundle of a row; members and notes of other tasks are passed over."""
    told: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for note in notes:
        if note.task == row.task:
            told[note.kind].append((note.first, note.second))
    return Bundle(
        task=row.task,
        mode=next(mode for mode in get_args(Mode) if mode == row.mode),
        members=tuple(_member(m) for m in members if m.task == row.task),
        state=cast(State, row.state),
        reason=row.reason,
        broken=tuple(told["broken"]),
        unmatched=tuple(first for first, _ in told["unmatched"]),
        external=tuple(told["external"]),
        left_out=tuple(told["left_out"]),
        converged=bool(row.converged),
        steps=row.steps,
        residual=row.residual,
        remarks=tuple(first for first, _ in told["remark"]),
    )


def _member(row: BundleMember) -> Member:
    """The member of a row."""
    return Member(
        skill=row.skill,
        role=cast(Role, row.role),
        rank=row.rank,
        score=row.score,
        leaves=json_texts(row.leaves),
        path=json_texts(row.path),
        slots=json_texts(row.slots),
        tokens=row.tokens,
    )
