"""The tables, as the SQL that makes them; each column with its meaning and unit.

`docs/stores.md` says the same at more length, and a test holds the two together.
A table is STRICT, and keyed without a row number where its key is never null.
"""

# --- in every artifact ------------------------------------------------------------

PROVENANCE = """
create table provenance (
    key   text primary key,  -- kind, schema, study, package_version, code, ...
    value text not null      -- plain text; JSON for params and models
) strict, without rowid
"""

PROVENANCE_INPUT = """
create table provenance_input (
    role   text not null,  -- what the file was to the job ('skills', 'vectors')
    path   text not null,  -- relative to the working directory when below it
    sha256 text not null,  -- of the bytes when the job began, 64 hex digits
    primary key (role, path)
) strict, without rowid
"""

OUTCOME = """
create table outcome (
    stage  text not null,                    -- the step whose items are counted
    state  text not null,                    -- how they ended
    reason text not null default '',         -- why, in few words; '' if there is none
    n      integer not null check (n >= 0),  -- items
    primary key (stage, state, reason),
    check (state in ('ok', 'empty', 'failed', 'skipped'))
) strict, without rowid
"""

USAGE = """
create table usage (
    role  text not null,  -- who asked a language model
    stage text not null,  -- in which part of the job
    model text not null,  -- name of the model at its endpoint
    replies   integer not null,  -- questions with a reply, recorded ones too
    estimated integer not null,  -- those whose tokens are our guess
    prompt_tokens     integer not null,  -- of all prompts
    completion_tokens integer not null,  -- of all replies
    primary key (role, stage, model)
) strict, without rowid
"""

# --- shared by several kinds ------------------------------------------------------

LOAD_COUNT = """
create table load_count (
    source text primary key,   -- the file or folder that was loaded
    found  integer not null,   -- items met
    loaded integer not null,   -- items that came through without remark
    warned integer not null,   -- items that came through with a warning
    failed integer not null,   -- items that did not come through
    check (found = loaded + warned + failed)
) strict, without rowid
"""

LOAD_PROBLEM = """
create table load_problem (
    source   text not null,     -- load_count.source
    position integer not null,  -- place in the report, from 0
    file     text not null,     -- the file with the problem
    line     integer,           -- line in it, from 1; null where it has no meaning
    record   text,              -- the item; null where it is the whole file
    severity text not null,     -- info, warning, or failed: the item was lost
    code     text not null,     -- short stable word ('unquoted-colon')
    message  text not null,     -- what was expected, what came, what was done
    primary key (source, position),
    check (severity in ('info', 'warning', 'failed'))
) strict, without rowid
"""

PASSAGE = """
create table passage (
    kind text not null,                      -- skill, task, atom, question, ...
    id   text not null,                      -- the record that the text speaks for
    part integer not null check (part >= 0),  -- piece of a long text, from 0
    text text not null,                      -- what an encoder or an index reads
    primary key (kind, id, part)
) strict, without rowid
"""

VECTOR = """
create table vector (
    kind  text not null,                       -- as passage.kind
    id    text not null,                       -- as passage.id
    part  integer not null check (part >= 0),  -- as passage.part
    dim   integer not null check (dim > 0),    -- numbers in data
    dtype text not null check (dtype = 'float32le'),  -- 4-byte little-endian floats
    data  blob not null check (length(data) = 4 * dim),  -- finite; any length
    primary key (kind, id, part)
) strict, without rowid
"""

ENCODER = """
create table encoder (
    key   text primary key,  -- part of the model's identity ('name', 'dim', ...)
    value any not null       -- text or integer, as the encoder states it
) strict, without rowid
"""

EDGE = """
create table edge (
    source     text not null,  -- record the edge leaves
    target     text not null,  -- record the edge enters
    relation   text not null,  -- type of the edge ('similar_to')
    weight     real,           -- cosine, overlap or confidence; null without degree
    provenance text not null,  -- how the edge came about
    primary key (source, target, relation, provenance),
    check (source <> target),
    check (
        provenance in ('curated', 'derived', 'rule', 'llm', 'learned', 'embedding')
    )
) strict, without rowid
"""

# --- catalogue and tasks ----------------------------------------------------------

SKILL = """
create table skill (
    id           text primary key,  -- folder relative to the library root
    kind         text not null,     -- skill, or listing: a registry's row, no body
    name         text not null,     -- as its author calls it
    description  text not null,     -- what an agent sees before loading it
    path         text not null,     -- file it was read from
    department   text not null,     -- empty if none
    category     text not null,     -- empty if none
    tags         text not null,     -- JSON array of texts
    related      text not null,     -- JSON array of the ids its author names
    inputs       text not null,     -- JSON array of texts
    outputs      text not null,     -- JSON array of texts
    tools        text not null,     -- JSON array of texts
    part_of      text,              -- id of the skill it belongs to; null if none
    body         text not null,     -- markdown below the front matter
    content_hash text not null,     -- sha256 of the text, hex digits
    check (kind in ('skill', 'listing'))
) strict, without rowid
"""

ALIAS = """
create table alias (
    path     text primary key,  -- id of an identical copy, or the skill's own folder
    skill    text not null,     -- skill.id that stands for it
    position integer not null   -- place among them, from 0
) strict, without rowid
"""

TASK = """
create table task (
    id         text primary key,  -- the task's own id
    position   integer not null,  -- place in the file, from 0
    text       text not null,     -- the request
    categories text not null      -- JSON array of labels to break scores down by
) strict, without rowid
"""

RELEVANT = """
create table relevant (
    task     text not null,     -- task.id
    skill    text not null,     -- skill.id that the task needs
    position integer not null,  -- place in the task's list, from 0
    primary key (task, skill)
) strict, without rowid
"""

# --- rankings and scores ----------------------------------------------------------

RANKING = """
create table ranking (
    arm   text not null,                       -- the compared method
    query text not null,                       -- task.id or question.id
    rank  integer not null check (rank >= 1),  -- 1 is the best
    item  text not null,                       -- skill.id or atom.id
    score real not null,                       -- the arm's own scale, high is good
    primary key (arm, query, rank)
) strict, without rowid
"""

RANKING_STATE = """
create table ranking_state (
    arm    text not null,  -- the compared method
    query  text not null,  -- task.id or question.id
    state  text not null,  -- ok, empty (nothing fits), failed or skipped
    reason text,           -- why it is not ok; null where it is
    primary key (arm, query),
    check (state in ('ok', 'empty', 'failed', 'skipped'))
) strict, without rowid
"""

PART = """
create table part (
    arm   text not null,  -- the compared method
    query text not null,  -- task.id or question.id
    item  text not null,  -- skill.id or atom.id
    name  text not null,  -- part of the item's score ('dense', 'lexical')
    value real not null,  -- that part, on its own scale
    primary key (arm, query, item, name)
) strict, without rowid
"""

SCORE = """
create table score (
    track     text not null,     -- what is searched: library or memory
    study     text not null,     -- name of the study
    arm       text not null,     -- the compared method
    split     text not null,     -- the queries' part: train, val, test or all
    category  text not null,     -- label of the queries; 'all' is the pooled row
    metric    text not null,     -- 'recall', 'ndcg', ...
    k         integer check (k >= 1),  -- cut-off in ranks; null if the metric has none
    n         integer not null,  -- queries that the value is the mean of
    value     real,              -- fraction in [0, 1]; null where n is 0
    low       real,              -- lower end of the 95 % interval; fraction
    high      real,              -- upper end of the 95 % interval; fraction
    heuristic integer not null,  -- 1 if an offline stand-in took part, else 0
    check (track in ('library', 'memory')),
    check (split in ('train', 'val', 'test', 'all')),
    check (heuristic in (0, 1))
) strict
"""

# A null cut-off cannot be part of a primary key.
SCORE_KEY = """
create unique index score_key on score (
    track, study, arm, split, category, metric, ifnull(k, 0)
)
"""

QUERY_SCORE = """
create table query_score (
    arm    text not null,           -- the compared method
    query  text not null,           -- task.id or question.id
    metric text not null,           -- 'recall', 'ndcg', ...
    k      integer check (k >= 1),  -- cut-off in ranks; null if the metric has none
    value  real                     -- fraction; null where it cannot be computed
) strict
"""

QUERY_SCORE_KEY = """
create unique index query_score_key on query_score (arm, query, metric, ifnull(k, 0))
"""
