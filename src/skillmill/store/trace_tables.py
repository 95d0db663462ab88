"""The tables of slots, dependencies, query trees and bundles."""

SLOT = """
create table slot (
    skill  text not null,  -- skill.id that takes or gives it
    side   text not null,  -- input or output
    name   text not null,  -- lower case, words joined by hyphens
    kind   text not null,  -- artefact, file (a mere file type) or tool
    source text not null,  -- declared, llm or rule
    primary key (skill, side, name, kind),
    check (side in ('input', 'output')),
    check (kind in ('artefact', 'file', 'tool')),
    check (source in ('declared', 'llm', 'rule'))
) strict, without rowid
"""

SCHEMA_STATE = """
create table schema_state (
    skill  text primary key,  -- skill.id
    state  text not null,     -- ok, empty (nothing known), failed or skipped
    reason text not null,     -- why it is not ok; '' where it is
    check (state in ('ok', 'empty', 'failed', 'skipped'))
) strict, without rowid
"""

DEPENDENCY = """
create table dependency (
    consumer text not null,  -- skill.id that takes
    producer text not null,  -- skill.id that makes
    weight   real not null,  -- overlap of outputs and inputs, above 0
    source   text not null,  -- of the best pair of slots: declared, llm or rule
    primary key (consumer, producer),
    check (consumer <> producer),
    check (source in ('declared', 'llm', 'rule'))
) strict, without rowid
"""

SERVED = """
create table served (
    consumer text not null,  -- dependency.consumer
    producer text not null,  -- dependency.producer
    input    text not null,  -- slot.name of the consumer
    output   text not null,  -- slot.name of the producer that serves it
    likeness real not null,  -- 1 for equal names, else their cosine
    primary key (consumer, producer, input)
) strict, without rowid
"""

TREE = """
create table tree (
    task   text primary key,  -- task.id
    origin text not null,     -- llm, or heuristic: clauses and list items
    state  text not null,     -- ok, empty, failed or skipped
    reason text not null,     -- why it is not ok; '' where it is
    check (origin in ('llm', 'heuristic')),
    check (state in ('ok', 'empty', 'failed', 'skipped'))
) strict, without rowid
"""

TREE_NODE = """
create table tree_node (
    task        text not null,     -- tree.task
    position    integer not null,  -- place in the tree, from 0; behind its parent
    id          text not null,     -- node in its tree
    parent      text,              -- id of the node above; null for the root
    requirement text not null,     -- what is to be done
    inputs      text not null,     -- JSON array of types; leaves only
    outputs     text not null,     -- JSON array of types; leaves only
    rationale   text not null,     -- why one skill can do it; '' if not given
    primary key (task, position)
) strict, without rowid
"""

TREE_REMARK = """
create table tree_remark (
    task     text not null,     -- tree.task
    position integer not null,  -- place among the remarks, from 0
    remark   text not null,     -- what was mended
    primary key (task, position)
) strict, without rowid
"""

BUNDLE = """
create table bundle (
    task      text primary key,  -- task.id
    mode      text not null,     -- additive or paper
    state     text not null,     -- ok, empty or failed
    reason    text not null,     -- why it is not ok; '' where it is
    tokens    integer not null,  -- of all members, about
    converged integer not null,  -- 1 if the walk had settled, else 0
    steps     integer not null,  -- steps of the walk
    residual  real not null,     -- change of its last step
    check (mode in ('additive', 'paper'))
) strict, without rowid
"""

BUNDLE_MEMBER = """
create table bundle_member (
    task     text not null,     -- bundle.task
    position integer not null,  -- place in the runnable order, from 1
    skill    text not null,     -- skill.id
    role     text not null,     -- primary or supporting
    rank     integer not null,  -- place by score, from 1
    score    real not null,     -- of the ranker, the matching or the walk
    leaves   text not null,     -- JSON array of the steps that it is for
    path     text not null,     -- JSON array of skill.id, from it to a primary one
    slots    text not null,     -- JSON array of what it makes for the next on the path
    tokens   integer not null,  -- of its text, about, as far as it is shown
    primary key (task, position),
    check (role in ('primary', 'supporting'))
) strict, without rowid
"""

BUNDLE_NOTE = """
create table bundle_note (
    task     text not null,     -- bundle.task
    kind     text not null,     -- broken, unmatched, external, left_out or remark
    position integer not null,  -- place among those of its kind, from 0
    first    text not null,     -- producer, step, skill, skill or text
    second   text not null,     -- consumer, '', input, reason or ''
    primary key (task, kind, position),
    check (kind in ('broken', 'unmatched', 'external', 'left_out', 'remark'))
) strict, without rowid
"""
