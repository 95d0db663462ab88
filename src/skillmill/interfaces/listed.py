"""What a library file holds, as rows."""

from pathlib import Path

from skillmill.store import artifact, catalogue, edges


def skill_rows(path: Path) -> list[dict[str, object]]:
    """One row a skill, by id.

    Raises
    ------
    StoreError
        If there is no library file that can be read.
    """
    with artifact.reading(path, "library") as db:
        skills = catalogue.load_skills(db)
    return [
        {
            "skill": skill.id,
            "name": skill.name,
            "description": skill.description,
            "kind": skill.kind,
            "department": skill.department,
            "category": skill.category,
            "part_of": skill.part_of,
            "characters": len(skill.body),
        }
        for skill in skills
    ]


def edge_rows(path: Path, relation: str | None = None) -> list[dict[str, object]]:
    """One row an edge of one relation, or of all, by source, target and relation.

    Raises
    ------
    StoreError
        If there is no library file that can be read.
    """
    with artifact.reading(path, "library") as db:
        found = edges.load_edges(db, relation)
    return [
        {
            "source": edge.source,
            "target": edge.target,
            "relation": edge.relation,
            "weight": edge.weight,
            "provenance": edge.provenance,
        }
        for edge in found
    ]
