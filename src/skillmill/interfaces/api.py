"""The functions that people import: `from skillmill import search`.

Each takes a results folder (or a `library.sqlite` itself) and the name of a study,
which may be left out where there is one. Names, parameters and the fields of what they
return stay as they are within a minor version. All raise `SkillmillError` and nothing
else for what a user can mend; its message is one sentence.
"""

from os import PathLike
from pathlib import Path

from skillmill.interfaces.explain import USUAL_SKILL
from skillmill.interfaces.found import Found
from skillmill.interfaces.graphfile import GraphFormat, Layers, graph_text
from skillmill.interfaces.hooking import advice
from skillmill.interfaces.recall import Recalled
from skillmill.interfaces.recall import recall as recall_from
from skillmill.interfaces.run import run_workflow
from skillmill.interfaces.searching import library_store
from skillmill.interfaces.searching import search as search_once
from skillmill.interfaces.served import ServedLibrary
from skillmill.interfaces.show import read_scores
from skillmill.interfaces.skilltext import SkillText, library_root
from skillmill.interfaces.skilltext import read_skill as read_text
from skillmill.library.around import Neighbour
from skillmill.library.settings import Arm
from skillmill.types import LoadReport, Problem, Score

Place = str | PathLike[str]

#: Where `skillmill run` puts what it builds.
RESULTS = "results"


def open_library(results: Place = RESULTS, study: str | None = None) -> ServedLibrary:
    """A built library for many questions: it is read once, and again when rebuilt.

    Its `search`, `find`, `neighbours` and `status` may be called from several threads.

    Raises
    ------
    InputError
        If there is no such library.
    """
    return ServedLibrary(library_store(Path(results), study))


def search(
    query: str,
    *,
    results: Place = RESULTS,
    study: str | None = None,
    arm: Arm = "hybrid",
    limit: int = 5,
) -> Found:
    """The skills that fit a task best; state `empty` if nothing does.

    For one question; `open_library` is for many.

    Raises
    ------
    InputError, StoreError, ModelError
        If there is no library, it cannot be read, or the arm's encoder is missing.
    """
    return search_once(library_store(Path(results), study), query, arm, limit)


def neighbours(
    skill: str, *, results: Place = RESULTS, study: str | None = None
) -> list[Neighbour]:
    """What is one edge away from a skill, typed relations first.

    `skill` is an id, an alias, or a name that one skill alone has.

    Raises
    ------
    InputError
        If there is no such skill or library.
    """
    library = open_library(results, study)
    return library.neighbours(library.find(skill))


def read_skill(
    skill: str,
    file: str | None = None,
    *,
    results: Place = RESULTS,
    study: str | None = None,
) -> SkillText:
    """The SKILL.md of a skill as it was indexed, or a text file of its folder.

    Hidden and steering characters are spelled out.

    Raises
    ------
    InputError
        If there is none, or the name leads out of the skill's folder.
    """
    library = open_library(results, study)
    return read_text(library.find(skill), library_root(library.path), file)


def export_graph(
    form: GraphFormat = "graphml",
    layer: Layers = "typed",
    *,
    results: Place = RESULTS,
    study: str | None = None,
) -> str:
    """The graph of a library as GraphML, JSON or DOT."""
    return graph_text(library_store(Path(results), study), form, layer)


def advise(
    prompt: str,
    *,
    results: Place = RESULTS,
    study: str | None = None,
    limit: int = 5,
    tokens: int = 300,
) -> str:
    """A short list of skills for a prompt, within a budget; empty if nothing fits."""
    path = library_store(Path(results), study)
    return advice(path, prompt, limit=limit, tokens=tokens)


def recall(
    question: str,
    study: str,
    *,
    results: Place = RESULTS,
    conversation: str | None = None,
    skill: str = USUAL_SKILL,
    budget: int = 10,
) -> Recalled:
    """What a memory of conversations holds about a question, best first, with dates.

    Raises
    ------
    InputError, ModelError
        If there is no such memory or retrieval skill, or a model is missing.
    """
    return recall_from(Path(results), study, question, skill, conversation, budget)


def scores(
    study: str | None = None, *, results: Place = RESULTS, **filters: str | int | None
) -> list[Score]:
    """Score rows of one study or of all; `filters` are fields with the value wanted."""
    return read_scores(Path(results), study, **filters)


def lint(folder: Place) -> tuple[list[Problem], LoadReport]:
    """Every problem of the SKILL.md files below a folder, and the counts.

    Raises
    ------
    InputError
        If there is no library.
    """
    from skillmill.interfaces.lint import lint_library  # noqa: PLC0415 the same name

    return lint_library(Path(folder))


def build(*arguments: str) -> int:
    """Build what is out of date, as `skillmill run` does; the exit code.

    Arguments go to Snakemake, such as `"--configfile", "skillmill.yaml"`.
    """
    return run_workflow(list(arguments))
