"""Which tables a store of each kind has.

A change of any table raises the version: artifacts are then refused and made
again, records (paid work) have their own version and are never thrown away.
"""

import sqlite3
from collections.abc import Mapping

from skillmill.store import graph_tables as g
from skillmill.store import memory_tables as m
from skillmill.store import reply_tables as r
from skillmill.store import tables as t
from skillmill.store import trace_tables as b
from skillmill.store.answers import ANSWER
from skillmill.store.evolution_tables import EVOLUTION, ROLLOUT_RECORD
from skillmill.store.postings import POSTING
from skillmill.store.tokens import TOKEN
from skillmill.store.trial_table import TRIAL

#: Version of the artifacts' tables.
SCHEMA_VERSION = 3

#: Version of the record stores' and the run log's tables, in `user_version`.
RECORD_VERSION = 1

_EVERY = (t.PROVENANCE, t.PROVENANCE_INPUT, t.OUTCOME)
_LOADED = (t.LOAD_COUNT, t.LOAD_PROBLEM)
_VECTORS = (t.VECTOR, t.ENCODER)
_QUESTIONS = (m.QUESTION, m.EVIDENCE, m.EVIDENCE_SESSION)
_ATOMS = (
    m.CONVERSATION,
    *_QUESTIONS,
    m.ATOM,
    m.ATOM_TURN,
    m.QUESTION_ATOM,
    t.PASSAGE,
)

#: Kind of artifact -> the statements that make its tables and unique indexes.
ARTIFACTS: Mapping[str, tuple[str, ...]] = {
    "catalogue": (*_EVERY, t.SKILL, t.ALIAS, *_LOADED, t.PASSAGE),
    "tasks": (*_EVERY, t.TASK, t.RELEVANT, *_LOADED, t.PASSAGE),
    "vectors": (*_EVERY, *_VECTORS),
    "tokens": (*_EVERY, TOKEN, t.ENCODER),
    "edges": (*_EVERY, t.EDGE),
    "skill-graph": (*_EVERY, t.USAGE, t.EDGE, g.EDGE_TARGET, *g.GRAPH, *_LOADED),
    "library": (
        *_EVERY,
        t.SKILL,
        t.ALIAS,
        *_LOADED,
        t.PASSAGE,
        *_VECTORS,
        t.EDGE,
        g.EDGE_TARGET,
        g.EDGE_ORIGIN,
        g.EDGE_FLAG,
        g.CENSUS,
        POSTING,
    ),
    "topology": (*_EVERY, *g.MEASURED, *_LOADED),
    "typed-relations": (*_EVERY, t.USAGE, t.EDGE),
    "rankings": (*_EVERY, t.USAGE, t.RANKING, t.RANKING_STATE, t.PART),
    "slots": (*_EVERY, t.USAGE, b.SLOT, b.SCHEMA_STATE),
    "dependencies": (*_EVERY, b.DEPENDENCY, b.SERVED),
    "trees": (*_EVERY, t.USAGE, b.TREE, b.TREE_NODE, b.TREE_REMARK),
    "traces": (
        *_EVERY,
        b.BUNDLE,
        b.BUNDLE_MEMBER,
        b.BUNDLE_NOTE,
        t.RANKING,
        t.RANKING_STATE,
        t.PART,
    ),
    "answers": (*_EVERY, t.USAGE, ANSWER),
    "evolution": (*_EVERY, t.USAGE, *EVOLUTION),
    "conversations": (
        *_EVERY,
        m.CONVERSATION,
        m.SESSION,
        m.TURN,
        *_QUESTIONS,
        *_LOADED,
    ),
    "atoms": (*_EVERY, *_ATOMS),
    "entities": (*_EVERY, m.MENTION, t.PASSAGE),
    "memory": (*_EVERY, t.USAGE, *_ATOMS, m.MENTION, *_VECTORS, t.EDGE),
    "scores": (
        *_EVERY,
        t.USAGE,
        t.SCORE,
        t.SCORE_KEY,
        t.QUERY_SCORE,
        t.QUERY_SCORE_KEY,
    ),
}

#: The same for the files that live outside all artifacts.
RECORDS: Mapping[str, tuple[str, ...]] = {
    "vector-records": (m.MODEL, m.VECTOR_RECORD, m.SEAL),
    "tag-records": (m.MODEL, m.TAG_RECORD, m.SEAL),
    "token-records": (m.MODEL, m.TOKEN_RECORD, m.SEAL),
    "rollout-records": (m.MODEL, ROLLOUT_RECORD, m.SEAL),
    "reply-records": (m.MODEL, r.REPLY),
    "reply-notes": (r.ABILITY, r.REPLY_USE),
    "run-log": (m.JOB,),
    "cost-log": (r.COST_OF_JOB,),
    "trial-log": (TRIAL,),
}


def create_artifact(db: sqlite3.Connection, kind: str) -> None:
    """Make the tables of an artifact.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    if kind not in ARTIFACTS:
        raise ValueError(f"unknown kind of store {kind!r}; known: {sorted(ARTIFACTS)}")
    for statement in ARTIFACTS[kind]:
        db.execute(statement)


def create_records(db: sqlite3.Connection, kind: str) -> None:
    """Make the tables of a record store or run log, and note their version."""
    for statement in RECORDS[kind]:
        db.execute(statement)
    db.execute(f"pragma user_version = {RECORD_VERSION:d}")
