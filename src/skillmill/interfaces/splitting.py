"""What each shard of a memory is made from, brought up to date as the workflow is read.

No job does it: what a job has written counts as new to Snakemake, equal or not, so one
that dealt out all conversations would make every shard again after an edit of a single
one. Here a store whose content stays is left as it is, its time too.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from skillmill.codehash import modules_hash
from skillmill.errors import SkillmillError
from skillmill.interfaces.lockholder import TOKEN
from skillmill.interfaces.runlock import holder_of
from skillmill.interfaces.source import Source

#: Hash of the code that shapes the stores.
CODE = modules_hash("skillmill.interfaces.dealing")

#: Where it is noted what the stores of each study were made from.
NOTES = Path(".snakemake", "skillmill-split")


def split_conversations(source: Source, folder: Path, *, leads: bool) -> bool:
    """Bring the store of every shard up to date; whether all are there to build from.

    Parameters
    ----------
    source : Source
        What to deal out. It is read only if a file's content, a setting or the code is
        another than before, or a store is.
    folder : Path
        Where the stores go, as `<shard>/conversations.sqlite`.
    leads : bool
        Whether this process may write; one that runs a single job on another node reads
        the workflow, too, and a first dry run leaves nothing behind. Nor is anything
        written while another run is at work here.

    Returns
    -------
    bool
        False if the conversations cannot be read or too many are lost: the stores stay
        as they are, and it is for the job that reads all conversations to say why.
    """
    places = [folder / str(n) / "conversations.sqlite" for n in range(source.shards)]
    note = NOTES / f"{source.study}.json"
    if not leads or _is_busy():
        return all(place.is_file() for place in places)
    try:
        key = _key_of(source)
        if _read(note) != _described(key, places):
            # The readers of all formats, which a run that changes nothing does without.
            from skillmill.interfaces.dealing import deal_out  # noqa: PLC0415

            deal_out(source, places, CODE)
            _write(note, _described(key, places))
    except (SkillmillError, OSError):
        return False
    return True


def _key_of(source: Source) -> str:
    """Hash of all that the stores depend on."""
    total = hashlib.sha256(CODE.encode())
    settings = asdict(source) | {"path": "", "files": ""}
    total.update(json.dumps(settings, sort_keys=True).encode())
    for name in source.files:
        total.update(f"{os.path.relpath(name, source.path)}\0".encode())
        with open(name, "rb") as stream:
            total.update(hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()


def _described(key: str, places: Sequence[Path]) -> dict[str, object]:
    """The key, and size and time of each store; None for one that is missing."""
    seen = [place.stat() if place.is_file() else None for place in places]
    stores = [[one.st_size, one.st_mtime_ns] if one else None for one in seen]
    return {"key": key, "stores": stores}


def _read(note: Path) -> object:
    """What was noted; None if nothing was, or nothing that can be read."""
    try:
        return json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(note: Path, value: object) -> None:
    """Write a note, whole or not at all."""
    note.parent.mkdir(parents=True, exist_ok=True)
    draft = note.with_name(f"{note.name}.{os.getpid()}.tmp")
    draft.write_text(json.dumps(value), encoding="utf-8")
    draft.replace(note)


def _is_busy() -> bool:
    """Whether another run, alive, holds the working directory."""
    holder = holder_of(Path.cwd())
    if holder is None or holder.token == os.environ.get(TOKEN):
        return False
    return holder.life() in ("alive", "elsewhere")
