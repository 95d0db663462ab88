"""What the memory track would ask of language models, from the stores that are there.

Relations can be told before anything is asked. Written memories, answers and verdicts
are about stores that may rest on replies themselves: where these are not built yet
there is nothing to tell. What `llm_process` asks depends on the evidence as it runs, so
it has no estimate.
"""

from collections.abc import Sequence
from pathlib import Path

from skillmill.errors import InputError
from skillmill.evaluate.answering import questions_of_shard
from skillmill.evaluate.baselines import ORACLE
from skillmill.evaluate.judge_roles import JudgeRole
from skillmill.evaluate.judging import to_judge
from skillmill.evaluate.model_judge import judge_requests
from skillmill.evaluate.model_reader import answer_request
from skillmill.evaluate.written import KINDS, writings
from skillmill.interfaces.memories import open_memory
from skillmill.memory.relations import SIMILARITY
from skillmill.memory.typed_relations import relation_questions
from skillmill.models.chat import ChatRequest
from skillmill.settings.whole import Config
from skillmill.store import answers, artifact, conversations, edges, rankings
from skillmill.store.atoms import load_atoms


def built(store: Path) -> Path:
    """A store that is there.

    Raises
    ------
    InputError
        If it is not; it is one that is built without asking.
    """
    if not store.is_file():
        raise InputError(
            f"{store}: the questions are about this store, and it is not there yet;"
            f" build it with `skillmill run {store}`, which asks no model"
        )
    return store


def _shards(config: Config, folder: Path, *names: str) -> list[Path]:
    """Folders of the shards of a study; none unless all of them hold these stores."""
    if config.memory.path is None or folder.name != config.study:
        return []
    shards = [folder / "memory" / str(n) for n in range(config.memory.shards)]
    whole = all((s / f"{name}.sqlite").is_file() for s in shards for name in names)
    return shards if whole else []


def of_relations(config: Config, folder: Path) -> list[ChatRequest]:
    """Questions of the rule `typed_relations`, of all shards together."""
    asked: list[ChatRequest] = []
    for home in _shards(config, folder):
        with artifact.reading(built(home / "atoms.sqlite"), "atoms") as db:
            atoms = load_atoms(db)
        with artifact.reading(built(home / "relations.sqlite"), "edges") as db:
            similar = edges.load_edges(db, SIMILARITY)
        found = relation_questions(atoms, similar, both_ways=config.memory.both_ways)
        asked += [q.request for q in found if q.request is not None]
    return asked


def of_written(config: Config, folder: Path) -> list[ChatRequest]:
    """Questions of the rule `written_memories`."""
    return [
        one.request
        for home in _shards(config, folder, "memory")
        for view in open_memory(home / "memory.sqlite").views.values()
        for kind in KINDS.values()
        for one in writings(view, kind)
    ]


def of_answers(config: Config, folder: Path) -> list[ChatRequest]:
    """Questions of the rule `answers`."""
    asked: list[ChatRequest] = []
    section = config.memory.answering
    for home in _shards(config, folder, "memory", "rollouts", "baselines"):
        with artifact.reading(home / "memory.sqlite", "memory") as db:
            questions = {q.id: q for q in conversations.load_questions(db)}
            atoms = {atom.id: atom for atom in load_atoms(db)}
        with artifact.reading(home / "rollouts.sqlite", "rankings") as db:
            found = rankings.load_rankings(db)
        with artifact.reading(home / "baselines.sqlite", "rankings") as db:
            gold = rankings.load_rankings(db, ORACLE)
        made, _ = questions_of_shard(
            (found, gold), questions, atoms, section.skills, section.atoms, ""
        )
        asked += [answer_request(one) for one in made if one.given is None]
    return asked


def of_verdicts(config: Config, folder: Path, role: JudgeRole) -> Sequence[ChatRequest]:
    """Questions of the rule `answer_scores` to a judge."""
    found: list[answers.Answer] = []
    for home in _shards(config, folder, "answers"):
        with artifact.reading(home / "answers.sqlite", "answers") as db:
            found += answers.load_answers(db)
    if not found:
        return []
    store = folder / "memory" / "conversations.sqlite"
    with artifact.reading(built(store), "conversations") as db:
        questions = {q.id: q for q in conversations.load_questions(db)}
    return [*judge_requests(to_judge(found, questions), role).values()]
