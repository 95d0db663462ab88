"""Errors of skillmill: one base, a few children, each naming what to mend.

An error message says what was expected, what came, which record or file and
line, and the way out. Scripts and the command line print the message alone and
exit with `exit_code`; a traceback is only for a fault in skillmill itself.
"""

#: Exit code after an interrupt from the terminal, as shells have it.
INTERRUPTED = 130


class SkillmillError(Exception):
    """Something the user can mend; the message is one clear sentence.

    Attributes
    ----------
    record : str or None
        The file, key or id that the message is about.
    """

    exit_code = 1

    def __init__(self, message: str, *, record: str | None = None) -> None:
        super().__init__(message)
        self.record = record


class ConfigError(SkillmillError):
    """A key or value of the configuration that cannot be used."""

    exit_code = 2


class InputError(SkillmillError):
    """An input file that is missing, unreadable or not what it should be."""

    exit_code = 3


class StoreError(SkillmillError):
    """A store that is missing, corrupt or of another kind than expected."""

    exit_code = 4


class ModelError(SkillmillError):
    """A neural model that is missing or does not match a store."""

    exit_code = 5


class LimitError(SkillmillError):
    """More failures than the configured limit; the first cause is in the message."""

    exit_code = 6


class BusyError(SkillmillError):
    """A working directory that another run holds, or that cannot be locked."""

    exit_code = 7
