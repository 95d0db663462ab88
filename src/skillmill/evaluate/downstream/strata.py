"""Whether tasks are the whole split of a benchmark, by the size of its strata."""

from collections import Counter
from collections.abc import Iterable, Mapping

from skillmill.errors import InputError


def check_strata(
    found: Iterable[str], expected: Mapping[str, int] | None, what: str, key: str
) -> None:
    """Refuse tasks that are not those that a protocol names.

    Parameters
    ----------
    found : iterable of str
        The stratum of each task, '' where it is not known. If none is known, only the
        number of tasks is compared.
    expected : mapping of str to int, or None
        Stratum -> tasks; None: any tasks will do.
    what, key : str
        What the tasks are called, and the key of the configuration that expects them.

    Raises
    ------
    InputError
        If numbers differ, or there is no task: with both sides and the ways out.
    """
    if expected is None:
        return
    sizes = Counter(found)
    wanted = {name: size for name, size in expected.items() if size}
    whole = sum(wanted.values())
    is_told = set(sizes) != {""}
    if sizes == wanted if is_told else sizes.total() == whole:
        return
    raise InputError(
        f"{what}: expected {whole} ({_told(wanted)}), got {sizes.total()}"
        f" ({_told(sizes)}); take the whole split, or set {key} to null to go without"
        " this check",
        record=key,
    )


def _told(sizes: Mapping[str, int]) -> str:
    """Sizes of strata in words."""
    named = [
        f"{size} {name or 'of no stratum'}" for name, size in sorted(sizes.items())
    ]
    return ", ".join(named) or "none"
