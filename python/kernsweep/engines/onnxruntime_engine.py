"""ONNX Runtime on processors, with models that onnx_file.py writes."""
from __future__ import annotations

import importlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from . import quantised
from .engine import Engine, Prepared, Settings, calibration_batches, found
from .graph import Graph
from .onnx_file import model_of

_LEVELS = {"all": "ORT_ENABLE_ALL", "extended": "ORT_ENABLE_EXTENDED", "basic": "ORT_ENABLE_BASIC",
           "none": "ORT_DISABLE_ALL"}
_LEAST = "1.17"


class OnnxruntimeEngine(Engine):
    """`optimisation` is the level of the graph's optimiser; `inter_op` threads run operations in parallel
    (1: in sequence), each with its part of the job's threads; `spinning`: idle threads wait actively;
    `per_channel`: weights of 8 bits have a scale for each output channel."""

    settings = {"optimisation": tuple(_LEVELS), "inter_op": int, "spinning": (True, False),
                "per_channel": (False, True)}
    precisions = ("f32", "int8", "int8_static")
    modules = ("onnxruntime", "onnx")

    def version(self) -> str:
        return (f"onnxruntime {found('onnxruntime', _LEAST, 'onnxruntime').__version__}, "
                f"onnx {found('onnx', '1.15', 'onnxruntime').__version__}")

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        if "Recurrence" in graph.kinds:
            return "no form of a loop over time is written for ONNX"
        if (lacks := settings_lack(chosen)):
            return lacks
        if chosen["precision"] != "f32" and not graph.kinds & {"Linear", "MatMul", "Conv"}:
            return "this workload has no operation that is quantised"
        return ""

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        found("onnx", "1.15", "onnxruntime")
        return prepare_model(model_of(graph, arrays), {"x": arrays["x"]}, chosen, threads,
                             calibration_of(graph, chosen))


def settings_lack(chosen: Settings) -> str:
    """Why its settings, or OpenVINO's, do not combine; empty if they do."""
    if (chosen.get("inter_op") or 1) > chosen["threads"]:
        return f"inter_op is {chosen['inter_op']}, of {chosen['threads']} threads; say as many threads"
    if chosen.get("per_channel") and not chosen["precision"].startswith("int8"):
        return f"per_channel is for weights of 8 bits; the precision is {chosen['precision']}"
    return ""


def calibration_of(graph: Graph, chosen: Settings) -> list[dict[str, Any]]:
    """The inputs for the scales of int8_static; empty for other precisions."""
    if chosen["precision"] != "int8_static":
        return []
    return [{"x": x} for x in graph.other_inputs(chosen["seed"], calibration_batches(graph.shape[0]))]


def content_of(model: Any, chosen: Settings, calibration: Sequence[Mapping[str, Any]],
               path: str) -> bytes | str:
    """The ModelProto in the chosen precision, or the path of the file if that is enough."""
    content: bytes
    if chosen["precision"] == "int8":
        content = quantised.onnx_dynamic(model, chosen["per_channel"])
    elif chosen["precision"] == "int8_static":
        content = quantised.onnx_static(model, calibration, chosen["per_channel"])
    else:
        return path or model.SerializeToString()
    nodes = importlib.import_module("onnx").load_from_string(content).graph.node
    if not any("Quantize" in node.op_type or "Integer" in node.op_type for node in nodes):
        raise NotImplementedError("this model has no operation that is quantised")
    return content


def prepare_model(model: Any, given: Mapping[str, Any], chosen: Settings, threads: int,
                  calibration: Sequence[Mapping[str, Any]] = (), path: str = "") -> Prepared:
    """A ModelProto with its inputs by name; `path`: of its file, if weights are next to it. The output is
    an array, or a tuple of several. While a job is profiled the call has a `timeline`, that of ONNX
    Runtime's own profiler."""
    runtime = found("onnxruntime", _LEAST, "onnxruntime")
    began = time.perf_counter()
    content = content_of(model, chosen, calibration, path)
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    side_by_side = chosen["inter_op"] or 1
    options.intra_op_num_threads = max(1, threads // side_by_side)
    options.inter_op_num_threads = side_by_side
    if side_by_side > 1:
        options.execution_mode = runtime.ExecutionMode.ORT_PARALLEL
    options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel,
                                               _LEVELS[chosen["optimisation"]])
    for kind in ("intra_op", "inter_op"):
        options.add_session_config_entry(f"session.{kind}.allow_spinning", str(int(chosen["spinning"])))
    if (profiled := "KERNSWEEP_PROFILE" in os.environ):
        options.enable_profiling = True
        options.profile_file_prefix = os.path.join(tempfile.mkdtemp(), "onnxruntime")
    try:
        session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common class
        if type(error).__name__ not in ("Fail", "NotImplemented", "InvalidGraph"):
            raise
        raise NotImplementedError(f"ONNX Runtime cannot read this model: {str(error)[:300]}") from error
    run, names = session.run, [output.name for output in model.graph.output]
    run(names, given)
    seconds = time.perf_counter() - began
    one = len(names) == 1

    def call() -> Any:
        return run(names, given)[0] if one else tuple(run(names, given))
    if profiled:
        setattr(call, "timeline", lambda: _timeline(session))
    return Prepared(call, {"prepare_s": seconds})


def _timeline(session: Any) -> list[dict[str, Any]]:
    """The events that the session has recorded; recording ends. They have the form of Chrome's traces, but
    `ts` counts microseconds of time.perf_counter()."""
    began_ns = session.get_profiling_start_time_ns()
    now_ns, wall_ns = time.perf_counter_ns(), time.time_ns()
    if abs(wall_ns - began_ns) < abs(now_ns - began_ns):  # it has the clock of its C++ library
        began_ns += now_ns - wall_ns
    path = session.end_profiling()
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    shutil.rmtree(os.path.dirname(path))
    return [{**event, "ts": event["ts"] + began_ns / 1000} for event in events if "ts" in event]
