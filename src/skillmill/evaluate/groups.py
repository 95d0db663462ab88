"""Which rows of a score table a query counts in: splits and categories."""

from collections.abc import Iterable, Mapping, Sequence

from skillmill.types import ADVERSARIAL, Question, Split, Task


def task_groups(tasks: Iterable[Task]) -> dict[str, list[tuple[Split, str]]]:
    """Groups of each task: the pooled row and one row for each of its categories."""
    return {
        task.id: [("all", name) for name in dict.fromkeys(("all", *task.categories))]
        for task in tasks
    }


def absent_from_data(
    questions: Iterable[Question], splits: Mapping[Split, Sequence[str]]
) -> list[str]:
    """Conversations that a split names and no question belongs to, sorted.

    They are no error: a study of other conversations may keep the splits of the whole.
    """
    known = {question.conversation for question in questions}
    return sorted({name for names in splits.values() for name in names} - known)


def question_groups(
    questions: Sequence[Question], splits: Mapping[Split, Sequence[str]]
) -> dict[str, list[tuple[Split, str]]]:
    """Groups of each question: its kind and the pooled row, in each of its splits.

    Adversarial questions and those that call for abstention ask for what was never
    said; they have rows of their own and are not pooled (as in LoCoMo's own tables).
    Splits are by whole conversations; names that the data lacks change nothing.
    """
    asked = {name: split for split, names in splits.items() for name in names}
    groups = {}
    for question in questions:
        own: list[Split] = ["all"]
        if question.conversation in asked:
            own.append(asked[question.conversation])
        names = [question.kind]
        if question.category != ADVERSARIAL and not question.abstention:
            names.insert(0, "all")
        groups[question.id] = [(split, name) for split in own for name in names]
    return groups
