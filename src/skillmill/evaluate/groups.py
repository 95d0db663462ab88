"""Which rows of a score table a query counts in: splits and categories."""

from collections.abc import Iterable, Mapping, Sequence

from skillmill.errors import ConfigError
from skillmill.types import ADVERSARIAL, Question, Split, Task


def task_groups(tasks: Iterable[Task]) -> dict[str, list[tuple[Split, str]]]:
    """Groups of each task: the pooled row and one row for each of its categories."""
    return {
        task.id: [("all", "all"), *(("all", name) for name in task.categories)]
        for task in tasks
    }


def question_groups(
    questions: Sequence[Question], splits: Mapping[Split, Sequence[str]]
) -> dict[str, list[tuple[Split, str]]]:
    """Groups of each question: its kind and the pooled row, in each of its splits.

    Adversarial questions and those that call for abstention ask for what was never
    said; they have rows of their own and are not pooled (as in LoCoMo's own tables).
    Splits are by whole conversations.

    Raises
    ------
    ConfigError
        If a split names a conversation that no question belongs to.
    """
    known = {question.conversation for question in questions}
    asked = {name: split for split, names in splits.items() for name in names}
    unknown = sorted(asked.keys() - known)
    if unknown:
        raise ConfigError(
            f"config: memory.splits names {', '.join(unknown)}, but the data has only"
            f" {', '.join(sorted(known)) or 'no questions'}; mend the names"
        )
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
