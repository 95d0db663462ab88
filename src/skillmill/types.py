"""The nouns of skillmill, frozen: what the layers hand to each other.

No class here opens a file or computes anything beyond a trivial property.
Two kinds of skill exist and no name says just "skill" where both could be
meant: a `LibrarySkill` is a SKILL.md that an agent loads; a `RetrievalSkill`
is a program over retrieval primitives (ERSkill, section 2.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["info", "warning", "failed"]
State = Literal["ok", "empty", "failed", "skipped"]
Split = Literal["train", "val", "test", "all"]

#: LoCoMo's category numbers in its files; the paper lists them in another order.
CATEGORIES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ADVERSARIAL = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of a load report: something odd in an input, and where.

    `line` counts from 1 and is None where a line has no meaning. `code` is a
    short stable word (`unquoted-colon`), `message` says what was expected, what
    came and what was done about it.
    """

    file: str
    line: int | None
    record: str | None
    severity: Severity
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a loader found and what became of it.

    `found == loaded + warned + failed`: each item is counted once, `loaded`
    without remark, `warned` with at least one warning, `failed` not at all.
    Problems are sorted by file, line, record, code.
    """

    source: str
    found: int
    loaded: int
    warned: int
    failed: int
    problems: tuple[Problem, ...] = ()

    @property
    def usable(self) -> int:
        """Items that came through, with or without a warning."""
        return self.loaded + self.warned


@dataclass(frozen=True, slots=True)
class LibrarySkill:
    """A SKILL.md: what an agent can load.

    `id` is the folder relative to the library root with `/` between parts (the
    root itself: its folder name), stable under edits of the text, or the name
    (`library.ids`), stable under moves. `kind` is `skill`, or `listing` for a row of
    a registry without a body. `aliases` are the ids of identical copies that were
    folded into this one, and its folder where that is not its id.
    """

    id: str
    kind: Literal["skill", "listing"]
    name: str
    description: str
    path: str
    department: str
    category: str
    tags: tuple[str, ...]
    related: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tools: tuple[str, ...]
    part_of: str | None
    body: str
    content_hash: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """A request with the library skills that it needs.

    `categories` are the labels the scores are broken down by (`direct`, `hard`,
    ...); the pooled row is always there and is not listed.
    """

    id: str
    text: str
    relevant: tuple[str, ...]
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance; `id` is unique within its conversation (`D1:3`)."""

    id: str
    speaker: str
    text: str
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that belong together, in the order given.

    `number` counts from 1 as in the file. `date_text` is the date as written,
    `started` the same as ISO 8601 minutes (`2023-05-08T13:56`), None if unknown.
    `id` is the session's own name where it has one; two copies of a session in one
    conversation share it, their numbers differ.
    """

    number: int
    date_text: str | None
    started: str | None
    turns: tuple[Turn, ...]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A long history: the unit that one memory is built from."""

    id: str
    speakers: tuple[str, ...]
    sessions: tuple[Session, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one conversation, with its evidence.

    `id` is `<conversation>/q<position from 0>`; the text is no key (LoCoMo asks
    some questions twice). `evidence` holds turn ids that exist, each once, in
    the order given; `()` means unknown, so recall is null, not zero. `answer`
    is text; `answer_type` is the JSON type it was written in. For an adversarial
    question `answer` is None unless given, and `trap` is the wrong answer.

    `category` is LoCoMo's number, None in other data; `kind` is the label that scores
    are broken down by, for LoCoMo the name of the category. `date` is when it was
    asked, as ISO 8601 minutes. `evidence_sessions` names sessions by their `id`, each
    once. `abstention` tells that the history lacks the answer and that the right reply
    is to say so (LongMemEval): such a question has no evidence to be found and is
    never pooled with others.
    """

    id: str
    conversation: str
    text: str
    category: int | None
    answer: str | None
    answer_type: str
    trap: str | None
    evidence: tuple[str, ...]
    kind: str = ""
    date: str | None = None
    evidence_sessions: tuple[str, ...] = ()
    abstention: bool = False


@dataclass(frozen=True, slots=True)
class Atom:
    """A memory record: a pair of turns, or what the granularity says (ERSkill, eq. 4).

    `id` is `<conversation>/<session>/<position from 0>`; `turns` are the ids of
    the turns it covers, `time_keys` its dates as ISO days (`2023-05-08`).
    """

    id: str
    conversation: str
    session: int
    position: int
    text: str
    timestamp: str | None
    time_keys: tuple[str, ...]
    turns: tuple[str, ...]
    content_hash: str


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """An entity named in an atom or a question, and how often.

    `kind` is `ner` for a named entity as written, `noun` for the lower-case lemma of a
    noun. `owner` is the id of the atom or question.
    """

    kind: Literal["ner", "noun"]
    owner_kind: Literal["atom", "question"]
    owner: str
    entity: str
    count: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed, typed link between two records of one store."""

    source: str
    target: str
    relation: str
    weight: float | None
    provenance: Literal["curated", "derived", "rule", "llm", "learned", "embedding"]


@dataclass(frozen=True, slots=True)
class Node:
    """One step of a retrieval program.

    `args` are the primitive's own arguments; `merge` says how its result joins
    the evidence so far (`replace`, `sum`, `rrf`, `intersect`, `rerank`), with
    `weight`; `budget` is the most atoms that may be held after the step.
    """

    id: str
    primitive: str
    args: Mapping[str, object] = field(default_factory=dict)
    merge: str = "sum"
    weight: float = 1.0
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class RetrievalSkill:
    """A retrieval program with the words that a router reads (ERSkill, 2.3).

    `path` is the sequence of primitives, the key of the experience trie;
    `content_hash` is the hash of the markdown, the key of its rollouts.
    """

    name: str
    description: str
    preference: str
    program: tuple[Node, ...]
    content_hash: str

    @property
    def path(self) -> tuple[str, ...]:
        """The primitive sequence, in program order."""
        return tuple(node.primitive for node in self.program)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What an arm returned for one query, best first.

    `scores` has the length of `items`. State `failed` (it could not be computed)
    is not `empty` (nothing fits); both carry a `reason`.
    """

    arm: str
    query: str
    items: tuple[str, ...]
    scores: tuple[float, ...]
    state: State = "ok"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """One figure with its interval; the row that every table is made from.

    `value`, `low` and `high` are fractions (a 95 % bootstrap interval over
    queries); None where nothing could be computed, with `n` 0. `k` is the
    cut-off, None where the metric has none. `category` `all` is the pooled row.
    `heuristic` tells that an offline stand-in took part.
    """

    track: Literal["library", "memory"]
    study: str
    arm: str
    split: Split
    category: str
    metric: str
    k: int | None
    n: int
    value: float | None
    low: float | None
    high: float | None
    heuristic: bool = False


@dataclass(frozen=True, slots=True)
class QueryScore:
    """The value of one metric for one query; None where it cannot be computed."""

    arm: str
    query: str
    metric: str
    k: int | None
    value: float | None


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt of an agent at a task, with the skills that a method gave it.

    `backbone` is the agent's model. `error` means that the infrastructure broke, or
    that the trial is invalid or incomplete: it says nothing of the agent and is never a
    success. `reward` is the verifier's, in [0, 1]. `stratum` and `domain` belong to
    the task, '' where unknown; `leaves` is the number of its atomic requirements.
    Tokens, seconds and money are of the whole attempt; None: not known.
    """

    benchmark: str
    task: str
    method: str
    backbone: str
    attempt: int
    state: Literal["success", "failure", "error"]
    reward: float | None = None
    reason: str = ""
    stratum: str = ""
    domain: str = ""
    leaves: int | None = None
    steps: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float | None = None
    usd: float | None = None
