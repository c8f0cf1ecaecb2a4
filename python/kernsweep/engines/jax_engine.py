"""JAX: one function, compiled by XLA, on processors."""
from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from typing import Any

from .arithmetic import shared_function
from .engine import Engine, Prepared, Settings, found
from .graph import Graph, Operation

_LEAST = "0.4.30"


def _threads() -> int:
    """The number of threads that XLA starts with: they live as long as the process."""
    said = os.environ.get("NPROC", "")
    return int(said) if said.isdecimal() else len(os.sched_getaffinity(0))


class _Functions:
    """The operations by jax.numpy and jax.lax."""

    begun_with = 0  # threads, in this process; 0: not begun

    def __init__(self) -> None:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        self.jax = found("jax", _LEAST, "jax")
        self.numpy, self.lax = importlib.import_module("jax.numpy"), self.jax.lax

    def of(self, operation: Operation) -> Callable[[list[Any]], Any]:
        own: dict[str, Callable[..., Any]] = {
            "Conv": self._conv, "MaxPool": self._max_pool, "Recurrence": self._recurrence}
        made = own.get(operation.kind)
        if made is None:
            return shared_function(self.numpy, operation)
        return lambda given: made(given, **operation.settings)

    def _conv(self, given: list[Any], kernel: int, stride: int, pad: int) -> Any:
        out = self.lax.conv_general_dilated(given[0], given[1], (stride, stride), [(pad, pad)] * 2,
                                            dimension_numbers=("NCHW", "OIHW", "NCHW"))
        return out + given[2].reshape(1, -1, 1, 1) if len(given) > 2 else out

    def _max_pool(self, given: list[Any], kernel: int, stride: int, pad: int) -> Any:
        return self.lax.reduce_window(given[0], -self.numpy.inf, self.lax.max, (1, 1, kernel, kernel),
                                      (1, 1, stride, stride), ((0, 0), (0, 0), (pad, pad), (pad, pad)))

    def _recurrence(self, given: list[Any], factor: float) -> Any:
        def step(state: Any, value: Any) -> tuple[Any, Any]:
            state = self.numpy.tanh(given[0].dtype.type(factor) * state + value)
            return state, state
        _, states = self.lax.scan(step, self.numpy.zeros_like(given[0][:, 0]), given[0].T)
        return states.T


class JaxEngine(Engine):
    """The network is one function for jax.jit, with weights and input as its arguments."""

    settings: Mapping[str, Any] = {}
    precisions = ("f32",)

    def version(self) -> str:
        return f"jax {found('jax', _LEAST, 'jax').__version__}"

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        return ""

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        """ValueError: XLA has another number of threads in this process."""
        functions = _Functions()
        _Functions.begun_with = _Functions.begun_with or _threads()
        if _Functions.begun_with != threads:
            raise ValueError(f"XLA has {_Functions.begun_with} threads in this process, not {threads}; give "
                             "each number a process of its own: `placement: [{threads: 1, env.NPROC: 1}, "
                             "...]`")
        steps = [(functions.of(each), each.inputs, each.output) for each in graph.operations]

        def compute(given: Mapping[str, Any]) -> Any:
            known = dict(given)
            for function, inputs, name in steps:
                known[name] = function([known[each] for each in inputs])
            return known[graph.output]
        call = functions.jax.jit(compute)
        given = {name: functions.numpy.asarray(array) for name, array in arrays.items()}
        numpy = importlib.import_module("numpy")
        numpy.asarray(call(given))
        return Prepared(lambda: numpy.asarray(call(given)), {})
