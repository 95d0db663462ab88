"""From stores to the page: what is folded, and what stays apart."""

import pytest

from skillmill.report.inputs import PageLimits
from skillmill.report.sources import gather
from skillmill.store import artifact, catalogue, load, rankings
from skillmill.store.usage import UsedTokens, save_usage
from skillmill.types import Ranking, Task


def store(root, place, kind, outcomes=(), write=None):
    path = root / "results" / "s" / f"{place}.sqlite"
    with artifact.writing(path, artifact.Provenance(kind, "s", "0", "c0de")) as db:
        for stage, counts in outcomes:
            load.save_outcomes(db, stage, counts)
        if write:
            write(db)
    return path


@pytest.fixture
def told(tmp_path):
    """Two shards of a stage that counts twice, and one that counts once."""
    twice = [("memory_store", {("ok", ""): 3}), ("relations", {("skipped", "off"): 1})]
    stores = [
        store(tmp_path, "memory/0/memory", "memory", twice),
        store(tmp_path, "memory/1/memory", "memory", twice[:1]),
        store(tmp_path, "library/vectors", "vectors", [("vectors", {("ok", ""): 5})]),
    ]
    return gather("s", stores, PageLimits())


def test_what_a_store_counts_apart_stays_apart_and_shards_are_one(told):
    assert told.outcomes == [
        ("library/vectors", "ok", "", 5),
        ("memory/memory: memory_store", "ok", "", 6),
        ("memory/memory: relations", "skipped", "off", 1),
    ]


def test_rankings_with_the_graph_are_evidence_beside_the_rankers(tmp_path):
    def write(arm, items):
        made = [Ranking(arm, "t1", items, (1.0,) * len(items), "ok")]
        return lambda db: rankings.save_rankings(db, made)

    tasks = [Task("t1", "Sort", ("a",))]
    stores = [
        store(
            tmp_path, "library/tasks", "tasks",
            write=lambda db: catalogue.save_tasks(db, tasks),
        ),
        store(tmp_path, "library/rankings", "rankings", write=write("hybrid", ("a",))),
        store(
            tmp_path, "library/graph_rankings", "rankings",
            write=write("hybrid@1+typed", ("b", "a")),
        ),
    ]  # fmt: skip
    told = gather("s", stores, PageLimits()).evidence["library"]
    assert told.found == {"t1": {"hybrid": ("a",), "hybrid@1+typed": ("b", "a")}}


def test_what_slots_and_trees_took_counts_with_the_other_replies(tmp_path):
    def took(role, replies):
        row = UsedTokens(role, role, "tiny", replies, 0, 20 * replies, 5 * replies)
        return lambda db: save_usage(db, [row])

    stores = [
        store(tmp_path, "library/slots", "slots", write=took("io_schema", 3)),
        store(tmp_path, "library/trees", "trees", write=took("decompose", 2)),
        store(tmp_path, "library/edges", "skill-graph", write=took("emit_edges", 1)),
    ]
    used = gather("s", stores, PageLimits()).usage
    assert [(row.role, row.replies, row.prompt_tokens) for row in used] == [
        ("decompose", 2, 40),
        ("emit_edges", 1, 20),
        ("io_schema", 3, 60),
    ]
