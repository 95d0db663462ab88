"""Names of input files that are the same on every machine, for stored provenance."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import skillmill

#: Where data lie unless the configuration or the environment says otherwise.
DATA_ROOT = "data/external"

#: Where Snakemake keeps copies of what lies in object storage, up to our own folder.
_COPIES = re.compile(r"\.snakemake/storage/.*?/(?=results/)")


def homes_of(data_root: str) -> dict[str, Path]:
    """Folders that names may start from: that of the data, that of the workflow."""
    data = os.environ.get("SKILLMILL_DATA") or data_root
    return {
        "{data_root}": Path(os.path.abspath(Path(data).expanduser())),
        "{skillmill}": Path(skillmill.__file__).parents[2],
    }


def portable_names(files: Iterable[str], homes: Mapping[str, Path]) -> dict[str, str]:
    """Names of files outside the working directory, and of copies from object storage.

    Parameters
    ----------
    files : iterable of str
        Paths as Snakemake hands them to a script.
    homes : mapping of str to Path
        Names of folders, those that come first before the others.

    Returns
    -------
    dict of str to str
        Path -> name; a file that is left out is named by its path.
    """
    names = {}
    for file in files:
        full, here = Path(os.path.abspath(file)), Path.cwd()
        if full.is_relative_to(here):
            name = full.relative_to(here).as_posix()
            if _COPIES.match(name):
                names[file] = _COPIES.sub("", name, count=1)
            continue
        for label, home in homes.items():
            if full.is_relative_to(home):
                names[file] = f"{label}/{full.relative_to(home).as_posix()}"
                break
    return names


def places_of(names: Iterable[object], data_root: str = DATA_ROOT) -> list[str]:
    """Where files lie on this machine, if they do, by the names that are stored."""
    homes = homes_of(data_root)
    places = []
    for name in map(str, names):
        label, _, rest = name.partition("/")
        places.append(str(homes[label] / rest) if label in homes else name)
    return places
