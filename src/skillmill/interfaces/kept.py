"""What was built stays readable when the job that makes it again fails.

Snakemake deletes a job's outputs before the job starts. As a run starts, every result
gets a second name (a hard link) in a folder of its own; what a failed or killed run
left missing is put back from there. A result that was put back looks older than its
inputs, so the next run makes it again.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

KEPT = Path(".snakemake", "skillmill-kept")

#: A result that a person may have filled in, below the folder of a study.
_SAMPLE = "library/edge_sample.csv"

#: The epoch itself is no time for Snakemake: it would look at no input of such a file.
LONG_AGO = 1


def keep_results(results: Path, kept: Path = KEPT) -> int:
    """Give every file below `results` a second name below `kept`; how many.

    What an earlier run that was killed has kept, and is still missing, is kept on.
    """
    linked = 0
    for path in _files(results):
        other = kept / path.relative_to(results)
        other.parent.mkdir(parents=True, exist_ok=True)
        other.unlink(missing_ok=True)
        try:
            os.link(path, other)
        except OSError:  # a file system without hard links
            shutil.copy2(path, other)
        linked += 1
    return linked


def restore_results(results: Path, kept: Path = KEPT) -> list[Path]:
    """Put back every kept file that is missing; their paths, sorted.

    Drafts are left out. The time of a file put back is just past the epoch, so that it
    counts as older than anything it was made from.
    """
    restored = []
    for other in _files(kept):
        path = results / other.relative_to(kept)
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(other, path)
        os.utime(path, (LONG_AGO, LONG_AGO))
        restored.append(path)
    forget_results(kept)
    return sorted(restored)


def rescue_judged(results: Path, kept: Path = KEPT) -> list[Path]:
    """Put aside the samples of edges that a person judged and a job drew anew.

    Each is beside the new one, as `edge_sample.judged.csv`, `edge_sample.judged-2.csv`
    and so on, and never written over.

    Returns
    -------
    list of Path
        The files put aside, sorted; a sample without a verdict or a comment is none.
    """
    # Brings arrays, which every start of a run would wait for.
    from skillmill.evaluate.audit import is_judged  # noqa: PLC0415

    rescued = []
    for other in sorted(kept.glob(f"*/{_SAMPLE}")):
        path = results / other.relative_to(kept)
        old = other.read_bytes()
        if (path.is_file() and path.read_bytes() == old) or not is_judged(other):
            continue
        beside = path.with_name("edge_sample.judged.csv")
        number = 1
        while beside.exists() and beside.read_bytes() != old:
            number += 1
            beside = path.with_name(f"edge_sample.judged-{number}.csv")
        if not beside.exists():
            beside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(other, beside)
            rescued.append(beside)
    return rescued


def forget_results(kept: Path = KEPT) -> None:
    """Drop the second names: the run ended well."""
    shutil.rmtree(kept, ignore_errors=True)


def clear_leftovers(results: Path) -> int:
    """Remove drafts that killed jobs of any host left below `results`; how many.

    Only for the one run that holds the folder, when its jobs have ended.
    """
    left = sorted(results.rglob("*.sqlite.*.tmp"))
    for draft in left:
        draft.unlink(missing_ok=True)
    return len(left)


def _files(folder: Path) -> Iterator[Path]:
    """Finished files below a folder, sorted."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(".tmp"):
            yield path
