"""What a model's graph requires of the elements of its inputs: indices along an axis, divisors, sizes.

Starts at each node that indexes, divides by whole numbers or takes sizes, and goes back to the inputs
through nodes that move or shift numbers. Other paths are unknown: doubtful.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_SMALL = 4096  # bytes of a weight that may be a shape
# Inputs that are sizes or counts, or select dimensions.
_SIZES = {"Reshape": (1,), "Expand": (1,), "Tile": (1,), "Slice": (1, 2, 3, 4), "Range": (0, 1, 2),
          "ConstantOfShape": (0,), "Pad": (1, 3), "Resize": (1, 2, 3), "Upsample": (1,), "Split": (1,),
          "Squeeze": (1,), "Unsqueeze": (1,), "TopK": (1,), "OneHot": (1,), "Trilu": (1,), "CumSum": (1,),
          "CenterCropPad": (1,), "NonMaxSuppression": (2,), "Loop": (0,), "HannWindow": (0,),
          "HammingWindow": (0,), "BlackmanWindow": (0,), "DFT": (1, 2), "STFT": (1, 3), "Col2Im": (1, 2),
          "AffineGrid": (1,), **{f"Reduce{name}": (1,) for name in (
              "Mean", "Sum", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare")}}
# Operations that keep the values of their first input.
_MOVES = {"Identity", "Cast", "CastLike", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten",
          "Expand", "Slice", "Split", "Tile", "Gather", "GatherElements", "GatherND", "Pad", "Dropout",
          "ReduceMax", "ReduceMin", "Clip", "Floor", "Ceil", "Round", "DepthToSpace", "Compress", "Abs"}
_ARITHMETIC = {"Add", "Sub", "Mul", "Div", "Mod", "Neg", "ReduceSum", "ReduceProd"}
_ALL_OF = {"Concat", "Max", "Min"}
# For these operations any value is right.
_SAFE = {"Shape", "Size", "ArgMax", "ArgMin", "NonZero", "NonMaxSuppression", "TopK", "Constant", "Unique",
         "ConstantOfShape", "EyeLike"}
# Operations that accept any whole number.
_COMPUTES = {"Add", "Sub", "Mul", "Div", "Mod", "Neg", "Equal", "Greater", "GreaterOrEqual", "Less",
             "LessOrEqual", "Where", "Not", "Sign", "CumSum", "ReduceSum", "ReduceMean", "MatMul",
             "MatMulInteger", "Pow", "DequantizeLinear", "ConvInteger", "Gemm", "Relu", "OneHot"}
_WHOLE = {2, 3, 4, 5, 6, 7, 12, 13}  # TensorProto.DataType


class Need(NamedTuple):
    """`high` None: no limit; an array: one limit per index of the last dimension. `by` is the operation.
    `apart`: elements along this axis differ from each other, or -1: those along the last one, together."""

    by: str
    low: int = 0
    high: Any = None
    is_size: bool = False
    is_open: bool = False  # the file does not give the axis' length
    apart: int | None = None


class Ranges:
    """`shapes`: those of the inputs. `array_of` gives a TensorProto as an array of NumPy.

    `needs` has the needs of each input; `doubtful` the inputs that such a node may depend on in another
    way, with its operation.
    """

    def __init__(self, model: Any, shapes: dict[str, tuple[int, ...]],
                 array_of: Callable[[Any], Any]) -> None:
        self.needs: dict[str, list[Need]] = {}
        self.doubtful: dict[str, str] = {}
        self._numpy = importlib.import_module("numpy")
        self._given, self._array_of = shapes, array_of
        graphs = list(graphs_of(model.graph))
        self._weights = {each.name: each for graph in graphs for each in graph.initializer}
        self._makers: dict[str, list[Any]] = {}  # two branches may use the same name
        for node in (node for graph in graphs for node in graph.node):
            for name in filter(None, node.output):
                self._makers.setdefault(name, []).append(node)
        self._shapes, self._kinds = _inferred(model, shapes)
        for at, node in ((at, node) for at, graph in enumerate(graphs) for node in graph.node):
            used = list(self._uses(node))
            for name, need in used:
                if need.is_open and at > 0:  # within a branch fewer sizes are known
                    self._doubt([name], need.by)
                else:
                    self._follow(name, need)
            if node.op_type in _MOVES | _ALL_OF | _SAFE | _COMPUTES:
                continue
            for name in set(node.input) & set(shapes) - {name for name, _ in used}:
                if self._kinds.get(name, 0) in _WHOLE:
                    self.doubtful[name] = node.op_type

    def _size(self, name: str, axis: int) -> int | None:
        shape = self._shapes.get(name)
        return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None

    def _constant(self, name: str) -> Any:
        """A small weight or a constant as an array; None otherwise."""
        if name in self._weights:
            return self._array_of(self._weights[name])
        makers = self._makers.get(name, [])
        if len(makers) != 1:
            return None
        node = makers[0]
        if node.op_type in ("Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape"):
            return self._constant(node.input[0])
        if node.op_type == "Constant":
            has = importlib.import_module("onnx").helper.get_attribute_value(node.attribute[0])
            return self._array_of(has) if hasattr(has, "data_type") else self._numpy.asarray(has)
        return None

    def _uses(self, node: Any) -> Iterator[tuple[str, Need]]:
        kind, inputs = node.op_type, list(node.input)
        has = {each.name: each.i for each in node.attribute}

        def place(size: int | None, **more: Any) -> Need:
            return Need(kind, 0, None if size is None else size - 1, is_open=size is None, **more)
        if kind in ("Gather", "GatherElements"):
            yield inputs[1], place(self._size(inputs[0], has.get("axis", 0)))
        elif kind in ("ScatterElements", "Scatter"):
            yield inputs[1], place(self._size(inputs[0], has.get("axis", 0)), apart=has.get("axis", 0))
        elif kind in ("GatherND", "ScatterND"):
            count, first = self._size(inputs[1], -1), has.get("batch_dims", 0)
            sizes = [self._size(inputs[0], first + at) for at in range(count or 0)]
            if not sizes or None in sizes:
                yield inputs[1], place(None)
            else:
                yield inputs[1], Need(kind, 0, self._numpy.array(sizes) - 1,
                                      apart=-1 if kind == "ScatterND" else None)
        elif kind == "OneHot":
            depth = self._constant(inputs[1])
            if depth is not None:
                yield inputs[0], place(int(depth.reshape(-1)[0]))
        elif kind in ("Div", "Mod") and self._kinds.get(inputs[1], 0) in _WHOLE:
            yield inputs[1], Need(kind, 1)
        elif kind == "ReverseSequence":
            yield inputs[1], Need(kind, 1, self._size(inputs[0], has.get("time_axis", 0)))
        elif kind in ("LSTM", "GRU", "RNN") and len(inputs) > 4:
            yield inputs[4], Need(kind, 1, self._size(inputs[0], 0))
        elif kind == "RoiAlign":
            yield inputs[2], place(self._size(inputs[0], 0))
        elif kind in ("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"):
            yield inputs[1], place(self._size(inputs[0], 1))
        for at in _SIZES.get(kind, ()):
            if at < len(inputs):
                yield inputs[at], Need(kind, is_size=True)

    def _follow(self, name: str, need: Need) -> None:
        left, seen = [(name, need)], set()
        while left:
            name, need = left.pop()
            if not name or name in self._weights or (name, need.low, str(need.high)) in seen:
                continue
            seen.add((name, need.low, str(need.high)))
            if name in self._given:
                self.needs.setdefault(name, []).append(need)
                continue
            for node in self._makers.get(name, []):
                before = self._before(node, name, need)
                if before is None:
                    self._doubt(_taken_by(node), need.by)
                else:
                    left += before

    def _before(self, node: Any, name: str, need: Need) -> list[tuple[str, Need]] | None:
        """What the need of the node's output `name` requires of its inputs; None if unknown."""
        kind, inputs = node.op_type, list(node.input)
        if kind == "If":
            at = list(node.output).index(name)
            return [(each.g.output[at].name, need) for each in node.attribute]
        if kind in _SAFE or (self._kinds.get(node.output[0]) == 9 and need.low == 0):
            return []
        if kind in ("Identity", "Cast"):
            return [(inputs[0], need)]
        if need.high is not None and not need.is_size:
            need = need._replace(high=int(self._numpy.min(need.high)))
        need = need._replace(apart=None)
        if kind in _MOVES:
            return [(inputs[0], need)]
        if kind == "Where":
            return [(each, need) for each in inputs[1:]]
        if kind in _ALL_OF or (need.is_size and kind in _ARITHMETIC):
            return [(each, need) for each in inputs]
        if kind not in ("Add", "Sub", "Mul") or need.is_size:
            return None
        return self._shifted(kind, inputs, need)

    def _shifted(self, kind: str, inputs: list[str], need: Need) -> list[tuple[str, Need]] | None:
        """Through a sum, difference or product with a constant."""
        constants = [self._constant(each) for each in inputs]
        at = 0 if constants[1] is not None else 1
        by = constants[1 - at]
        if by is None or not by.size or (kind == "Sub" and at == 1):
            return None
        least, most = int(by.min()), int(by.max())
        if kind == "Mul":
            if least < 1:
                return None
            low, high = -(-need.low // least), None if need.high is None else need.high // most
        else:
            least, most = (-most, -least) if kind == "Sub" else (least, most)
            low, high = need.low - least, None if need.high is None else need.high - most
        return [(inputs[at], need._replace(low=low, high=high))]

    def _doubt(self, names: list[str], by: str) -> None:
        """All inputs that these values depend on."""
        seen, left = set(), list(names)
        while left:
            name = left.pop()
            if name in seen or not name:
                continue
            seen.add(name)
            if name in self._given:
                self.doubtful.setdefault(name, by)
            for node in self._makers.get(name, []):
                if node.op_type not in ("Shape", "Size"):
                    left += _taken_by(node)


def graphs_of(graph: Any) -> Iterator[Any]:
    """The graph, and those of its branches and loops."""
    yield graph
    for attribute in (each for node in graph.node for each in node.attribute):
        for inner in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            yield from graphs_of(inner)


def _taken_by(node: Any) -> list[str]:
    """The inputs of a node, including what its branches use from outside."""
    inner = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    return [*node.input, *(name for each in inner for graph in graphs_of(each)
                           for inside in graph.node for name in inside.input)]


def _inferred(model: Any, shapes: dict[str, tuple[int, ...]]) -> tuple[dict[str, Any], dict[str, int]]:
    """The shapes that are known, None for a size that is not, and the kinds of elements, by name."""
    onnx = importlib.import_module("onnx")
    copy, graph = onnx.ModelProto(), onnx.GraphProto()
    copy.ir_version = model.ir_version
    copy.opset_import.extend(model.opset_import)
    copy.functions.extend(model.functions)
    graph.name = model.graph.name
    graph.node.extend(model.graph.node)
    graph.output.extend(model.graph.output)
    kinds = {each.name: each.type.tensor_type.elem_type for each in model.graph.input}
    for name, shape in shapes.items():
        graph.input.append(onnx.helper.make_tensor_value_info(name, kinds[name], shape))
    for each in model.graph.initializer:
        if each.data_location != each.EXTERNAL and each.ByteSize() < _SMALL:
            graph.initializer.append(each)
        else:
            graph.input.append(onnx.helper.make_tensor_value_info(each.name, each.data_type, each.dims))
    copy.graph.CopyFrom(graph)
    try:
        graph = onnx.shape_inference.infer_shapes(copy, data_prop=True).graph
    except Exception:  # anything that it does not understand stays unknown
        graph = copy.graph
    found = {each.name: each.type.tensor_type for inner in reversed(list(graphs_of(graph)))
             for each in (*inner.value_info, *inner.input, *inner.output)}
    all_shapes = {name: tuple(size.dim_value if size.HasField("dim_value") else None
                              for size in kind.shape.dim)
                  for name, kind in found.items() if kind.HasField("shape")}
    all_shapes.update({each.name: tuple(each.dims) for each in model.graph.initializer})
    of_elements = {name: kind.elem_type for name, kind in found.items()}
    of_elements.update({each.name: each.data_type for each in model.graph.initializer})
    return all_shapes, of_elements
