"""What is stored of an input's place does not depend on the machine."""

from skillmill.interfaces.portable import homes_of, places_of, portable_names
from skillmill.store.artifact import Provenance, load_provenance, reading, writing


def test_files_of_the_data_and_of_the_workflow_are_named_from_there(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("SKILLMILL_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    homes = homes_of("elsewhere")
    seeds = homes["{skillmill}"] / "src" / "skillmill" / "skills" / "seeds" / "a.md"
    assert portable_names([str(seeds), "/data/b.json", "own.json"], homes) == {
        str(seeds): "{skillmill}/src/skillmill/skills/seeds/a.md"
    }
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert portable_names(["../data/locomo/x.json", "../y.json"], homes) == {
        "../data/locomo/x.json": "{data_root}/locomo/x.json"
    }


def test_a_stored_name_leads_back_to_its_file(tmp_path, monkeypatch):
    monkeypatch.setenv("SKILLMILL_DATA", str(tmp_path))
    files = [f"{tmp_path}/a/b.md", "results/c.sqlite", "/elsewhere/d.md"]
    names = portable_names(files, homes_of("x"))
    assert places_of([names.get(file, file) for file in files]) == files


def test_without_the_variable_the_data_lie_where_the_configuration_says(monkeypatch):
    monkeypatch.delenv("SKILLMILL_DATA", raising=False)
    assert homes_of("/some/data")["{data_root}"].as_posix() == "/some/data"


def test_a_copy_from_object_storage_is_named_like_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy = ".snakemake/storage/s3/bucket/our/project/results/a/library/results/x.sqlite"
    other = ".snakemake/storage/s3/bucket/data/x.json"
    assert portable_names([copy, other, "results/x.sqlite"], {}) == {
        copy: "results/a/library/results/x.sqlite"
    }


def test_the_name_is_stored_and_the_file_is_hashed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = tmp_path / "given.json"
    given.write_text("{}")
    stored = []
    for name in ("one", "other"):
        home = tmp_path / name
        home.mkdir()
        monkeypatch.chdir(home)
        names = portable_names([str(given)], {"{data_root}": tmp_path})
        record = Provenance("edges", "s", "1", "c", {}, {"of": [given]}, {}, names)
        with writing(home / "edges.sqlite", record):
            pass
        with reading(home / "edges.sqlite", "edges") as db:
            stored.append(load_provenance(db).inputs)
        monkeypatch.chdir(tmp_path)
    assert stored == [{"of": ("{data_root}/given.json",)}] * 2
    assert (tmp_path / "one" / "edges.sqlite").read_bytes() == (
        tmp_path / "other" / "edges.sqlite"
    ).read_bytes()
