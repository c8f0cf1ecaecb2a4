"""A graph as a model of ONNX, written by its own helper functions: no other framework is needed."""
from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from typing import Any

from .graph import Graph, Operation

OPSET = 20  # the first with Gelu; ONNX 1.15, ONNX Runtime 1.17
_IR_VERSION = 9  # of ONNX 1.15: older engines reject newer ones
_AS_IS = {"MatMul", "Relu", "Add"}


class _Writer:
    """Collects the nodes and constants of a model."""

    def __init__(self, graph: Graph, arrays: Mapping[str, Any]) -> None:
        self.numpy = importlib.import_module("numpy")
        self.onnx = importlib.import_module("onnx")
        self.graph, self.arrays = graph, arrays
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {name: arrays[name] for name in graph.weights}

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> None:
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))

    def constant(self, name: str, values: Any, kind: str) -> str:
        self.constants[name] = self.numpy.array(values, kind)
        return name

    def linear(self, operation: Operation) -> None:
        x, weight, bias = operation.inputs
        if len(self.graph.shapes[x]) == 2:
            self.node("Gemm", [x, weight, bias], operation.output, transB=1)
            return
        self.constants[weight] = self.numpy.ascontiguousarray(self.arrays[weight].T)
        product = operation.output + "_product"
        self.node("MatMul", [x, weight], product)
        self.node("Add", [product, bias], operation.output)

    def attention(self, operation: Operation) -> None:
        q, k, v = operation.inputs
        out = operation.output
        scale = self.constant(out + "_scale", 1 / math.sqrt(self.graph.shapes[q][-1]), "f4")
        self.node("Transpose", [k], out + "_k", perm=[0, 1, 3, 2])
        self.node("MatMul", [q, out + "_k"], out + "_dots")
        self.node("Mul", [out + "_dots", scale], out + "_scores")
        self.node("Softmax", [out + "_scores"], out + "_shares", axis=-1)
        self.node("MatMul", [out + "_shares", v], out)

    def add(self, operation: Operation) -> None:
        """The operation, as one node or several."""
        kind, inputs, out = operation.kind, list(operation.inputs), operation.output
        settings = operation.settings
        if kind in _AS_IS:
            self.node(kind, inputs, out)
        elif kind == "Linear":
            self.linear(operation)
        elif kind == "Attention":
            self.attention(operation)
        elif kind in ("Conv", "MaxPool"):
            self.node(kind, inputs, out, kernel_shape=[settings["kernel"]] * 2,
                      strides=[settings["stride"]] * 2, pads=[settings["pad"]] * 4)
        elif kind == "BatchNormalization":
            self.node(kind, inputs, out, epsilon=settings["epsilon"])
        elif kind == "LayerNormalization":
            self.node(kind, inputs, out, epsilon=settings["epsilon"], axis=-1)
        elif kind == "Gelu":
            self.node(kind, inputs, out, approximate="tanh")
        elif kind == "Pool":
            self.node("GlobalAveragePool", inputs, out + "_pooled")
            self.node("Flatten", [out + "_pooled"], out)
        elif kind == "Reshape":
            self.node(kind, [*inputs, self.constant(out + "_shape", settings["to"], "i8")], out)
        elif kind == "Transpose":
            self.node(kind, inputs, out, perm=list(settings["order"]))
        else:
            raise ValueError(f"no form of '{kind}' in ONNX is known here")


def model_of(graph: Graph, arrays: Mapping[str, Any]) -> Any:
    """A ModelProto with the input "x". Needs the package onnx; sizes are fixed."""
    writer = _Writer(graph, arrays)
    for operation in graph.operations:
        writer.add(operation)
    onnx = writer.onnx
    helper, real = onnx.helper, onnx.TensorProto.FLOAT
    ends = [[helper.make_tensor_value_info(name, real, graph.shapes[name])]
            for name in ("x", graph.output)]
    constants = [onnx.numpy_helper.from_array(array, name) for name, array in writer.constants.items()]
    made = helper.make_graph(writer.nodes, "workload", *ends, constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR_VERSION,
                              producer_name="kernsweep")
    onnx.checker.check_model(model)
    return model
