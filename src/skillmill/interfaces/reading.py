"""Who answers from evidence: a language model, or the stand-in; each reads once."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import skillmill.models.heuristics.reader
from skillmill.codehash import code_of
from skillmill.errors import SkillmillError
from skillmill.evaluate.answering import Asked, Read
from skillmill.evaluate.model_reader import (
    ROLE,
    answer_request,
    reader_label,
    readings,
)
from skillmill.interfaces.asked import count_replies
from skillmill.interfaces.job import Counts
from skillmill.interfaces.progress import told_batches
from skillmill.models.chat import Outcome
from skillmill.models.heuristics.reader import SpanReader
from skillmill.models.heuristics.registry import stand_in
from skillmill.models.llm import ChatClient
from skillmill.store.records import TagRecords, text_key

#: Answers between two commits.
BATCH = 64


class Reader(Protocol):
    """Answers questions from evidence.

    `label` is how outputs name it; `outcomes` are those of the model that it asked.
    """

    label: str
    outcomes: list[Outcome[Any]]

    def read(self, asked: Sequence[Asked], counts: Counts) -> list[Read]:
        """Read the evidence of each question, in order, and count what it took."""
        ...


class ModelReader:
    """The model of the role `answer`, through a client that records its replies."""

    def __init__(self, client: ChatClient, model: str) -> None:
        self.label = reader_label(model)
        self.outcomes: list[Outcome[Any]] = []
        self._client = client

    def read(self, asked: Sequence[Asked], counts: Counts) -> list[Read]:
        """Ask about every question; a reply that cannot be used is a failure."""
        self.outcomes = self._client.ask_many([answer_request(one) for one in asked])
        count_replies(counts, self.outcomes)
        return readings(self.outcomes)


class StandInReader:
    """The labelled stand-in, through the records of what it read before, if given."""

    def __init__(self, records: Path | None) -> None:
        self.label = stand_in(ROLE).label
        self.outcomes: list[Outcome[Any]] = []
        self._records = records

    def read(self, asked: Sequence[Asked], counts: Counts) -> list[Read]:
        """Cut answers out of the evidence."""
        if self._records is None:
            reader = SpanReader()
            return [
                Read(reader.read(one.question.text, one.evidence).answer)
                for one in asked
            ]
        return recorded_readings(asked, self._records, counts)


def reader_identity() -> dict[str, str | int]:
    """All that an answer of the stand-in depends on beside question and evidence."""
    module = Path(skillmill.models.heuristics.reader.__file__)
    return {
        "name": SpanReader.name,
        "version": SpanReader.version,
        "code": code_of(module),
    }


def recorded_readings(
    asked: Sequence[Asked], records: Path, counts: Counts
) -> list[Read]:
    """What the stand-in reads out of the evidence of each question, in order.

    An answer is recorded under question and evidence, so that two arms that found the
    same cost one reading, and a rerun none. A reading that fails is not recorded.
    """
    reader = SpanReader()
    by_key = {_key(one): one for one in asked}
    failures: dict[str, str] = {}
    with TagRecords(records, reader_identity()) as recorded:
        known = dict(recorded.known(by_key))
        missing = sorted(by_key.keys() - known.keys())
        for batch in told_batches("answers", missing, BATCH):
            fresh: dict[str, object] = {}
            for key in batch:
                one = by_key[key]
                try:
                    fresh[key] = reader.read(one.question.text, one.evidence).answer
                except SkillmillError as error:
                    failures[key] = str(error)
            recorded.add(fresh)
            known.update(fresh)
    counts.computed += len(missing)
    counts.reused += len(by_key) - len(missing)
    keys = [_key(one) for one in asked]
    return [Read(str(known.get(key, "")), failures.get(key)) for key in keys]


def _key(asked: Asked) -> str:
    """Key of question and evidence, order included."""
    read = [[record.text, record.said] for record in asked.evidence]
    return text_key(json.dumps([asked.question.text, read], ensure_ascii=False))
