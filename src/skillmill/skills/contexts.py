"""From stored questions to what the primitives read of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from skillmill.memory.timerange import question_range
from skillmill.memory.tokens import Tokens
from skillmill.skills.state import QueryContext
from skillmill.types import Mention, Question

Vectors = Mapping[str, npt.NDArray[np.float32]]


def question_contexts(
    questions: Sequence[Question],
    tuned_texts: Mapping[str, str],
    vectors: Vectors,
    tuned_vectors: Vectors,
    mentions: Iterable[Mention],
    entity_vectors: Vectors,
    last_days: Mapping[str, str | None],
    tokens: Mapping[str, Tokens] | None = None,
) -> list[QueryContext]:
    """One context per question, in the order given; mentions by atoms are left out.

    Without any vectors the contexts have vectors of no length.

    Parameters
    ----------
    questions : sequence of Question
    tuned_texts, vectors, tuned_vectors : by question id
    mentions : iterable of Mention
    entity_vectors : by entity
    last_days : mapping of str to str or None
        Conversation id -> last ISO day of its memory: relative dates of its questions
        count from there, unless a question says when it is asked.
    tokens : by question id, optional
        Token vectors of the tuned texts.

    Raises
    ------
    KeyError
        If a question has no vector, tuned text or conversation.
    """
    found: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for mention in mentions:
        if mention.owner_kind == "question":
            found[mention.owner][mention.kind][mention.entity] = mention.count
    nothing = np.zeros(0, np.float32)
    embedded = bool(vectors)
    return [
        QueryContext(
            id=question.id,
            text=question.text,
            tuned_text=tuned_texts[question.id],
            vector=vectors[question.id] if embedded else nothing,
            tuned_vector=tuned_vectors[question.id] if embedded else nothing,
            entities={kind: dict(own) for kind, own in found[question.id].items()},
            entity_vectors={
                name: entity_vectors[name]
                for name in found[question.id]["ner"]
                if embedded
            },
            # Without names: a speaker may be called June.
            time_range=question_range(
                tuned_texts[question.id],
                question.date or last_days[question.conversation],
            ),
            tokens=(tokens or {}).get(question.id),
        )
        for question in questions
    ]
