"""Why a retrieval skill returns what it returns: one question, every step."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import skillmill.skills
from skillmill.errors import InputError
from skillmill.evolve.confidence import SEARCHES, confidence
from skillmill.evolve.prior_router import Vectors
from skillmill.interfaces.freetext import free_context
from skillmill.interfaces.memories import Memory, opened_memory
from skillmill.interfaces.opened import remembered
from skillmill.interfaces.portable import places_of
from skillmill.memory.nearness import one_each
from skillmill.memory.view import MemoryView
from skillmill.models.encoder import load_encoder
from skillmill.skills.asking import Ask, with_model
from skillmill.skills.executor import Execution, execute
from skillmill.skills.plugins import installed_primitives
from skillmill.skills.reading import parts_of
from skillmill.skills.skill import read_skills
from skillmill.skills.state import QueryContext
from skillmill.store import artifact, conversations, vectors
from skillmill.store.atoms import load_question_atoms
from skillmill.types import Node, RetrievalSkill

#: The skill that is explained unless another is named.
USUAL_SKILL = "fixed-best"

#: What is run in its place where a memory lacks what that searches.
WORDS_SKILL = "fixed-words"

#: A program of every search that confidence is taken from.
_ALL = RetrievalSkill("", "", "", tuple(Node(one, one) for one in SEARCHES), "")

_QUESTION_ID = re.compile(r"(.+)/q\d+")


@dataclass(frozen=True, eq=False)
class Explanation:
    """A question, a skill, and what came of them.

    `evidence` are the atoms known to answer it; None for a question of one's own.
    """

    query: QueryContext
    view: MemoryView
    skill: RetrievalSkill
    execution: Execution
    evidence: tuple[str, ...] | None


def explain(
    results: Path,
    study: str,
    question: str,
    skill: str = USUAL_SKILL,
    conversation: str | None = None,
    budget: int = 10,
    model: Ask | None = None,
) -> Explanation:
    """Run a skill on one question of a study, or on a text of one's own.

    Parameters
    ----------
    results : Path
        Folder of the results.
    study : str
        Its name.
    question : str
        Id of a question (`<conversation>/q<number>`), or a question in words.
    skill : str
        Name of a retrieval skill of the study or of this package, its file, or a state
        of an evolution (`.sqlite`), whose router then chooses. Where a memory is built
        without vectors, `fixed-words` stands in for the usual one.
    conversation : str, optional
        Which memory to ask; needed for words if the study has several.
    budget : int
        The most atoms in the ranking.
    model : Ask, optional
        What the step `llm_process` asks; without one it is skipped.

    Raises
    ------
    InputError
        If there is no such study, question, conversation or skill, or the question is
        blank.
    """
    if not question.strip():
        raise InputError("expected a question in words or an id, got a blank one")
    shards = shards_of(results, study)
    named = _is_named(question, shards)
    if named:
        shard, home = _home_of_question(shards, question, conversation)
    else:
        shard, home = _home_of_text(shards, conversation)
    routed = skill.endswith(".sqlite")
    program = (
        _routed(Path(skill), question, shard, home, named)
        if routed
        else _skill(skill, shard)
    )
    memory = _memory(shard, program)
    searched = {part for _, part in parts_of(program, installed_primitives())}
    if skill == USUAL_SKILL and searched & {*memory.lacking}:
        program = _skill(WORDS_SKILL, shard)
    view = memory.views[home]
    if named:
        query = next(asked for _, asked in memory.questions if asked.id == question)
        with artifact.reading(shard / "memory.sqlite", "memory") as db:
            evidence = load_question_atoms(db).get(question, ())
    else:
        query, evidence = free_context(question, view, program, shard), None
    primitives = with_model(installed_primitives(), model)
    done = execute(program, query, view, budget, primitives)
    return Explanation(query, view, program, done, evidence)


def shards_of(results: Path, study: str) -> list[Path]:
    """Folders of a study that hold a memory store, in order."""
    found = sorted(results.glob("*/memory/*/memory.sqlite"))
    mine = [path.parent for path in found if path.parts[-4] == study]
    if not mine:
        known = sorted({path.parts[-4] for path in found})
        raise InputError(
            f"no memory of study {study!r} below {results}; there are: "
            f"{', '.join(known) or 'none yet, run `skillmill run` first'}",
            record=study,
        )
    return mine


def _is_named(question: str, shards: Sequence[Path]) -> bool:
    """Whether a question is an id; one with blanks is if it names a conversation."""
    match = _QUESTION_ID.fullmatch(question)
    if match is None or not any(letter.isspace() for letter in match[1]):
        return match is not None
    return any(match[1] in _homes([shard / "memory.sqlite"]) for shard in shards)


def _home_of_question(
    shards: list[Path], question: str, conversation: str | None
) -> tuple[Path, str]:
    """Find the shard and the conversation of a question."""
    for shard in shards:
        with artifact.reading(shard / "memory.sqlite", "memory") as db:
            for asked in conversations.load_questions(db):
                if asked.id != question:
                    continue
                if conversation not in {None, asked.conversation}:
                    raise InputError(
                        f"question {question!r} is about conversation "
                        f"{asked.conversation!r}, not {conversation!r}; leave out "
                        "--conversation",
                        record=question,
                    )
                return shard, asked.conversation
    raise InputError(
        f"no question {question!r} in this study; questions are called "
        "<conversation>/q<number>, counted from 0",
        record=question,
    )


def _home_of_text(shards: list[Path], conversation: str | None) -> tuple[Path, str]:
    """Find the conversation that a free question is about."""
    homes: dict[str, Path] = {}
    for shard in shards:
        homes |= dict.fromkeys(_homes([shard / "memory.sqlite"]), shard)
    if conversation is None and len(homes) == 1:
        conversation = next(iter(homes))
    if conversation is None or conversation not in homes:
        told = "name one" if conversation is None else f"there is no {conversation!r}"
        raise InputError(
            f"which conversation? {told} with --conversation; there are: "
            f"{', '.join(sorted(homes))}",
            record=conversation,
        )
    return homes[conversation], conversation


@remembered(256)
def _homes(files: Sequence[Path]) -> list[str]:
    """The conversations of a memory store."""
    with artifact.reading(files[0], "memory") as db:
        return [name for name, _ in conversations.load_speakers(db)]


def _skill(name: str, shard: Path) -> RetrievalSkill:
    """Find a retrieval skill by its file, or by its name among those at hand."""
    primitives = installed_primitives()
    if name.endswith(".md"):
        return read_skills([Path(name)], primitives)[0]
    shipped = Path(skillmill.skills.__file__).parent
    known = {skill.name: skill for skill in read_skills([shipped], primitives)}
    rollouts = shard / "rollouts.sqlite"
    if rollouts.is_file():
        with artifact.reading(rollouts, "rankings") as db:
            files = artifact.load_provenance(db).inputs.get("skills", ())
        own = [Path(file) for file in places_of(files) if Path(file).is_file()]
        known |= {skill.name: skill for skill in read_skills(own, primitives)}
    if name not in known:
        raise InputError(
            f"no retrieval skill {name!r}; there are: {', '.join(sorted(known))}; "
            "for another one name its file",
            record=name,
        )
    return known[name]


def _routed(
    path: Path, question: str, shard: Path, home: str, named: bool
) -> RetrievalSkill:
    """The skill that an evolution's router sends a question to, by its id or words."""
    from skillmill.interfaces.deployed import read_deployed  # noqa: PLC0415 seconds

    deployed = read_deployed(path)
    deployed.require_encoder(shard / "memory.sqlite")
    sure = _features(question, shard, home) if deployed.sure else None
    if named:
        with artifact.reading(shard / "memory.sqlite", "memory") as db:
            told = {one.id: one.text for one in conversations.load_questions(db)}
            row = one_each(vectors.by_id(db, "question"))[question][None]
            return deployed.route(row, [told[question]], sure)[0]
    if deployed.encoder is None:
        return deployed.route(np.zeros((1, 1), dtype=np.float32))[0]
    row = load_encoder(deployed.encoder).encode([question])
    return deployed.route(row, [question], sure)[0]


def _features(question: str, shard: Path, home: str) -> Vectors:
    """How sure the searches are of a question, (1, f)."""
    memory = opened_memory([shard / "memory.sqlite"])
    view = memory.views[home]
    known = [asked for _, asked in memory.questions if asked.id == question]
    return confidence(known or [free_context(question, view, _ALL, shard)], view)


def _memory(shard: Path, skill: RetrievalSkill) -> Memory:
    """Open the memories of a shard, with token vectors if a skill reads them."""
    tokens = shard / "tokens.sqlite"
    late = any(node.args.get("late") for node in skill.program)
    more = [tokens] if late and tokens.is_file() else []
    return opened_memory([shard / "memory.sqlite", *more])
