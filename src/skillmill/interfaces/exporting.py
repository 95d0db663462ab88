"""Reading what exports are made of from the stores of a study."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from skillmill.errors import InputError
from skillmill.evaluate import exports
from skillmill.interfaces.explain import shards_of
from skillmill.store import artifact, conversations, rankings
from skillmill.store.answers import Answer, load_answers
from skillmill.store.atoms import load_question_atoms
from skillmill.types import Question, Ranking

#: Stores of a shard that hold rankings.
RANKED = ("rollouts", "baselines", "turns")


def trec_run(results: Path, study: str, arm: str) -> Iterator[str]:
    """Lines of the run file of one arm.

    Raises
    ------
    InputError
        If there is no such study or arm.
    """
    questions = _questions(results, study)
    found: list[Ranking] = []
    known: set[str] = set()
    for store, kind in _stores(results, study, RANKED, "rankings"):
        with artifact.reading(store, kind) as db:
            mine = rankings.load_rankings(db)
        known |= {ranking.arm for ranking in mine}
        found += [ranking for ranking in mine if ranking.arm == arm]
    if arm not in known:
        raise _unknown(arm, known)
    return exports.trec_run(found, {q.id: q.conversation for q in questions.values()})


def trec_qrels(results: Path, study: str, *, turns: bool) -> Iterator[str]:
    """Lines of the qrels file of a study: evidence atoms, or evidence turns.

    Questions that call for abstention have no evidence that could be found.
    """
    questions = _questions(results, study)
    relevant: dict[str, Sequence[str]] = {}
    if turns:
        relevant = {q.id: q.evidence for q in questions.values()}
    else:
        for store, kind in _stores(results, study, ["atoms"], "atoms"):
            with artifact.reading(store, kind) as db:
                relevant |= load_question_atoms(db)
    kept = {q: items for q, items in relevant.items() if not questions[q].abstention}
    return exports.trec_qrels(kept, {q.id: q.conversation for q in questions.values()})


def hypotheses(
    results: Path, study: str, arm: str, variant: str | None
) -> Iterator[str]:
    """LongMemEval's JSON lines of one arm.

    Raises
    ------
    InputError
        If there is no such study or arm, or no question of that variant.
    """
    found: list[Answer] = []
    known: set[str] = set()
    for store, kind in _stores(results, study, ["answers"], "answers"):
        with artifact.reading(store, kind) as db:
            mine = load_answers(db)
        known |= {answer.arm for answer in mine}
        found += [answer for answer in mine if answer.arm == arm]
    if arm not in known:
        raise _unknown(arm, known)
    return exports.hypotheses(found, _questions(results, study), variant)


def _questions(results: Path, study: str) -> dict[str, Question]:
    shards_of(results, study)
    store = results / study / "memory" / "conversations.sqlite"
    with artifact.reading(store, "conversations") as db:
        return {q.id: q for q in conversations.load_questions(db)}


def _stores(
    results: Path, study: str, names: Sequence[str], kind: str
) -> list[tuple[Path, str]]:
    """Stores of all shards that are there, with their kind."""
    stores = [
        shard / f"{name}.sqlite" for shard in shards_of(results, study)
        for name in names
    ]  # fmt: skip
    return [(store, kind) for store in stores if store.is_file()]


def _unknown(arm: str, known: set[str]) -> InputError:
    return InputError(
        f"no arm {arm!r}; there are: {', '.join(sorted(known)) or 'none yet'}",
        record=arm,
    )
