"""The rule `written_memories` against a scripted endpoint and a small encoder."""

import json

import numpy as np
import pytest

from skillmill.errors import LimitError, ModelError
from skillmill.evaluate.written import KINDS, ROLE
from skillmill.interfaces.job import Counts
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, load, rankings
from skillmill.store.replies import ReplyRecords
from skillmill.store.usage import load_usage
from tests.interfaces.gardens import ENCODER, build, provenance
from tests.interfaces.test_memory_scripts import script
from tests.models.endpoint import Script, refuses, rng, says, settings


class Turning:
    """Vectors by the length of a text."""

    def __init__(self, identity=ENCODER):
        self.identity = dict(identity)
        self.truncated = 0

    def encode(self, texts):
        angles = np.array([len(text) for text in texts]) / 100
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def writer(body):
    """One entry of each kind about the first record shown."""
    entries = [
        {"kind": kind, "text": f"a {kind}", "records": ["r1"], "keywords": ["shed"]}
        for kind in ("note", "segment", "fact", "topic")
    ]
    return says(json.dumps({"entries": entries}))


def write(shard, steps=(writer,), output="written.sqlite", encoder=None):
    scripted, counts = Script(*steps), Counts()
    records = shard.parents[2] / "records"
    made = provenance("rankings")
    made.models[ROLE] = "tiny"
    with (
        ReplyRecords(records) as replies,
        ChatClient(
            {ROLE: settings(max_tries=1)},
            replies,
            rng=rng(),
            http_client=scripted.client(),
        ) as client,
    ):
        script("written_memories").main(
            memory_path=shard / "memory.sqlite",
            budget=3,
            client=client,
            encoder=encoder or Turning(),
            records=records,
            failed_share=0.2,
            output=shard / output,
            provenance=made,
            counts=counts,
        )
    return scripted, counts


@pytest.fixture
def shard(tmp_path):
    return build(tmp_path / "results")


def test_every_question_is_ranked_by_every_memory_and_tokens_are_told_apart(shard):
    scripted, counts = write(shard)
    with artifact.reading(shard / "written.sqlite", "rankings") as db:
        found = rankings.load_rankings(db)
        used = {row.stage: row.replies for row in load_usage(db)}
        told = {(o.state, o.reason): o.n for o in load.load_outcomes(db)}
    assert {(r.arm, r.query) for r in found} == {
        (arm, name) for arm in KINDS for name in ("garden/q0", "garden/q1")
    }
    assert all(ranking.items for ranking in found)
    # Four atoms have a note each, two sessions tiers and topics each.
    assert used == {"note": 4, "tiers": 2, "topics": 2}
    assert len(scripted.asked) == counts.computed == 8
    arm = next(iter(KINDS))
    assert told["ok", f"{arm}: written"] == 4
    assert told["failed", f"{arm}: an entry that cannot be used"] == 4 * 3


def test_a_second_run_asks_nothing_and_writes_the_same(shard):
    write(shard)
    scripted, counts = write(shard, [refuses(500)], "again.sqlite")
    assert scripted.asked == []
    assert (counts.computed, counts.reused) == (0, 8)
    one, two = (shard / n for n in ("written.sqlite", "again.sqlite"))
    assert one.read_bytes() == two.read_bytes()


def test_a_model_that_is_down_stops_the_run_with_its_cause_u32(shard):
    with pytest.raises(LimitError, match=r"note-linking .*4 of 4 questions"):
        write(shard, [refuses(403)])
    assert not (shard / "written.sqlite").exists()


def test_another_encoder_than_the_memory_s_is_refused(shard):
    with pytest.raises(ModelError, match="made by 'tiny'"):
        write(shard, encoder=Turning(ENCODER | {"name": "other"}))
