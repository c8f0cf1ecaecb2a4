"""Running a sweep."""
from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from ._call import OTHER, message_of, refuse_words
from ._child import Child
from .errors import (DatabaseError, Interrupted, KernsweepError, KernsweepWarning, MeasurementError,
                     NotFound, ProgramNotFound, SweepError)
from .results import Results


def run(sweep: Mapping[str, Any] | str | os.PathLike[str], *, db: str | os.PathLike[str] | None = None,
        quick: bool = False, replace: Mapping[str, Any] | None = None, only: str | None = None,
        sample: str | None = None, again: bool | str = False, patience: str | None = None,
        progress: bool = True) -> Results:
    """Runs a sweep on this machine and returns its results.

    `sweep`: the path of a sweep file, or its content as a dict (`sweep: 1` may be left out).
    `db`: the database; by default NAME.db in this folder. `replace`: settings by their paths
    (`{"measure.processes": 5}`), axes as `axes.NAME`. The other options are those of `kernsweep run`.
    Errors: SweepError and DatabaseError, nothing was measured; MeasurementError, no job has a result;
    Interrupted, Ctrl-C.
    If only some jobs have no result, a KernsweepWarning says how many, and the most frequent reason.
    """
    options = ["--json"] + (["--quick"] if quick else [])
    options += [f"--{name}={value}" for name, value in
                (("db", db and os.fspath(db)), ("only", only), ("sample", sample), ("patience", patience))
                if value is not None]
    if again is not False:
        options.append("--again" if again is True else f"--again={again}")
    for name, value in (replace or {}).items():
        axis = name.removeprefix("axes.")
        options.append(f"--axis={axis}={_text(value)}" if axis != name else f"--set={name}={_text(value)}")
    refuse_words(options, SweepError)
    with contextlib.ExitStack() as stack:
        child = stack.enter_context(Child())  # until the results are open, the program gets Ctrl-C
        if isinstance(sweep, Mapping):
            path, shown = stack.enter_context(_file_of(sweep)), "sweep"
        else:
            path = shown = os.fspath(sweep)
            if not os.path.exists(path):
                raise NotFound(f"{path}: no such file")
        out = stack.enter_context(tempfile.TemporaryFile())
        progressing = _shown(progress)
        try:
            status, errors = child.run(["run", *options, "--", path], out, progressing.line,
                                       progressing.rewritten)
        finally:
            progressing.close()
        out.seek(0)
        told = _answer(out.read())
        found = None
        if "database" in told:
            with contextlib.suppress(KernsweepError):
                found = Results(told["database"], told.get("sweep_id"), told)
        if child.stopped:
            what = "what was measured is kept" if found else "nothing was stored"
            raise Interrupted(f"stopped; {what}", found)
    text = message_of(errors).replace(path, shown)
    if db is None and isinstance(sweep, Mapping):
        db = f"{sweep.get('name')}.db"
    if status == 2 and db is not None and text.startswith(tuple(
            f"{name}: " for name in (os.fspath(db), os.path.abspath(db), os.path.realpath(db)))):
        raise DatabaseError(text)
    return _results(status, told, text, found)


def _results(status: int, told: dict[str, Any], text: str, found: Results | None) -> Results:
    if status == 2:
        raise SweepError(text)
    if status == 0 and not told:
        raise ProgramNotFound(OTHER)
    if found is None or status not in (0, 1):
        raise MeasurementError(text or f"kernsweep ended with status {status}", found)
    if status == 1:
        why = _why(found)
        if told.get("ok", 0) + told.get("earlier", 0) + told.get("reused", 0) == 0:
            raise MeasurementError(f"no job has a result; main cause: {why}", found)
        failed = told.get("failed", 0)
        jobs = "1 job has" if failed == 1 else f"{failed} jobs have"
        warnings.warn(f"{jobs} no result; main cause: {why}", KernsweepWarning, stacklevel=_outside())
    return found


def _outside() -> int:
    """The stacklevel, seen from the caller, of the first function outside this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def _why(results: Results) -> str:
    rows = results._rows("select status, reason, count(*) as jobs from results where status <> 'ok' and "
                         f"sweep_id = {int(results.told['sweep_id'])} group by 1, 2 order by 3 desc limit 1")
    return f"{rows[0]['status']}: {rows[0]['reason']}" if rows else "no reason given"


def _answer(out: bytes) -> dict[str, Any]:
    try:
        told = json.loads(out)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


@contextlib.contextmanager
def _file_of(sweep: Mapping[str, Any]) -> Iterator[str]:
    """The sweep as a file in this folder, to which paths of its tables are relative; else elsewhere."""
    text = _text({"sweep": 1, **sweep})
    try:
        content = (text + "\n").encode("utf-8")
    except UnicodeEncodeError as error:
        raise SweepError(f"this cannot be written to a sweep file: {error}") from error
    folder = os.getcwd() if os.access(os.getcwd(), os.W_OK) else None
    file = tempfile.NamedTemporaryFile(prefix=".kernsweep-", suffix=".json", dir=folder, delete=False)
    try:
        # This shell removes the file when its stdin ends, as it does when this process is killed.
        remove = ["/bin/sh", "-c", 'read -r line; rm -f -- "$0"', file.name]
        with subprocess.Popen(remove, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True), file:
            file.write(content)
            file.flush()
            yield file.name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.name)


def _text(value: Any) -> str:
    """A value as the sweep language reads it: JSON; a bare text unchanged."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise SweepError(f"this cannot be written to a sweep file: {error}") from error


def _plain(value: Any) -> Any:
    """A range as the axis that it is, other iterables as lists; numbers of NumPy as Python's."""
    if isinstance(value, range) and value.step > 0 and len(value) > 1:
        return {"range": [value[0], value[-1]], "step": value.step}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{value!r} is neither a number, a text, a list nor None")


class _Silent:
    """Shows nothing."""
    rewritten = False  # whether a line replaces the previous one

    def line(self, text: str) -> None:
        """A line that the program wrote to stderr."""

    def close(self) -> None:
        """The program has ended."""


class _Terminal(_Silent):
    """Rewrites one line of a terminal; elsewhere prints one line each."""

    def __init__(self) -> None:
        self.rewritten = sys.stderr.isatty()
        self.length = 0

    def line(self, text: str) -> None:
        if text.startswith("kernsweep: "):
            return  # it becomes an exception
        self.close()
        sys.stderr.write(text)
        if self.rewritten and text.startswith("["):
            self.length = len(text)
        else:
            sys.stderr.write("\n")
        sys.stderr.flush()

    def close(self) -> None:
        if self.length:
            sys.stderr.write("\r" + " " * self.length + "\r")
            sys.stderr.flush()
        self.length = 0


class _Notebook(_Silent):
    """One output of the cell that is updated."""
    rewritten = True

    def __init__(self, display: Any) -> None:
        self.handle = display({"text/plain": "..."}, raw=True, display_id=True)

    def close(self) -> None:
        self.handle.update({"text/plain": ""}, raw=True)

    def line(self, text: str) -> None:
        if text.startswith("["):
            self.handle.update({"text/plain": text}, raw=True)


def _shown(progress: bool) -> _Silent:
    if not progress:
        return _Silent()
    shell = sys.modules.get("IPython")
    if shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None:
        return _Notebook(sys.modules["IPython.display"].display)
    return _Terminal()
