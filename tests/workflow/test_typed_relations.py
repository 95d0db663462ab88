"""Typed relations through Snakemake: asked, recorded, in the memory, and off."""

import json
import re

import pytest
from pytest_httpserver import HTTPServer

from skillmill.store import artifact, edges, load
from skillmill.store.usage import load_usage
from tests.models.endpoint import Script, says

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

MEMORY = "results/sample/memory/0/memory.sqlite"
TYPED = "results/sample/memory/0/typed_relations.sqlite"


def label_all(body):
    names = re.findall(r'"atom_id": "(n\d)"', body["messages"][1]["content"])
    labels = [{"atom_id": name, "label": "Cause"} for name in names]
    return says(json.dumps({"relations": labels}))


def typed(path):
    with artifact.reading(path, "memory") as db:
        skipped = [o for o in load.load_outcomes(db) if o.state == "skipped"]
        return edges.load_edges(db, "Cause"), load_usage(db), skipped


def test_a_memory_holds_what_a_model_said_and_a_second_run_asks_nothing(copied):
    flow = copied
    script = Script(label_all)
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(script.serve)
        model = {"model": "tiny", "base_url": server.url_for("/v1"), "max_tries": 1}
        role = {"relation_extraction": model}
        flow.config = {"models": {"mode": "live", "roles": role}}
        flow.run(MEMORY, run="first")
        calls = len(script.asked)
        found, [used], skipped = typed(flow.root / MEMORY)
        assert calls == used.replies > 10
        assert found
        assert not skipped
        assert {edge.provenance for edge in found} == {"llm"}
        before = (flow.root / TYPED).read_bytes()
        flow.run("--forcerun", "typed_relations", "--", MEMORY, run="again")
        [again] = [job for job in flow.jobs("again") if job.rule == "typed_relations"]
        assert (again.computed, again.reused) == (0, calls)
        assert (flow.root / TYPED).read_bytes() == before
        flow.config = {}
        flow.run(MEMORY, run="off")
    assert len(script.asked) == calls
    assert {job.rule for job in flow.jobs("off")} == {"memory_store"}
    found, used, [row] = typed(flow.root / MEMORY)
    assert (found, used) == ([], [])
    assert row.reason == "no language model is asked for typed relations"
