"""Edges that a person writes, in a YAML or CSV file."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from skillmill.compute.digraph import drop_back_edges
from skillmill.data.csvtext import csv_rows, read_text
from skillmill.data.jsontext import clean_text, shown, shown_path
from skillmill.data.loadreport import Remark, ReportBuilder, source_name
from skillmill.errors import InputError
from skillmill.library.declared import Names
from skillmill.library.vocabulary import ACYCLIC, RELATIONS, ends_of, pair_of
from skillmill.types import Edge, LoadReport

#: In place of a relation: no edge at all may join the two.
NONE = "none"

_FIELDS = ("source", "relation", "target")
_OPTIONAL = frozenset({"note"})
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Curated:
    """What a person has settled.

    `edges` have the provenance `curated`; `vetoes` are pairs, in id order, that
    nothing but a curated edge may join; `report` counts the entries.
    """

    edges: tuple[Edge, ...]
    vetoes: frozenset[tuple[str, str]]
    report: LoadReport


@dataclass(frozen=True, slots=True)
class _Entry:
    line: int
    values: Mapping[str, str]


def load_curated(path: Path, names: Names) -> Curated:
    """Read and check a file of curated edges.

    YAML: a list of maps with `source`, `relation` and `target`, and a `note` that is
    not read; or that list under the key `edges`. CSV (by its suffix): the same as
    columns, named in the first line (see `data.csvtext`). `relation` is one of the
    eight, or `none`: no edge may join the two. Skills are named by id, alias, or a name
    that one alone has.

    An entry that names a skill the library lacks is left out with a warning, so that
    removing a skill does not stop a build.

    Raises
    ------
    InputError
        If the file cannot be read, or anything else is wrong with it: all problems at
        once, each with its line (an unknown relation or field, a missing one, a skill
        joined to itself, an entry given twice, a veto beside an edge, a cycle of a
        relation that may hold none).
    """
    name = shown_path(path)
    text = read_text(path, "library.edges.curated")
    is_csv = path.suffix.lower() == ".csv"
    entries, problems = _csv(text, name) if is_csv else _yaml(text)
    report = ReportBuilder(source_name(path))
    edges: dict[tuple[str, str, str], int] = {}
    vetoes: dict[tuple[str, str], int] = {}
    for entry in entries:
        report.found()
        ends, wrong, lost = _checked(entry, names)
        problems += [(entry.line, message) for message in wrong]
        for message in lost:
            report.add(Remark(entry.line, "unknown-skill", message).at(path.name))
        report.item("warned" if lost else "ok")
        if ends is None:
            continue
        relation = entry.values["relation"]
        earlier = (
            vetoes.setdefault(pair_of(*ends), entry.line)
            if relation == NONE
            else edges.setdefault((*ends_of(*ends, relation), relation), entry.line)
        )
        if earlier != entry.line:
            problems.append((entry.line, f"the same is in line {earlier} already"))
    problems += _contradictions(edges, vetoes)
    if problems:
        raise InputError(_message(name, sorted(problems)), record=name)
    made = (Edge(one, other, r, None, "curated") for one, other, r in sorted(edges))
    return Curated(tuple(made), frozenset(vetoes), report.build())


def _checked(
    entry: _Entry, names: Names
) -> tuple[tuple[str, str] | None, list[str], list[str]]:
    """The ends of an entry; None with what is wrong, or which skill is not known."""
    values = entry.values
    wrong = [f"`{field}` is missing" for field in _FIELDS if not values.get(field)]
    unknown = sorted(values.keys() - {*_FIELDS} - _OPTIONAL)
    wrong += [f"unknown field {shown(field)}" for field in unknown]
    relation = values.get("relation")
    if relation and relation not in (*RELATIONS, NONE):
        near = difflib.get_close_matches(relation, (*RELATIONS, NONE), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = ", ".join(RELATIONS)
        wrong.append(
            f"`relation` must be one of {known}, or {NONE}, got {shown(relation)}{hint}"
        )
    called = [values[field] for field in ("source", "target") if values.get(field)]
    found = [names.find(name) for name in called]
    lost = []
    for name, skill in zip(called, found, strict=True):
        if skill is None:
            near = difflib.get_close_matches(name, names.all(), n=1)
            hint = f"; the nearest id is {near[0]!r}" if near else ""
            lost.append(f"no skill is {shown(name)}{hint}; the entry is left out")
    if len(found) == 2 and found[0] is not None and found[0] == found[1]:
        wrong.append(f"{found[0]!r} is joined to itself")
    if wrong or lost or None in found:
        return None, wrong, lost
    return (str(found[0]), str(found[1])), [], []


def _contradictions(
    edges: Mapping[tuple[str, str, str], int], vetoes: Mapping[tuple[str, str], int]
) -> Iterator[tuple[int, str]]:
    """Vetoes of pairs that an entry joins, and cycles."""
    for (source, target, _), line in edges.items():
        veto = vetoes.get(pair_of(source, target))
        if veto is not None:
            yield line, f"line {veto} says that nothing joins these two"
    for relation in ACYCLIC:
        arcs = {
            (s, t): line for (s, t, name), line in edges.items() if name == relation
        }
        # The latest line of a cycle is the one to think about.
        for arc in drop_back_edges(arcs, {a: -line for a, line in arcs.items()})[1]:
            yield arcs[arc], f"closes a cycle of `{relation}` with the lines above"


def _message(name: str, problems: list[tuple[int, str]]) -> str:
    shown_ones = "; ".join(
        f"line {line}: {message}" for line, message in problems[:_MOST_SHOWN]
    )
    rest = len(problems) - _MOST_SHOWN
    more = f"; and {rest} more" if rest > 0 else ""
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return f"{name}: {count} to mend: {shown_ones}{more}"


def _csv(text: str, name: str) -> tuple[list[_Entry], list[tuple[int, str]]]:
    rows = csv_rows(text, name)
    _, header = next(rows, (0, []))
    entries, problems = [], []
    for line, row in rows:
        if len(row) == len(header):
            cells = (clean_text(cell).text for cell in row)
            entries.append(_Entry(line, dict(zip(header, cells, strict=True))))
        else:
            problems.append((line, f"expected {len(header)} cells, got {len(row)}"))
    return entries, problems


def _yaml(text: str) -> tuple[list[_Entry], list[tuple[int, str]]]:
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return [], [(line, f"this is no YAML: {error.problem}")]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return [], [(1, f"this is no YAML: {error}")]
    if isinstance(node, yaml.MappingNode):
        parts = {key.value: value for key, value in node.value}
        if "edges" not in parts:
            message = "expected a list of edges, or the key `edges` with one"
            return [], [(node.start_mark.line + 1, message)]
        node = parts["edges"]
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return [], []
    if not isinstance(node, yaml.SequenceNode):
        return [], [(node.start_mark.line + 1, "expected a list of edges")]
    return _entries(node.value)


def _entries(nodes: Iterable[yaml.Node]) -> tuple[list[_Entry], list[tuple[int, str]]]:
    entries, problems = [], []
    for node in nodes:
        line = node.start_mark.line + 1
        if not isinstance(node, yaml.MappingNode):
            problems.append((line, "expected `source`, `relation` and `target`"))
            continue
        values: dict[str, str] = {}
        for key, value in node.value:
            if str(key.value) in values:
                problems.append((line, f"`{key.value}` is given twice"))
            if not isinstance(value, yaml.ScalarNode):
                problems.append((line, f"`{key.value}` must be text"))
            values[str(key.value)] = clean_text(str(value.value)).text
        entries.append(_Entry(line, values))
    return entries, problems
