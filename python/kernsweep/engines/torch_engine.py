"""PyTorch: eager, traced by TorchScript, compiled; on processors."""
from __future__ import annotations

import functools
import importlib
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import quantised
from .engine import Engine, Prepared, Settings, calibration_batches, found
from .graph import Graph
from .torch_modules import module_of, sparse_module_of

_LEAST = "2.2"
_SPARSE_WAYS = {("eager", "f32"), ("inference", "f32")}


class TorchEngine(Engine):
    """`mode`: `eager` records for gradients, like a default call; `inference` is within
    torch.inference_mode(); `traced` is TorchScript, traced, frozen and optimised for inference; `compiled`
    is torch.compile with `compile_mode` and `fullgraph`. All except `eager` are within inference_mode, too.
    `form` is the layout of pruned weights: dense, or one of torch.sparse."""

    settings = {"mode": ("eager", "inference", "traced", "compiled"),
                "compile_mode": ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"),
                "fullgraph": (False, True), "channels_last": (False, True), "onednn": (True, False),
                "compile_cache": (True, False), "per_channel": (False, True),
                "form": ("dense", "csr", "csc", "coo")}
    precisions = ("f32", "bf16", "int8", "int8_static")
    modules = ("torch",)

    def version(self) -> str:
        return f"torch {found('torch', _LEAST, 'torch').__version__}"

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        if (lacks := mode_lacks(chosen)):
            return lacks
        if chosen["channels_last"] and len(graph.shape) != 4:
            return "channels_last is for images; this workload has none"
        if (lacks := _quantised_lacks(graph, chosen)):
            return lacks
        if chosen["form"] != "dense" and not graph.is_sparse:
            return "form is how pruned weights are stored; this workload has none: sparse_linear has"
        if chosen["form"] != "dense" and (chosen["mode"], chosen["precision"]) not in _SPARSE_WAYS:
            return f"weights in the form {chosen['form']} are for f32 in the modes eager and inference"
        if "Recurrence" in graph.kinds and chosen["mode"] in ("traced", "compiled"):
            return "a loop over time is unrolled by tracing: compiling it takes longer than any job may"
        return ""

    def require(self, chosen: Settings) -> None:
        if chosen["precision"] == "int8_static":
            quantised.require_torch_static()

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        torch = found("torch", _LEAST, "torch")
        static = chosen["precision"] == "int8_static"
        others = graph.other_inputs(chosen["seed"], calibration_batches(graph.shape[0])) if static else []
        form = chosen["form"]
        make = module_of if form == "dense" else functools.partial(sparse_module_of, form)
        return prepare_module(lambda: make(torch, graph, arrays), [arrays["x"]], chosen, threads, others)


def _quantised_lacks(graph: Graph, chosen: Settings) -> str:
    if chosen["per_channel"] and chosen["precision"] != "int8_static":
        return f"per_channel is for precision int8_static; this is {chosen['precision']}"
    if not chosen["precision"].startswith("int8"):
        return ""
    if chosen["precision"] == "int8" and "Linear" not in graph.kinds:
        return "dynamic quantisation is for linear layers; this workload has none"
    if not graph.kinds & {"Linear", "Conv"}:
        return "static quantisation is for linear layers and convolutions; this workload has none"
    if chosen["mode"] == "compiled":
        return "layers that were quantised are not compiled by torch.compile"
    return ""


def mode_lacks(chosen: Settings) -> str:
    """Why the mode does not combine with settings for compilation only; empty if it does."""
    usual = {"compile_mode": "default", "fullgraph": False, "compile_cache": True}
    of_compile = [name for name, value in usual.items() if chosen[name] != value]
    if of_compile and chosen["mode"] != "compiled":
        return f"{of_compile[0]} is a setting of mode compiled; this is {chosen['mode']}"
    return ""


def prepare_module(make: Callable[[], Any], arrays: Sequence[Any], chosen: Settings, threads: int,
                   calibration: Sequence[Any] = ()) -> Prepared:
    """The module that `make` returns, with its inputs, arrays of NumPy. `calibration`: other inputs of a
    module that has one, for the scales of int8_static."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # no processes that outlive the job
    torch = found("torch", _LEAST, "torch")
    torch.set_num_threads(threads)
    torch.backends.mkldnn.enabled = chosen["onednn"]  # of the process: an earlier job may have set it
    began = time.perf_counter()
    module, inputs = make(), [torch.from_numpy(array) for array in arrays]
    if chosen["channels_last"]:
        module = module.to(memory_format=torch.channels_last)
        inputs = [x.to(memory_format=torch.channels_last) if x.ndim == 4 else x for x in inputs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript and this quantisation are deprecated
        if chosen["precision"] == "int8":
            module = quantised.torch_dynamic(torch, module)
        elif chosen["precision"] == "int8_static":
            module = quantised.torch_static(torch, module, [torch.from_numpy(each) for each in calibration],
                                            chosen["per_channel"])
        call = _call_of(torch, module, inputs, chosen)
        for _ in range(3 if chosen["mode"] == "traced" else 1):  # it optimises in the second call
            call()
    metrics: dict[str, Any] = {"prepare_s": time.perf_counter() - began}
    if chosen["mode"] == "compiled":
        counted = importlib.import_module("torch._dynamo.utils").counters
        metrics["graph_breaks"] = (sum(counted["graph_break"].values()), "smaller")
        metrics["graphs"] = (counted["stats"]["unique_graphs"], "smaller")
    return Prepared(call, metrics)


def _call_of(torch: Any, module: Any, inputs: Sequence[Any], chosen: Settings) -> Callable[[], Any]:
    bf16, traced = chosen["precision"] == "bf16", chosen["mode"] == "traced"
    if traced:
        # The casts of autocast become part of the trace. Its cache would keep a weight of another call.
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=bf16, cache_enabled=False):
            module = torch.jit.freeze(torch.jit.trace(module, tuple(inputs)))
            if chosen["onednn"]:  # converts to oneDNN's layouts, for any setting
                module = torch.jit.optimize_for_inference(module)
    elif chosen["mode"] == "compiled":
        module = _compiled(torch, module, chosen)
    contexts = [] if chosen["mode"] == "eager" else [torch.inference_mode]
    if bf16 and not traced:
        contexts.append(lambda: torch.autocast("cpu", torch.bfloat16))
    if not contexts:
        return lambda: module(*inputs)

    def call() -> Any:
        with contexts[0]():
            if len(contexts) == 1:
                return module(*inputs)
            with contexts[1]():
                return module(*inputs)
    return call


def _compiled(torch: Any, module: Any, chosen: Settings) -> Any:
    dynamo = importlib.import_module("torch._dynamo")
    dynamo.reset()  # compiled by earlier jobs of this process
    importlib.import_module("torch._dynamo.utils").counters.clear()
    inductor: Any = importlib.import_module("torch._inductor.config")
    inductor.compile_threads = 1
    inductor.force_disable_caches = not chosen["compile_cache"]
    mode = None if chosen["compile_mode"] == "default" else chosen["compile_mode"]
    return torch.compile(module, mode=mode, fullgraph=chosen["fullgraph"])
