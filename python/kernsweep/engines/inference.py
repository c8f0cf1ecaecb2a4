"""A kernel for sweeps: one workload, computed by one engine."""
from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from . import arithmetic
from .compiled_engines import CythonEngine, Pybind11Engine
from .engine import PRECISIONS, Engine, Missing, Settings, checked
from .graph import Graph
from .jax_engine import JaxEngine
from .numba_engine import NumbaEngine
from .numpy_engine import NumpyEngine
from .onnxruntime_engine import OnnxruntimeEngine
from .openvino_engine import OpenvinoEngine
from .scipy_engine import ScipyEngine
from .torch_engine import TorchEngine
from .tvm_engine import TvmEngine
from .workloads import workload

ENGINES: dict[str, Callable[[], Engine]] = {
    "numpy": NumpyEngine, "torch": TorchEngine, "onnxruntime": OnnxruntimeEngine,
    "openvino": OpenvinoEngine, "tvm": TvmEngine, "jax": JaxEngine, "numba": NumbaEngine,
    "cython": CythonEngine, "pybind11": Pybind11Engine, "scipy": ScipyEngine}
_OF_ALL = ("engine", "workload", "batch", "size", "density", "precision", "seed", "threads")


def engine_named(name: Any) -> Engine:
    """The engine of a name. ValueError: there is none."""
    if name not in ENGINES:
        raise ValueError(f"there is no engine '{name}'; there are {', '.join(ENGINES)}")
    return ENGINES[name]()


def graph_of(params: Settings) -> Graph:
    """The workload of a point. ValueError: an unknown name, or a size that is not a positive number."""
    if params.get("workload") is None:
        raise ValueError("which workload? `axes: {workload: mlp}`")
    batch = params.get("batch")
    return workload(params["workload"], 1 if batch is None else batch, params.get("size"),
                    params.get("density"))


def chosen_of(engine: Engine, params: Settings) -> dict[str, Any]:
    """The engine's settings at a point, `precision`, `seed`, `threads`. ValueError: an unknown setting."""
    given = {name: value for name, value in params.items()
             if name not in _OF_ALL and value is not None and not name.startswith(("operand.", "input."))}
    chosen = checked(engine, params["engine"], given)
    chosen["precision"], chosen["seed"] = params.get("precision") or "f32", params["seed"]
    chosen["threads"] = params["threads"]
    if chosen["precision"] not in PRECISIONS:
        raise ValueError(f"precision is {chosen['precision']!r}; there are {', '.join(PRECISIONS)}")
    return chosen


def modules_of(params: Settings) -> tuple[str, ...]:
    """The engine's modules, which are imported before it is used; none for an unknown name."""
    name = params.get("engine")
    return ENGINES[name]().modules if name in ENGINES else ()


class Inference:
    """`python: kernsweep.engines:Inference`; docs/guides/engines.md has the axes.

    An unknown name or value is a ValueError while preparing; supports() gives the reason if an engine is
    not installed, or lacks what the point requests.
    """

    imports = staticmethod(modules_of)
    reference_params = ("workload", "batch", "size", "density")

    def __init__(self) -> None:
        self.metrics: dict[str, Any] = {}

    def supports(self, params: Settings) -> bool | str:
        """Whether the engine is available and supports the point; a text is the reason why not."""
        engine = engine_named(params.get("engine"))
        graph, chosen = graph_of(params), chosen_of(engine, params)
        if chosen["precision"] not in engine.precisions:
            return (f"{params['engine']} computes in {', '.join(engine.precisions)} here, not in "
                    f"{chosen['precision']}")
        lacks = engine.lacks(graph, chosen)
        if lacks:
            return lacks
        try:
            engine.version()
            engine.require(chosen)
        except Missing as error:
            return str(error)
        return True

    def setup(self, params: Settings, inputs: Settings) -> Callable[[], Any]:
        """Makes the model ready; its time is the metric `prepare_s`, in seconds. The metric `items` is the
        batch."""
        engine = engine_named(params.get("engine"))
        graph = graph_of(params)
        arrays = graph.arrays(params["seed"])
        began = time.perf_counter()
        prepared = engine.prepare(graph, arrays, chosen_of(engine, params), params["threads"])
        self.metrics = {"items": graph.shape[0], "prepare_s": time.perf_counter() - began,
                        **prepared.metrics}
        return prepared.call

    def run(self, state: Callable[[], Any]) -> Any:
        """Computes the output again."""
        return state()

    def flops(self, params: Settings) -> float:
        """Of the products only: other operations of a network are a small part. Pruned weights are not
        counted, whether an engine multiplies by their zeros or not."""
        return graph_of(params).flops

    def reference(self, params: Settings, inputs: Settings) -> Any:
        """The output in f64, by NumPy."""
        return arithmetic.reference(graph_of(params), params["seed"])
