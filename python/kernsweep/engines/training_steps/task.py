"""What a training step computes: a network, its initial weights, and labelled inputs, for all engines."""
from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

from ..graph import Graph, Weight

CLASSES = 10
NETWORKS = ("mlp", "cnn")
ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh"}
INITS = ("kaiming", "xavier", "default", "small")
RATE = 0.1  # of the gradient descent
_DIFFERENT = 4  # batches, used in turn


def network(name: str, batch: int, size: int, depth: int, activation: str) -> Graph:
    """A chain of layers. `mlp`: `depth` layers, `size` wide, of 64 features; `cnn`: `depth` convolutions of
    images of `size` squared; each layer doubles the width, up to 128, and halves the image."""
    kind = ACTIVATIONS[activation]
    if name == "mlp":
        graph, value = Graph((batch, 64)), "x"
        for _ in range(depth - 1):
            value = graph.same(kind, graph.linear(value, size))
    else:
        graph, value = Graph((batch, 3, size, size)), "x"
        for at in range(depth):
            width, stride = min(32 << at, 128), 2 if 0 < at < 3 else 1
            value = graph.same(kind, graph.conv(value, width, 3, stride, bias=True))
        value = graph.pool(value)
    graph.linear(value, CLASSES)
    return graph


def _spread(init: str, fan_in: int, fan_out: int) -> float:
    """The limit of a uniform distribution around 0."""
    return {"kaiming": math.sqrt(6 / fan_in),            # He et al. (2015), for relu
            "xavier": math.sqrt(6 / (fan_in + fan_out)),  # Glorot and Bengio (2010)
            "default": 1 / math.sqrt(fan_in),             # of the layers of PyTorch
            "small": 0.01 * math.sqrt(3)}[init]           # a standard deviation of 0.01


def initialise(graph: Graph, init: str) -> None:
    """Other distributions for the weights of the graph; biases are 0, except for `default`, which draws
    them."""
    for operation in graph.operations:
        if operation.kind in ("Linear", "Conv"):
            weight, bias = operation.inputs[1:]
            out, *rest = graph.weights[weight].shape
            each = math.prod(rest)
            fan_out = out * each // rest[0]
            graph.weights[weight] = Weight((out, *rest), 0.0, _spread(init, each, fan_out))
            graph.weights[bias] = Weight((out,), 0.0, 1 / math.sqrt(each) if init == "default" else 0.0)


@dataclass(frozen=True)
class Task:
    """A network, its initial weights, and `steps` batches: inputs [steps, batch, ...] and labels."""

    graph: Graph
    weights: dict[str, Any]
    inputs: Any  # f32
    labels: Any  # s64


def task_of(graph: Graph, steps: int, seed: int, draw: int) -> Task:
    """Labels are a fixed linear map of the input, so that there is something to learn; the same four
    batches are used in turn. `draw` selects other weights for the same data."""
    numpy = importlib.import_module("numpy")
    random = numpy.random.Generator(numpy.random.PCG64([seed, 1]))
    count = min(steps, _DIFFERENT)
    inputs = random.standard_normal((count, *graph.shape), numpy.float32)
    flat = inputs.reshape(count * graph.shape[0], -1)
    labels = (flat @ random.standard_normal((flat.shape[1], CLASSES), numpy.float32)).argmax(axis=1)
    order = numpy.arange(steps) % count
    arrays = graph.arrays(seed + 1000003 * draw)
    return Task(graph, {name: arrays[name] for name in graph.weights}, inputs[order],
                labels.reshape(count, -1).astype(numpy.int64)[order])
