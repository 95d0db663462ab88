"""What artifacts say about themselves: where they come from, and a digest."""

import hashlib
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.artifact import (
    digest,
    load_input_hashes,
    load_provenance,
    logical_dump,
    reading,
    writing,
)
from skillmill.store.schema import SCHEMA_VERSION
from tests.store.examples import (
    provenance,
)
from tests.store.files import files_in, sha256, write_edges


def test_provenance_comes_back_with_the_hashes_of_the_inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/b.json").write_bytes(b"")
    Path("data/a.json").write_bytes(b"abc")
    given = provenance(
        "edges",
        params={"k": np.int64(8), "floor": 0.5, "names": ["é", "索"]},
        inputs={"skills": ["data/b.json", tmp_path / "data" / "a.json", "data/b.json"]},
        models={"encoder": "bundled:mill"},
    )
    with writing("out/edges.sqlite", given):
        pass
    with reading("out/edges.sqlite", "edges") as db:
        found, hashes = load_provenance(db), load_input_hashes(db)
    assert found == provenance(
        "edges",
        params={"k": 8, "floor": 0.5, "names": ["é", "索"]},
        inputs={"skills": ("data/a.json", "data/b.json")},
        models={"encoder": "bundled:mill"},
    )
    # FIPS 180-2, the test vectors "abc" and the empty text
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert hashes == [("skills", "data/a.json", abc), ("skills", "data/b.json", empty)]


def test_an_input_outside_the_working_directory_keeps_its_full_path(tmp_path):
    source = tmp_path / "source.json"
    source.write_bytes(b"abc")
    write_edges(tmp_path / "e.sqlite", inputs={"source": [source]})
    with reading(tmp_path / "e.sqlite", "edges") as db:
        assert load_provenance(db).inputs == {"source": (source.as_posix(),)}


@pytest.mark.parametrize("missing", ["no-such-file.json", "."])
def test_an_input_that_cannot_be_read_is_named_before_any_work(tmp_path, missing):
    path = tmp_path / "e.sqlite"
    with pytest.raises(
        StoreError, match="expected a file to read \\(input 'source'\\)"
    ):
        write_edges(path, inputs={"source": [tmp_path / missing]})
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("bad", [float("nan"), object(), {1, 2}])
def test_a_parameter_that_json_cannot_hold_is_named(tmp_path, bad):
    with pytest.raises(StoreError, match="provenance, params: expected what JSON"):
        write_edges(tmp_path / "e.sqlite", params={"floor": bad})


def test_the_logical_dump_names_kind_tables_and_rows(tmp_path):
    write_edges(tmp_path / "e.sqlite")
    dump = logical_dump(tmp_path / "e.sqlite").splitlines()
    assert dump[:4] == [
        f"edges {SCHEMA_VERSION}",
        "edge(source, target, relation, weight, provenance)",
        "  ('a', 'b', 'similar_to', 0.30000000000000004, 'embedding')",
        "  ('a', 'b', 'similar_to', 1.0, 'rule')",
    ]
    assert "  ('study', 'tiny')" in dump
    assert "provenance_input(role, path, sha256)" in dump


def test_tables_can_be_left_out_of_dump_and_digest(tmp_path):
    write_edges(tmp_path / "a.sqlite", study="one")
    write_edges(tmp_path / "b.sqlite", study="two")
    paths = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    assert len({digest(path) for path in paths}) == 2
    assert len({digest(path, without=["provenance"]) for path in paths}) == 1
    assert "study" not in logical_dump(paths[0], without=["provenance"])
    assert (
        digest(paths[0]) == hashlib.sha256(logical_dump(paths[0]).encode()).hexdigest()
    )


def test_the_digest_does_not_depend_on_the_page_layout(tmp_path):
    write_edges(tmp_path / "a.sqlite")
    db = sqlite3.connect(tmp_path / "a.sqlite")
    db.execute("pragma page_size = 4096")
    db.execute("vacuum into ?", (str(tmp_path / "b.sqlite"),))
    db.execute("vacuum")
    db.close()
    assert sha256(tmp_path / "a.sqlite") != sha256(tmp_path / "b.sqlite")
    assert digest(tmp_path / "a.sqlite") == digest(tmp_path / "b.sqlite")
