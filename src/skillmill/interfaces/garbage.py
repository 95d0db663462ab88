"""How often Python looks for unreachable cycles."""

import gc

#: Python's own are 700, 10, 10.
_THRESHOLDS = (100_000, 50, 50)


def collect_seldom() -> None:
    """Look for unreachable cycles seldom, and never among what is there already.

    The workflow and its jobs make many rows and hardly a cycle, and end soon. With
    Python's own thresholds an eighth of what an edit among 22,714 skills cost went into
    looking for cycles, and a tenth of a run with nothing to do.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
