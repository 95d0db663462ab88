"""Results as other tools read them: TREC runs and qrels, LongMemEval hypotheses."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote

from skillmill.errors import InputError
from skillmill.store.answers import Answer
from skillmill.types import Question, Ranking

_SPACE = re.compile(r"\s")


def trec_run(rankings: Iterable[Ranking], homes: Mapping[str, str]) -> Iterator[str]:
    """Lines `query Q0 item rank score arm` of a run file.

    Parameters
    ----------
    rankings : iterable of Ranking
        Best first; a failed or empty one has no lines, as the format wants it.
    homes : mapping
        Question -> conversation. Items that do not begin with it (turns, whose ids
        are unique in their conversation only) get it in front.

    Yields
    ------
    str
        Sorted by arm and query. The score is the number of items from this one to the
        last: trec_eval sorts by score and breaks ties its own way, and our order is to
        be kept. White space in an id is written as in an address (`%20`).
    """
    for ranking in sorted(rankings, key=lambda r: (r.arm, r.query)):
        query, arm = field(ranking.query), field(ranking.arm)
        for rank, item in enumerate(ranking.items, start=1):
            name = field(document(item, homes[ranking.query]))
            yield f"{query} Q0 {name} {rank} {len(ranking.items) - rank + 1} {arm}"


def trec_qrels(
    relevant: Mapping[str, Iterable[str]], homes: Mapping[str, str]
) -> Iterator[str]:
    """Lines `query 0 item 1` of a qrels file, sorted by query and item.

    A question without known evidence has none, so that tools leave it out as we do.
    """
    for query, items in sorted(relevant.items()):
        for item in sorted({document(item, homes[query]) for item in items}):
            yield f"{field(query)} 0 {field(item)} 1"


def document(item: str, home: str) -> str:
    """Name of an item that is unique among all conversations."""
    return item if item.startswith(f"{home}/") else f"{home}/{item}"


def field(text: str) -> str:
    """A text without white space, which ends a field."""
    return _SPACE.sub(lambda space: quote(space.group()), text)


def hypotheses(
    answers: Sequence[Answer],
    questions: Mapping[str, Question],
    variant: str | None = None,
) -> Iterator[str]:
    """JSON lines `question_id`, `hypothesis` as LongMemEval's evaluation reads them.

    Parameters
    ----------
    answers : sequence of Answer
        Of one arm. One that failed or is empty is written with an empty hypothesis:
        left out, it would leave the mean.
    questions : by id
    variant : str, optional
        Of LongMemEval, such as `longmemeval_oracle`: only its questions are written,
        under their published ids. None: all questions under our ids.

    Raises
    ------
    InputError
        If there is nothing to write, or several arms or several answers to one id.
    """
    arms = sorted({answer.arm for answer in answers})
    if len(arms) != 1:
        raise InputError(
            f"hypotheses are of one arm, got {', '.join(arms) or 'none'}; name it"
        )
    rows = {}
    for answer in answers:
        name = answer.query
        if variant is not None:
            home, _, published = questions[name].conversation.partition("/")
            if home != variant:
                continue
            name = published
        if name in rows:
            raise InputError(f"question {name!r} has two answers", record=name)
        rows[name] = answer.text
    if not rows:
        homes = sorted({q.conversation.partition("/")[0] for q in questions.values()})
        raise InputError(
            f"no question of variant {variant!r}; there are: {', '.join(homes)}",
            record=variant,
        )
    for name, text in sorted(rows.items()):
        row = {"question_id": name, "hypothesis": text}
        yield json.dumps(row, ensure_ascii=False)
