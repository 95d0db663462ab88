"""Text from outside made safe to show: nothing hidden, nothing that reorders."""

import json
import unicodedata

#: Joiners that scripts and emoji need; they change shapes, not the reading order.
_KEPT_FORMATS = frozenset("\u200c\u200d")
_KEPT_CONTROLS = frozenset("\n\t")
_HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp"})


def visible_text(text: str) -> str:
    """Return `text` with each invisible or reordering character spelled out.

    Control, bidirectional, zero-width and tag characters become `⟨U+202E⟩`; a
    lone surrogate, which no UTF-8 file can hold, becomes U+FFFD. Line feed, tab
    and the two joiners stay. HTML is not escaped here: the template does that.
    """
    if text.isascii() and text.isprintable():
        return text
    spelled = {
        ord(character): _visible(character)
        for character in set(text)
        if _visible(character) != character
    }
    return text.translate(spelled) if spelled else text


def visible_line(text: str) -> str:
    """The same on one line: a line feed is spelled out, too."""
    return visible_text(text).replace("\n", _spelled("\n"))


def _visible(character: str) -> str:
    if character in _KEPT_CONTROLS or character in _KEPT_FORMATS:
        return character
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category in _HIDDEN:
        return _spelled(character)
    return character


def _spelled(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"


def script_json(value: object) -> str:
    """Return `value` as JSON that cannot end or open an HTML element.

    Each `<` is written as an escape, so neither `</script>` nor `<!--` can occur;
    the keys are sorted and text is left unescaped otherwise.

    Raises
    ------
    ValueError
        If a number is not finite, which JSON cannot say.
    """
    text = json.dumps(
        value,
        ensure_ascii=False,
        sort_keys=True,
        allow_nan=False,
        separators=(",", ":"),
    )
    return text.replace("<", "\\u003c")
