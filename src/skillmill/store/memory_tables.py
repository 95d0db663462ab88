"""The tables of conversations and memories, and those outside all artifacts.

As in `tables`: the SQL that makes them, each column with its meaning and unit.
"""

# --- conversations ----------------------------------------------------------------

CONVERSATION = """
create table conversation (
    id       text primary key,  -- the conversation's own id
    position integer not null,  -- place in the file, from 0
    speakers text not null      -- JSON array of names
) strict, without rowid
"""

SESSION = """
create table session (
    conversation text not null,     -- conversation.id
    number       integer not null,  -- as in the file, from 1
    date_text    text,              -- the date as written; null if unknown
    started      text,              -- the same as ISO 8601 minutes; null if unknown
    id           text,              -- its own name, shared by copies; null if none
    primary key (conversation, number)
) strict, without rowid
"""

TURN = """
create table turn (
    conversation text not null,     -- conversation.id
    id           text not null,     -- unique within the conversation ('D1:3')
    session      integer not null,  -- session.number
    position     integer not null,  -- place in the session, from 0
    speaker      text not null,     -- who speaks
    text         text not null,     -- what is said
    caption      text,              -- words for a picture sent along; null if none
    primary key (conversation, id)
) strict, without rowid
"""

QUESTION = """
create table question (
    id           text primary key,  -- <conversation>/q<position from 0>
    conversation text not null,     -- conversation.id
    position     integer not null,  -- place in its conversation's list, from 0
    category     integer,           -- LoCoMo's number, 1 to 5; null in other data
    text         text not null,     -- as asked
    answer       text,              -- the right answer; null if none is given
    answer_type  text not null,     -- JSON type that the answer was written in
    trap         text,              -- wrong answer of an adversarial question, or null
    kind         text not null,     -- label that scores are broken down by
    date         text,              -- when asked, ISO 8601 minutes; null if unknown
    abstention   integer not null check (abstention in (0, 1))  -- 1: no answer exists
) strict, without rowid
"""

EVIDENCE = """
create table evidence (
    question text not null,     -- question.id
    position integer not null,  -- place in the question's list, from 0
    turn     text not null,     -- turn.id that holds evidence
    primary key (question, position)
) strict, without rowid
"""

EVIDENCE_SESSION = """
create table evidence_session (
    question text not null,     -- question.id
    position integer not null,  -- place in the question's list, from 0
    session  text not null,     -- session.id that holds evidence
    primary key (question, position)
) strict, without rowid
"""

# --- atoms and entities -----------------------------------------------------------

ATOM = """
create table atom (
    id           text primary key,  -- <conversation>/<session>/<position>
    conversation text not null,     -- conversation.id
    session      integer not null,  -- session.number
    position     integer not null,  -- place in the session, from 0
    text         text not null,     -- what is remembered
    timestamp    text,              -- start of the session, ISO 8601; null if unknown
    time_keys    text not null,     -- JSON array of ISO days ('2023-05-08')
    content_hash text not null      -- sha256 of the text, hex digits
) strict, without rowid
"""

ATOM_TURN = """
create table atom_turn (
    atom     text not null,     -- atom.id
    position integer not null,  -- place in the atom, from 0
    turn     text not null,     -- turn.id that the atom covers
    primary key (atom, position)
) strict, without rowid
"""

QUESTION_ATOM = """
create table question_atom (
    question text not null,  -- question.id
    atom     text not null,  -- atom.id that holds its evidence
    primary key (question, atom)
) strict, without rowid
"""

MENTION = """
create table mention (
    kind       text not null,  -- ner: a named entity; noun: any noun
    owner_kind text not null,  -- whose text it is in: atom or question
    owner      text not null,  -- atom.id or question.id
    entity     text not null,  -- the entity as text
    count      integer not null check (count >= 1),  -- times it is mentioned there
    primary key (kind, owner_kind, owner, entity),
    check (kind in ('ner', 'noun')),
    check (owner_kind in ('atom', 'question'))
) strict, without rowid
"""

# --- outside all artifacts: record stores and the run log -------------------------

MODEL = """
create table model (
    hash     text primary key,  -- sha256 of identity, 64 hex digits
    identity text not null      -- JSON object: name, revision, dimension, ...
) strict, without rowid
"""

VECTOR_RECORD = """
create table vector_record (
    model text not null,                     -- model.hash
    key   text not null,                     -- sha256 of the text, 64 hex digits
    dim   integer not null check (dim > 0),  -- numbers in data
    dtype text not null check (dtype = 'float32le'),  -- 4-byte little-endian floats
    data  blob not null check (length(data) = 4 * dim),  -- finite; any length
    primary key (model, key)
) strict, without rowid
"""

SEAL = """
create table seal (
    model text not null,     -- model.hash
    key   text not null,     -- of the row that it seals
    crc   integer not null,  -- CRC-32 of that row's columns after the key
    primary key (model, key)
) strict, without rowid
"""

TAG_RECORD = """
create table tag_record (
    model text not null,  -- model.hash
    key   text not null,  -- sha256 of the text, 64 hex digits
    value text not null,  -- JSON, what the model said
    primary key (model, key)
) strict, without rowid
"""

TOKEN_RECORD = """
create table token_record (
    model  text not null,                          -- model.hash
    key    text not null,                          -- sha256 of the text, 64 hex digits
    pieces integer not null check (pieces >= 0),   -- rows of the matrix in data
    dim    integer not null check (dim > 0),       -- numbers of each row
    dtype  text not null check (dtype = 'float16le'),  -- 2-byte little-endian floats
    data   blob not null check (length(data) = 2 * pieces * dim),  -- row after row
    primary key (model, key)
) strict, without rowid
"""

JOB = """
create table job (
    id          integer primary key,  -- order of the log
    run         text not null,        -- the run that the job belongs to
    rule        text not null,        -- rule of the workflow
    study       text not null,        -- name of the study; '' if none
    part        text not null,        -- shard or wildcard; '' if none
    state       text not null,        -- how it ended: ok or failed
    seconds     real not null,        -- wall time, seconds
    peak_mb     real not null,        -- peak resident memory, 10^6 bytes
    computed    integer not null,     -- rows that a model computed
    reused      integer not null,     -- rows that a record store knew
    ok          integer not null,     -- items with a result
    empty       integer not null,     -- items with an empty result
    failed      integer not null,     -- items that failed
    skipped     integer not null,     -- items that were not tried
    first_cause text,                 -- first failure, one sentence; null if none
    check (state in ('ok', 'failed'))
) strict
"""
