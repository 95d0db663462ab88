"""Questions to the stand-in reader through the record store: each is read once."""

import json
from collections.abc import Sequence
from pathlib import Path

import skillmill.models.heuristics.reader
from skillmill.codehash import code_of
from skillmill.errors import SkillmillError
from skillmill.evaluate.answering import Asked, Read
from skillmill.interfaces.job import Counts
from skillmill.models.heuristics.reader import SpanReader
from skillmill.store.records import TagRecords, text_key

#: Answers between two commits.
BATCH = 64


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
        for start in range(0, len(missing), BATCH):
            fresh: dict[str, object] = {}
            for key in missing[start : start + BATCH]:
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
