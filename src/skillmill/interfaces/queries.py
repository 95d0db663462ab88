"""`skillmill queries`: sets of queries for a library, checked."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillmill.data.library import read_library
from skillmill.data.queries import load_queries
from skillmill.data.skillfile import Ids
from skillmill.interfaces.options import problem_line
from skillmill.library.echo import echoes
from skillmill.report.visible import visible_line
from skillmill.types import LoadReport


@dataclass(frozen=True, slots=True)
class Echo:
    """A query that echoes a skill that it should find, and why."""

    query: str
    skill: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """Queries that were read, and those of them that echo."""

    queries: int
    echoes: tuple[Echo, ...]
    report: LoadReport

    @property
    def echoing(self) -> int:
        """Queries that echo at least one of their skills."""
        return len({echo.query for echo in self.echoes})


def check_queries(file: Path, library: Path, ids: Ids = "folder") -> Checked:
    """Read queries against a library and test each for echoes.

    `ids` is what the queries name skills by, as in `skillfile.load_library`.

    Raises
    ------
    InputError
        If the file or the library cannot be read.
    """
    skills, _ = read_library(library, ids=ids)
    by_id = {skill.id: skill for skill in skills}
    known = {name: s.id for s in skills for name in (s.id, *s.aliases)}
    queries, report = load_queries(file, known)
    found = [
        Echo(query.id, skill, tuple(reasons))
        for query in queries
        for skill in query.relevant
        if (reasons := echoes(query.text, by_id[skill]))
    ]
    return Checked(len(queries), tuple(found), report)


def written(checked: Checked) -> Iterator[str]:
    """A line for each problem and each echo."""
    for problem in checked.report.problems:
        yield problem_line(problem)
    for echo in checked.echoes:
        reasons = "; ".join(echo.reasons)
        yield visible_line(f"{echo.query}: echoes {echo.skill}: {reasons}")
