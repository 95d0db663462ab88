"""The table of trials."""

# What agents did with the skills that a method gave them.
TRIAL = """
create table trial (
    study     text not null,  -- name under which trials are compared
    benchmark text not null,  -- alfworld, skillsbench, ...
    task      text not null,  -- the task's id in the benchmark
    method    text not null,  -- what chose the skills
    backbone  text not null,  -- the agent's model
    attempt   integer not null check (attempt >= 1),  -- 2 is the infrastructure retry
    state     text not null,  -- success, failure, or error: no word about the agent
    reward    real,           -- the verifier's, in [0, 1]; null if it gave none
    reason    text not null,  -- why it is no success; '' if unknown
    stratum   text not null,  -- of the task, such as easy; '' if unknown
    domain    text not null,  -- of the task; '' if unknown
    leaves    integer,        -- atomic requirements of the task; null if unknown
    steps     integer,        -- actions of the agent; null if unknown
    prompt_tokens     integer,  -- of all prompts of the attempt; null if unknown
    completion_tokens integer,  -- of all replies of the attempt; null if unknown
    seconds   real,           -- wall time of the attempt; null if unknown
    usd       real,           -- money; null if unknown
    primary key (study, benchmark, task, method, backbone, attempt),
    check (state in ('success', 'failure', 'error')),
    check (reward is null or reward between 0 and 1)
) strict, without rowid
"""
