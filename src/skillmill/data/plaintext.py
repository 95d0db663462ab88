"""Bytes to clean text: marks, line ends, Unicode forms, hidden characters."""

import codecs
import hashlib
import re
import unicodedata

from skillmill.data.loadreport import Remark

#: Longest marks first: a UTF-32 mark starts like a UTF-16 one.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_END = re.compile("\r\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")
#: A joiner between two of these shapes a letter or an emoji and hides nothing.
_JOINED = "[^\x00-\x7f\u200b-\u200f\u2060-\u206f\ufeff]"
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
    f"|(?<!{_JOINED})[\u200c\u200d]|[\u200c\u200d](?!{_JOINED})"
)


def decode(data: bytes) -> str:
    """Read bytes as text by their byte order mark, else as UTF-8.

    Lone surrogates come through (see `tidy`); line ends stay as they are.

    Raises
    ------
    UnicodeDecodeError
        If the bytes are not what their mark says, or not UTF-8, or mostly NUL
        (UTF-16 without a mark, or no text at all).
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "surrogatepass")
    if data.count(0) * 4 > len(data):
        position = data.index(0)
        raise UnicodeDecodeError(
            "utf-8", data, position, position + 1, "a NUL byte; no mark tells why"
        )
    return data.decode("utf-8", "surrogatepass")


def tidy(text: str) -> tuple[str, list[Remark]]:
    """Bring text to its stored form: LF line ends, no lone surrogates, NFC.

    Surrogates that form a pair are joined; a lone one becomes U+FFFD and is
    remarked on with the line of the first.
    """
    text = _LINE_END.sub("\n", text)
    remarks = []
    if _SURROGATE.search(text):
        joined = text.encode("utf-16-le", "surrogatepass")
        text = joined.decode("utf-16-le", "surrogatepass")
        first = _SURROGATE.search(text)
        if first:
            text, count = _SURROGATE.subn("\ufffd", text)
            remarks.append(
                Remark(
                    line=line_of(text, first.start()),
                    code="lone-surrogate",
                    message=f"{count} half of a surrogate pair stand alone"
                    if count > 1
                    else "one half of a surrogate pair stands alone",
                )
            )
    return unicodedata.normalize("NFC", text), remarks


def line_of(text: str, position: int) -> int:
    """The line, from 1, that holds a position of the text."""
    return text.count("\n", 0, position) + 1


def content_hash(text: str) -> str:
    """The sha256 of tidy text, in hex; equal for copies in another form or line end."""
    return hashlib.sha256(tidy(text)[0].encode()).hexdigest()


def one_line(text: str) -> str:
    """Text on one line: hidden characters out, white space collapsed, tidy."""
    text = _HIDDEN.sub("", tidy(" ".join(text.split()))[0])
    return unicodedata.normalize("NFC", " ".join(text.split()))


def hidden_characters(text: str) -> list[Remark]:
    """Remark on characters that a reader cannot see, at most once per text.

    Control, zero-width, direction and tag characters, and runs of variation
    selectors. Joiners inside a word or an emoji are ordinary writing.
    """
    hits = list(_HIDDEN.finditer(text))
    if not hits:
        return []
    points = sorted({ord(char) for hit in hits for char in hit.group()})
    shown = ", ".join(f"U+{point:04X}" for point in points[:5])
    more = f" and {len(points) - 5} others" if len(points) > 5 else ""
    return [
        Remark(
            line=line_of(text, hits[0].start()),
            code="hidden-characters",
            message=f"{len(hits)} hidden characters ({shown}{more}); kept in the body,"
            " left out of name and description",
        )
    ]


def unquote(text: str) -> str:
    """Text without the quotes around the whole of it, closed or not.

    A quote that is closed inside belongs to the text: `"a", "b"` stays. Escaped
    quotes inside (with a backslash, or doubled) become plain ones.
    """
    quote = text[:1]
    if quote not in ('"', "'"):
        return text
    inner = text[1:]
    if inner.endswith(quote) and not inner.endswith("\\" + quote):
        inner = inner[:-1]
    escaped = "\\" + quote if quote == '"' else quote * 2
    blank = inner.replace(escaped, "  ")
    at = blank.find(quote)
    opens = at > 0 and blank[at - 1].isspace()
    apostrophe = quote == "'" and blank[at + 1 : at + 2].isalnum()
    if at >= 0 and not (opens or apostrophe):
        return text
    return inner.replace(escaped, quote).strip()
