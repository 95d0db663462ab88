"""Stop a run whose model does not do its work."""

from collections.abc import Sequence
from typing import Any

from skillmill.errors import LimitError
from skillmill.models.chat import Outcome


def check_failed_share(
    outcomes: Sequence[Outcome[Any]], share: float, *, stage: str, model: str
) -> None:
    """Refuse outcomes of which more than a share did not come to a reply.

    Skipped ones count with the failed, unless the client is off, which is a choice.
    `share` lies in [0, 1] and is still allowed; no outcomes are never too few.

    Raises
    ------
    LimitError
        Names the stage, the model, how many failed and for what reasons, and the
        first cause with its record.
    """
    bad = [
        outcome
        for outcome in outcomes
        if outcome.state != "ok" and outcome.reason != "off"
    ]
    if len(bad) <= share * len(outcomes):
        return
    # A skipped question only repeats what made an earlier one fail.
    first = next((outcome for outcome in bad if outcome.state == "failed"), bad[0])
    reasons = [outcome.reason for outcome in bad]
    counts = ", ".join(
        f"{reasons.count(reason)} {reason}" for reason in sorted(set(reasons))
    )
    raise LimitError(
        f"stage {stage!r}, model {model!r}: {len(bad)} of {len(outcomes)} questions"
        f" brought no usable reply ({counts}), {share:.0%} are allowed; the first"
        f" cause, record {first.record!r}: {first.message}",
        record=first.record,
    )
