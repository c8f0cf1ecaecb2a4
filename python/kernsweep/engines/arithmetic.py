"""A graph computed with NumPy: the reference, in f64, and the engine, in f32."""
from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

from .graph import Graph, Operation

Values = dict[str, Any]


def _numpy() -> Any:
    return importlib.import_module("numpy")


def _padded(x: Any, pad: int, with_value: float = 0.0) -> Any:
    if pad == 0:
        return x
    return _numpy().pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=with_value)


def _with_bias(out: Any, given: list[Any]) -> Any:
    return out + given[2].reshape(1, -1, 1, 1) if len(given) > 2 else out


def each_place(w: Any) -> Any:
    """Kernels [out, c, i, j] as [i, j, out, c], each matrix dense, as BLAS requires."""
    return _numpy().ascontiguousarray(w.transpose(2, 3, 0, 1))


def convolution_by_offsets(given: list[Any], kernel: int, stride: int, pad: int) -> Any:
    """One product per position of the kernel; no matrix of patches is made."""
    x, w = _padded(given[0], pad), given[1]
    batch, _, h, wide = x.shape
    rows, columns = (h - kernel) // stride + 1, (wide - kernel) // stride + 1
    out = _numpy().zeros((batch, w.shape[0], rows, columns), x.dtype)
    flat, factors = out.reshape(batch, w.shape[0], -1), each_place(w)
    for i in range(kernel):
        for j in range(kernel):
            seen = x[:, :, i:i + stride * rows:stride, j:j + stride * columns:stride]
            flat += factors[i, j] @ seen.reshape(batch, x.shape[1], -1)
    return _with_bias(out, given)


def convolution_by_patches(given: list[Any], kernel: int, stride: int, pad: int) -> Any:
    """im2col: all patches side by side, and one product."""
    x, w = _padded(given[0], pad), given[1]
    seen = _numpy().lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (2, 3))
    seen = seen[:, :, ::stride, ::stride]
    batch, channels, rows, columns = seen.shape[:4]
    patches = seen.transpose(0, 1, 4, 5, 2, 3).reshape(batch, channels * kernel * kernel, rows * columns)
    out = w.reshape(w.shape[0], -1) @ patches
    return _with_bias(out.reshape(batch, w.shape[0], rows, columns), given)


def _max_pool(given: list[Any], kernel: int, stride: int, pad: int) -> Any:
    x = _padded(given[0], pad, -math.inf)
    rows, columns = ((size - kernel) // stride + 1 for size in x.shape[2:])
    out = None
    for i in range(kernel):
        for j in range(kernel):
            seen = x[:, :, i:i + stride * rows:stride, j:j + stride * columns:stride]
            out = seen.copy() if out is None else _numpy().maximum(out, seen, out=out)
    return out


def _softmax(numpy: Any, x: Any) -> Any:
    grown = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def _attention(numpy: Any, given: list[Any]) -> Any:
    q, k, v = given
    return _softmax(numpy, q @ k.swapaxes(-1, -2) * q.dtype.type(1 / math.sqrt(q.shape[-1]))) @ v


def _batch_norm(numpy: Any, given: list[Any], epsilon: float) -> Any:
    x, scale, bias, mean, variance = given
    factor = scale / numpy.sqrt(variance + x.dtype.type(epsilon))
    return x * factor.reshape(1, -1, 1, 1) + (bias - mean * factor).reshape(1, -1, 1, 1)


def _layer_norm(numpy: Any, given: list[Any], epsilon: float) -> Any:
    x, scale, bias = given
    x = x - x.mean(axis=-1, keepdims=True)
    deviation = numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(epsilon))
    return x / deviation * scale + bias


def _gelu(numpy: Any, given: list[Any]) -> Any:
    """The approximation by tanh (Hendrycks and Gimpel, 2016), which all engines have."""
    x = given[0]
    kind = x.dtype.type
    inner = kind(math.sqrt(2 / math.pi)) * (x + kind(0.044715) * x * x * x)
    return kind(0.5) * x * (1 + numpy.tanh(inner))


def _recurrence(x: Any, factor: float) -> Any:
    """A loop over time; NumPy computes the series of a batch together, one by one in a batch of 1."""
    numpy = _numpy()
    out = numpy.empty_like(x)
    state = numpy.zeros(x.shape[0], x.dtype)
    factor = x.dtype.type(factor)
    for t in range(x.shape[1]):
        state = numpy.tanh(factor * state + x[:, t])
        out[:, t] = state
    return out


# By the computing module (NumPy or one with its functions) and a list of inputs.
_SHARED: dict[str, Callable[..., Any]] = {
    "MatMul": lambda numpy, given: given[0] @ given[1],
    "Linear": lambda numpy, given: given[0] @ given[1].T + given[2],
    "Relu": lambda numpy, given: numpy.maximum(given[0], 0),
    "Tanh": lambda numpy, given: numpy.tanh(given[0]),
    "Add": lambda numpy, given: given[0] + given[1],
    "Pool": lambda numpy, given: given[0].mean(axis=(2, 3)),
    "Reshape": lambda numpy, given, to: given[0].reshape(to),
    "Transpose": lambda numpy, given, order: given[0].transpose(order),
    "Gelu": _gelu, "Attention": _attention, "BatchNormalization": _batch_norm,
    "LayerNormalization": _layer_norm}
_OF_NUMPY: dict[str, Callable[..., Any]] = {
    "Recurrence": lambda given, factor: _recurrence(given[0], factor), "MaxPool": _max_pool}


def shared_function(numpy: Any, operation: Operation) -> Callable[[list[Any]], Any]:
    """The operation as a function of the list of its inputs, by a module with NumPy's functions. KeyError:
    Conv, MaxPool and Recurrence have a version for each engine."""
    made = _SHARED[operation.kind]
    return lambda given: made(numpy, given, **operation.settings)


def function_of(operation: Operation, convolution: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """The operation as a function of the list of its inputs, by NumPy."""
    made = convolution if operation.kind == "Conv" else _OF_NUMPY.get(operation.kind)
    if made is None:
        return shared_function(_numpy(), operation)
    return lambda given: made(given, **operation.settings)


def evaluate(graph: Graph, values: Values, convolution: Callable[..., Any] = convolution_by_offsets) -> Any:
    """The output of the graph, of the type of the values: its input and weights."""
    known = dict(values)
    for operation in graph.operations:
        known[operation.output] = function_of(operation, convolution)([known[name] for name in
                                                                       operation.inputs])
    return known[graph.output]


def reference(graph: Graph, seed: int) -> Any:
    """The output that all engines are compared with: in f64, from the weights in f32."""
    return evaluate(graph, {name: array.astype("f8") for name, array in graph.arrays(seed).items()})
