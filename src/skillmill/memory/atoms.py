"""Atoms of a conversation: the records that its memory holds and finds.

ERSkill, section 2.2, eq. 4 and appendix A.1: an atom is a pair of consecutive turns,
or, where the memory has other sources than talk (PerLTQA), a record. Its text carries
the speakers and the captions of images but not the date, so that equal words have one
vector; `dated_text` adds the date for lexical search.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

from skillmill.data.dates import date_in_words
from skillmill.types import Atom, Conversation, Question, Session, Turn

# Marks that set the direction of writing; they are no part of a name.
_DIRECTION = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")

#: What chat logs call the two sides. No names: a question may well mean the words.
ROLES = frozenset({"user", "assistant", "system", "tool"})


def turn_pair_atoms(conversation: Conversation) -> list[Atom]:
    """Pair the turns of each session: first with second, third with fourth.

    The last atom of a session with an odd number of turns holds one turn; no atom
    crosses the border of a session. Atoms come in the order of the turns.
    """
    return _atoms(conversation, size=2)


def single_turn_atoms(conversation: Conversation) -> list[Atom]:
    """Make one atom of each turn, in the order of the turns."""
    return _atoms(conversation, size=1)


def session_atoms(conversation: Conversation) -> list[Atom]:
    """Make one atom of each session that has turns, in their order.

    A record (a field of a profile, a relation, an event) is loaded as a session of its
    own, so that this makes one atom of each record and of each dialogue.
    """
    return [
        _atom(conversation, session, 0, session.turns)
        for session in conversation.sessions
        if session.turns
    ]


#: What one atom covers, by the word used in settings.
GRANULARITIES: Mapping[str, Callable[[Conversation], list[Atom]]] = {
    "turn_pair": turn_pair_atoms,
    "turn": single_turn_atoms,
    "session": session_atoms,
    "record": session_atoms,
}


def by_time(atoms: Iterable[Atom]) -> list[Atom]:
    """Order the atoms of one conversation by time; those of a session stay together.

    Sessions need not come in the order of their dates. One without a date stays behind
    the session it follows; of equal times, the lower number comes first.

    Parameters
    ----------
    atoms : iterable of Atom
        Of one conversation, in the order of sessions and positions.
    """
    moment = ""
    placed = []
    for atom in atoms:
        moment = atom.timestamp or moment
        placed.append((moment, atom.session, atom.position, atom))
    return [atom for *_, atom in sorted(placed, key=lambda place: place[:3])]


def dated_text(atom: Atom) -> str:
    """Put the days of an atom in words before its text: `8 May 2023`, new line, text.

    An atom without a date keeps its text as it is.
    """
    days = ", ".join(date_in_words(key) for key in atom.time_keys)
    return f"{days}\n{atom.text}" if days else atom.text


def evidence_atoms(question: Question, atoms: Iterable[Atom]) -> tuple[str, ...]:
    """Give the atoms that hold evidence of a question, each once, in their order.

    Atoms of other conversations are passed over. `()` where the question has no
    evidence, or where no atom holds it.
    """
    evidence = set(question.evidence)
    held = (
        atom.id
        for atom in atoms
        if atom.conversation == question.conversation
        and not evidence.isdisjoint(atom.turns)
    )
    return tuple(dict.fromkeys(held))


def strip_names(text: str, speakers: Sequence[str]) -> str:
    """Take the names of the speakers out of a query and collapse its blanks.

    Every atom carries these names, so they tell nothing and pull a dense query
    away from its matter. Removed are whole names and the first word of a name of
    several words, in any case, together with a possessive `'s` (`James'` too). Roles
    (`user`, `assistant`) are words, not names, and stay.

    Parameters
    ----------
    text : str
        The query.
    speakers : sequence of str
        Names as in `Conversation.speakers`.

    Returns
    -------
    str
        Never empty unless the text is: the text as it came where no word is left.

    Notes
    -----
    A name is whole where no letter, digit or hyphen touches it. Scripts without
    blanks between words have no such border, so there a name stays.
    """
    names = _names(speakers)
    if not names:
        return " ".join(text.split())
    either = "|".join(re.escape(name) for name in names)
    pattern = rf"(?<![\w-])(?:{either})(?:['’]s|(?<=s)['’])?(?![\w-])"
    normal = unicodedata.normalize("NFC", text)
    rest = re.sub(pattern, " ", normal, flags=re.IGNORECASE)
    return " ".join(rest.split()) if re.search(r"\w", rest) else text


def _atoms(conversation: Conversation, size: int) -> list[Atom]:
    """Cut each session into atoms of `size` turns."""
    return [
        _atom(conversation, session, start // size, session.turns[start : start + size])
        for session in conversation.sessions
        for start in range(0, len(session.turns), size)
    ]


def _atom(
    conversation: Conversation, session: Session, position: int, turns: Sequence[Turn]
) -> Atom:
    """Make the atom at a position of a session."""
    text = unicodedata.normalize("NFC", "\n".join(_line(turn) for turn in turns))
    return Atom(
        id=f"{conversation.id}/{session.number}/{position}",
        conversation=conversation.id,
        session=session.number,
        position=position,
        text=text,
        timestamp=session.started,
        time_keys=() if session.started is None else (session.started[:10],),
        turns=tuple(turn.id for turn in turns),
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def _line(turn: Turn) -> str:
    """Write a turn as `speaker: text [shares caption]`."""
    image = f"[shares {turn.caption}]" if turn.caption else ""
    return " ".join(part for part in (f"{turn.speaker}:", turn.text, image) if part)


def _names(speakers: Sequence[str]) -> list[str]:
    """List the names to remove, longest first so that a whole name goes as one."""
    names = set()
    for speaker in speakers:
        words = _DIRECTION.sub("", unicodedata.normalize("NFC", speaker)).split()
        if words and " ".join(words).casefold() not in ROLES:
            names.add(" ".join(words))
            # An initial is no name: "A. Rahman" must not take every "a" away.
            first = words[0].rstrip(".")
            names |= {first} if len(first) > 1 else set()
    return sorted(names, key=lambda name: (-len(name), name))
