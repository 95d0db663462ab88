"""Stand-in for the decompose role: the atomic steps of a task, in its own words."""

import re
from typing import ClassVar

from skillmill.models.heuristics.taskverbs import TASK_VERBS
from skillmill.models.heuristics.wording import stem, words

_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?(?:\d{1,2}|[a-z])[.)])\s+", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=\W?\w)")
#: Words that only lead to a step: removed again and again from its beginning.
_LEAD = re.compile(
    r"^(?:(?:and|or|but|also|then|so|now|next|first(?:ly)?|second(?:ly)?|third(?:ly)?"
    r"|last(?:ly)?|finally|afterwards?|after (?:that|this|which)|in the end|once done"
    r"|please|kindly|hi|hello|hey|thanks|as a (?:first|second|next|last) step|to begin"
    r" with|to start|step \d+)\b[,:]?"
    r"|(?:can|could|would|will) you(?: please)?"
    r"|(?:i|we)(?:'d| would)? (?:want|need|like|have|wish|must|should)(?: you)?(?: to)?"
    r"|(?:help|let) (?:me|us)(?: to)?|you (?:should|must|need to|have to)"
    r"|your (?:task|job) is to|the (?:task|goal|aim) is to|make sure (?:to|that you)"
    r"|to)\s+",
    re.IGNORECASE,
)
#: Where a step may end inside a sentence; it does if a verb of a step follows.
_JOINT = re.compile(
    r",?\s+(?:and\s+)?(?:after that|afterwards?|finally|lastly|next|then)[,:]?\s+"
    r"|,\s*(?:and|but|or)\s+|,\s+|\s+and\s+|\s*->\s*|\s*→\s*",
    re.IGNORECASE,
)
_VERB_STEMS = frozenset(stem(verb) for verb in TASK_VERBS)
_THEN = re.compile(r"\b(?:then|after|afterwards?|finally|lastly|next)\b|->|→", re.I)


class ClauseSplitter:
    """Cuts a task into steps at bullets, sentences and joints before a verb.

    Every bullet and sentence is cut at commas, "and", "then", "after that" and arrows
    where the next word is a verb of a fixed list in the form of a command, so lists of
    nouns stay whole. Openings such as "please" and "I would like you to" go, and so
    do pieces that hold no verb of the list in any form, unless no other is left.
    Verbs that share an object ("crop and rotate the scans") each get it.

    Steps keep the task's words and order; nothing is inferred, so a task that only
    describes a situation stays one step. English only. Its score is in
    docs/standins.md.
    """

    name: ClassVar[str] = "clause-splitter"
    version: ClassVar[str] = "1"

    def steps(self, task: str, most: int = 12) -> list[str]:
        """Cut a task into at most `most` steps, at least one unless it is blank.

        What exceeds `most` stays joined to the last step.

        Raises
        ------
        ValueError
            If `most` is below 1.
        """
        if most < 1:
            raise ValueError(f"most must be at least 1, got {most}")
        pieces = [step for unit in _units(task) for step in _clauses(unit)]
        telling = [
            piece
            for piece in pieces
            if any(stem(word) in _VERB_STEMS for word in words(piece))
        ]
        steps = list(dict.fromkeys(_with_objects(telling or pieces)))
        if len(steps) > most:
            steps = [*steps[: most - 1], "; ".join(steps[most - 1 :])]
        return steps


def _units(task: str) -> list[str]:
    """Bullets and sentences of a task."""
    blocks = _BULLET.split(task) if _BULLET.search(task) else [task]
    sentences = [
        " ".join(sentence.split())
        for block in blocks
        for sentence in _SENTENCE_END.split(block)
    ]
    return [sentence for sentence in sentences if words(sentence)]


def _clauses(sentence: str) -> list[str]:
    """Cut a sentence where a joint stands before a verb of a step."""
    clauses, start = [], 0
    for joint in _JOINT.finditer(sentence):
        if _acts(sentence[joint.end() :]) or _THEN.search(joint[0]):
            clauses.append(sentence[start : joint.start()])
            start = joint.end()
    clauses.append(sentence[start:])
    bare = (_bare(clause) for clause in clauses)
    return [clause for clause in bare if words(clause)]


def _bare(clause: str) -> str:
    """Take off openings and closing marks."""
    text, before = clause.strip(), None
    while text != before:
        before, text = text, _LEAD.sub("", text).strip()
    return text.rstrip(".,;:!? ")


def _acts(text: str) -> bool:
    """Tell whether a text begins with a verb of a step, openings aside."""
    first = words(_bare(text))[:1]
    return bool(first) and first[0] in TASK_VERBS


def _with_objects(steps: list[str]) -> list[str]:
    """Give a verb that stands alone the object of the step after it."""
    done: list[str] = []
    for step in reversed(steps):
        later = done[-1].split(maxsplit=1) if done else []
        alone = len(words(step)) == 1 and len(later) == 2
        done.append(f"{step} {later[1]}" if alone else step)
    return done[::-1]
