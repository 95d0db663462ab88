"""What a person should look at in a skill's text before agents read it.

Findings are advice: nothing is dropped, run or fetched because of them, and a document
that only shows an example of something bad is a finding, too.
"""

import re

from skillmill.data.plaintext import line_of
from skillmill.types import Problem

#: Code, pattern, and what it means.
_SIGNS = (
    (
        "html-comment",
        re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL),
        "an HTML comment: a page hides it, an agent reads it",
    ),
    (
        "piped-download",
        re.compile(r"\b(?:curl|wget)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b"),
        "a download piped into a shell: it runs whatever the server sends",
    ),
    (
        "override",
        re.compile(
            r"\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+)?(?:the\s+)?"
            r"(?:previous|prior|earlier|above|user|system)\b",
            re.IGNORECASE,
        ),
        "words that tell an agent to set other instructions aside",
    ),
    (
        "long-base64",
        re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{200,}={0,2}(?![\w+/=])"),
        "a long encoded text that nobody can read",
    ),
)


def advise(text: str, file: str, record: str | None) -> list[Problem]:
    """Advisory findings in the text of a skill file, one a kind, at its first place.

    Severity is `info`; sorted by line, then code.
    """
    found = []
    for code, pattern, meaning in _SIGNS:
        hits = list(pattern.finditer(text))
        if hits:
            line = line_of(text, hits[0].start())
            more = f" ({len(hits)} times)" if len(hits) > 1 else ""
            found.append(Problem(file, line, record, "info", code, meaning + more))
    return sorted(found, key=lambda problem: (problem.line or 0, problem.code))
