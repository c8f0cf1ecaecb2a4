"""A graph for all engines: operations, the shapes of their values, and their weights.

An operation has the meaning of the ONNX operation with its name, except `Linear` (x W^T + b over the last
dimension), `Attention` (softmax(Q K^T / sqrt(d)) V of [batch, heads, tokens, d]), `Pool` (the mean over
height and width) and `Recurrence` (h[t] = tanh(a h[t-1] + x[t]) along the last dimension, h[-1] = 0).
"""
from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operation:
    """`inputs` are names of values: the input of the graph, weights, outputs of earlier operations."""

    kind: str
    inputs: tuple[str, ...]
    output: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Weight:
    """Drawn uniformly around `middle`, at most `spread` away from it. `density` is the fraction of elements
    that are kept, those of largest magnitude; the others are 0."""

    shape: Shape
    middle: float
    spread: float
    density: float | None = None

    @property
    def kept(self) -> int:
        """How many elements are kept, at least one."""
        count = math.prod(self.shape)
        return count if self.density is None else max(1, round(self.density * count))

    def drawn(self, numpy: Any, random: Any) -> Any:
        """An array in f32, from a generator of NumPy."""
        array = (random.random(self.shape, numpy.float32) * 2 - 1) * self.spread + self.middle
        array = array.astype(numpy.float32)
        if self.kept < array.size:
            flat = array.reshape(-1)
            flat[numpy.argpartition(abs(flat), array.size - self.kept)[:array.size - self.kept]] = 0
        return array


@dataclass
class Graph:
    """Operations in an order in which they can be computed. The last one produces the output."""

    shape: Shape  # of the input, which is called "x"
    operations: list[Operation] = field(default_factory=list)
    weights: dict[str, Weight] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    flops: float = 0.0  # of products only: 2 for each multiply-add; 0 if it is pruned
    of_input: float = 0.0  # those of the layers with the input "x" itself

    def __post_init__(self) -> None:
        self.shapes["x"] = self.shape

    @property
    def output(self) -> str:
        """The name of the output."""
        return self.operations[-1].output

    @property
    def kinds(self) -> set[str]:
        """The kinds of its operations."""
        return {operation.kind for operation in self.operations}

    @property
    def is_sparse(self) -> bool:
        """Whether it has a weight that is pruned."""
        return any(weight.density is not None for weight in self.weights.values())

    def weight(self, shape: Shape, middle: float, spread: float, density: float | None = None) -> str:
        """Adds a weight; returns its name."""
        name = f"w{len(self.weights)}"
        self.weights[name] = Weight(shape, middle, spread, density)
        self.shapes[name] = shape
        return name

    def add(self, kind: str, inputs: Sequence[str], shape: Shape, **settings: Any) -> str:
        """Adds an operation with an output of this shape; returns the name of the output."""
        name = f"v{len(self.operations)}"
        self.operations.append(Operation(kind, tuple(inputs), name, settings))
        self.shapes[name] = shape
        return name

    def same(self, kind: str, *inputs: str) -> str:
        """An operation whose output has the shape of its first input."""
        return self.add(kind, inputs, self.shapes[inputs[0]])

    def matmul(self, a: str, b: str) -> str:
        """a [..., m, k] times b [k, n]."""
        *batch, m, k = self.shapes[a]
        n = self.shapes[b][-1]
        pairs = self.weights[b].kept if b in self.weights else n * k
        self.flops += 2.0 * math.prod(batch) * m * pairs
        return self.add("MatMul", (a, b), (*batch, m, n))

    def _count(self, x: str, flops: float) -> None:
        self.flops += flops
        self.of_input += flops if x == "x" else 0.0

    def linear(self, x: str, width: int) -> str:
        """x [..., n] to [..., width]; weights after He et al. (2015), uniform."""
        *rows, n = self.shapes[x]
        self._count(x, 2.0 * math.prod(rows) * n * width)
        weight = self.weight((width, n), 0.0, math.sqrt(6.0 / n))
        return self.add("Linear", (x, weight, self.weight((width,), 0.0, 0.1)), (*rows, width))

    def conv(self, x: str, channels: int, kernel: int, stride: int = 1, bias: bool = False) -> str:
        """x [batch, c, h, w], square kernels, padded so that stride 1 keeps height and width."""
        batch, c, h, w = self.shapes[x]
        pad = kernel // 2
        high, wide = ((size + 2 * pad - kernel) // stride + 1 for size in (h, w))
        self._count(x, 2.0 * batch * channels * high * wide * c * kernel * kernel)
        weight = self.weight((channels, c, kernel, kernel), 0.0, math.sqrt(6.0 / (c * kernel * kernel)))
        inputs = (x, weight, self.weight((channels,), 0.0, 0.1)) if bias else (x, weight)
        return self.add("Conv", inputs, (batch, channels, high, wide), kernel=kernel, stride=stride, pad=pad)

    def batch_norm(self, x: str, middle: float = 1.0) -> str:
        """With the statistics of a trained network: the four weights are scale, bias, mean and variance."""
        each = (self.shapes[x][1],)
        weights = [self.weight(each, *drawn) for drawn in
                   ((middle, middle / 2), (0.0, 0.2), (0.0, 0.2), (1.0, 0.5))]
        return self.add("BatchNormalization", (x, *weights), self.shapes[x], epsilon=1e-5)

    def layer_norm(self, x: str) -> str:
        """Over the last dimension."""
        each = (self.shapes[x][-1],)
        return self.add("LayerNormalization", (x, self.weight(each, 1.0, 0.5), self.weight(each, 0.0, 0.2)),
                        self.shapes[x], epsilon=1e-5)

    def max_pool(self, x: str, kernel: int = 3, stride: int = 2) -> str:
        """Padded by half a kernel with what is never the largest."""
        batch, c, h, w = self.shapes[x]
        pad = kernel // 2
        high, wide = ((size + 2 * pad - kernel) // stride + 1 for size in (h, w))
        return self.add("MaxPool", (x,), (batch, c, high, wide), kernel=kernel, stride=stride, pad=pad)

    def pool(self, x: str) -> str:
        """[batch, c, h, w] to [batch, c]."""
        return self.add("Pool", (x,), self.shapes[x][:2])

    def reshape(self, x: str, shape: Shape) -> str:
        """Keeps the order of the elements."""
        return self.add("Reshape", (x,), shape, to=shape)

    def transpose(self, x: str, order: Sequence[int]) -> str:
        """The i-th dimension of the output is the order[i]-th of x."""
        return self.add("Transpose", (x,), tuple(self.shapes[x][i] for i in order), order=tuple(order))

    def attention(self, q: str, k: str, v: str) -> str:
        """Each [batch, heads, tokens, d]; no mask."""
        batch, heads, tokens, d = self.shapes[q]
        self.flops += 4.0 * batch * heads * tokens * tokens * d
        return self.add("Attention", (q, k, v), self.shapes[q])

    def other_inputs(self, seed: int, count: int) -> list[Any]:
        """Different inputs like those of arrays(): the same for the same seed, such as for calibration."""
        numpy = importlib.import_module("numpy")
        random = numpy.random.Generator(numpy.random.PCG64([seed, 1]))
        return [random.random(self.shape, numpy.float32) * 2 - 1 for _ in range(count)]

    def arrays(self, seed: int) -> dict[str, Any]:
        """The input and all weights as arrays of NumPy in f32, the same for the same seed and version of
        NumPy. The input is uniform in [-1, 1)."""
        numpy = importlib.import_module("numpy")
        random = numpy.random.Generator(numpy.random.PCG64(seed))
        drawn = {"x": Weight(self.shape, 0.0, 1.0), **self.weights}
        return {name: each.drawn(numpy, random) for name, each in drawn.items()}
