"""The tables of evolution, as the SQL that makes them."""

EXPLORED = """
create table explored (
    position integer primary key,    -- order in which skills were added, from 0
    skill    text not null unique,   -- content hash of its markdown, 64 hex digits
    name     text not null,          -- as its markdown says
    path     text not null,          -- JSON array of primitives, in order
    markdown text not null,          -- the skill, to be parsed or read
    source   text,                   -- explored.skill it was edited from; null if none
    step     integer not null,       -- when it was proposed, from 0; -1 for a seed
    status   text not null,          -- where it stands: on which frontier, or on none
    check (
        status in (
            'both', 'capability', 'deploy', 'displaced', 'rejected', 'proposed'
        )
    )
) strict, without rowid
"""

EXPLORED_EVENT = """
create table explored_event (
    skill    integer not null,  -- explored.position
    position integer not null,  -- place in its history, from 0
    step     integer not null,  -- when it happened; -1 before the first step
    fate     text not null,     -- proposed, train-retained, entered, deployed, ...
    reason   text not null,     -- why, in few words; '' if nothing was said
    primary key (skill, position)
) strict, without rowid
"""

EXPLORED_TALLY = """
create table explored_tally (
    skill integer not null,             -- explored.position
    split text not null,                -- train or val
    n     integer not null check (n > 0),  -- rollouts
    total real not null,                -- sum of their rewards, each in [0, 1]
    primary key (skill, split)
) strict, without rowid
"""

FRONTIER_MEMBER = """
create table frontier_member (
    frontier text not null,     -- capability or deploy
    position integer not null,  -- place in it, from 0
    skill    integer not null,  -- explored.position
    primary key (frontier, position),
    check (frontier in ('capability', 'deploy'))
) strict, without rowid
"""

EVOLUTION_QUERY = """
create table evolution_query (
    position integer primary key,  -- number of the question, from 0
    query    text not null unique  -- question.id
) strict, without rowid
"""

REWARD = """
create table reward (
    part  integer not null,  -- step of a training batch; -1 is validation
    skill integer not null,  -- explored.position
    query integer not null,  -- evolution_query.position
    value real not null check (value between 0 and 1),  -- reward of the rollout
    primary key (part, skill, query)
) strict, without rowid
"""

ROUTER = """
create table router (
    name text primary key,  -- 'router': there is one
    data blob not null      -- safetensors, or JSON of the plain one
) strict, without rowid
"""

CHOICE = """
create table choice (
    query       integer primary key,  -- evolution_query.position, of the last batch
    skill       integer not null,     -- explored.position that it is routed to
    probability real not null         -- share that the router gives it
) strict, without rowid
"""

REFUSAL = """
create table refusal (
    position integer primary key,  -- order in which the last step refused, from 0
    name     text not null,        -- as the proposer called it
    path     text not null,        -- JSON array of primitives
    reason   text not null         -- why it was not explored
) strict, without rowid
"""

CURVE = """
create table curve (
    step              integer primary key,  -- from 0; -1 are the seeds
    batch             integer not null,  -- training questions
    proposed          integer not null,  -- candidates rolled out
    refused           integer not null,  -- candidates turned away unseen
    retained          integer not null,  -- candidates that the train filter kept
    entered           integer not null,  -- those on the capability frontier now
    deploy_tried      integer not null,  -- 1 if a deploy set was put to the gate
    deploy_accepted   integer not null,  -- 1 if it was taken
    gain              real,              -- its routed gain; null if none was tried
    train_oracle      real not null,     -- oracle of the old frontier on the batch
    capability_oracle real not null,     -- oracle of the capability frontier
    deploy_oracle     real not null,     -- oracle of the deploy frontier
    routed            real not null,     -- mean reward as routed, validation
    best_single       real not null,     -- best deployed skill alone, validation
    capability_size   integer not null,  -- skills
    deploy_size       integer not null,  -- skills
    rollouts          integer not null,  -- pairs of skill and question of this step
    reason            text not null      -- what the gate saw
) strict, without rowid
"""

ROLLOUT_RECORD = """
create table rollout_record (
    model    text not null,  -- model.hash: executor, budget, reader and judge
    key      text not null,  -- sha256 of skill, question, split and memory
    skill    text not null,  -- content hash of the skill's markdown
    question text not null,  -- question.id
    split    text not null,  -- train, val or test: no split serves another
    memory   text not null,  -- hash of the memory and of what is asked of it
    state    text not null,  -- ok, empty or failed
    reason   text,           -- why it is not ok; null where it is
    items    text not null,  -- JSON array of atom ids, best first
    primary key (model, key)
) strict, without rowid
"""

EVOLUTION = (
    EXPLORED,
    EXPLORED_EVENT,
    EXPLORED_TALLY,
    FRONTIER_MEMBER,
    EVOLUTION_QUERY,
    REWARD,
    ROUTER,
    CHOICE,
    REFUSAL,
    CURVE,
)
