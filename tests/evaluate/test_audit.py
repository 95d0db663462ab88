"""A sample to judge, and what verdicts say; the order of skills."""

import csv
import io

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from skillmill.errors import InputError
from skillmill.evaluate.audit import (
    COLUMNS,
    audit_rows,
    draw_sample,
    read_verdicts,
    sample_text,
)
from skillmill.evaluate.ordering import next_skills, ordering_rows
from tests.evaluate.graphs import typed
from tests.library.linker import skill

EDGES = [typed(f"a requires {other}") for other in "bcdefgh"] + [
    typed("b verifies a"),
    typed("c verifies a"),
]
SKILLS = {name: skill(name, f"Does {name}.") for name in "abcdefgh"}


def test_the_sample_takes_so_many_of_each_relation():
    sample = draw_sample(EDGES, 3, np.random.default_rng(0))
    assert [edge.relation for edge in sample] == ["requires"] * 3 + ["verifies"] * 2
    assert len({(e.source, e.target) for e in sample}) == 5
    assert sample == draw_sample(EDGES[::-1], 3, np.random.default_rng(0))
    assert sample != draw_sample(EDGES, 3, np.random.default_rng(1))
    assert draw_sample([], 3, np.random.default_rng(0)) == []


def test_the_file_is_csv_and_no_cell_is_a_formula():
    skills = SKILLS | {"b": skill("b", '=HYPERLINK("x"), and more')}
    text = sample_text([typed("a requires b")], skills)
    header, row = csv.reader(io.StringIO(text))
    assert tuple(header) == COLUMNS
    assert row[:4] == ["a", "requires", "b", "llm"]
    assert row[5] == '\'=HYPERLINK("x"), and more'
    assert row[6:] == ["", ""]


def judged(tmp_path, *verdicts, edges=EDGES):
    path = tmp_path / "judged.csv"
    rows = list(csv.reader(io.StringIO(sample_text(edges, SKILLS))))
    for row, verdict in zip(rows[1:], verdicts, strict=False):
        row[6] = verdict
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_verdicts_come_back_and_empty_ones_do_not_count(tmp_path):
    path = judged(tmp_path, "correct", "Plausible ", "", "wrong")
    verdicts, report = read_verdicts(path, EDGES)
    assert verdicts == {
        ("a", "b", "requires"): "correct",
        ("a", "c", "requires"): "plausible",
        ("a", "e", "requires"): "wrong",
    }
    assert (report.found, report.loaded) == (3, 3)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_sheet_comes_back_as_spreadsheets_save_it(tmp_path, delimiter, encoding):
    edges = [typed("a requires b"), typed("'tis requires b"), typed("=1 verifies a")]
    skills = {name: skill(name, "Long; dry, \u00fc " * 20_000) for name in SKILLS}
    skills |= {name: skill(name, "Odd.") for name in ("'tis", "=1")}
    header, *rows = csv.reader(io.StringIO(sample_text(edges, skills)))
    for row, verdict in zip(rows, ("Correct", "PLAUSIBLE", " wrong "), strict=True):
        row[6] = verdict
    sheet = io.StringIO(newline="")
    titles = [name.title() for name in header]
    csv.writer(sheet, delimiter=delimiter).writerows([titles, *rows, [""] * 8])
    path = tmp_path / "judged.csv"
    path.write_bytes(sheet.getvalue().encode(encoding))
    verdicts, report = read_verdicts(path, edges)
    assert verdicts == {
        ("a", "b", "requires"): "correct",
        ("'tis", "b", "requires"): "plausible",
        ("=1", "a", "verifies"): "wrong",
    }
    assert (report.found, report.loaded) == (3, 3)


def test_an_edge_that_is_gone_is_a_warning(tmp_path):
    path = judged(tmp_path, "correct", "wrong")
    verdicts, report = read_verdicts(path, EDGES[1:])
    assert verdicts == {("a", "c", "requires"): "wrong"}
    assert (report.loaded, report.warned) == (1, 1)
    assert report.problems[0].line == 2


def test_all_problems_of_a_sheet_are_told_at_once(tmp_path):
    path = judged(tmp_path, "maybe", "wrong", "ok", edges=[*EDGES, EDGES[1]])
    text = path.read_text().rstrip("\r\n").rsplit(",,", 1)[0] + ",wrong,\n"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_verdicts(path, EDGES)
    for phrase in ("line 2: `verdict` must be one of correct, plausible, wrong, got 'm",
                   "line 4: `verdict` must be",
                   "line 11: the edge is in line 3 already"):  # fmt: skip
        assert phrase in str(caught.value)


def test_a_sheet_without_its_columns_is_refused(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("source,target\na,b\n")
    with pytest.raises(InputError, match="the file lacks relation, verdict"):
        read_verdicts(path, EDGES)
    with pytest.raises(InputError, match="No such file"):
        read_verdicts(tmp_path / "none.csv", EDGES)


def test_the_papers_audit_is_41_loose_and_29_strict_of_48():
    verdicts = {("a", f"x{n}", "requires"): "correct" for n in range(29)}
    verdicts |= {("a", f"y{n}", "precedes"): "plausible" for n in range(12)}
    verdicts |= {("a", f"z{n}", "precedes"): "wrong" for n in range(7)}
    rows = {row.relation: row for row in audit_rows(verdicts, 0.95)}
    whole = rows["all"]
    assert whole[1:5] == (48, 29, 12, 7)
    assert whole.strict_share == pytest.approx(29 / 48, abs=1e-6)
    low, high = proportion_confint(41, 48, method="wilson")
    assert whole[8:] == pytest.approx((41 / 48, low, high), abs=1e-6)
    assert rows["precedes"][1:5] == (19, 0, 12, 7)
    (none,) = audit_rows({}, 0.95)
    assert none[1:] == (0, 0, 0, 0, *(None,) * 6)


FOLLOW = [
    typed("a feeds_into b"),
    typed("c requires b"),
    typed("d verifies c"),
    typed("a precedes c"),
    typed("a complements d"),
]


def test_what_may_follow_turns_with_the_relation():
    assert next_skills(FOLLOW) == {
        "a": [("b", "feeds_into"), ("c", "precedes")],
        "b": [("c", "requires")],
        "c": [("d", "verifies")],
    }


def test_traversal_is_held_against_search_on_the_same_steps():
    sequences = {"t1": ("a", "b", "c"), "t2": ("a", "d"), "t3": ("c", "d")}
    searched = {"t1": "acx", "t2": "xda"}
    rows, compared = ordering_rows(sequences, searched, FOLLOW, 2, 0.95)
    found = {row.name: (row.n, row.hits) for row in rows}
    assert found["p"] == (5, 3)  # t1: a and c; t2: d
    assert found["q"] == (4, 3)  # a > b, b > c, c > d; not a > d
    assert found["q:feeds_into"] == (2, 1)
    assert found["q:routes_to"] == (0, 0)
    assert found["length 3: search"] == (1, 0)
    assert found["length 3: traversal"] == (1, 1)
    assert found["length 2: search"] == found["length 2: traversal"] == (1, 0)
    (pair,) = compared
    assert pair[:4] == ("traversal", "search", "steps", 2)
    # a > b by edge, b > c by both, a > d by search
    assert pair[4:8] == (3, 1, 1, 1)


def test_sequences_that_were_never_searched_for_measure_q_alone():
    rows, compared = ordering_rows({"t": ("a", "b")}, {}, FOLLOW, 5, 0.95)
    found = {row.name: (row.n, row.hits, row.share) for row in rows}
    assert found["p"] == (0, 0, None)
    assert found["q"] == (1, 1, 1.0)
    assert compared == []
    assert ordering_rows({}, {}, [], 5, 0.95)[1] == []
