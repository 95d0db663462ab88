"""Answers of a study, question by question, and counted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skillmill.errors import InputError
from skillmill.interfaces.explain import shards_of
from skillmill.store import artifact, conversations
from skillmill.store.answers import load_answers


def answer_rows(
    results: Path, study: str, **filters: str | None
) -> list[dict[str, Any]]:
    """One row an answer with its question and gold answer, by arm and question.

    `filters` are fields of a row with the value wanted; None matches everything.

    Raises
    ------
    InputError
        If there is no such study, or it has no answers.
    """
    shards = shards_of(results, study)
    store = results / study / "memory" / "conversations.sqlite"
    with artifact.reading(store, "conversations") as db:
        questions = {q.id: q for q in conversations.load_questions(db)}
    rows: list[dict[str, Any]] = []
    for path in (shard / "answers.sqlite" for shard in shards):
        if not path.is_file():
            continue
        with artifact.reading(path, "answers") as db:
            found = load_answers(db)
        for answer in found:
            question = questions[answer.query]
            rows.append(
                {
                    "arm": answer.arm,
                    "query": answer.query,
                    "conversation": question.conversation,
                    "kind": question.kind,
                    "question": question.text,
                    "gold": question.answer,
                    "answer": answer.text,
                    "reader": answer.reader,
                    "state": answer.state,
                    "reason": answer.reason,
                    "read_tokens": answer.read_tokens,
                    "answer_tokens": answer.answer_tokens,
                }
            )
    if not rows:
        raise InputError(
            f"study {study!r} has no answers yet; run `skillmill run` for it",
            record=study,
        )
    wanted = {name: value for name, value in filters.items() if value is not None}
    kept = [r for r in rows if all(r[name] == v for name, v in wanted.items())]
    return sorted(kept, key=lambda row: (row["arm"], row["query"]))


def answer_counts(
    rows: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Rows of `answer_rows` counted by arm and kind, with mean tokens of an answer."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["arm"], row["kind"]), []).append(row)
    counted = []
    for (arm, kind), mine in sorted(groups.items()):
        states = [row["state"] for row in mine]
        read = [row["read_tokens"] for row in mine if row["state"] in ("ok", "empty")]
        counted.append(
            {
                "arm": arm,
                "kind": kind,
                "asked": len(mine),
                "answered": states.count("ok"),
                "empty": states.count("empty"),
                "failed": states.count("failed"),
                "skipped": states.count("skipped"),
                "tokens read": round(sum(read) / len(read)) if read else 0,
            }
        )
    return counted
