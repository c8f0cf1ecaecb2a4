"""Training steps with NumPy: forward, backward by the chain rule, update. For chains of layers."""
from __future__ import annotations

import importlib
from typing import Any

from ..arithmetic import convolution_by_offsets, each_place, function_of
from ..graph import Graph, Operation
from .task import RATE, Task


def loss_of(logits: Any, labels: Any) -> tuple[float, Any]:
    """The mean cross-entropy, and its gradient with respect to the logits [batch, classes]."""
    numpy = importlib.import_module("numpy")
    rows = numpy.arange(len(labels))
    grown = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    shares = grown / grown.sum(axis=1, keepdims=True)
    loss = float(-numpy.log(shares[rows, labels]).mean())
    shares[rows, labels] -= 1
    return loss, shares / len(labels)


def _conv_back(operation: Operation, given: list[Any], above: Any, needed: bool) -> list[Any]:
    numpy = importlib.import_module("numpy")
    x, w = given[0], given[1]
    kernel, stride, pad = (operation.settings[name] for name in ("kernel", "stride", "pad"))
    padded = numpy.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    below, for_w, factors = numpy.zeros_like(padded), numpy.zeros_like(w), each_place(w)
    batch, out, rows, columns = above.shape
    flat = above.reshape(batch, out, -1)
    for i in range(kernel):
        for j in range(kernel):
            at = (slice(None), slice(None), slice(i, i + stride * rows, stride),
                  slice(j, j + stride * columns, stride))
            seen = padded[at].reshape(batch, x.shape[1], -1)
            for_w[:, :, i, j] = (flat @ seen.swapaxes(1, 2)).sum(axis=0)
            if needed:
                below[at] += (factors[i, j].T @ flat).reshape(batch, x.shape[1], rows, columns)
    inner = below[:, :, pad:pad + x.shape[2], pad:pad + x.shape[3]]
    return [inner, for_w, above.sum(axis=(0, 2, 3))]


def _back(operation: Operation, given: list[Any], out: Any, above: Any, below: bool) -> list[Any]:
    """The gradients with respect to the inputs of an operation, from the gradient of its output. `below`:
    the first input's gradient is needed; otherwise it may be None."""
    if operation.kind == "Linear":
        return [above @ given[1] if below else None, above.T @ given[0], above.sum(axis=0)]
    if operation.kind == "Conv":
        return _conv_back(operation, given, above, below)
    if operation.kind == "Relu":
        return [above * (out > 0)]
    if operation.kind == "Tanh":
        return [above * (1 - out * out)]
    numpy = importlib.import_module("numpy")  # Pool
    height, width = given[0].shape[2:]
    return [numpy.broadcast_to(above[:, :, None, None] / (height * width), given[0].shape)]


def gradients(graph: Graph, weights: dict[str, Any], x: Any, labels: Any) -> tuple[float, dict[str, Any]]:
    """(the loss, the gradients of all weights) of a batch."""
    known = {"x": x, **weights}
    for operation in graph.operations:
        function = function_of(operation, convolution_by_offsets)
        known[operation.output] = function([known[name] for name in operation.inputs])
    loss, above = loss_of(known[graph.output], labels)
    found: dict[str, Any] = {}
    for operation in reversed(graph.operations):
        above, *of_weights = _back(operation, [known[name] for name in operation.inputs],
                                   known[operation.output], above, operation.inputs[0] != "x")
        found.update(zip(operation.inputs[1:], of_weights))
    return loss, found


def train(task: Task, kind: str) -> tuple[float, dict[str, Any]]:
    """All steps in this type ("f4", "f8"). (The loss of the last batch, its gradients.)"""
    weights = {name: array.astype(kind) for name, array in task.weights.items()}
    loss, found = 0.0, weights
    for x, labels in zip(task.inputs, task.labels):
        loss, found = gradients(task.graph, weights, x.astype(kind, copy=False), labels)
        for name, gradient in found.items():
            weights[name] -= RATE * gradient
    return loss, found


class _Parameter:
    """An operation whose gradient is an array that each call writes."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.grad = importlib.import_module("numpy").empty(shape, "f4")


class NumpySteps:
    """The steps of a task, from the initial weights, each time that train() is called."""

    def __init__(self, task: Task) -> None:
        self.task, self.loss = task, 0.0
        self.parameters = [_Parameter(array.shape) for array in task.weights.values()]

    def train(self) -> None:
        """One step per batch, in f32."""
        self.loss, found = train(self.task, "f4")
        for parameter, name in zip(self.parameters, self.task.weights):
            parameter.grad[...] = found[name]
