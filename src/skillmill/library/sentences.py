"""Sentences of a task: each asks for a skill beside the whole text."""

import re

#: A block between fences is a template or data: it says how to write the answer down,
#: not what is asked for. One that is never closed is ordinary text.
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•–>]|#+|\(?(?:\d{1,2}|[a-z])[.)])\s+")
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]{{2,}}")


#: Sentences that are kept of a long text, from its start and from its end, where what
#: is wanted stands: five are as good as all (docs/library.md), at half the cost.
FIRST, LAST = 3, 2


def sentences(
    text: str, least_words: int = 4, first: int = FIRST, last: int = LAST
) -> list[str]:
    """Sentences of a text in order, each once, without bullets and fenced blocks.

    Parameters
    ----------
    text : str
    least_words : int
        A piece with fewer words (of two letters; each Chinese, Japanese or Korean
        character is one) is a label or a value and is left out.
    first, last : int
        Of more than both together, those between are left out: the cost of a query
        stays bounded.

    Returns
    -------
    list of str
        A line end parts sentences. Empty if the text is one sentence: its vector is
        that of the whole.
    """
    found: dict[str, None] = {}
    for line in _FENCED.sub("\n", text).split("\n"):
        for piece in _END.split(_BULLET.sub("", line)):
            sentence = piece.strip()
            if len(_WORD.findall(sentence)) >= least_words:
                found[sentence] = None
    kept = list(found)
    if len(kept) > first + last:
        kept = kept[:first] + kept[len(kept) - last :]
    return [] if kept == [text.strip()] else kept
