"""What can go wrong, by name. The text of each is what the program says, where the program said it."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Results


class KernsweepError(Exception):
    """What all errors of this package have in common, but for `Interrupted`."""


class ProgramNotFound(KernsweepError):
    """The program `kernsweep` is not there, does not start, or is another one."""


class NotFound(KernsweepError, LookupError):
    """No such database, sweep or result."""


class DatabaseError(KernsweepError):
    """The file is not a database, damaged, of a newer version, or held by another program."""


class QuestionError(KernsweepError):
    """A question that cannot be answered: a column that is not there, SQL that is none."""


class FrameError(KernsweepError, ImportError):
    """Neither pandas nor polars is installed, or not the one that was asked for."""


class SweepError(KernsweepError):
    """The sweep cannot be run as it is written; nothing was measured."""


class FunctionError(SweepError):
    """The function cannot be measured as it is; nothing was measured."""


class MeasurementError(KernsweepError):
    """The sweep ran, and no job has a result. `results` has a row for each that says why."""

    def __init__(self, message: str, results: Results | None = None) -> None:
        super().__init__(message)
        self.results = results


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `results` has what was measured until then; None: nothing was stored."""

    def __init__(self, message: str, results: Results | None = None) -> None:
        super().__init__(message)
        self.results = results


class KernsweepWarning(UserWarning):
    """Some jobs of a sweep have no result."""
