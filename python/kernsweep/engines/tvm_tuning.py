"""TVM's tuner (MetaSchedule) for a model of ONNX. What it finds is kept for later processes (kept.py).

It runs in a process that is forked from the job's: the job then measures with the same memory and threads as
a job that finds a kept result, and the limit of time holds. Candidates are built and timed within that
process, by as many threads as the job has, so no C++ compiler is needed.
"""
from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import json
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from . import kept
from .engine import Missing, Settings, found, numbers_of
from .tvm_engine import module_of, target_of

_ROUND = 64  # candidates of an operation that are chosen together, at most, as TVM has it
_SEED = 1  # of the choice of candidates
_WAIT_S = 0.02
_PR_SET_PDEATHSIG = 1
_WORKLOADS, _RECORDS, _COST = "workloads.json", "records.json", "cost.json"


class Tuned(NamedTuple):
    """What the tuner has found: in `seconds`, by measuring so many candidates."""

    folder: str
    seconds: float
    trials: int

    def compile(self, module: Any, target: Any) -> Any:
        """The IRModule with these schedules; TVM's default for an operation that was not tuned."""
        with _database(self.folder):
            fused = _fused(module, target)
        return _library().tvm.compile(fused, target)


def _library() -> Any:
    library = importlib.import_module("kernsweep.engines.tvm_library")
    library.add_intrinsics()
    return library


def _database(folder: str) -> Any:
    workloads, records = (os.path.join(folder, name) for name in (_WORKLOADS, _RECORDS))
    return _library().meta_schedule.database.JSONDatabase(workloads, records)


def _fused(module: Any, target: Any) -> Any:
    """The IRModule with a function for each fused operation, as they are tuned; scheduled by the current
    database, if there is one."""
    library = _library()
    transform = library.relax.transform
    with target:
        return library.tvm.transform.Sequential([
            transform.DecomposeOpsForInference(), transform.CanonicalizeBindings(),
            library.relax.get_pipeline("zero")])(module)


def require(chosen: Settings) -> None:
    """Missing: the tuner lacks a package, or its result cannot be kept."""
    tvm = importlib.import_module("tvm").__version__
    ffi = importlib.import_module("tvm_ffi").__version__
    if numbers_of(tvm) < (0, 28) and numbers_of(ffi) >= (0, 1, 15):
        raise Missing(f"the tuner of tvm {tvm} crashes with apache-tvm-ffi {ffi}; "
                      "pip install apache-tvm-ffi==0.1.14.post1")
    if chosen["search"] == "evolutionary":
        found("xgboost", "1.7", "tvm", "xgboost-cpu")
    kept.require(kept.path_of("tvm", ()), "tuned")


def tuned(model: Any, given: Mapping[str, Any], chosen: Settings, threads: int) -> Tuned:
    """The kept result for these operations and settings, otherwise a new one. ValueError: it found nothing
    in its time. RuntimeError: it failed. Missing: as for require()."""
    path = _path_of(model, given, chosen, threads)
    kept.require(path, "tuned")
    with kept.locked(path):
        if not os.path.exists(path):
            _tune(model, given, chosen, threads, path)
    with open(os.path.join(path, _COST), encoding="utf-8") as file:
        return Tuned(path, **json.load(file))


def _path_of(model: Any, given: Mapping[str, Any], chosen: Settings, threads: int) -> str:
    tvm = importlib.import_module("tvm").__version__
    shapes = {name: [str(array.dtype), *array.shape] for name, array in given.items()}
    parts = (tvm, str(target_of(threads)), kept.processor(), json.dumps(shapes), _structure_of(model),
             *(str(chosen[name]) for name in ("trials", "minutes", "search")))
    return kept.path_of("tvm", parts)


def _structure_of(model: Any) -> str:
    """The model without the values of its weights, on which schedules do not depend."""
    onnx = importlib.import_module("onnx")
    bare = onnx.ModelProto()
    bare.graph.node.extend(model.graph.node)
    bare.graph.input.extend(model.graph.input)
    bare.graph.output.extend(model.graph.output)
    bare.opset_import.extend(model.opset_import)
    for weight in model.graph.initializer:
        said = bare.graph.initializer.add(name=weight.name, data_type=weight.data_type, dims=weight.dims)
        if weight.data_type != onnx.TensorProto.FLOAT:  # such as the sizes of a Reshape
            said.CopyFrom(weight)
    return hashlib.sha256(bare.SerializeToString(deterministic=True)).hexdigest()


def _tune(model: Any, given: Mapping[str, Any], chosen: Settings, threads: int, path: str) -> None:
    folder = tempfile.mkdtemp(dir=os.path.dirname(path))
    try:
        began = time.monotonic()
        is_late = in_time(lambda: _search(model, given, chosen, threads, folder), folder,
                              None if chosen["minutes"] is None else 60.0 * chosen["minutes"])
        seconds = time.monotonic() - began
        count = complete_lines(os.path.join(folder, _RECORDS))
        if count == 0:
            raise ValueError(f"TVM's tuner measured no candidate in {seconds:.0f} s" +
                             ("; say more minutes" if is_late else ""))
        with open(os.path.join(folder, _COST), "w", encoding="utf-8") as file:
            json.dump({"seconds": seconds, "trials": count}, file)
        os.rename(folder, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def complete_lines(path: str) -> int:
    """How many lines the file has. An incomplete last one is removed: its writer may have been ended."""
    if not os.path.exists(path):
        return 0
    with open(path, "r+b") as file:
        text = file.read()
        file.truncate(text.rfind(b"\n") + 1)
        return text.count(b"\n")


def in_time(work: Callable[[], None], folder: str, limit_s: float | None) -> bool:
    """Does the work in a process of its own, without output; returns whether that was ended because its time
    was over. RuntimeError: it failed; a file in the folder has the reason."""
    end = None if limit_s is None else time.monotonic() + limit_s
    why = os.path.join(folder, "why")
    parent = os.getpid()
    prctl = ctypes.CDLL(None).prctl
    child = os.fork()
    if child == 0:
        status = 1
        try:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)  # where TVM warns of rules that it has for other targets
            if os.getppid() == parent:
                work()
                status = 0
        except BaseException as error:
            with contextlib.suppress(OSError), open(why, "w", encoding="utf-8") as file:
                file.write(f"{type(error).__name__}: {error}")
        finally:
            os._exit(status)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if end is not None and time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return True
        time.sleep(_WAIT_S)
    if os.WIFSIGNALED(status):
        raise RuntimeError(f"TVM's tuner ended by signal {os.WTERMSIG(status)}")
    if status != 0:
        with open(why, encoding="utf-8") as file:
            raise RuntimeError(f"TVM's tuner failed: {file.read().strip().splitlines()[0]}")
    return False


def _search(model: Any, given: Mapping[str, Any], chosen: Settings, threads: int, folder: str) -> None:
    """Writes the database as it measures."""
    library = _library()
    schedules = library.meta_schedule
    for name in ("tvm", "tvm.s_tir.meta_schedule"):
        logging.getLogger(name).setLevel(logging.ERROR)
    target = target_of(threads)
    tasks = schedules.relax_integration.extract_tasks(_fused(module_of(model, given), target), target)
    if not tasks:
        raise ValueError("this model has no operation to tune")
    evolves = chosen["search"] == "evolutionary"
    contexts = [schedules.TuneContext(
        mod=task.dispatched[0], target=target, space_generator="post-order-apply",
        search_strategy="evolutionary" if evolves else "replay-trace", task_name=task.task_name,
        rand_state=_SEED, num_threads=threads, logger=logging.getLogger("tvm.s_tir.meta_schedule"))
        for task in tasks]
    builder, runner = _within_process(library)
    callbacks = schedules.measure_callback
    trials = chosen["trials"]
    schedules.tune_tasks(
        tasks=contexts, task_weights=[float(task.weight) for task in tasks], work_dir=folder,
        max_trials_global=trials, num_trials_per_iter=max(1, min(_ROUND, trials // len(tasks))),
        builder=builder, runner=runner, database=_database(folder),
        cost_model="xgb" if evolves else "random",
        measure_callbacks=[callbacks.AddToDatabase(), *([callbacks.UpdateCostModel()] if evolves else [])])


def _within_process(library: Any) -> tuple[Any, Any]:
    """A builder and a runner of candidates for the tuner."""
    schedules, tvm = library.meta_schedule, library.tvm
    derived = importlib.import_module("tvm.ir.utils").derived_object
    local = importlib.import_module("tvm.s_tir.meta_schedule.runner.local_runner")
    build = importlib.import_module("tvm.s_tir.meta_schedule.builder.local_builder").default_build
    built: dict[str, Any] = {}

    def build_each(given: Any) -> Iterator[Any]:
        for each in given:
            try:
                name = f"candidate {len(built)}"
                built[name] = build(each.mod, each.target, None)
                yield schedules.builder.BuilderResult(name, None)
            except Exception as error:  # a candidate that cannot be built is no failure of the tuner
                yield schedules.builder.BuilderResult(None, str(error))

    def run_each(given: Any) -> Iterator[Any]:
        for each in given:
            module, built[str(each.artifact_path)] = built[str(each.artifact_path)], None
            try:
                arguments = local.default_alloc_argument(
                    tvm.cpu(), tuple(info.as_json() for info in each.args_info), 1)
                yield local.LocalRunnerFuture(res=local.default_run_evaluator(
                    module, tvm.cpu(), schedules.runner.EvaluatorConfig(), arguments))
            except Exception as error:
                yield local.LocalRunnerFuture(error_message=str(error))
    builder = type("Builder", (schedules.builder.PyBuilder,),
                   {"build": lambda _, given: list(build_each(given))})
    runner = type("Runner", (schedules.runner.PyRunner,), {"run": lambda _, given: list(run_each(given))})
    return derived(builder)(), derived(runner)()
