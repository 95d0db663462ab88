"""Trees and bundles of a study's tasks, or of a task in words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillmill.errors import InputError
from skillmill.interfaces.chat import asking
from skillmill.interfaces.libraries import read_skills
from skillmill.interfaces.opened import remembered
from skillmill.interfaces.query_vectors import query_encoder, query_vectors
from skillmill.library.bundle import Bundle, token_cost
from skillmill.library.prerequisites import DependencyGraph
from skillmill.library.query import Query
from skillmill.library.querytree import ROLE, QueryTree, TreeSettings, grow_trees
from skillmill.library.ranker import Ranker
from skillmill.library.settings import Arm, RankerSettings
from skillmill.library.study import Skills
from skillmill.library.trace import trace
from skillmill.library.tracequeries import skill_ranker, trace_queries
from skillmill.library.tracerows import (
    bundle_of,
    dependencies_of,
    schemas_of,
    trees_of,
)
from skillmill.library.tracing import TraceLibrary, TraceSettings
from skillmill.models.encoder import Encoder
from skillmill.settings.whole import Config
from skillmill.store import artifact, catalogue, traces, vectors
from skillmill.types import LibrarySkill, Task

#: What a task in words is called.
FREE = "task"


def read_library(
    catalogue_path: Path, slots_path: Path, dependencies_path: Path
) -> TraceLibrary:
    """The library of a study with its dependency graph."""
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills = catalogue.load_skills(db)
    with artifact.reading(slots_path, "slots") as db:
        schemas = schemas_of(
            traces.load_trace_rows(db, traces.SchemaState),
            traces.load_trace_rows(db, traces.SlotRow),
        )
    with artifact.reading(dependencies_path, "dependencies") as db:
        edges = dependencies_of(
            traces.load_trace_rows(db, traces.DependencyRow),
            traces.load_trace_rows(db, traces.ServedRow),
        )
    return TraceLibrary(
        graph=DependencyGraph([skill.id for skill in skills], edges),
        costs={skill.id: token_cost(skill) for skill in skills},
        wanted={s.skill: [slot.name for slot in s.wanted()] for s in schemas},
    )


def read_trees(path: Path) -> list[QueryTree]:
    """The trees of a study, by task."""
    with artifact.reading(path, "trees") as db:
        return trees_of(
            traces.load_trace_rows(db, traces.TreeRow),
            traces.load_trace_rows(db, traces.TreeNodeRow),
            traces.load_trace_rows(db, traces.TreeRemark),
        )


def tree_of(results: Path, study: str, task: str, config: Config) -> QueryTree:
    """The tree of a task of a study by its id, or of a task in words.

    Words are taken apart as the configuration says: by a model, or by clauses.

    Raises
    ------
    SkillmillError
        If the model cannot be asked.
    """
    store = results / study / "library" / "trees.sqlite"
    if store.is_file():
        for tree in read_trees(store):
            if tree.task == task:
                return tree
    return grown(task, config)


def bundle_for(
    results: Path, study: str, task: str, config: Config
) -> tuple[Bundle, dict[str, LibrarySkill]]:
    """The bundle of a task of a study by its id, or of a task in words.

    Words are bundled with the settings that the study's own tasks were, or with those
    of `config` where it has no tasks.

    Returns
    -------
    bundle : Bundle
    skills : dict
        Its members by id.

    Raises
    ------
    InputError
        If the study has no dependency graph.
    SkillmillError
        If a model is missing or cannot be asked.
    """
    folder = results / study / "library"
    if not (folder / "dependencies.sqlite").is_file():
        raise InputError(
            f"study {study!r} has no dependency graph below {results}; run `skillmill"
            " run` for it",
            record=study,
        )
    made = _made(folder, config)
    if task in made.rows:
        bundle = bundle_of(made.rows[task], made.members, made.notes)
    else:
        bundle = _fresh(folder, task, made.params, config)
    wanted = {member.skill for member in bundle.members}
    known = _skills([folder / "catalogue.sqlite"])
    return bundle, {skill: known[skill] for skill in wanted}


@dataclass(frozen=True, eq=False)
class _Bundles:
    """The bundles of a study's tasks, and the settings that they were made with."""

    rows: dict[str, traces.BundleRow]
    members: list[traces.BundleMember]
    notes: list[traces.BundleNote]
    params: dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Traced:
    """What the bundle of a task in words is made from."""

    encoder: Encoder
    skills: Skills
    ranker: Ranker
    scorer: Ranker
    library: TraceLibrary


def _made(folder: Path, config: Config) -> _Bundles:
    """What is known of a study's bundles; no bundle where it has no tasks."""
    if (folder / "traces.sqlite").is_file():
        return _bundles([folder / "traces.sqlite"])
    trace_section = config.library.trace
    params = {
        "settings": trace_section.model_dump(exclude={"tree", "dependencies", "arms"}),
        "arms": trace_section.arms.model_dump(),
        "ranker": config.library.ranker.model_dump(),
    }
    return _Bundles({}, [], [], params)


@remembered(4)
def _bundles(files: Sequence[Path]) -> _Bundles:
    with artifact.reading(files[0], "traces") as db:
        return _Bundles(
            {row.task: row for row in traces.load_trace_rows(db, traces.BundleRow)},
            traces.load_trace_rows(db, traces.BundleMember),
            traces.load_trace_rows(db, traces.BundleNote),
            dict(artifact.load_provenance(db).params),
        )


@remembered(4)
def _skills(files: Sequence[Path]) -> dict[str, LibrarySkill]:
    with artifact.reading(files[0], "catalogue") as db:
        return {skill.id: skill for skill in catalogue.load_skills(db)}


@remembered(2)
def _traced(files: Sequence[Path], ranker: str) -> _Traced:
    """Read the catalogue, vectors, slots and dependencies of a study.

    `ranker` is the ranker's section as JSON, as what is remembered must be hashable.
    """
    catalogue_path, store, slots, dependencies = files
    with artifact.reading(store, "vectors") as db:
        noted = dict(artifact.load_provenance(db).params)["encoder"]
        stored = vectors.load_encoder(db)
    if not isinstance(noted, dict):
        raise InputError(f"{store}: its encoder is not noted; run the workflow again")
    skills = read_skills(catalogue_path, store)
    settings = RankerSettings(**json.loads(ranker))
    return _Traced(
        encoder=query_encoder(noted, stored),
        skills=skills,
        ranker=Ranker(
            skills.ids, skills.texts, skills.vectors, settings, names=skills.names
        ),
        scorer=skill_ranker(skills, settings),
        library=read_library(catalogue_path, slots, dependencies),
    )


def _fresh(folder: Path, text: str, params: dict[str, Any], config: Config) -> Bundle:
    """The bundle of a task in words, with the settings of the study."""
    if not text.strip():
        raise InputError("expected a task in words or an id, got a blank one")
    names = ("catalogue", "vectors", "slots", "dependencies")
    files = [folder / f"{name}.sqlite" for name in names]
    held = _traced(files, json.dumps(params["ranker"], sort_keys=True))
    query = Query(FREE, text, query_vectors(text, held.encoder))
    tree = grown(text, config)
    leaves = [leaf.requirement for leaf in tree.leaves()]
    known = (
        dict(zip(leaves, held.encoder.encode(leaves), strict=True)) if leaves else {}
    )
    # Late interaction needs token vectors, which are only made for a study's tasks.
    entry = params["arms"]["entry"]
    arm: Arm = "hybrid" if entry == "hybrid+late" else entry
    traced = TraceSettings(**params["settings"])
    prepared = trace_queries(
        held.skills,
        [query],
        {FREE: tree},
        {FREE: held.ranker.answer(arm, query)[0]},
        known,
        RankerSettings(**params["ranker"]),
        score_leaves=traced.weights == "hybrid",
        ranker=held.scorer,
    )
    return trace(held.library, prepared[0], traced)


@dataclass(frozen=True)
class _Asked:
    """What asking needs of a job, for a command."""

    study: str
    records: Path
    models: dict[str, Any]
    run: str = ""
    rule: str = "tree"
    part: str = ""


def grown(text: str, config: Config) -> QueryTree:
    """The tree of a task in words."""
    this = _Asked(config.study, Path(config.records), config.models.model_dump())
    asks = config.models.asks(ROLE)
    with asking(this, [ROLE] if asks else []) as client:
        trees, _ = grow_trees(
            [Task(FREE, text, ())],
            client,
            TreeSettings(**config.library.trace.tree.model_dump()),
            model=asks.get("model", ""),
        )
    return trees[0]
