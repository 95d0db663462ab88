"""What an agent gets for a task: skills in a runnable order, and why each is in."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from skillmill.types import LibrarySkill, State

Role = Literal["primary", "supporting"]
Mode = Literal["additive", "paper"]

#: Characters of a token, about; no tokeniser is asked.
CHARACTERS_A_TOKEN = 4
_CUT = "\n[cut here: the rest does not fit; read {path}]"


@dataclass(frozen=True, slots=True)
class Member:
    """A skill of a bundle.

    `rank` counts from 1: primary ones by score, then supporting ones as they were
    found. `leaves` are the atomic queries that it was matched with. `path` leads from
    a supporting skill to the primary one that it is in for, `slots` are what it makes
    for the next on that path. `tokens` is what it costs, as far as it is shown.
    """

    skill: str
    role: Role
    rank: int
    score: float
    leaves: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    tokens: int = 0

    def why(self) -> str:
        """One sentence on why it is in."""
        if self.role == "primary":
            steps = "; ".join(self.leaves)
            return f"for: {steps}" if steps else "fits the task as a whole"
        made = f" makes {', '.join(self.slots)}" if self.slots else " is connected"
        return f"{' > '.join(self.path)}:{made}"


@dataclass(frozen=True, slots=True)
class Bundle:
    """The skills of a task.

    Attributes
    ----------
    members : tuple of Member
        In an order in which what one takes comes before it.
    broken : tuple of (producer, consumer)
        Edges between members that the order does not keep, because of a cycle.
    unmatched : tuple of str
        Atomic queries without a skill.
    external : tuple of (skill, input)
        What members take and no skill of the library makes: it has to be there.
    left_out : tuple of (skill, reason)
        Skills that belong in and do not fit.
    converged, steps, residual
        Of the walk that gave relevance; True, 0 and 0 where none was made.
    remarks : tuple of str
        What a reader should know, such as that a tree has failed.
    """

    task: str
    mode: Mode
    members: tuple[Member, ...]
    state: State = "ok"
    reason: str = ""
    broken: tuple[tuple[str, str], ...] = ()
    unmatched: tuple[str, ...] = ()
    external: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    converged: bool = True
    steps: int = 0
    residual: float = 0.0
    remarks: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """What reading all members costs."""
        return sum(member.tokens for member in self.members)

    def ranked(self) -> list[Member]:
        """Members by rank: what a metric with a cut-off reads."""
        return sorted(self.members, key=lambda member: member.rank)


def token_cost(skill: LibrarySkill, cap: int | None = None) -> int:
    """Tokens of a skill's text, about; at most `cap`."""
    whole = -(-len(skill.description + skill.body) // CHARACTERS_A_TOKEN)
    return whole if cap is None else min(whole, cap)


def as_json(bundle: Bundle) -> dict[str, Any]:
    """A bundle as JSON values, members in order with the reason for each."""
    values = asdict(bundle)
    values["tokens"] = bundle.tokens
    for shown, member in zip(values["members"], bundle.members, strict=True):
        shown["why"] = member.why()
    return values


def as_text(
    bundle: Bundle,
    skills: Mapping[str, LibrarySkill],
    *,
    bodies: bool = True,
    cap: int | None = None,
) -> str:
    """A bundle for an agent to read: a list in order, then the skills themselves.

    Parameters
    ----------
    bundle : Bundle
    skills : mapping of str to LibrarySkill
    bodies : bool
        Whether the skills' texts follow.
    cap : int, optional
        Tokens of one skill's text beyond which it is cut, with a mark.
    """
    head = f"# Skills for {bundle.task}"
    if bundle.state != "ok":
        return f"{head}\n\nNo skills: {bundle.reason}\n"
    told = [head, "", "In this order; each one's inputs are made before it.", ""]
    for place, member in enumerate(bundle.members, start=1):
        skill = skills[member.skill]
        name = _one_line(member.skill)
        told.append(f"{place}. {name} ({member.role}): {skill.description}")
        told.append(f"   {_one_line(member.why())}")
    told += _notes(bundle)
    if bodies:
        for member in bundle.members:
            told += ["", *_shown(skills[member.skill], cap)]
    return "\n".join(told) + "\n"


def _notes(bundle: Bundle) -> list[str]:
    """What an agent should know beside the list."""
    told: list[str] = []
    given = [f"{name} (for {skill})" for skill, name in bundle.external]
    for title, lines in (
        ("Has to be there", given),
        ("No skill for", bundle.unmatched),
        ("In a cycle, start anywhere", [f"{a} > {b}" for a, b in bundle.broken]),
        ("Left out", [f"{skill}: {reason}" for skill, reason in bundle.left_out]),
        ("Note", bundle.remarks),
    ):
        told += _listed(title, lines)
    if not bundle.converged:
        told += _listed(
            "Note",
            [f"relevance had not settled after {bundle.steps} steps"],
        )
    return told


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    """A short list with a title; nothing if it is empty."""
    shown = [f"- {_one_line(line)}" for line in lines]
    return ["", f"{title}:", *shown] if shown else []


def _one_line(text: str) -> str:
    """A text whose line ends, which a folder's name may hold, are blanks."""
    return " ".join(text.splitlines())


def _shown(skill: LibrarySkill, cap: int | None) -> list[str]:
    """A skill's text between marks, cut to the cap."""
    body = skill.body.strip()
    if cap is not None:
        room = max(0, cap * CHARACTERS_A_TOKEN - len(skill.description))
        if len(body) > room:
            body = body[:room] + _CUT.format(path=skill.path)
    return [f"## {_one_line(skill.id)}", f"Source: {_one_line(skill.path)}", "", body]
