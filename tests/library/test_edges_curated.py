"""A file that a person edits: what it may say, and every problem at once."""

import pytest

from skillmill.errors import InputError
from skillmill.library.curated import load_curated
from skillmill.library.declared import Names
from skillmill.types import Edge
from tests.library.linker import skill

NAMES = Names([skill("x/pots", aliases=("old",)), skill("x/ropes"), skill("maps")])


def load(tmp_path, text, name="edges.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_curated(path, NAMES)


def curated(source, relation, target):
    return Edge(source, target, relation, None, "curated")


def test_yaml_and_csv_say_the_same(tmp_path):
    yaml = (
        "# by hand\n"
        "- {source: x/pots, relation: requires, target: maps, note: why not}\n"
        "- source: Ropes\n  relation: complements\n  target: old\n"
        "- {source: maps, relation: none, target: ropes}\n"
    )
    table = (
        "source,relation,target,note\n"
        "x/pots,requires,maps,why not\n\n"
        "Ropes,complements,old,\n"
        "maps,none,ropes,\n"
    )
    found = load(tmp_path, yaml)
    assert found.edges == (
        curated("x/pots", "requires", "maps"),
        curated("x/pots", "complements", "x/ropes"),
    )
    assert found.vetoes == {("maps", "x/ropes")}
    assert (found.report.found, found.report.loaded) == (3, 3)
    other = load(tmp_path, table, "edges.csv")
    assert (other.edges, other.vetoes) == (found.edges, found.vetoes)
    wrapped = "edges:\n" + "".join(f"  {line}\n" for line in yaml.splitlines()[1:])
    assert load(tmp_path, wrapped).edges == found.edges


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_is_read_as_spreadsheets_save_it(tmp_path, delimiter, encoding):
    rows = [
        ["Source", "Relation", "Target", "NOTE"],
        ["x/pots", "requires", "maps", '"a; b, c"'],
        ["Ropes", "complements", "old", "\u00fc"],
    ]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    path = tmp_path / "edges.csv"
    path.write_bytes(f"{text}\r\n".encode(encoding))
    assert load_curated(path, NAMES).edges == (
        curated("x/pots", "requires", "maps"),
        curated("x/pots", "complements", "x/ropes"),
    )


def test_a_line_that_names_the_delimiter_is_no_header(tmp_path):
    text = "sep=;\nsource;relation;target\nmaps;requires\n"
    with pytest.raises(InputError, match="line 3: expected 3 cells, got 2"):
        load(tmp_path, text, "edges.csv")


def test_a_quote_that_is_never_closed_is_refused_with_its_line(tmp_path):
    text = 'source,relation,target\nmaps,requires,ropes\n"maps,requires,old\n'
    with pytest.raises(InputError, match="line 3: expected CSV, got a row that"):
        load(tmp_path, text, "edges.csv")


def test_a_skill_that_is_gone_is_a_warning_and_not_an_end(tmp_path):
    found = load(
        tmp_path,
        "- {source: x/pot, relation: requires, target: maps}\n"
        "- {source: maps, relation: precedes, target: ropes}\n",
    )
    assert found.edges == (curated("maps", "precedes", "x/ropes"),)
    assert (found.report.loaded, found.report.warned) == (1, 1)
    (problem,) = found.report.problems
    assert (problem.line, problem.code) == (1, "unknown-skill")
    assert "nearest id is 'x/pots'" in problem.message


def test_all_problems_are_told_at_once_with_their_lines(tmp_path):
    text = (
        "- {source: x/pots, relation: require, target: maps}\n"
        "- {source: x/pots, relation: precedes}\n"
        "- {source: maps, relation: verifies, target: maps, color: red}\n"
        "- just text\n"
        "- {source: x/pots, relation: complements, target: maps}\n"
        "- {source: maps, relation: complements, target: x/pots}\n"
        "- {source: maps, relation: none, target: x/pots}\n"
    )
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    said = str(caught.value)
    assert "7 problems" in said
    for phrase in (
        "line 1: `relation` must be one of",
        "did you mean requires?",
        "line 2: `target` is missing",
        "line 3: unknown field 'color'",
        "line 3: 'maps' is joined to itself",
        "line 4: expected `source`",
        "line 6: the same is in line 5 already",
        "line 5: line 7 says that nothing joins these two",
    ):
        assert phrase in said, phrase


def test_a_cycle_is_refused_at_its_last_line(tmp_path):
    text = "source,relation,target\nmaps,requires,x/pots\nx/pots,requires,x/ropes\n"
    load(tmp_path, text, "fine.csv")
    with pytest.raises(InputError, match="line 4: closes a cycle of `requires`"):
        load(tmp_path, text + "x/ropes,requires,maps\n", "cycle.csv")
    load(tmp_path, text + "x/ropes,routes_to,maps\n", "other.csv")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "[]\n", "edges:\n"])
def test_an_empty_file_is_no_edges(tmp_path, text):
    found = load(tmp_path, text)
    assert (found.edges, found.report.found) == ((), 0)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.yaml", "- {source: a", "line 1: this is no YAML|line 2: this is no YAML"),
        ("e.yaml", "just: text\nedges: 5\n", "line 2: expected a list"),
        ("e.yaml", "source: maps\n", "line 1: expected a list of edges, or the key"),
        ("e.yaml", "- {source: a, source: b}", "line 1: `source` is given twice"),
        ("e.yaml", "- {source: [a], relation: requires, target: maps}", "must be text"),
        ("e.csv", "source,relation,target\na,b\n", "line 2: expected 3 cells, got 2"),
        ("e.csv", "from,to\na,b\n", "line 2: `source` is missing"),
    ],
)
def test_what_is_no_such_file_is_refused_with_the_line(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        load(tmp_path, text, name)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_curated(tmp_path / "none.yaml", NAMES)
    (tmp_path / "latin.yaml").write_bytes(b"# \n- caf\xe9\n")
    with pytest.raises(InputError, match="line 2: expected UTF-8"):
        load_curated(tmp_path / "latin.yaml", NAMES)


def test_a_long_list_of_problems_is_cut_and_counted(tmp_path):
    text = "- {source: maps}\n" * 30
    with pytest.raises(InputError, match=r"60 problems to mend.*; and 40 more"):
        load(tmp_path, text)
