"""Skills for tests."""

from skillmill.types import LibrarySkill


def skill(id, name=None, description=None, body="", aliases=()):
    """A skill with what a test is about; the rest is empty."""
    return LibrarySkill(
        id=id,
        kind="skill",
        name=id if name is None else name,
        description=f"does {id}" if description is None else description,
        path=f"{id}/SKILL.md",
        department="",
        category="",
        tags=(),
        related=(),
        inputs=(),
        outputs=(),
        tools=(),
        part_of=None,
        body=body,
        content_hash=id,
        aliases=tuple(aliases),
    )
