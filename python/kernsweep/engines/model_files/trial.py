"""Trials before measurements, each in a separate process: a trial that crashes by a division by 0, or takes
too long, costs nothing else."""
from __future__ import annotations

import importlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..engine import Missing
from .file import ModelFile, computed_by_onnx, first_line, plain_function
from .sizes import OpenSize, candidates_of, open_sizes

_ELEMENTS_MAX = 1 << 26  # of an input of another size


class Trial(NamedTuple):
    """ONNX Runtime's answer for the file with these inputs."""

    why: str = ""  # empty: it computes them, or is not installed
    is_read: bool = True  # whether it accepts the model, with any inputs
    is_computed: bool = False  # the package onnx computes it nevertheless
    size: OpenSize | None = None  # another value of this size makes it fit
    fit: tuple[int, ...] = ()  # these values
    tried: tuple[int, ...] = ()


class _Ended:
    waited_s = 0.0  # for a processor: by all ended processes of in_process()


def _waited_s(process: int) -> float:
    """How long its first thread waited for a processor, in seconds; 0 if the system does not count it."""
    try:
        with open(f"/proc/{process}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def now() -> float:
    """Seconds from any start, without those in which this process, or one of in_process(), waited for a
    processor: other work on a busy host does not shorten a limit."""
    return time.monotonic() - _waited_s(os.getpid()) - _Ended.waited_s


def in_process(work: Callable[[], Iterator[Any]], limit_s: float) -> tuple[list[Any], str]:
    """(what `work` yields, as JSON has it, until it ends or the time is over; the signal that ended it).
    The time stops while it waits for a processor."""
    end, said = time.monotonic() + limit_s, b""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writer, "w", encoding="utf-8") as out:
                for each in work():
                    print(json.dumps(each), file=out, flush=True)
        finally:
            os._exit(0)
    os.close(writer)
    is_late = False
    while not is_late:
        left_s = end + _waited_s(child) - time.monotonic()
        if not select.select([reader], [], [], max(0.0, left_s))[0]:
            is_late = end + _waited_s(child) <= time.monotonic()
            continue
        part = os.read(reader, 1 << 16)
        said += part
        if not part:
            break
    os.close(reader)
    if is_late:
        os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    _Ended.waited_s += _waited_s(child)
    _, status = os.waitpid(child, 0)
    ending = f"it ends by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) and not is_late else ""
    return [json.loads(line) for line in said.split(b"\n")[:-1]], ending


def _other_sizes(file: ModelFile, compute: Callable[[dict[str, Any]], Any],
                 batch: int) -> Iterator[tuple[int, int, bool]]:
    """(the number of an open size, a value of it, whether that one alone makes it fit)."""
    numpy = importlib.import_module("numpy")
    tried = candidates_of(file.model, file.array_of, file.inputs)
    for at, size in enumerate(open_sizes(file.model, file.inputs, batch)):
        for value in tried:
            shapes = {name: list(array.shape) for name, array in file.inputs.items()}
            for name, axis in size.places:
                shapes[name][axis] = value
            if any(numpy.prod(shape, dtype=float) > _ELEMENTS_MAX for shape in shapes.values()):
                continue
            try:
                compute({name: numpy.resize(array, shapes[name]) for name, array in file.inputs.items()})
            except Exception:
                yield at, value, False
            else:
                yield at, value, True


def _steps(file: ModelFile, batch: int) -> Iterator[Any]:
    try:
        compute = plain_function(file)
    except Missing:
        yield {}
        return
    except Exception as error:
        yield {"why": first_line(error)[:500], "is_read": False}
        return
    try:
        compute(file.inputs)
    except Exception as error:
        yield {"why": " ".join(str(error).split())[:500] or type(error).__name__}
    else:
        yield {}
        return
    try:
        is_computed = all(importlib.import_module("numpy").size(output) for output in computed_by_onnx(file))
    except Exception:
        is_computed = False
    if is_computed:
        yield {"is_computed": True}
    elif not file.fixed:  # its values may depend on the batch
        yield from _other_sizes(file, compute, batch)


def tried(file: ModelFile, batch: int, limit_s: float) -> Trial:
    """By ONNX Runtime without any optimisation."""
    steps, ending = in_process(lambda: _steps(file, batch), limit_s)
    trial = Trial(**{key: value for step in steps if isinstance(step, dict) for key, value in step.items()})
    if ending and not steps:
        trial = trial._replace(why=ending)
    sizes = open_sizes(file.model, file.inputs, batch)
    for at in dict.fromkeys(step[0] for step in steps if isinstance(step, list)):
        fit = tuple(value for which, value, fits in (s for s in steps if isinstance(s, list))
                    if which == at and fits)
        if fit:
            every = tuple(step[1] for step in steps if isinstance(step, list) and step[0] == at)
            return trial._replace(size=sizes[at], fit=fit, tried=every)
    return trial
