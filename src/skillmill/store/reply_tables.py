"""Tables of recorded replies, and of what is remembered about endpoints.

Replies lie in shards like all records. The notes are few and small, so they share
one file.
"""

from skillmill.store.memory_tables import MODEL

REPLY = """
create table reply (
    key      text not null,  -- sha256 of request, endpoint, version and sample
    id       text not null,  -- microseconds since 1970 and a random part: sorts by age
    model    text not null,  -- model.hash: endpoint and name of the model
    repairs  text not null default '',  -- reply.key that this one mends; '' if none
    role     text not null,  -- who asked
    stage    text not null,  -- in which part of the run
    record   text not null,  -- about which record
    version  text not null,  -- of the prompt
    sample   integer not null check (sample >= 0),  -- counts equal questions
    state    text not null check (state in ('ok', 'invalid', 'failed')),
    reason   text not null,  -- code of a failure; '' if ok
    message  text not null,  -- the failure in a sentence; '' if ok
    request  text not null,  -- JSON body as sent
    reply    text,           -- JSON body as received; null if none came
    finish   text,           -- finish_reason; null if none was given
    prompt_tokens     integer not null check (prompt_tokens >= 0),
    completion_tokens integer not null check (completion_tokens >= 0),
    estimated integer not null check (estimated in (0, 1)),  -- tokens are our guess
    tries    integer not null check (tries >= 0),  -- HTTP requests that it took
    seconds  real not null check (seconds >= 0),   -- the last of them, wall time
    created  text not null,  -- ISO 8601, UTC
    primary key (key, id)
) strict
"""

ABILITY = """
create table ability (
    endpoint text not null,  -- normalised base URL, without credentials
    model    text not null,  -- its name there
    name     text not null,  -- `rung:` + schema (`*`: all), or `change:` + parameter
    value    text not null,  -- the rung, or what the parameter became ('': dropped)
    noted    text not null,  -- ISO 8601 day, UTC
    primary key (endpoint, model, name)
) strict, without rowid
"""

REPLY_USE = """
create table reply_use (
    key text primary key,  -- reply.key
    day text not null      -- ISO 8601 day, UTC, of its last use
) strict, without rowid
"""

#: Kind of file -> the statements that make its tables.
REPLY_KINDS = {"reply-records": (MODEL, REPLY), "reply-notes": (ABILITY, REPLY_USE)}
