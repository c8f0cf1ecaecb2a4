"""TVM on processors, with models that onnx_file.py writes: by its default schedules, or by those that its
tuner finds."""
from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .engine import Engine, Prepared, Settings, found
from .graph import Graph
from .onnx_file import model_of

_LEAST = "0.25"


class TvmEngine(Engine):
    """`trials`: how many candidates its tuner measures, in all operations together (default: none, its own
    schedules), within `minutes` (default: any); `search`: how it chooses candidates: by evolution and a cost
    model, or at random."""

    settings = {"trials": int, "minutes": int, "search": ("evolutionary", "random")}
    precisions = ("f32",)
    modules = ("onnx", "kernsweep.engines.tvm_library")

    def version(self) -> str:
        return f"tvm {_found().__version__}, onnx {found('onnx', '1.15', 'tvm').__version__}"

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        if "Recurrence" in graph.kinds:
            return "no form of a loop over time is written for ONNX"
        return settings_lack(chosen)

    def require(self, chosen: Settings) -> None:
        if chosen["trials"] is not None:
            importlib.import_module("kernsweep.engines.tvm_tuning").require(chosen)

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        return prepare_model(model_of(graph, arrays), {"x": arrays["x"]}, chosen, threads)


def settings_lack(chosen: Settings) -> str:
    """Why its settings do not combine; empty if they do."""
    usual = {"minutes": None, "search": "evolutionary"}
    of_tuning = [name for name, value in usual.items() if chosen.get(name, value) != value]
    if of_tuning and chosen["trials"] is None:
        return f"{of_tuning[0]} is a setting of tuning; say how many trials, too"
    return ""


@contextlib.contextmanager
def without_torch() -> Iterator[None]:
    """Hides PyTorch, which TVM imports where it is installed, but does not use for models of ONNX: it would
    cost each process seconds and memory."""
    is_hidden = "torch" not in sys.modules
    if is_hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if is_hidden:
            del sys.modules["torch"]


def _found() -> Any:
    with without_torch():
        return found("tvm", _LEAST, "tvm", "apache-tvm")


def _library() -> Any:
    return importlib.import_module("kernsweep.engines.tvm_library")


def refusal_of(model: Any, given: Mapping[str, Any]) -> str:
    """Why TVM cannot read this ModelProto, with inputs of these sizes; empty: it can."""
    _found()
    try:
        module_of(model, given)
    except NotImplementedError as error:
        return str(error)
    return ""


def module_of(model: Any, given: Mapping[str, Any]) -> Any:
    """The ModelProto as TVM's IRModule, with the sizes of these inputs. NotImplementedError: TVM cannot read
    it."""
    shapes = {name: list(array.shape) for name, array in given.items()}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):  # it prints its errors, too
        warnings.simplefilter("ignore")  # such as that the model's file leaves sizes open
        try:
            return _library().frontend.from_onnx(model, shape_dict=shapes)
        except Exception as error:  # its errors have no common class
            said = (str(error).strip() or type(error).__name__).splitlines()[-1]
            raise NotImplementedError(f"TVM cannot read this model: {said[:300]}") from error


def target_of(threads: int) -> Any:
    """This processor, with so many of its cores."""
    target = _library().tvm.target
    return target.Target({"kind": "llvm", "mcpu": target.codegen.llvm_get_system_cpu(),
                          "num-cores": threads})


def prepare_model(model: Any, given: Mapping[str, Any], chosen: Settings, threads: int,
                  calibration: Sequence[Mapping[str, Any]] = (), path: str = "") -> Prepared:
    """A ModelProto, with all its weights, and its inputs by name. The output is an array, or a tuple of
    several. ValueError: TVM has another number of threads in this process, or its tuner finds nothing in
    time."""
    _found()
    os.environ["TVM_NUM_THREADS"] = str(threads)
    os.environ["TVM_BIND_THREADS"] = "0"  # it would leave the cores of this process, and take the first ones
    metrics: dict[str, Any] = {}
    tuned = None
    if chosen["trials"] is not None:  # before this process has threads of TVM: a process is forked
        tuning: Any = importlib.import_module("kernsweep.engines.tvm_tuning")
        tuned = tuning.tuned(model, given, chosen, threads)
        metrics = {"tuning_s": (tuned.seconds, "smaller"), "tuned_trials": (tuned.trials, "larger")}
    began = time.perf_counter()
    tvm, relax = _library().tvm, _library().relax
    if (has := tvm.runtime.num_threads()) != threads:
        raise ValueError(f"TVM has {has} threads in this process, not {threads}")
    module, target = module_of(model, given), target_of(threads)
    program = tvm.compile(module, target) if tuned is None else tuned.compile(module, target)
    device = tvm.cpu()
    function = relax.VirtualMachine(program, device)["main"]
    order = [each.name for each in model.graph.input if each.name in given]
    inputs = [tvm.runtime.tensor(given[name], device) for name in order]
    numpy: Any = importlib.import_module("numpy")
    one = len(model.graph.output) == 1

    def call() -> Any:
        out = function(*inputs)
        return numpy.from_dlpack(out) if one else tuple(map(numpy.from_dlpack, out))
    call()
    return Prepared(call, {"prepare_s": time.perf_counter() - began, **metrics})
