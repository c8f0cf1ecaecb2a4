"""A graph as a module of PyTorch: straight-line code, as a person writes it, with layers as its parts."""
from __future__ import annotations

import importlib
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from .graph import Graph, Operation


def layer_of(torch: Any, operation: Operation, weights: list[Any]) -> Any:
    """A layer with weights; None: the operation is a function without weights."""
    nn, settings = torch.nn, operation.settings
    if operation.kind == "Linear":
        layer = nn.Linear(weights[0].shape[1], weights[0].shape[0])
        loaded = {"weight": weights[0], "bias": weights[1]}
    elif operation.kind == "Conv":
        out, channels = weights[0].shape[:2]
        layer = nn.Conv2d(channels, out, settings["kernel"], settings["stride"], settings["pad"],
                          bias=len(weights) > 1)
        loaded = dict(zip(("weight", "bias"), weights))
    elif operation.kind == "BatchNormalization":
        layer = nn.BatchNorm2d(weights[0].shape[0], settings["epsilon"])
        loaded = dict(zip(("weight", "bias", "running_mean", "running_var"), weights))
    elif operation.kind == "LayerNormalization":
        layer = nn.LayerNorm(weights[0].shape[0], settings["epsilon"])
        loaded = {"weight": weights[0], "bias": weights[1]}
    elif operation.kind == "Relu":
        return nn.ReLU()
    elif operation.kind == "Gelu":
        return nn.GELU("tanh")
    elif operation.kind == "MaxPool":
        return nn.MaxPool2d(settings["kernel"], settings["stride"], settings["pad"])
    else:
        return None
    layer.load_state_dict({name: torch.from_numpy(array) for name, array in loaded.items()}, strict=False)
    return layer


def recurrence(torch: Any, x: Any, factor: float) -> Any:
    """A loop over time."""
    state, states = torch.zeros_like(x[:, 0]), []
    for value in x.unbind(1):
        state = torch.tanh(factor * state + value)
        states.append(state)
    return torch.stack(states, 1)


def _function_of(torch: Any, operation: Operation) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function, and its arguments after its inputs."""
    if operation.kind == "Reshape":
        return torch.reshape, (operation.settings["to"],)
    if operation.kind == "Transpose":
        return torch.permute, (operation.settings["order"],)
    return {"MatMul": (torch.matmul, ()), "Add": (operator.add, ()), "Pool": (torch.flatten, (1,)),
            "Attention": (torch.nn.functional.scaled_dot_product_attention, ())}[operation.kind]


def module_of(torch: Any, graph: Graph, arrays: Mapping[str, Any]) -> Any:
    """The module, in evaluation mode; its weights share the memory of the arrays if torch allows it."""
    fx = importlib.import_module("torch.fx")
    if graph.kinds == {"Recurrence"}:
        return _recurrent(torch, graph.operations[0].settings["factor"])
    layers, made = torch.nn.Module(), fx.Graph()
    values = {"x": made.placeholder("x")}
    for operation in graph.operations:
        weights = [arrays[name] for name in operation.inputs if name in graph.weights]
        layer = layer_of(torch, operation, weights)
        if layer is not None:
            layers.add_module(operation.output, layer)
            values[operation.output] = made.call_module(operation.output, (values[operation.inputs[0]],))
            continue
        for name in operation.inputs:
            if name not in values:  # a weight that is an operand like others
                layers.register_parameter(name, torch.nn.Parameter(torch.from_numpy(arrays[name])))
                values[name] = made.get_attr(name)
        function, more = _function_of(torch, operation)
        given = [values[name] for name in operation.inputs]
        if operation.kind == "Pool":  # not torch.mean, whose 8-bit form cannot keep the layout of 1 x 1
            given = [made.call_function(torch.nn.functional.adaptive_avg_pool2d, (*given, 1))]
        values[operation.output] = made.call_function(function, (*given, *more))
    made.output(values[graph.output])
    return fx.GraphModule(layers, made).eval()


def _recurrent(torch: Any, factor: float) -> Any:
    """One module for all lengths: straight-line code would have a line for each step."""
    def forward(self: Any, x: Any) -> Any:
        return recurrence(torch, x, factor)
    return type("Recurrent", (torch.nn.Module,), {"forward": forward})().eval()


def sparse_module_of(form: str, torch: Any, graph: Graph, arrays: Mapping[str, Any]) -> Any:
    """One product with pruned weights in a layout of torch.sparse, csr, csc or coo: x W = (W' x')'."""
    operation, = graph.operations
    layout = getattr(torch, f"sparse_{form}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each layout except coo is called a beta
        weight = torch.from_numpy(arrays[operation.inputs[1]]).t().to_sparse(layout=layout)

    def forward(self: Any, x: Any) -> Any:
        return torch.sparse.mm(weight, x.t()).t()
    return type("Sparse", (torch.nn.Module,), {"forward": forward})().eval()
