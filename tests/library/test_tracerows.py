import pytest

from skillmill.library.bundle import Bundle, Member
from skillmill.library.dependencies import find_dependencies
from skillmill.library.querytree import QueryNode, QueryTree
from skillmill.library.tracerows import (
    bundle_of,
    bundle_rows,
    dependencies_of,
    dependency_rows,
    schema_rows,
    schemas_of,
    tree_rows,
    trees_of,
)
from skillmill.store import artifact, traces
from tests.library.planted import schema
from tests.store.examples import CHINESE, provenance

SCHEMAS = [schema("a", [CHINESE], ["map", "log"]), schema("b", ["map", "log"])]
TREE = QueryTree(
    "t",
    (
        QueryNode("r", None, "all"),
        QueryNode("1", "r", CHINESE, ("map",), ("chart", "log"), "one"),
    ),
    "llm",
    remarks=("first", "then"),
)
BUNDLE = Bundle(
    task="t",
    mode="paper",
    members=(
        Member("p", "supporting", 2, 0.25, (), ("p", "a"), ("map",), 7),
        Member("a", "primary", 1, 0.5, ("x", CHINESE), (), (), 9),
    ),
    broken=(("a", "p"),),
    unmatched=("y", "z"),
    external=(("a", "note"),),
    left_out=(("q", "too long"), ("c", "too long")),
    converged=False,
    steps=3,
    residual=0.125,
    remarks=("no tree: x",),
)


@pytest.fixture
def back(tmp_path):
    """Rows as they come back from a store."""

    def written(kind, rows, *types):
        path = tmp_path / "x.sqlite"
        with artifact.writing(path, provenance(kind)) as db:
            traces.save_trace_rows(db, rows)
        with artifact.reading(path, kind) as db:
            return [traces.load_trace_rows(db, one) for one in types]

    return written


def test_schemas_come_back(back):
    types = traces.SchemaState, traces.SlotRow
    assert schemas_of(*back("slots", schema_rows(SCHEMAS), *types)) == SCHEMAS


def test_dependencies_come_back_with_their_slots(back):
    edges = find_dependencies(SCHEMAS).edges
    rows = back(
        "dependencies",
        dependency_rows(edges),
        traces.DependencyRow,
        traces.ServedRow,
    )
    assert dependencies_of(*rows) == list(edges)
    assert len(edges[0].slots) == 2


def test_trees_come_back_in_order_and_failed_ones_too(back):
    lost = QueryTree("s", (), "llm", "failed", "no-reply")
    types = traces.TreeRow, traces.TreeNodeRow, traces.TreeRemark
    assert trees_of(*back("trees", tree_rows([TREE, lost]), *types)) == [lost, TREE]


def test_a_bundle_comes_back_with_its_notes(back):
    types = traces.BundleRow, traces.BundleMember, traces.BundleNote
    rows, members, notes = back("traces", bundle_rows(BUNDLE), *types)
    assert bundle_of(rows[0], members, notes) == BUNDLE
