"""Tables of recorded replies, of what is remembered about endpoints, and of costs.

Replies lie in shards like all records. Notes and costs are few and small, so each
share one file.
"""

# What was asked of a language model, and what it said.
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
    state    text not null,  -- ok, invalid (it may be mended) or failed
    reason   text not null,  -- code of a failure; '' if ok
    message  text not null,  -- the failure in a sentence; '' if ok
    request  text not null,  -- JSON body as sent
    reply    text,           -- JSON body as received; null if none came
    finish   text,           -- finish_reason; null if none was given
    prompt_tokens integer not null check (prompt_tokens >= 0),  -- 0 if none came
    completion_tokens integer not null check (completion_tokens >= 0),  -- the same
    estimated integer not null check (estimated in (0, 1)),  -- tokens are our guess
    tries    integer not null check (tries >= 0),  -- HTTP requests that it took
    seconds  real not null check (seconds >= 0),   -- the last of them, wall time
    created  text not null,  -- ISO 8601, UTC
    primary key (key, id),
    check (state in ('ok', 'invalid', 'failed'))
) strict
"""

# What a model at an endpoint can do.
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

# When replies were last used.
REPLY_USE = """
create table reply_use (
    key text primary key,  -- reply.key
    day text not null      -- ISO 8601 day, UTC, of its last use
) strict, without rowid
"""

# What each job spent on language models, in the order they ended.
COST_OF_JOB = """
create table cost_of_job (
    id        integer primary key,  -- order of the log
    run       text not null,     -- the run that the job belongs to
    rule      text not null,     -- rule of the workflow
    study     text not null,     -- name of the study; '' if none
    part      text not null,     -- shard or wildcard; '' if none
    role      text not null,     -- who asked
    stage     text not null,     -- in which part of the job
    model     text not null,     -- name of the model at its endpoint
    questions integer not null,  -- questions that have an outcome
    recorded  integer not null,  -- those whose reply was recorded before
    failed    integer not null,  -- those without a usable reply
    calls     integer not null,  -- HTTP requests, retries and probes included
    replies   integer not null,  -- replies that were paid for
    estimated integer not null,  -- those whose tokens are our guess
    prompt_tokens     integer not null,  -- of the replies that were paid for
    completion_tokens integer not null,  -- of the same
    usd       real               -- their price; null if one had none
) strict
"""
