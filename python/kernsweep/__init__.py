"""Kernsweep from Python: run sweeps, measure functions, read results as frames.

    import kernsweep

    results = kernsweep.open("first-look.db")
    print(results.best())
    frame = results.results()

The numbers are those of the program `kernsweep`, which answers each question.
"""
from ._call import program
from ._kernel import Kernel, kernel
from ._run import run
from .errors import (DatabaseError, FrameError, FunctionError, Interrupted, KernsweepError, KernsweepWarning,
                     MeasurementError, NotFound, ProgramNotFound, QuestionError, SweepError)
from .results import Answer, Results, open  # noqa: A004

__all__ = ["Answer", "DatabaseError", "FrameError", "FunctionError", "Interrupted", "Kernel",
           "KernsweepError", "KernsweepWarning", "MeasurementError", "NotFound", "ProgramNotFound",
           "QuestionError", "Results", "SweepError", "kernel", "open", "program", "run"]
