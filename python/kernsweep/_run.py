"""Running a sweep."""
from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from ._call import message_of, program
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
    Where only some jobs have none, a KernsweepWarning says how many and mainly why.
    """
    options = ["--json"] + (["--quick"] if quick else [])
    options += [f"--{name}={value}" for name, value in
                (("db", db and os.fspath(db)), ("only", only), ("sample", sample), ("patience", patience))
                if value is not None]
    if again:
        options.append("--again" if again is True else f"--again={again}")
    for name, value in (replace or {}).items():
        axis = name.removeprefix("axes.")
        options.append(f"--axis={axis}={_text(value)}" if axis != name else f"--set={name}={_text(value)}")
    with contextlib.ExitStack() as stack:
        if isinstance(sweep, Mapping):
            path, shown = stack.enter_context(_file_of(sweep)), "sweep"
        else:
            path = shown = os.fspath(sweep)
            if not os.path.exists(path):
                raise NotFound(f"{path}: no such file")
        out = stack.enter_context(tempfile.TemporaryFile())
        status, errors, stopped = _run(["run", *options, "--", path], out, progress)
        out.seek(0)
        told = _answer(out.read())
    text = message_of(errors).replace(path, shown)
    if db is None and isinstance(sweep, Mapping):
        db = f"{sweep.get('name')}.db"
    if status == 2 and db is not None and text.startswith(f"{os.fspath(db)}: "):
        raise DatabaseError(text)
    return _results(status, told, text, stopped)


def _results(status: int, told: dict[str, Any], text: str, stopped: bool) -> Results:
    found = None
    if "database" in told:
        with contextlib.suppress(KernsweepError):
            found = Results(told["database"], told.get("sweep_id"), told)
    if stopped:
        what = "what was measured is kept" if found else "nothing was stored"
        raise Interrupted(f"stopped; {what}", found)
    if status == 2:
        raise SweepError(text)
    if found is None or status not in (0, 1):
        raise MeasurementError(text or f"kernsweep ended with status {status}", found)
    if status == 1:
        why = _why(found)
        if told.get("ok", 0) + told.get("earlier", 0) + told.get("reused", 0) == 0:
            raise MeasurementError(f"no job has a result; mainly because: {why}", found)
        warnings.warn(f"{told.get('failed', 0)} jobs have no result; mainly because: {why}",
                      KernsweepWarning, stacklevel=3)
    return found


def _why(results: Results) -> str:
    rows = results._rows("select status, reason, count(*) as jobs from results where status <> 'ok' and "
                         f"sweep_id = {int(results.told['sweep_id'])} group by 1, 2 order by 3 desc limit 1")
    return f"{rows[0]['status']}: {rows[0]['reason']}" if rows else "not told"


def _answer(out: bytes) -> dict[str, Any]:
    try:
        told = json.loads(out)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


@contextlib.contextmanager
def _file_of(sweep: Mapping[str, Any]) -> Iterator[str]:
    """The sweep as a file of this folder, from which its tables are looked for; elsewhere if need be."""
    text = _text({"sweep": 1, **sweep})
    folder = os.getcwd() if os.access(os.getcwd(), os.W_OK) else None
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix=".kernsweep-", suffix=".json",
                                     dir=folder) as file:
        file.write(text + "\n")
        file.flush()
        yield file.name


def _text(value: Any) -> str:
    """A value as the sweep language reads it: JSON; a bare text as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise SweepError(f"this cannot be written to a sweep file: {error}") from error


def _plain(value: Any) -> Any:
    """A range as the axis that it is, others that can be listed as lists; numbers of NumPy as Python's."""
    if isinstance(value, range) and value.step > 0 and len(value) > 1:
        return {"range": [value[0], value[-1]], "step": value.step}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{value!r} is neither a number, a text, a list nor None")


def _run(arguments: list[str], out: BinaryIO, progress: bool) -> tuple[int, str, bool]:
    """Status, what stood on stderr, and whether it was stopped by Ctrl-C."""
    try:
        child = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.PIPE, start_new_session=True)
    except (OSError, ValueError) as error:
        raise ProgramNotFound(f"the program kernsweep does not start: {error}") from error
    assert child.stderr is not None
    lines: list[str] = []
    shown = _shown(progress)
    stopped = False
    try:
        while True:
            try:
                for raw in child.stderr:
                    lines.append(raw.decode("utf-8", "replace").rstrip("\n"))
                    shown.line(lines[-1])
                child.wait()
                break
            except KeyboardInterrupt:  # the program stores what it has; a second one hurries it
                stopped = True
                child.send_signal(signal.SIGINT)
    finally:
        shown.close()
        if child.poll() is None:
            child.terminate()
            child.wait()
        child.stderr.close()
    return child.returncode, "\n".join(lines), stopped


class _Silent:
    """Shows nothing."""

    def line(self, text: str) -> None:
        """A line that the program wrote to stderr."""

    def close(self) -> None:
        """The program has ended."""


class _Terminal(_Silent):
    """Rewrites one line of the terminal; elsewhere a line each."""

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
