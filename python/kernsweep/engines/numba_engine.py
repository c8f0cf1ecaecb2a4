"""Numba: plain loops, compiled. Only for workloads of one operation, not for networks."""
from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping
from typing import Any

from .engine import Engine, Prepared, Settings, found
from .graph import Graph

_KINDS = {"MatMul", "Conv", "Recurrence"}


class NumbaEngine(Engine):
    """`fastmath`: sums may be reordered, which vector instructions need."""

    settings = {"fastmath": (True, False)}
    precisions = ("f32",)
    modules = ("numpy", "numba")

    def version(self) -> str:
        numpy = found("numpy", "1.22", "engines").__version__
        return f"numba {found('numba', '0.57', 'numba').__version__}, numpy {numpy}"

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        if len(graph.operations) > 1 or not graph.kinds <= _KINDS:
            return "numba computes matmul, conv2d and recurrence; it is not an engine for networks"
        return ""

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        numba = found("numba", "0.57", "numba")
        loops = importlib.import_module("kernsweep.engines.numba_loops")
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        call = _call_of(graph, arrays, numba.njit(parallel=True, fastmath=chosen["fastmath"]), loops)
        began = time.perf_counter()
        call()
        return Prepared(call, {"prepare_s": time.perf_counter() - began})


def _call_of(graph: Graph, arrays: Mapping[str, Any], compiled: Any, loops: Any) -> Callable[[], Any]:
    numpy = importlib.import_module("numpy")
    operation, = graph.operations
    shape = graph.shapes[operation.output]
    given = [arrays[name] for name in operation.inputs]
    out = numpy.empty(shape, "f4")
    if operation.kind == "MatMul":
        function, rows = compiled(loops.product), given[0].reshape(-1, given[0].shape[-1])
        flat = out.reshape(-1, shape[-1])
        return lambda: (function(rows, given[1], flat), out)[1]
    if operation.kind == "Recurrence":
        function, factor = compiled(loops.recurrence), numpy.float32(operation.settings["factor"])
        return lambda: (function(given[0], factor, out), out)[1]
    function, pad = compiled(loops.convolution), operation.settings["pad"]
    batch, channels, high, wide = graph.shape
    padded = numpy.zeros((batch, channels, high + 2 * pad, wide + 2 * pad), "f4")

    def convolve() -> Any:
        padded[:, :, pad:pad + high, pad:pad + wide] = given[0]
        function(padded, given[1], given[2], out)
        return out
    return convolve
