"""Numbers in English text, written in digits or in words."""

import re

UNITS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        start=2,
    )
}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
TIMES = {"once": 1, "twice": 2, "thrice": 3}
GROUPS = {"couple": 2, "pair": 2, "dozen": 12}

_WORD = "|".join([*UNITS, *TENS, *SCALES])
#: A number as the patterns of other modules embed it.
NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    rf"|(?:{_WORD})(?:(?:[ -]|\sand\s)(?:{_WORD}))*)"
)
#: The same, or a word that stands for a small number: "a week", "a couple of weeks".
COUNT = rf"(?:a couple of|a couple|couple of|a pair of|an?|{NUMBER})"

_FOUND = re.compile(
    rf"(?<![\w.])(?:{NUMBER}|{'|'.join([*TIMES, *GROUPS])})(?![\w])", re.IGNORECASE
)


def value_of(written: str) -> float | None:
    """Give the value of one number, `1,250`, `2.5`, `twenty-one`, `a couple of`.

    Returns
    -------
    float or None
        None where the text is no number.
    """
    text = written.lower().strip()
    digits = text.replace(",", "")
    if re.fullmatch(r"\d+(?:\.\d+)?", digits):
        return float(digits)
    words = [word for word in re.split(r"[\s-]+", text) if word not in {"and", "of"}]
    if words[:1] in (["a"], ["an"]):
        words = words[1:] or ["one"]
    if len(words) == 1 and words[0] in TIMES | GROUPS:
        return float((TIMES | GROUPS)[words[0]])
    return _summed(words)


def numbers_in(text: str) -> list[tuple[int, int, float]]:
    """Find the numbers of a text: start, end and value, in the order of the text.

    Articles are no numbers here, and neither are the digits inside a word (`B12`).
    """
    found = []
    for match in _FOUND.finditer(text):
        value = value_of(match[0])
        if value is not None:
            found.append((match.start(), match.end(), value))
    return found


def _summed(words: list[str]) -> float | None:
    """Add up number words: "two hundred and five" is 205; None for other words."""
    if not words:
        return None
    total, group = 0, 0
    for word in words:
        if word in UNITS or word in TENS:
            group += (UNITS | TENS)[word]
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word in SCALES:
            total += max(group, 1) * SCALES[word]
            group = 0
        else:
            return None
    return float(total + group)
