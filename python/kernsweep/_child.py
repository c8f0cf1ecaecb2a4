"""The program while it measures."""
from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import threading
import types
from collections.abc import Callable
from typing import Any, BinaryIO

from ._call import program
from ._program import environment
from .errors import ProgramNotFound

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Child:
    """Within `with`, Ctrl-C is passed to the program and raises nothing; `stopped` says that there was one.

    Signals come to the main thread only: in others, and where SIGINT is ignored, nothing is changed.
    """

    def __init__(self) -> None:
        self.stopped = False
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
        if self._process is not None:  # it stores what it has; a second one hurries it
            self._process.send_signal(signal.SIGINT)

    def run(self, arguments: list[str], out: BinaryIO, line: Callable[[str], None],
            often: bool = False) -> tuple[int, str]:
        """Status and what stood on stderr, each line of which is told when it comes.

        `often`: it tells its progress every half second, not every five.

        The program gets SIGINT when the thread that runs it ends, which is when this process is killed.
        """
        prctl = ctypes.CDLL(None).prctl  # before the fork, after which nothing is to be loaded
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
        if self.stopped:  # while it was started
            child.send_signal(signal.SIGINT)
        lines: list[str] = []
        try:
            for raw in child.stderr:
                lines.append(raw.decode("utf-8", "replace").rstrip("\n"))
                line(lines[-1])
            child.wait()
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()
            child.stderr.close()
        return child.returncode, "\n".join(lines)
