"""The skills that predictions name for a task, held to the library they come from."""

from collections.abc import Container, Iterable

from skillmill.errors import InputError


def predicted(
    named: Iterable[str], budget: int, known: Container[str], what: str, task: str
) -> list[str]:
    """The first `budget` skills of a prediction, each once, in its order.

    `what` is what the task is called, such as a game.

    Raises
    ------
    InputError
        If one of them is not `known`, so not in the library.
    """
    ranked = list(dict.fromkeys(named))[:budget]
    unknown = [skill for skill in ranked if skill not in known]
    if unknown:
        raise InputError(
            f"{what} {task!r}: the predicted skill {unknown[0]!r} is not in the"
            " library; name the library that the predictions were made from",
            record=task,
        )
    return ranked
