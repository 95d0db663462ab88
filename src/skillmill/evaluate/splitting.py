"""Splits by size: conversations are drawn, or named ones checked."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skillmill.errors import InputError
from skillmill.types import ADVERSARIAL, Question, Split

#: Splits as the configuration declares them, see `splits_of`.
Declared = Mapping[str, Any]


def splits_of(
    declared: Declared, questions: Sequence[Question]
) -> dict[Split, tuple[str, ...]]:
    """Conversations of each split that is declared.

    Parameters
    ----------
    declared : mapping
        Split -> names of conversations. With `questions`, split -> number of questions,
        splits without names are drawn by the `seed`, and named ones are checked.
    questions : sequence of Question
        Of all conversations where splits are drawn. Adversarial ones do not count.

    Raises
    ------
    InputError
        If there are too few questions, or named conversations have others.

    Notes
    -----
    Drawn conversations may have more questions than asked for; `surplus` tells which
    to leave out. Without these the same conversations are drawn again.
    """
    named: dict[Split, tuple[str, ...]] = {
        split: tuple(declared[split])
        for split in ("train", "val", "test")
        if split in declared
    }
    sizes = declared.get("questions")
    if not sizes:
        return named
    counts = _counts(questions)
    if any(named.values()):
        for split, names in named.items():
            _check(split, names, counts, sizes[split])
        return named
    drawn = _drawn(counts, sizes, declared["seed"])
    return {split: tuple(sorted(drawn[split])) for split in named}


def surplus(declared: Declared, questions: Sequence[Question]) -> frozenset[str]:
    """Ids of the questions that a drawn split has too many.

    All belong to the last conversation that was drawn for it, and are drawn from it by
    the same seed. Nothing where conversations are named or no sizes are declared.
    """
    sizes = declared.get("questions")
    if not sizes or any(declared.get(split) for split in sizes):
        return frozenset()
    counts, seed = _counts(questions), declared["seed"]
    found: set[str] = set()
    for split, names in _drawn(counts, sizes, seed).items():
        over = sum(counts[name] for name in names) - sizes[split]
        if over > 0:
            own = sorted(
                q.id for q in _counted(questions) if q.conversation == names[-1]
            )
            rng = np.random.default_rng([seed, 1])
            found |= {own[place] for place in rng.permutation(len(own))[:over]}
    return frozenset(found)


def without_surplus(
    declared: Declared, questions: Sequence[Question]
) -> list[Question]:
    """The questions that are left, in their order, without those of `surplus`."""
    over = surplus(declared, questions)
    return [one for one in questions if one.id not in over]


def _counted(questions: Iterable[Question]) -> list[Question]:
    return [one for one in questions if one.category != ADVERSARIAL]


def _counts(questions: Iterable[Question]) -> Counter[str]:
    """Questions of each conversation that count."""
    return Counter(one.conversation for one in _counted(questions))


def _drawn(
    counts: Mapping[str, int], sizes: Mapping[Split, int], seed: int
) -> dict[Split, list[str]]:
    """Conversations in a drawn order, for each split until it has its questions."""
    names = sorted(counts)
    order = [
        names[place] for place in np.random.default_rng(seed).permutation(len(names))
    ]
    found: dict[Split, list[str]] = {split: [] for split in sizes}
    for split, size in sizes.items():
        while sum(counts[name] for name in found[split]) < size:
            if not order:
                told = ", ".join(f"{size} for {name}" for name, size in sizes.items())
                raise InputError(
                    f"memory.splits.questions asks for {told}, but the data has"
                    f" {sum(counts.values())} questions in {len(names)} conversations,"
                    " of which none is in two splits; get the whole data, or ask for"
                    " fewer"
                )
            found[split].append(order.pop(0))
    return found


def _check(
    split: str, names: Sequence[str], counts: Mapping[str, int], size: int
) -> None:
    """Refuse named conversations with another number of questions."""
    have = sum(counts.get(name, 0) for name in names)
    if have != size:
        each = ", ".join(f"{name} {counts.get(name, 0)}" for name in names)
        raise InputError(
            f"memory.splits.questions says {size} for {split}, but its conversations"
            f" have {have} ({each or 'none is named'}); is it the same data? Else mend"
            " the names, or take memory.splits.questions out"
        )
