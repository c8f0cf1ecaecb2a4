"""A kernel for sweeps: a model file of the user, computed by one engine."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import onnxruntime_engine, openvino_engine, torch_engine, tvm_engine
from ..engine import Missing, Settings, calibration_batches, checked, found
from ..inference import engine_named, modules_of
from .file import ModelFile, far_outputs, other_inputs, read_model, reference_of
from .inputs import UnfitBatch
from .onnx_nodes import module as onnx_module
from .onnx_nodes.maker import Formless

_OF_ALL = ("engine", "model", "batch", "inputs", "precision", "seed", "threads")
_ENGINES = {"onnxruntime": ("f32", "int8", "int8_static"), "openvino": ("f32", "bf16", "int8_static"),
            "torch": ("f32", "bf16"), "tvm": ("f32",)}
_MESSAGE_BYTES = 2**31  # more than a protobuf message can have
_OF_ONNX: dict[str, Any] = {"onnxruntime": onnxruntime_engine, "openvino": openvino_engine,
                            "tvm": tvm_engine}


def _read(params: Settings) -> ModelFile:
    path, batch = params.get("model"), params.get("batch")
    if not isinstance(path, str):
        raise ValueError("which model? `axes: {model: model.onnx}`")
    batch = 1 if batch is None else batch
    if type(batch) is not int or batch < 1:
        raise ValueError(f"batch is {batch!r}; it must be a whole number from 1 on")
    return read_model(path, batch, params["seed"], str(params.get("inputs") or ""))


def _chosen(params: Settings) -> dict[str, Any]:
    name = params.get("engine")
    if name not in _ENGINES:
        raise ValueError(f"no engine '{name}' computes model files; there are {', '.join(_ENGINES)}")
    given = {key: value for key, value in params.items() if key not in _OF_ALL and value is not None}
    chosen = checked(engine_named(name), name, given)
    chosen["precision"], chosen["seed"] = params.get("precision") or "f32", params["seed"]
    chosen["threads"] = params["threads"]
    return chosen


def _near(file: ModelFile) -> float:
    """As the sweeps of `kernsweep bench` say it, of the largest value of an output."""
    half = found("onnx", "1.15", "onnxruntime").TensorProto.FLOAT16
    weights = {each.data_type for each in file.model.graph.initializer}
    return 1e-2 if half in weights or any(x.dtype == "f2" for x in file.inputs.values()) else 1e-3


def lacking(name: str, file: ModelFile) -> str:
    """Why an engine cannot compute this file with any setting; empty if it can, as far as known."""
    if name == "torch" and (why := onnx_module.unknown_kinds(file)):
        return why
    try:
        engine_named(name).version()
        if name == "openvino":
            return openvino_engine.refusal_of(file.content)
        if name == "tvm":
            return tvm_engine.refusal_of(file.whole(), file.inputs)
        if name == "torch":
            torch = found("torch", "2.2", "torch")
            why = onnx_module.lacks(torch, file)
            if not why:
                onnx_module.module_of_file(torch, file)
            return why
    except (Missing, Formless) as error:
        return str(error)
    except Exception:  # with other settings it may
        return ""
    return ""


class Model:
    """`python: kernsweep.engines:Model`, with the axis `model`; `kernsweep bench` makes such sweeps."""

    imports = staticmethod(modules_of)
    reference_params = ("model", "batch", "inputs")

    def __init__(self) -> None:
        self.metrics: dict[str, Any] = {}

    def supports(self, params: Settings) -> bool | str:
        """Whether the engine is available and can compute this file; a text is the reason why not."""
        chosen = _chosen(params)
        precisions = _ENGINES[params["engine"]]
        if chosen["precision"] not in precisions:
            return f"{params['engine']} computes model files in {', '.join(precisions)} here"
        is_tvm = params["engine"] == "tvm"
        if (lacks := (tvm_engine if is_tvm else onnxruntime_engine).settings_lack(chosen)):
            return str(lacks)
        if chosen.get("form", "dense") != "dense":
            return "form is how the weights of the workload sparse_linear are stored"
        try:
            engine = engine_named(params["engine"])
            engine.version()
            engine.require(chosen)
            file = _read(params)
        except (Missing, UnfitBatch) as error:
            return str(error)
        if chosen.get("per_channel") and file.opset < 13:
            return f"scales for each channel need opset 13 of ONNX; this file has {file.opset}"
        if chosen["precision"].startswith("int8") and file.bytes_beside >= _MESSAGE_BYTES:
            return "ONNX's quantiser takes a model as one message, which ends at 2 GiB"
        if params["engine"] == "openvino":
            return openvino_engine.refusal_of(file.content) or True
        if is_tvm:
            return tvm_engine.refusal_of(file.whole(), file.inputs) or True
        if params["engine"] == "torch":
            if chosen["channels_last"] and all(x.ndim != 4 for x in file.inputs.values()):
                return "channels_last is for images; this model takes none"
            torch = found("torch", "2.2", "torch")
            return torch_engine.mode_lacks(chosen) or onnx_module.lacks(torch, file) or True
        return True

    def setup(self, params: Settings, inputs: Settings) -> Callable[[], Any]:
        """Makes the model ready; its time is the metric `prepare_s`, in seconds."""
        chosen, file = _chosen(params), _read(params)
        of_onnx = _OF_ONNX.get(params["engine"])
        if of_onnx is not None:
            batch = params.get("batch") or 1
            count = calibration_batches(batch) if chosen["precision"] == "int8_static" else 0
            others = other_inputs(file, batch, params["seed"],
                                  str(params.get("inputs") or ""), count)
            needs_weights = of_onnx is tvm_engine or chosen["precision"].startswith("int8")
            model = file.whole() if needs_weights else file.model
            prepared = of_onnx.prepare_model(model, file.inputs, chosen, params["threads"], others,
                                             file.path)
        else:
            torch = found("torch", "2.2", "torch")
            prepared = torch_engine.prepare_module(lambda: onnx_module.module_of_file(torch, file),
                                                   list(file.inputs.values()), chosen, params["threads"])
        self.metrics = {"items": params.get("batch") or 1, **prepared.metrics}
        call: Callable[[], Any] = prepared.call
        if len(file.model.graph.output) > 1 and chosen["precision"] == "f32":
            far = far_outputs(file, call(), _near(file))
            if far:
                raise ValueError(far)
        return call

    def run(self, state: Callable[[], Any]) -> Any:
        """Computes the output again."""
        return state()

    def reference(self, params: Settings, inputs: Settings) -> Any:
        """The output of the reference implementation in the package onnx."""
        return reference_of(_read(params))
