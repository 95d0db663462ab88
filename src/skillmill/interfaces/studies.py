"""Which study a command is about."""

from pathlib import Path

from skillmill.errors import InputError

#: What ships; it is meant where several studies were built and none is named.
SHIPPED = "sample"


def study_meant(results: Path, study: str | None, *, needed: bool = True) -> str:
    """The study that is named, or the only one that was built, or the shipped one.

    Where none is `needed` and none is clear, it is the shipped one, built or not.

    Raises
    ------
    InputError
        If it was not built, or none is named and there are several others.
    """
    known = sorted(
        folder.name
        for folder in results.glob("*")
        if folder.is_dir() and any(folder.rglob("*.sqlite"))
    )
    meant = study or (known[0] if len(known) == 1 else SHIPPED)
    if meant in known or not (study or needed):
        return meant
    there = ", ".join(known) or "none yet, run `skillmill run` first"
    said = "several studies are" if known else "no study is"
    if study:
        said = f"no study {study!r} is"
    raise InputError(
        f"{said} below {results}; name one with --study; there are: {there}",
        record=study,
    )
