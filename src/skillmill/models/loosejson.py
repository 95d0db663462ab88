"""JSON as models misspell it, spelled as the standard has it.

Small models write Python for JSON, and commas behind the last item. Each has one
meaning only, so it is read; what is missing is never added.
"""

import re

_CLOSING = {"{": "}", "[": "]"}
_WORDS = {"True": "true", "False": "false", "None": "null"}
_TOKEN = re.compile(
    r"""(?P<double>"(?:[^"\\]|\\.)*")"""
    r"""|(?P<single>'(?:[^'\\]|\\.)*')"""
    r"""|(?P<comma>,\s*(?=[\]}]))"""
    r"""|(?P<word>\b(?:True|False|None)\b)"""
    r"""|(?P<open>[\[{])|(?P<close>[\]}])|(?P<other>[^"'\[\]{},TFN]+|,|[TFN])""",
    re.DOTALL,
)
_IN_SINGLE = re.compile(r"""\\(.)|(")""", re.DOTALL)


def respelled(text: str, start: int) -> tuple[str, int] | None:
    """Spell the object or list that begins at a place as JSON, and tell its end.

    Commas before a closing bracket go, texts in single quotes get double ones, and
    Python's constants become JSON's. Whether the result parses is not looked at.

    Returns
    -------
    (str, int) or None
        None if the brackets or a text in it are not closed.
    """
    out: list[str] = []
    expected: list[str] = []
    place = start
    while match := _TOKEN.match(text, place):
        place = match.end()
        out.append(_spelled(match))
        if match.lastgroup == "open":
            expected.append(_CLOSING[match[0]])
        elif match.lastgroup == "close" and expected.pop() != match[0]:
            return None
        if not expected:
            return "".join(out), place
    return None


def _spelled(match: re.Match[str]) -> str:
    if match["comma"]:
        return ""
    if match["word"]:
        return _WORDS[match["word"]]
    if match["single"]:
        return f'"{_IN_SINGLE.sub(_requoted, match["single"][1:-1])}"'
    return match[0]


def _requoted(match: re.Match[str]) -> str:
    """A quote or an escape of a text in single quotes, for one in double quotes."""
    if match[2]:
        return '\\"'
    return "'" if match[1] == "'" else match[0]
