"""The tables of the typed skill graph, and of what is measured on it."""

# --- the graph itself -------------------------------------------------------------

#: The other end of an edge, so that both ends are found without storing it twice.
EDGE_TARGET = "create index edge_target on edge (target, source, relation)"

CANDIDATE = """
create table candidate (
    skill     text not null,  -- skill.id whose shortlist this is
    candidate text not null,  -- skill.id that is worth a look
    origin    text not null,  -- where the pair was found ('similar', 'mention')
    primary key (skill, candidate, origin),
    check (skill <> candidate)
) strict, without rowid
"""

EDGE_ORIGIN = """
create table edge_origin (
    source   text not null,  -- edge.source
    target   text not null,  -- edge.target
    relation text not null,  -- edge.relation
    origin   text not null,  -- candidate.origin that its pair was found by
    primary key (source, target, relation, origin)
) strict, without rowid
"""

EDGE_FLAG = """
create table edge_flag (
    source   text not null,  -- edge.source
    target   text not null,  -- edge.target
    relation text not null,  -- edge.relation
    flag     text not null,  -- stale, contradicted, confirmed or unconfirmed
    detail   text not null,  -- what it is about, in few words
    primary key (source, target, relation, flag, detail),
    check (flag in ('stale', 'contradicted', 'confirmed', 'unconfirmed'))
) strict, without rowid
"""

DROPPED_EDGE = """
create table dropped_edge (
    source     text not null,  -- skill.id
    target     text not null,  -- skill.id
    relation   text not null,  -- as it was proposed
    provenance text not null,  -- as it was proposed
    cause      text not null,  -- cycle, overridden, vetoed or contradicted
    detail     text not null,  -- what it lost against, in few words
    primary key (source, target, relation, provenance, cause),
    check (cause in ('cycle', 'overridden', 'vetoed', 'contradicted'))
) strict, without rowid
"""

REJECTED_ENTRY = """
create table rejected_entry (
    skill    text not null,     -- skill.id that was asked about
    position integer not null,  -- place among the rejected entries of the reply, from 0
    entry    text not null,     -- JSON, as the model wrote it
    reason   text not null,     -- why it is not used
    primary key (skill, position)
) strict, without rowid
"""

# --- what is measured on it -------------------------------------------------------

STRUCTURE = """
create table structure (
    layer      text not null,     -- which pairs: typed, similar, all, typed:link, ...
    control    text not null,     -- '' for the layer itself; else how random pairs join
    draws      integer not null,  -- random graphs averaged; 1 for the layer
    nodes      integer not null,  -- skills
    pairs      integer not null,  -- distinct undirected pairs
    wired      real not null,     -- skills with a pair
    components real not null,     -- skills without a pair count as one each
    largest    real not null,     -- skills of the largest component
    reach_1    real,              -- mean skills within 1 hop of a wired one
    reach_2    real,              -- within 2 hops
    reach_3    real,              -- within 3 hops
    primary key (layer, control)
) strict, without rowid
"""

BOUND = """
create table bound (
    grouping text not null,     -- what typed pairs are grouped by, or 'candidates'
    name     text not null,     -- the group
    pairs    integer not null,  -- distinct undirected pairs of the group
    inside   integer not null,  -- of these, pairs that similar_to joins, too
    share    real,              -- inside / pairs; null without pairs
    low      real,              -- lower end of Wilson's interval
    high     real,              -- upper end of Wilson's interval
    primary key (grouping, name)
) strict, without rowid
"""

CENSUS = """
create table census (
    kind  text not null,     -- pairs, several relations, contradictory, or a category
    name  text not null,     -- of a category: the two relations that disagree; else ''
    pairs integer not null,  -- distinct undirected pairs
    share real,              -- of all distinct pairs; null without pairs
    primary key (kind, name)
) strict, without rowid
"""

MISS = """
create table miss (
    unit  text not null,     -- task: one without a hit; skill: a relevant one not found
    layer text not null,     -- edges that are followed, both ways; random: a control
    start text not null,     -- from the first result, or from all
    hops  integer not null,  -- least hops to a skill that is relevant; 0: out of reach
    n     real not null,     -- missed units of that distance; a mean for the control
    share real,              -- of all that are missed; null if none is
    primary key (unit, layer, start, hops)
) strict, without rowid
"""

ENTRY = """
create table entry (
    arm   text not null,     -- ranking.arm
    entry text not null,     -- right or wrong: the first result of the entry ranker
    k     integer not null,  -- cut-off
    n     integer not null,  -- tasks
    hits  integer not null,  -- tasks with a relevant skill in the first k
    share real,              -- hits / n; null without tasks
    low   real,              -- lower end of Wilson's interval
    high  real,              -- upper end of Wilson's interval
    primary key (arm, entry, k),
    check (entry in ('right', 'wrong'))
) strict, without rowid
"""

COMPARISON = """
create table comparison (
    first      text not null,     -- ranking.arm
    second     text not null,     -- ranking.arm that it is compared with
    category   text not null,     -- label of the tasks; 'all' is the pooled row
    k          integer not null,  -- cut-off of the hit
    n          integer not null,  -- tasks
    both       integer not null,  -- tasks that both arms hit
    only_first integer not null,  -- tasks that the first alone hits
    only_second integer not null,  -- tasks that the second alone hits
    difference real not null,     -- share of the first minus share of the second
    low        real not null,     -- lower end of Newcombe's paired interval
    high       real not null,     -- upper end of Newcombe's paired interval
    p          real not null,     -- McNemar's exact test, two-sided, not adjusted
    primary key (first, second, category, k)
) strict, without rowid
"""

COST = """
create table cost (
    regime     text primary key,  -- what an agent reads to choose from
    tasks      integer not null,  -- that the row is the mean of
    rows       real not null,     -- listings read for a task
    characters real not null,     -- of these listings
    tokens     real not null      -- characters / 4: a rule of thumb, not a tokeniser
) strict, without rowid
"""

AUDIT = """
create table audit (
    relation     text primary key,  -- relation of the edges; 'all' is the pooled row
    n            integer not null,  -- edges with a verdict
    correct      integer not null,  -- judged correct
    plausible    integer not null,  -- judged plausible
    wrong        integer not null,  -- judged wrong
    strict_share real,              -- correct / n; null without verdicts
    strict_low   real,              -- lower end of Wilson's interval
    strict_high  real,              -- upper end of Wilson's interval
    loose_share  real,              -- (correct + plausible) / n
    loose_low    real,              -- lower end of Wilson's interval
    loose_high   real               -- upper end of Wilson's interval
) strict, without rowid
"""

ORDERING = """
create table ordering (
    name  text primary key,  -- p, q, a relation's q, or a task's length
    n     integer not null,  -- steps or tasks
    hits  integer not null,  -- of these, found
    share real,              -- hits / n; null without steps
    low   real,              -- lower end of Wilson's interval
    high  real,              -- upper end of Wilson's interval
    note  text not null      -- what is counted
) strict, without rowid
"""

INFLATION = """
create table inflation (
    arm        text not null,     -- ranking.arm
    k          integer not null,  -- cut-off of the hit
    n_echo     integer not null,  -- tasks that echo their skill
    echo       real,              -- share of hits on them; null without tasks
    n_plain    integer not null,  -- tasks that do not
    plain      real,              -- share of hits on them; null without tasks
    difference real,              -- echo minus plain; null if one is unknown
    low        real,              -- lower end of Newcombe's interval
    high       real,              -- upper end of Newcombe's interval
    primary key (arm, k)
) strict, without rowid
"""

#: Tables of the graph, in the order of docs/stores.md.
GRAPH = (CANDIDATE, EDGE_ORIGIN, EDGE_FLAG, DROPPED_EDGE, REJECTED_ENTRY)
MEASURED = (
    STRUCTURE,
    BOUND,
    CENSUS,
    MISS,
    ENTRY,
    COMPARISON,
    COST,
    AUDIT,
    ORDERING,
    INFLATION,
)
