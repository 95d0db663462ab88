"""Evidence ids of a question, read as far as they can be."""

import re
from collections.abc import Collection

from skillmill.data.jsontext import read_id, shown
from skillmill.data.loadreport import Remark

_SEPARATOR = re.compile(r"[;,\s]+")
_TURN_ID = re.compile(r"D(?P<colon>:?)(?P<session>[0-9]+):(?P<turn>[0-9]+)")


def read_evidence(
    value: object, turns: Collection[str]
) -> tuple[tuple[str, ...], list[Remark]]:
    """Give the turns that an evidence list names, and what was odd about it.

    An id that names a turn as written is taken; else several ids in one string
    (joined by `;`, `,` or blanks) are parted, zero padding is folded (`D30:05`)
    and an extra colon is dropped (`D:11:26`). What still names no turn is left
    out, so it does not count in the denominator of recall.

    Parameters
    ----------
    value : object
        What the file holds: a list of texts, one text, or None.
    turns : collection of str
        The ids that exist in the question's conversation; a set or a dict, since
        it is asked once per id.

    Returns
    -------
    evidence : tuple of str
        Ids of turns, each once, in the order given; `()` means unknown.
    remarks : list of Remark
        In the order found.
    """
    entries = [] if value is None else value if isinstance(value, list) else [value]
    if not entries:
        return (), [
            Remark(
                None,
                "evidence-empty",
                "expected evidence, got none; recall of this question is unknown",
            )
        ]
    found: dict[str, None] = {}
    remarks: list[Remark] = []
    for entry in entries:
        ids, odd = _read_entry(entry, turns)
        remarks.extend(odd)
        for turn in ids:
            if turn in found:
                remarks.append(
                    Remark(
                        None,
                        "evidence-repeated",
                        f"evidence {shown(turn)} is named more than once; it is"
                        " counted once",
                        "info",
                    )
                )
            found[turn] = None
    return tuple(found), remarks


def _read_entry(
    entry: object, turns: Collection[str]
) -> tuple[list[str], list[Remark]]:
    """Read one entry of the list, which may join several ids."""
    text = read_id(entry)
    if text is None:
        return [], [_unknown(entry)]
    if text in turns:
        return [text], []
    parts = [part for part in _SEPARATOR.split(text) if part]
    remarks = []
    if parts != [text]:
        remarks.append(
            Remark(
                None,
                "evidence-joined",
                f"expected one evidence id, got {shown(text)}; it was parted",
            )
        )
    ids = []
    for part in parts:
        turn, remark = _resolve(part, turns)
        ids += [turn] if turn is not None else []
        remarks += [remark] if remark is not None else []
    return ids, remarks


def _resolve(part: str, turns: Collection[str]) -> tuple[str | None, Remark | None]:
    """Find the turn that one id names, as written or after folding."""
    if part in turns:
        return part, None
    match = _TURN_ID.fullmatch(part)
    if match is None:
        return None, _unknown(part)
    session, turn = (match[name].lstrip("0") or "0" for name in ("session", "turn"))
    folded = f"D{session}:{turn}"
    if folded not in turns:
        return None, _unknown(part)
    code = "evidence-extra-colon" if match["colon"] else "evidence-zero-padded"
    return folded, Remark(
        None, code, f"expected a turn id, got {shown(part)}; read as {folded}"
    )


def _unknown(entry: object) -> Remark:
    """Report an id that names no turn."""
    return Remark(
        None,
        "evidence-unknown-turn",
        f"expected the id of a turn of this conversation, got {shown(entry)};"
        " it was left out",
    )
