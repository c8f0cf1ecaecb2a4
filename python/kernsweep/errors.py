"""All errors, by name. The text of an error is the program's message, if there is one."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Results


class KernsweepError(Exception):
    """The common base of all errors of this package except `Interrupted`."""


class ProgramNotFound(KernsweepError):
    """The program `kernsweep` is not installed, does not start, or is a different program."""


class NotFound(KernsweepError, LookupError):
    """No such database, sweep or result."""


class DatabaseError(KernsweepError):
    """The file is not a database, damaged, of a newer version, or held by another program."""


class QuestionError(KernsweepError):
    """A question that cannot be answered: an unknown column, invalid SQL."""


class FrameError(KernsweepError, ImportError):
    """Neither pandas nor polars is installed, or not the requested one."""


class SweepError(KernsweepError):
    """The sweep cannot be run as written; nothing was measured."""


class FunctionError(SweepError):
    """The function cannot be measured as it is; nothing was measured."""


class MeasurementError(KernsweepError):
    """The sweep ran, and no job has a result. `results` has one row per job with the reason."""

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
