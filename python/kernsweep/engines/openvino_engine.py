"""OpenVINO on processors, with models that onnx_file.py writes."""
from __future__ import annotations

import importlib
import io
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .engine import Engine, Prepared, Settings, found
from .graph import Graph
from .onnx_file import model_of
from .onnxruntime_engine import calibration_of, content_of, settings_lack

_LEAST = "2024.0"
_HINTS = {"latency": "LATENCY", "throughput": "THROUGHPUT"}
_KINDS = {"f32": "f32", "bf16": "bf16", "int8_static": "f32"}  # of operations that are not quantised


class OpenvinoEngine(Engine):
    """`hint` is the tuning goal; `streams`: how many requests it can compute in parallel; a call uses one
    (default: from the hint). The model of int8_static is the same as for ONNX Runtime, by its quantiser;
    `per_channel` likewise."""

    settings = {"hint": tuple(_HINTS), "streams": int, "per_channel": (False, True)}
    precisions = tuple(_KINDS)
    modules = ("openvino", "onnx")

    def version(self) -> str:
        return (f"openvino {found('openvino', _LEAST, 'openvino').__version__}, "
                f"onnx {found('onnx', '1.15', 'openvino').__version__}")

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        if "Recurrence" in graph.kinds:
            return "no form of a loop over time is written for ONNX"
        return settings_lack(chosen)

    def require(self, chosen: Settings) -> None:
        if chosen["precision"] == "int8_static":
            found("onnxruntime", "1.17", "onnxruntime")  # its quantiser

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        found("onnx", "1.15", "openvino")
        return prepare_model(model_of(graph, arrays), {"x": arrays["x"]}, chosen, threads,
                             calibration_of(graph, chosen))


def _readable(content: bytes | str) -> Any:
    return content if isinstance(content, str) else io.BytesIO(content)


# Lines that say where OpenVINO noticed the fault, and not what it is.
_PLACES = re.compile(r"(Exception from \S+:\d+:|Check '.*' failed at \S+:|FrontEnd API failed with \w+:)\s*")


def said_by(error: Exception) -> str:
    """What OpenVINO's exception says, on one line."""
    said = [words for line in str(error).splitlines() if (words := _PLACES.sub("", line).strip("- "))]
    lacking = [line for line in said if re.search(r"operations:|failed for:", line)]
    first = next((at for at, line in enumerate(said) if not line.endswith(":")), 0)
    return (lacking or [" ".join(said[:first + 1]) or type(error).__name__])[0]


def refusal_of(content: bytes | str) -> str:
    """Why OpenVINO cannot read this model, its bytes or its path; empty: it can."""
    openvino = found("openvino", _LEAST, "openvino")
    try:
        openvino.Core().read_model(_readable(content))
    except Exception as error:  # OpenVINO has no exception class for a missing feature
        return "OpenVINO cannot read this model: " + said_by(error)
    return ""


def prepare_model(model: Any, given: Mapping[str, Any], chosen: Settings, threads: int,
                  calibration: Sequence[Mapping[str, Any]] = (), path: str = "") -> Prepared:
    """A ModelProto with its inputs by name; `path`: of its file, where weights are next to that. The output
    is an array, or a tuple of several."""
    openvino = found("openvino", _LEAST, "openvino")
    began = time.perf_counter()
    properties = importlib.import_module("openvino.properties")
    hints = importlib.import_module("openvino.properties.hint")
    options = {hints.performance_mode(): _HINTS[chosen["hint"]],
               hints.inference_precision(): _KINDS[chosen["precision"]],
               hints.enable_cpu_pinning(): False,  # the process has its cores already
               properties.inference_num_threads(): threads}
    if chosen["streams"] is not None:
        options[properties.num_streams()] = chosen["streams"]
    core = openvino.Core()
    content = content_of(model, chosen, calibration, path)
    try:
        read = core.read_model(_readable(content))
        rankless = [(each, given.get(each.any_name)) for each in read.inputs
                    if each.get_partial_shape().rank.is_dynamic]
        read.reshape({each: openvino.PartialShape([-1] * array.ndim) for each, array in rankless
                      if array is not None})
        compiled = core.compile_model(read, "CPU", options)
    except Exception as error:
        raise RuntimeError(f"OpenVINO cannot compile this model: {said_by(error)}") from error
    for asked, key in ((chosen["streams"], properties.num_streams()),
                       (_KINDS[chosen["precision"]], hints.inference_precision())):
        has = compiled.get_property(key)
        has = has if isinstance(has, int) else has.to_string()
        if asked is not None and has != asked:
            told = f"OpenVINO has {has} where {asked} is asked for, with {threads} threads"
            raise ValueError(told) if isinstance(has, int) else NotImplementedError(told)
    run, outputs = compiled.create_infer_request().infer, compiled.outputs
    used = {name for each in compiled.inputs for name in each.names}  # it removes inputs that nothing reads
    inputs = {name: array for name, array in given.items() if name in used}
    run(inputs, share_inputs=True)  # each call has the same inputs
    seconds = time.perf_counter() - began
    # The result of a call is returned without a copy, as other engines do.
    if len(outputs) == 1:
        return Prepared(lambda: run(share_outputs=True)[0], {"prepare_s": seconds})
    return Prepared(lambda: tuple(run(share_outputs=True).values()), {"prepare_s": seconds})
