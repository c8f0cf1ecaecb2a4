"""The workloads: what the engines compute."""
from __future__ import annotations

import math
from collections.abc import Callable

from .graph import Graph

_RESNET = {"resnet18": (2, 2, 2, 2), "resnet50": (3, 4, 6, 3)}
_CLASSES = 1000
_TOKENS = 128
_SPARSE = "sparse_linear"


def _matmul(batch: int, size: int) -> Graph:
    graph = Graph((batch, size, size))
    graph.matmul("x", graph.weight((size, size), 0.0, 1.0))
    return graph


def _linear(batch: int, size: int) -> Graph:
    graph = Graph((batch, size))
    graph.linear("x", size)
    return graph


def _sparse_linear(batch: int, size: int, density: float = 0.1) -> Graph:
    """Like a linear layer without bias; the spread is that of He et al. (2015) for the kept weights."""
    graph = Graph((batch, size))
    graph.matmul("x", graph.weight((size, size), 0.0, math.sqrt(6.0 / (size * density)), density))
    return graph


def _conv2d(batch: int, size: int) -> Graph:
    graph = Graph((batch, 3, size, size))
    graph.conv("x", 64, 3, bias=True)
    return graph


def _mlp(batch: int, size: int) -> Graph:
    graph = Graph((batch, 784))
    value = graph.same("Relu", graph.linear("x", size))
    value = graph.same("Relu", graph.linear(value, size))
    graph.linear(value, 10)
    return graph


def _heads(graph: Graph, x: str, heads: int) -> str:
    """Self-attention with its four projections, [batch, tokens, width]."""
    batch, tokens, width = graph.shapes[x]
    parts = [graph.transpose(graph.reshape(graph.linear(x, width), (batch, tokens, heads, width // heads)),
                             (0, 2, 1, 3)) for _ in range(3)]
    value = graph.transpose(graph.attention(*parts), (0, 2, 1, 3))
    return graph.linear(graph.reshape(value, (batch, tokens, width)), width)


def _attention(batch: int, size: int) -> Graph:
    graph = Graph((batch, size, 512))
    _heads(graph, "x", 8)
    return graph


def _encoder(batch: int, size: int) -> Graph:
    """Four layers that normalise first, 256 wide, four heads (Vaswani et al., 2017; Xiong et al., 2020)."""
    graph = Graph((batch, size, 256))
    value = "x"
    for _ in range(4):
        value = graph.same("Add", value, _heads(graph, graph.layer_norm(value), 4))
        inner = graph.same("Gelu", graph.linear(graph.layer_norm(value), 1024))
        value = graph.same("Add", value, graph.linear(inner, 256))
    graph.layer_norm(value)
    return graph


def _block(graph: Graph, x: str, width: int, stride: int, deep: bool) -> str:
    """With two convolutions, or three (a bottleneck); the stride is that of the 3 x 3 one (v1.5)."""
    out = 4 * width if deep else width
    kernels = ((1, 1, width), (3, stride, width), (1, 1, out)) if deep else ((3, stride, out), (3, 1, out))
    value = x
    for at, (kernel, step, channels) in enumerate(kernels):
        last = at == len(kernels) - 1
        value = graph.batch_norm(graph.conv(value, channels, kernel, step), 0.5 if last else 1.0)
        value = value if last else graph.same("Relu", value)
    if stride != 1 or graph.shapes[x][1] != out:
        x = graph.batch_norm(graph.conv(x, out, 1, stride))
    return graph.same("Relu", graph.same("Add", value, x))


def _resnet(name: str) -> Callable[[int, int], Graph]:
    """The shapes of He et al. (2016); the weights are random, so it recognises nothing."""
    def build(batch: int, size: int) -> Graph:
        graph = Graph((batch, 3, size, size))
        value = graph.same("Relu", graph.batch_norm(graph.conv("x", 64, 7, 2)))
        value = graph.max_pool(value)
        for stage, count in enumerate(_RESNET[name]):
            for at in range(count):
                stride = 2 if stage > 0 and at == 0 else 1
                value = _block(graph, value, 64 << stage, stride, name == "resnet50")
        graph.linear(graph.pool(value), _CLASSES)
        return graph
    return build


def _recurrence(batch: int, size: int) -> Graph:
    graph = Graph((batch, size))
    graph.add("Recurrence", ("x",), (batch, size), factor=0.5)
    return graph


# Name: (the function that builds it, the default size).
_BUILDERS: dict[str, tuple[Callable[..., Graph], int]] = {
    "matmul": (_matmul, 512), "linear": (_linear, 1024), _SPARSE: (_sparse_linear, 1024),
    "conv2d": (_conv2d, 64), "mlp": (_mlp, 1024),
    "attention": (_attention, _TOKENS), "encoder": (_encoder, _TOKENS),
    "resnet18": (_resnet("resnet18"), 224), "resnet50": (_resnet("resnet50"), 224),
    "recurrence": (_recurrence, 10000)}

NAMES = tuple(_BUILDERS)


def workload(name: str, batch: int = 1, size: int | None = None, density: float | None = None) -> Graph:
    """`size` is the n of a product, the width of layers, the height and width of images, the number of
    tokens, the length of a series; `density`, only of sparse_linear, is the fraction of weights that are
    not pruned. ValueError: an unknown workload, or a number that it does not support."""
    if name not in _BUILDERS:
        raise ValueError(f"there is no workload '{name}'; there are {', '.join(NAMES)}")
    build, usual = _BUILDERS[name]
    size = usual if size is None else size
    for what, number in (("batch", batch), ("size", size)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{what} is {number!r}; it must be a whole number from 1 on")
    if density is None:
        return build(batch, size)
    if name != _SPARSE:
        raise ValueError(f"density is of workload {_SPARSE}; this is {name}")
    if isinstance(density, bool) or not isinstance(density, (int, float)) or not 0 < density <= 1:
        raise ValueError(f"density is {density!r}; it must be above 0, and at most 1")
    return build(batch, size, float(density))
