"""Runs the program while it measures."""
from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import threading
import types
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO

from ._call import program
from ._program import environment
from .errors import ProgramNotFound

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_LOOK_MS = 200


def _lines(stream: IO[bytes]) -> Iterator[str]:
    """The program's output, line by line. Python handles signals between two reads: a signal just before a
    read, or to another thread, would wait for the end of that read."""
    ready = select.poll()
    ready.register(stream, select.POLLIN)
    rest = b""
    while True:
        if not ready.poll(_LOOK_MS):
            continue
        some = os.read(stream.fileno(), 1 << 16)
        *whole, rest = (rest + some).split(b"\n")
        if not some and rest:  # the program ended within a line
            whole.append(rest)
        yield from (raw.decode("utf-8", "replace") for raw in whole)
        if not some:
            return


class Child:
    """Within `with`, Ctrl-C is passed to the program and raises nothing; `stopped`: there was one.

    Only the main thread gets signals: in others, and if SIGINT is ignored, nothing changes.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._stopped_early = False  # before there was a process
        self._process: subprocess.Popen[bytes] | None = None
        self._before: Any = None

    def __enter__(self) -> Child:
        main = threading.current_thread() is threading.main_thread()
        if main and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _stop(self, _number: int, _frame: types.FrameType | None) -> None:
        self.stopped = True
        if self._process is None:
            self._stopped_early = True
        else:  # it stores its results; a second one stops it sooner
            self._process.send_signal(signal.SIGINT)

    def run(self, arguments: list[str], out: BinaryIO, line: Callable[[str], None],
            often: bool = False) -> tuple[int, str]:
        """Returns the status and the content of stderr; shows each line when it comes.

        `often`: the program reports its progress every half second, not every five.

        The program gets SIGINT when the thread that runs it ends, for instance if this process is killed.
        """
        prctl = ctypes.CDLL(None).prctl  # before the fork, after which nothing may be loaded
        parent = os.getpid()

        def end_with_parent() -> None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

        variables = {"KERNSWEEP_PROGRESS_S": "0.5", **environment()} if often else environment()
        try:
            child = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=out,
                                     stderr=subprocess.PIPE, start_new_session=True, env=variables,
                                     preexec_fn=end_with_parent)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise ProgramNotFound(f"the program kernsweep does not start: {error}") from error
        assert child.stderr is not None
        self._process = child
        if self._stopped_early:
            child.send_signal(signal.SIGINT)
        lines: list[str] = []
        try:
            for text in _lines(child.stderr):
                lines.append(text)
                line(text)
            child.wait()
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()
            child.stderr.close()
        return child.returncode, "\n".join(lines)
