"""The rule `typed_relations` against a scripted endpoint: replies are paid for once."""

import json
import re
from types import SimpleNamespace

import pytest

from skillmill.errors import LimitError
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts
from skillmill.memory.typed_relations import NO_LATER, ROLE
from skillmill.store import artifact, edges, load
from skillmill.store.atoms import save_atoms
from skillmill.store.usage import load_usage
from skillmill.types import Edge
from tests.interfaces.gardens import provenance
from tests.interfaces.test_memory_scripts import script
from tests.memory.records import atom
from tests.models.endpoint import URL, Script, refuses, says

ATOMS = [atom(place, f"Ines: sentence {place}") for place in range(4)]
#: Each atom is like all others, so the first three have later neighbours.
SIMILAR = [
    Edge(a.id, b.id, "similarity", 0.6, "embedding")
    for a in ATOMS
    for b in ATOMS
    if a is not b
]


@pytest.fixture
def shard(tmp_path):
    with artifact.writing(tmp_path / "atoms.sqlite", provenance("atoms")) as db:
        save_atoms(db, ATOMS)
    with artifact.writing(tmp_path / "relations.sqlite", provenance("edges")) as db:
        edges.save_edges(db, SIMILAR)
    return tmp_path


def because(body):
    """Label every neighbour that is shown."""
    names = re.findall(r'"atom_id": "(n\d)"', body["messages"][1]["content"])
    labels = [{"atom_id": name, "label": "Reason"} for name in names]
    return says(json.dumps({"relations": labels}))


def build(shard, steps=(because,), mode="live", output="typed.sqlite"):
    scripted, counts = Script(*steps), Counts()
    model = {"model": "tiny", "base_url": URL, "max_tries": 1, "concurrency": 1}
    section = {"mode": mode, "default": model, "roles": {}}
    section["budget"] = {"calls": None, "tokens": None, "usd": None}
    this = SimpleNamespace(
        run="r", rule="typed_relations", study="s", part="0",
        records=shard / "records", models=section,
    )  # fmt: skip
    with asking(this, [ROLE] if mode != "off" else [], scripted.client()) as client:
        script("typed_relations").main(
            atoms_path=shard / "atoms.sqlite",
            relations_path=shard / "relations.sqlite",
            both_ways=False,
            client=client,
            model="tiny",
            failed_share=0.2,
            output=shard / output,
            provenance=provenance("typed-relations"),
            counts=counts,
        )
    return scripted, counts


def read(shard, name="typed.sqlite"):
    with artifact.reading(shard / name, "typed-relations") as db:
        told = {(o.stage, o.state, o.reason): o.n for o in load.load_outcomes(db)}
        return edges.load_edges(db), load_usage(db), told


def test_every_earlier_atom_is_joined_to_the_later_ones_and_tokens_are_counted(shard):
    scripted, counts = build(shard)
    found, [used], told = read(shard)
    assert len(scripted.asked) == 3
    assert [(e.source[-1], e.target[-1]) for e in found] == [
        ("0", "1"), ("0", "2"), ("0", "3"), ("1", "2"), ("1", "3"), ("2", "3"),
    ]  # fmt: skip
    assert {(e.relation, e.weight, e.provenance) for e in found} == {
        ("Reason", 0.6, "llm")
    }
    assert (used.role, used.replies, used.prompt_tokens) == (ROLE, 3, 60)
    assert told["typed_relations", "ok", ""] == 3
    assert told["typed_relations", "empty", NO_LATER] == 1
    assert told["labels", "ok", "labelled with a relation"] == 6
    assert (counts.computed, counts.reused) == (3, 0)


def test_a_run_again_sends_nothing_and_writes_the_same_bytes(shard):
    build(shard)
    scripted, counts = build(shard, [refuses(500)], output="again.sqlite")
    assert scripted.asked == []
    assert (counts.computed, counts.reused) == (0, 3)
    first, again = (shard / n for n in ("typed.sqlite", "again.sqlite"))
    assert first.read_bytes() == again.read_bytes()


def test_what_came_before_an_end_is_not_asked_again(shard):
    """The endpoint goes away after one reply, as a killed job would."""
    with pytest.raises(LimitError, match=r"2 of 3 questions .* 20% are allowed"):
        build(shard, [because, refuses(403)])
    assert not (shard / "typed.sqlite").exists()
    scripted, counts = build(shard)
    assert (len(scripted.asked), counts.computed, counts.reused) == (2, 2, 1)


def test_off_asks_nothing_and_says_so_of_each_atom(shard):
    scripted, counts = build(shard, mode="off")
    found, used, told = read(shard)
    assert (scripted.asked, found, used) == ([], [], [])
    assert counts.total("skipped") == 3
    [reason] = [key[2] for key in told if key[1] == "skipped"]
    assert "mode is off" in reason


def test_a_replay_makes_the_same_without_the_endpoint(shard):
    build(shard)
    scripted, _ = build(shard, [refuses(500)], mode="replay", output="replay.sqlite")
    assert scripted.asked == []
    assert read(shard, "replay.sqlite") == read(shard)
