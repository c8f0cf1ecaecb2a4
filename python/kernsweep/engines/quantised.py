"""Networks in 8 bits: models of ONNX by the quantiser of ONNX Runtime, for that engine and for OpenVINO, and
modules of PyTorch by torch.ao.quantization, on processors.

Dynamic: each call computes the scales of activations. Static: batches of inputs determine them, once.
"""
from __future__ import annotations

import importlib
import logging
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .engine import Missing

Batch = Mapping[str, Any]  # arrays of NumPy by the names of inputs
_STATIC = "torch.ao.quantization.quantize_fx"


def onnx_dynamic(model: Any, per_channel: bool) -> bytes:
    """The ModelProto with weights in s8. `per_channel`: a scale for each output channel of a weight, else
    one for the whole weight.

    Where instructions for products of 8 bits add pairs in 16 bits and may saturate (x86 without VNNI),
    weights have 7 bits, as ONNX Runtime advises.
    """
    quantization = _quantization()
    return _written(lambda path: quantization.quantize_dynamic(
        model, path, per_channel=per_channel, reduce_range=_may_saturate(),
        weight_type=quantization.QuantType.QInt8))


def onnx_static(model: Any, batches: Sequence[Batch], per_channel: bool) -> bytes:
    """The ModelProto in QDQ form: weights in s8, activations in u8, whose scales come from the smallest and
    largest values for the batches, with 7 bits where `onnx_dynamic` has them. Batch normalisation is folded
    into convolutions before."""
    quantization = _quantization()
    prepare = importlib.import_module("onnxruntime.quantization.shape_inference").quant_pre_process
    left = iter(batches)

    class Batches(quantization.CalibrationDataReader):  # type: ignore[misc, name-defined]
        def get_next(self) -> Batch | None:
            return next(left, None)

    def write(path: str) -> None:
        given, prepared = path + ".given", path + ".prepared"
        with open(given, "wb") as file:
            file.write(model.SerializeToString())
        prepare(given, prepared, skip_symbolic_shape=True)
        quantization.quantize_static(
            prepared, path, Batches(), quant_format=quantization.QuantFormat.QDQ, per_channel=per_channel,
            reduce_range=_may_saturate(), activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8)
    return _written(write)


def _quantization() -> Any:
    logging.getLogger().setLevel(logging.ERROR)  # it recommends another preparation of the model
    return importlib.import_module("onnxruntime.quantization")


def _written(write: Callable[[str], Any]) -> bytes:
    """The content that `write` writes to a path."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        write(path)
        with open(path, "rb") as file:
            return file.read()


def _may_saturate() -> bool:
    if platform.machine() != "x86_64":
        return False
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = next((line for line in file if line.startswith("flags")), "").split()
    return not {"avx512_vnni", "avx_vnni"} & set(flags)


def torch_dynamic(torch: Any, module: Any) -> Any:
    """The module with linear layers whose weights are s8."""
    quantise = importlib.import_module("torch.ao.quantization").quantize_dynamic
    return quantise(module, {torch.nn.Linear}, dtype=torch.qint8)


def require_torch_static() -> None:
    """Missing: this PyTorch no longer has static quantisation, which moves to the package torchao."""
    try:
        importlib.import_module(_STATIC)
    except ImportError as error:
        raise Missing(f"this PyTorch has no {_STATIC}, by which int8_static is quantised") from error


def torch_static(torch: Any, module: Any, batches: Sequence[Any], per_channel: bool) -> Any:
    """A graph of torch.fx in evaluation mode with weights in s8 and activations in u8, whose scales come
    from the tensors `batches`. Batch normalisation and relu are folded into convolutions and linear layers.

    `per_channel`: a scale for each output channel of a weight, else one for the whole weight.
    """
    ao, by_graph = importlib.import_module("torch.ao.quantization"), importlib.import_module(_STATIC)
    engines = torch.backends.quantized.supported_engines
    engine = next(name for name in ("x86", "fbgemm", "qnnpack") if name in engines)
    torch.backends.quantized.engine = engine  # of the process
    mapping, usual = ao.get_default_qconfig_mapping(engine), ao.get_default_qconfig(engine)
    weight = ao.default_per_channel_weight_observer if per_channel else ao.default_weight_observer
    mapping.set_global(ao.QConfig(activation=usual.activation, weight=weight))
    with torch.no_grad():
        observed = by_graph.prepare_fx(module, mapping, (batches[0],))
        for batch in batches:
            observed(batch)
        return by_graph.convert_fx(observed).eval()
