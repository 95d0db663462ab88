import json

import numpy as np
import pytest

from skillmill.errors import LimitError
from skillmill.library.querytree import (
    NOT_ASKED,
    TreeSettings,
    clause_tree,
    grounded_share,
    grow_trees,
)
from skillmill.models.llm import ChatClient
from skillmill.models.replies_library import TreeReply
from skillmill.types import Task
from tests.models.endpoint import MemoryReplies, Script, says, settings

TEXT = "Sand the hull, paint it blue and write the owner an invoice."


def node(id_, parent, requirement, **more):
    """A node; its transformation is the first word of what it asks for."""
    verb = {"transformation": str(requirement).split()[0].lower()}
    return {"id": id_, "parent": parent, "requirement": requirement} | verb | more


GOOD = [
    node("r", None, "All of it"),
    node("w", "r", "Work on the hull"),
    node("a", "w", "Sand the hull", input_types=["hull"], output_types=["Bare Hull"]),
    node("b", "w", "Paint the hull blue"),
    node("c", "r", "Write an invoice for the owner", rationale="one document"),
]


def grow(*replies, bounds=None, failed_share=1.0):
    """The tree of one task, and how often the endpoint was asked."""
    script = Script(
        *(says(r if isinstance(r, str) else json.dumps(r)) for r in replies)
    )
    with ChatClient(
        {"decompose": settings()},
        MemoryReplies(),
        rng=np.random.default_rng(0),
        http_client=script.client(),
    ) as client:
        found = grow_trees(
            [Task("t", TEXT, ())],
            client,
            bounds or TreeSettings(),
            model="tiny",
            failed_share=failed_share,
        )
    trees, _ = found
    return trees[0], len(script.asked)


def requirements(tree):
    return [leaf.requirement for leaf in tree.leaves()]


def test_a_good_reply_is_a_tree_with_leaves_in_order():
    tree, asked = grow({"nodes": GOOD})
    assert (tree.state, tree.origin, asked) == ("ok", "llm", 1)
    assert requirements(tree) == [
        "Sand the hull",
        "Paint the hull blue",
        "Write an invoice for the owner",
    ]
    assert tree.leaves()[0].outputs == ("bare-hull",)
    assert tree.lines() == [
        "All of it",
        "  Work on the hull",
        "    Sand the hull  [hull -> bare-hull]",
        "    Paint the hull blue",
        "  Write an invoice for the owner",
    ]


CYCLE = [GOOD[0], node("a", "b", "Sand the hull"), node("b", "a", "Paint the hull")]
WRONG = [node("r", None, "All", input_types="hull"), node("a", "r", {"do": "sand"})]
MANY = [GOOD[0], *(node(f"n{n}", "r", f"Sand the hull {n}") for n in range(500))]


@pytest.mark.parametrize(
    "broken",
    [
        {"nodes": CYCLE},
        {"nodes": []},
        {"nodes": WRONG},
        {"nodes": MANY},
        {"nodes": [node("a", None, "Sand"), node("b", None, "Paint")]},
        {"nodes": [GOOD[0], node("a", "nobody", "Sand the hull")]},
        "Sand it, then paint it.",
    ],
    ids=["cycle", "empty", "types", "500", "two-roots", "orphan", "prose"],
)
def test_a_broken_tree_is_sent_back_and_then_fails_and_counts(broken):
    tree, asked = grow(broken)
    assert (tree.state, tree.nodes) == ("failed", ())
    assert tree.reason
    assert asked >= 2
    mended, _ = grow(broken, {"nodes": GOOD})
    assert (mended.state, len(mended.leaves())) == ("ok", 3)
    with pytest.raises(LimitError, match="decompose"):
        grow(broken, failed_share=0.2)


@pytest.mark.parametrize(
    ("leaf", "told"),
    [
        (node("a", "r", "Sand the hull", transformation=""), "expected one verb"),
        (node("a", "r", "Sand the hull", transformation="sand, paint"), "one verb"),
        (node("a", "r", "Sand the hull", transformation="paint"), "does not say"),
        (node("a", "r", "Sand the hull, then paint it"), "2 transformations in turn"),
    ],
)
def test_a_leaf_does_exactly_one_transformation_or_is_sent_back(leaf, told):
    tree, asked = grow({"nodes": [GOOD[0], leaf]})
    assert (tree.state, asked) == ("failed", 2)
    mended, asked = grow({"nodes": [GOOD[0], leaf]}, {"nodes": GOOD})
    assert (mended.state, asked) == ("ok", 2)
    with pytest.raises(ValueError, match=told):
        TreeReply.model_validate({"nodes": [GOOD[0], leaf]})


def test_a_leaf_that_only_looks_like_two_steps_stays_and_is_remarked():
    two = node("a", "r", "Write the invoice and send the owner an email")
    tree, _ = grow({"nodes": [GOOD[0], two]})
    assert len(tree.leaves()) == 1
    assert tree.remarks == (f"maybe 2 steps in one leaf: {two['requirement']!r}",)


def test_one_node_is_a_tree_whose_root_is_its_leaf():
    tree, _ = grow({"nodes": [node("r", None, "Sand and paint the hull")]})
    assert (tree.state, requirements(tree)) == ("ok", ["Sand and paint the hull"])


def test_a_leaf_that_the_task_does_not_ask_for_is_left_out_and_told():
    unasked = node("x", "r", "Deploy a web server")
    group = node("g", "r", "Market the boat")
    below = node("y", "g", "Book radio commercials")
    tree, _ = grow({"nodes": [*GOOD, unasked, group, below]})
    assert len(tree.leaves()) == 3
    assert "Market the boat" not in [n.requirement for n in tree.nodes]
    assert tree.remarks == (
        "not asked for, left out: 'Book radio commercials'",
        "not asked for, left out: 'Deploy a web server'",
    )


def test_a_tree_of_nothing_that_was_asked_has_failed():
    tree, _ = grow({"nodes": [GOOD[0], node("x", "r", "Deploy a web server")]})
    assert (tree.state, tree.reason) == ("failed", NOT_ASKED)


def test_too_many_leaves_are_folded_group_by_group_from_below():
    tree, _ = grow({"nodes": GOOD}, bounds=TreeSettings(leaves=2))
    assert requirements(tree) == ["Work on the hull", "Write an invoice for the owner"]
    assert tree.leaves()[0].outputs == ("bare-hull",)
    assert tree.remarks == ("too many leaves, 2 folded into 'w'",)
    flat = [GOOD[0], *(node(f"n{n}", "r", f"Sand the hull {n}") for n in range(4))]
    tree, _ = grow({"nodes": flat}, bounds=TreeSettings(leaves=3))
    assert (tree.state, tree.reason) == ("failed", "4 leaves, 3 at most")


def test_a_node_may_come_before_its_parent():
    tree, _ = grow({"nodes": GOOD[::-1]})
    assert tree.nodes[0].parent is None
    assert len(tree.leaves()) == 3


def test_without_a_model_clauses_and_list_items_are_the_leaves():
    tree = clause_tree(
        "t", "Do this:\n- Convert the scans\n- Sort them and write a letter"
    )
    assert tree.origin == "heuristic"
    assert requirements(tree) == ["Convert the scans", "Sort them", "write a letter"]
    assert {leaf.parent for leaf in tree.leaves()} == {"0"}


def test_a_task_of_one_step_is_one_node_and_a_blank_one_is_empty():
    one = clause_tree("t", "Sand the hull.")
    assert [n.parent for n in one.nodes] == [None]
    assert clause_tree("t", " \n").state == "empty"


def test_a_stand_in_tree_is_bounded_too():
    text = "\n".join(f"- Convert scan number {n}" for n in range(500))
    assert len(clause_tree("t", text, TreeSettings(leaves=5)).leaves()) == 5


def test_the_share_of_words_is_counted_by_stem():
    # sanding, hulls and radio: two of three are in the text.
    assert grounded_share("Sanding hulls, radio", TEXT) == pytest.approx(2 / 3)
    assert grounded_share("of the", TEXT) == 0


@pytest.mark.parametrize("wrong", [{"leaves": 0}, {"grounded": 1.5}])
def test_bounds_that_no_tree_keeps_are_refused(wrong):
    with pytest.raises(ValueError, match="expected"):
        TreeSettings(**wrong)
