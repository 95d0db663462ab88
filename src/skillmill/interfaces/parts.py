"""Whether a study's retrieval skills fit the memories that it builds."""

from collections.abc import Collection, Sequence
from pathlib import Path


def require_parts(files: Sequence[str], lacking: Collection[str]) -> None:
    """Refuse retrieval skills that search what memories are built without.

    Raises
    ------
    InputError
        Naming all of them; or if a file is no retrieval skill.
    """
    # Lazy: the workflow reads skills only where a memory lacks something.
    from skillmill.skills.plugins import installed_primitives  # noqa: PLC0415
    from skillmill.skills.reading import refuse_reading  # noqa: PLC0415
    from skillmill.skills.skill import read_skills  # noqa: PLC0415

    primitives = installed_primitives()
    skills = read_skills([Path(file) for file in files], primitives)
    refuse_reading(skills, lacking, primitives)
