"""The typed graph as a whole, with a scripted endpoint."""

import pytest

from skillmill.errors import LimitError
from skillmill.library.cousage import CoUsage
from skillmill.library.curated import Curated
from skillmill.library.shortlist import ShortlistSettings
from skillmill.store.replies import ReplyRecords
from skillmill.types import Edge, LoadReport
from tests.library.linker import Linker, build, skill

ALL = ShortlistSettings(
    {"similar": 8, "related": 8, "declared_io": 8, "co_usage": 8, "mention": 8}, 12
)


@pytest.fixture
def replies(tmp_path):
    with ReplyRecords(tmp_path) as records:
        yield records


def near(*pairs):
    return [Edge(s, t, "similar_to", 0.9, "embedding") for s, t in pairs]


def link(source, relation, target):
    return {"source": source, "relation": relation, "target": target}


def says(**replies):
    """A linker that says of each skill what is given, else nothing."""
    return Linker(lambda asked, shown: replies.get(asked["id"], []))


def words(graph):
    return {f"{e.source} {e.relation} {e.target}": e.provenance for e in graph.edges}


def flags(graph):
    return {(f"{f.source} {f.relation} {f.target}", f.flag) for f in graph.flags}


ABC = [skill("a", "sort."), skill("b", "dry."), skill("c", "fold.")]
NEAR = near(("a", "b"), ("b", "a"), ("a", "c"))


def test_without_a_model_only_what_rules_justify_is_there_and_it_says_so(replies):
    skills = [
        skill("clay", outputs=("clay",), related=("pot",)),
        skill("pot", inputs=("clay",)),
        skill("pot/lid", part_of="pot"),
        skill("alone"),
    ]
    linker = Linker()
    graph, emitter = build(
        skills,
        linker,
        replies,
        similar=near(("clay", "pot"), ("pot/lid", "clay")),
        mode="off",
        shortlist=ALL,
    )
    assert words(graph) == {
        "clay feeds_into pot": "rule",
        "clay complements pot": "derived",
        "pot/lid part_of pot": "derived",
    }
    assert (linker.asked, emitter.asked, emitter.recalled) == ([], 0, 0)
    off = "no language model is used: the mode is off"
    assert graph.outcomes["emit_edges"] == {
        ("skipped", off): 3,
        ("empty", "no candidate"): 1,
    }
    assert graph.outcomes["typed_edges"] == {
        ("ok", ""): 3,
        ("empty", "no candidate"): 1,
    }


def test_cosines_are_not_in_the_graph(replies):
    graph, _ = build(ABC, says(a=[link("a", "requires", "b")]), replies, similar=NEAR)
    assert [(e.relation, e.weight) for e in graph.edges] == [("requires", None)]


def test_each_edge_says_how_its_pair_was_found(replies):
    skills = [
        skill("a", "sort.", related=("b",)),
        skill("b", "dry.", inputs=("x",)),
        skill("c", "then a-d.", outputs=("x",)),
        skill("a-d", "fold."),
    ]
    linker = says(a=[link("a", "routes_to", "b")], c=[link("c", "precedes", "a-d")])
    graph, _ = build(
        skills,
        linker,
        replies,
        similar=near(("a", "b")),
        usage=CoUsage({"t": ("c", "b"), "u": ("c", "b")}),
        curated=Curated(
            (Edge("a-d", "b", "verifies", None, "curated"),),
            frozenset(),
            LoadReport("e", 1, 1, 0, 0),
        ),
        shortlist=ALL,
    )
    found = {}
    for source, target, relation, origin in graph.origins:
        found.setdefault(f"{source} {relation} {target}", []).append(origin)
    assert found == {
        "a complements b": ["related"],
        "a routes_to b": ["related", "similar"],
        "a-d verifies b": ["curated"],
        "c feeds_into b": ["declared_io"],
        "c precedes a-d": ["mention"],
        "c precedes b": ["co_usage"],
    }
    assert words(graph)["c precedes b"] == "learned"


def test_only_pairs_of_the_shortlist_with_the_skill_asked_about_count_u35(replies):
    linker = says(
        a=[
            link("a", "requires", "b"),
            link("a", "requires", "zebra"),
            link("b", "requires", "c"),
            {"id": "1"},
            link("a", "Feeds Into", "c"),
            link("a", "requires", "b"),
            link("a", "is_like", "b"),
            link("a", "precedes", "a"),
        ]
    )
    graph, _ = build(ABC, linker, replies, similar=NEAR)
    assert words(graph) == {"a requires b": "llm", "a feeds_into c": "llm"}
    reasons = [row.reason for row in graph.rejected]
    assert [row.position for row in graph.rejected] == list(range(6))
    for reason, start in zip(
        reasons,
        [
            "target 'zebra' was not shown",
            "neither end is 'a'",
            "source: Field required",
            "repeated",
            "relation:",
            "entry: Value error, an edge joins two different",
        ],
        strict=True,
    ):
        assert reason.startswith(start), reason
    assert graph.outcomes["emit_edges"]["ok", ""] == 1


def test_a_reply_without_one_usable_entry_has_failed(replies):
    linker = says(a=[link("x", "requires", "y")], b=[])
    graph, _ = build(ABC[:2], linker, replies, similar=NEAR[:2])
    assert graph.outcomes["emit_edges"] == {
        ("failed", "no entry of the reply can be used"): 1,
        ("empty", "the model links it to nothing"): 1,
    }


def test_a_model_that_only_says_ok_ends_the_run_u34(replies):
    with pytest.raises(LimitError, match=r"'emit_edges', model 'tiny': 2 of 2"):
        build(ABC, Linker(lambda asked, shown: "ok"), replies, similar=NEAR)


def test_a_server_error_is_a_failure_and_not_an_empty_list_u32(replies):
    linker = Linker()
    linker.status = 403
    with pytest.raises(LimitError, match="2 of 2 questions"):
        build(ABC, linker, replies, similar=NEAR)
    graph, _ = build(ABC, linker, replies, similar=NEAR, failed_share=1.0)
    assert graph.outcomes["emit_edges"].total() == 3
    assert {state for state, _ in graph.outcomes["emit_edges"]} <= {
        "failed", "skipped", "empty",
    }  # fmt: skip


def test_what_was_answered_before_an_error_is_not_asked_again_u02(tmp_path):
    linker = says()
    skills = [skill(f"s{n}", f"sort {n}.") for n in range(10)]
    pairs = near(*((a.id, b.id) for a in skills for b in skills if a is not b))
    linker.out_of_order_after = 9
    with ReplyRecords(tmp_path) as replies, pytest.raises(LimitError, match="1 of 10"):
        build(skills, linker, replies, similar=pairs, failed_share=0.05)
    linker.asked.clear()
    with ReplyRecords(tmp_path) as replies:
        _, emitter = build(skills, linker, replies, similar=pairs)
    assert (len(linker.asked), emitter.asked, emitter.recalled) == (1, 1, 9)


def test_both_ends_that_agree_confirm_an_edge_without_a_further_call(replies):
    linker = says(a=[link("a", "requires", "b")], b=[link("a", "requires", "b")])
    graph, _ = build(ABC, linker, replies, similar=NEAR, check_direction=True)
    assert words(graph) == {"a requires b": "llm"}
    assert flags(graph) == {("a requires b", "confirmed")}
    assert len(linker.asked) == 2


def test_both_ends_that_disagree_lose_the_edge(replies):
    linker = says(a=[link("a", "requires", "b")], b=[link("b", "requires", "a")])
    graph, _ = build(ABC, linker, replies, similar=NEAR)
    assert words(graph) == {}
    assert {row.cause for row in graph.dropped} == {"contradicted"}


def test_a_far_end_that_was_shown_the_pair_and_says_nothing_does_not_confirm(replies):
    linker = says(a=[link("a", "requires", "b")])
    graph, _ = build(ABC, linker, replies, similar=NEAR)
    assert flags(graph) == {("a requires b", "unconfirmed")}


@pytest.mark.parametrize(
    ("reply", "flag"),
    [
        ([link("a", "verifies", "c")], "confirmed"),
        ([], "unconfirmed"),
        ([link("a", "complements", "c")], "unconfirmed"),
    ],
)
def test_the_far_end_of_a_directed_edge_can_be_asked(replies, reply, flag):
    linker = says(
        a=[link("a", "verifies", "c"), link("a", "complements", "c")], c=reply
    )
    graph, emitter = build(ABC, linker, replies, similar=NEAR, check_direction=True)
    assert linker.asked[-1] == ("c", "a")
    assert emitter.asked == len(linker.asked) == 3
    assert flags(graph) == {("a verifies c", flag)}
    assert graph.outcomes["check_direction"].total() == 1


@pytest.mark.parametrize("contradicted", ["drop", "flag"])
def test_an_edge_that_its_far_end_reverses_is_dropped_or_flagged(replies, contradicted):
    linker = says(a=[link("a", "feeds_into", "c")], c=[link("c", "precedes", "a")])
    graph, _ = build(
        ABC,
        linker,
        replies,
        similar=NEAR,
        check_direction=True,
        contradicted=contradicted,
    )
    if contradicted == "drop":
        assert words(graph) == {}
        assert graph.dropped[0].cause == "contradicted"
    else:
        assert words(graph) == {"a feeds_into c": "llm"}
        assert flags(graph) == {("a feeds_into c", "contradicted")}


def test_a_check_that_fails_says_nothing_of_the_edge(replies):
    linker = says(a=[link("a", "verifies", "c")], c="broken")
    graph, _ = build(
        ABC, linker, replies, similar=NEAR, check_direction=True, failed_share=1.0
    )
    assert (words(graph), flags(graph)) == ({"a verifies c": "llm"}, set())


def test_skills_without_an_edge_are_counted_with_the_reason(replies):
    graph, _ = build(ABC, says(), replies, similar=NEAR)
    assert graph.outcomes["typed_edges"] == {
        ("empty", "candidates, but no edge"): 2,
        ("empty", "no candidate"): 1,
    }
    assert graph.outcomes["shortlists"] == {("ok", ""): 2, ("empty", "no candidate"): 1}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_libraries_have_tiny_graphs(replies, count):
    linker = Linker()
    graph, _ = build(ABC[:count], linker, replies, similar=NEAR)
    assert len(linker.asked) == (2 if count == 2 else 0)
    assert len(graph.edges) <= 1 + count


def test_a_library_of_one_text_is_linked_by_id(replies):
    same = [skill(f"s{n}", "sort pots.") for n in range(5)]
    linker = Linker(
        lambda asked, shown: [
            link(asked["id"], "alternative_to", o["id"]) for o in shown
        ]
    )
    graph, _ = build(same, linker, replies)
    assert len(graph.edges) == 10


def test_a_deleted_skill_leaves_no_trace_u16(replies):
    linker = Linker(
        lambda asked, shown: [link(asked["id"], "complements", o["id"]) for o in shown]
    )
    build(ABC, linker, replies, similar=NEAR)
    graph, _ = build(ABC[:2], linker, replies, similar=NEAR)
    assert "c" not in str(words(graph)).replace("complements", "").replace("c'", "")
    assert {end for row in graph.candidates for end in row[:2]} == {"a", "b"}
