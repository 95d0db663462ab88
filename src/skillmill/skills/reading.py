"""Which parts of a memory retrieval skills search."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from skillmill.errors import InputError
from skillmill.memory.forms import PARTS
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.types import RetrievalSkill


def parts_of(
    skill: RetrievalSkill, primitives: Mapping[str, Primitive] = PRIMITIVES
) -> Iterator[tuple[str, str]]:
    """Each (step, part of `memory.forms.PARTS`) that a skill searches, in order."""
    for node in skill.program:
        primitive = primitives[node.primitive]
        if primitive.reads is not None:
            for part in sorted(primitive.reads(primitive.complete(node.args))):
                yield node.id, part


def refuse_reading(
    skills: Sequence[RetrievalSkill],
    lacking: Collection[str],
    primitives: Mapping[str, Primitive] = PRIMITIVES,
) -> None:
    """Refuse skills that search what a memory is built without.

    Raises
    ------
    InputError
        Naming every skill, step and part at once, and the ways out.
    """
    found = [
        (skill.name, step, part)
        for skill in skills
        for step, part in parts_of(skill, primitives)
        if part in lacking
    ]
    if found:
        said = "; ".join(
            f"{n!r} step {s!r} searches {PARTS[p][0]}" for n, s, p in found
        )
        ways = ", ".join(PARTS[part][1] for part in sorted({p for *_, p in found}))
        raise InputError(
            f"memory.skills: {said}, which the memory is built without; {ways}, or"
            " leave these skills out",
            record=found[0][0],
        )
