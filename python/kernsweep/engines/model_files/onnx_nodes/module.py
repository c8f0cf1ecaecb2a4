"""A model file as a module of PyTorch: straight-line code with a function for each node.

Values that depend only on weights and shapes are computed once, when the module is made: its inputs have
the sizes that they are drawn with.
"""
from __future__ import annotations

import importlib
import operator
from collections import Counter
from typing import Any

from ..file import ModelFile
from .maker import Attributes, Formless, Function, Maker, Parameters
from .numbers import NUMBERS, softmax_of_old
from .places import PLACES
from .recurrent import RECURRENT
from .shapes import SHAPES
from .windows import WINDOWS

_MAKERS: dict[str, Maker] = {**WINDOWS, **NUMBERS, **SHAPES, **PLACES, **RECURRENT}
_OF_SHAPES = {"Shape", "Size"}  # known with the sizes of the inputs
_FIXED_ONLY = {"NonZero"}  # the size of its output is not known in advance
KINDS = {*_MAKERS, "Constant", *_OF_SHAPES}
# Which inputs are parameters, by kind.
_PARAMETERS: dict[str, tuple[int, ...]] = {
    "Reshape": (1,), "Expand": (1,), "Tile": (1,), "Squeeze": (1,), "Unsqueeze": (1,), "Slice": (1, 2, 3, 4),
    "Split": (1,), "Pad": (1, 2, 3), "Resize": (1, 2, 3), "Clip": (1, 2), "ConstantOfShape": (0,),
    "Range": (0, 1, 2), "Dropout": (1, 2), "Trilu": (1,), "CumSum": (1,), "TopK": (1,), "OneHot": (1,),
    "RNN": (1, 2, 3, 4), "GRU": (1, 2, 3, 4), "LSTM": (1, 2, 3, 4, 7),
    **{f"Reduce{name}": (1,) for name in ("Mean", "Sum", "Max", "Min", "Prod", "L2")}}
_SEVERAL = {"Split", "TopK", *RECURRENT}  # have several outputs
# Attributes that no function reads: these values are the functions' behaviour, or have no effect.
_WEIGHTS = {1, 2, 3, 5, 6, 7, 9, 10, 11, 4, 12, 13}  # TensorProto.DataType: those that NumPy has
_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "ceil_mode": (0,), "storage_order": (0,), "training_mode": (0,), "spatial": (1,),
    "keep_aspect_ratio_policy": (b"stretch",), "exclude_outside": (0,), "antialias": (0,), "fmod": (0,),
    "select_last_index": (0,)}
_SAYS_NOTHING = {"momentum", "stash_type", "cubic_coeff_a", "extrapolation_value", "saturate", "ratio",
                 "seed", "is_test", "consumed_inputs", "num_outputs", "outputs"}


class _Looked(dict[str, Any]):
    """Attributes that record which of them were read."""

    def __init__(self, attributes: Attributes) -> None:
        super().__init__(attributes)
        self.seen: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.seen.add(name)
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.seen.add(str(name))
        return super().__contains__(name)


def _function_of(torch: Any, file: ModelFile, node: Any, said: Parameters) -> Function:
    """Formless: the node has an attribute that no function here reads."""
    has = _Looked(_attributes(file, node))
    if node.op_type not in _SEVERAL and len([name for name in node.output if name]) > 1:
        raise Formless(f"{node.op_type} with several outputs")
    if node.op_type == "Split":
        has["outputs"] = len(node.output)
    is_old = node.op_type == "Softmax" and file.flattens
    if node.op_type == "LogSoftmax" and file.flattens:
        raise Formless("LogSoftmax of before opset 13")
    try:
        made = (softmax_of_old if is_old else _MAKERS[node.op_type])(torch, has, said)
    except (KeyError, TypeError) as error:  # another opset has it elsewhere
        raise Formless(f"{node.op_type} of this opset") from error
    for name in sorted(set(has) - has.seen - _SAYS_NOTHING):
        if dict(has)[name] not in _DEFAULTS.get(name, ()):
            raise Formless(f"{node.op_type} with {name}")
    return made


def _attributes(file: ModelFile, node: Any) -> Attributes:
    value_of = importlib.import_module("onnx").helper.get_attribute_value
    found = {each.name: value_of(each) for each in node.attribute}
    return {name: file.array_of(value) if hasattr(value, "data_type") else value
            for name, value in found.items()}


def _constant(file: ModelFile, node: Any) -> Any:
    numpy = importlib.import_module("numpy")
    has = _attributes(file, node)
    if "value" in has and has["value"].dtype.kind in "fiub":
        return has["value"].copy()
    kinds = {"value_int": "i8", "value_ints": "i8", "value_float": "f4", "value_floats": "f4"}
    for name, kind in kinds.items():
        if name in has:
            return numpy.array(has[name], kind)
    raise Formless("Constant of this kind")


def _parameters_of(node: Any) -> dict[int, str]:
    """The names of the parameters; empty: omitted."""
    return {at: node.input[at] for at in _PARAMETERS.get(node.op_type, ()) if at < len(node.input)}


def unknown_kinds(file: ModelFile) -> str:
    """Which operations of the model have no form here; empty: none."""
    unknown = sorted(file.kinds - KINDS)
    plural = "s" if len(unknown) > 1 else ""
    said = f"no form of the operation{plural} {', '.join(unknown)} in PyTorch is known here"
    return said if unknown else ""


def lacks(torch: Any, file: ModelFile) -> str:
    """Why the model has no form in PyTorch here; empty if it has one, as far as known in advance."""
    if (why := unknown_kinds(file)):
        return why
    graph = file.model.graph
    if not file.inputs:
        return "a model without an input has no form in PyTorch here"
    weights = {each.name: each for each in graph.initializer}
    if graph.sparse_initializer or any(each.data_type not in _WEIGHTS for each in weights.values()):
        return "weights that are sparse, or of a type that NumPy has not, have no form in PyTorch here"
    known: dict[str, Any] = {}  # those of them that were read, and constants
    fixed, copies = set(weights) | file.fixed, set(file.inputs) | set(weights)
    known.update({name: file.inputs[name] for name in file.fixed})
    try:
        for node in graph.node:
            if node.op_type == "Constant":
                known[node.output[0]] = _constant(file, node)
                fixed.add(node.output[0])
                copies.add(node.output[0])
                continue
            if node.op_type in ("Identity", "Dropout") and node.input[0] in copies:
                copies.add(node.output[0])
            parameters = _parameters_of(node)
            if any(name and name not in fixed for name in parameters.values()):
                raise Formless(f"{node.op_type} by numbers that are computed")
            if node.op_type in _OF_SHAPES or all(name in fixed for name in node.input if name):
                fixed.update(node.output)
            elif node.op_type in _FIXED_ONLY:
                raise Formless(f"{node.op_type} of numbers that are computed")
            for name in parameters.values():
                if name in weights and name not in known:
                    known[name] = file.array_of(weights[name])
            if node.op_type not in _OF_SHAPES and all(
                    not name or name in known for name in parameters.values()):
                _function_of(torch, file, node, {at: known.get(name) for at, name in parameters.items()})
    except Formless as error:
        return f"{error} has no form in PyTorch here"
    if any(each.name in copies | fixed for each in graph.output):
        return "a model that returns its input or a weight has no form in PyTorch here"
    return ""


class _Builder:
    """Computes the nodes once, and writes down those that depend on the input."""

    def __init__(self, torch: Any, file: ModelFile) -> None:
        self.torch, self.file = torch, file
        graph = file.model.graph
        self.root, self.made = torch.nn.Module(), importlib.import_module("torch.fx").Graph()
        self.fixed = {each.name: torch.from_numpy(file.array_of(each).copy()) for each in graph.initializer}
        self.fixed.update({name: torch.from_numpy(file.inputs[name]) for name in file.fixed})
        self.values = {name: torch.from_numpy(array) for name, array in file.inputs.items()}
        self.written = {name: self.made.placeholder(f"x{at}") for at, name in enumerate(file.inputs)}
        self.buffers: dict[int, str] = {}  # of tensors in `fixed`
        self.uses = Counter(name for node in graph.node for name in node.input)
        self.uses.update(each.name for each in graph.output)

    def value_of(self, name: str) -> Any:
        return None if not name else self.fixed[name] if name in self.fixed else self.values[name]

    def written_of(self, name: str) -> Any:
        if not name:
            return None
        if name not in self.written:
            # One tensor may have several names (Identity), and torch.jit.trace takes it once.
            value, buffer = self.fixed[name], f"w{len(self.buffers)}"
            if id(value) not in self.buffers:
                self.root.register_buffer(buffer, value)
                self.buffers[id(value)] = buffer
            self.written[name] = self.made.get_attr(self.buffers[id(value)])
        return self.written[name]

    def add(self, node: Any) -> None:
        if node.op_type == "Constant":
            self.fixed[node.output[0]] = self.torch.from_numpy(_constant(self.file, node))
            return
        if node.op_type == "Size":
            self.fixed[node.output[0]] = self.torch.tensor(self.value_of(node.input[0]).numel())
            return
        if node.op_type == "Shape":
            has, sizes = _attributes(self.file, node), list(self.value_of(node.input[0]).shape)
            self.fixed[node.output[0]] = self.torch.tensor(sizes[has.get("start", 0):has.get("end")],
                                                           dtype=self.torch.int64)
            return
        parameters = _parameters_of(node)
        if any(name and name not in self.fixed for name in parameters.values()):
            raise Formless(f"{node.op_type} by numbers that are computed has no form in PyTorch here")
        said = {at: self.fixed[name].numpy() if name else None for at, name in parameters.items()}
        given = [name for at, name in enumerate(node.input) if at not in parameters]
        try:
            function = _function_of(self.torch, self.file, node, said)
            results = function(*(self.value_of(name) for name in given))
        except Formless as error:
            raise Formless(f"{error} has no form in PyTorch here") from error
        except (NotImplementedError, RuntimeError, TypeError, ValueError) as error:
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise Formless(f"{node.op_type} has no form in PyTorch here: {why}") from error
        several = isinstance(results, (tuple, list))
        outputs = dict(zip(node.output, results if several else [results]))
        if all(name in self.fixed for name in given if name):
            self.fixed.update(outputs)
        else:
            self.values.update(outputs)
            self.write(function, [self.written_of(name) for name in given], list(outputs), several)
        for name in node.input:  # no longer needed
            self.uses[name] -= 1
            if self.uses[name] == 0:
                self.values.pop(name, None)

    def write(self, function: Function, given: list[Any], outputs: list[str], several: bool) -> None:
        called = self.made.call_function(function, tuple(given))
        for at, name in enumerate(outputs):
            part = self.made.call_function(operator.getitem, (called, at)) if several else called
            self.written[name] = part

    def output_of(self, name: str) -> Any:
        """Copies a view of an input or a weight, or one with its own strides, as other engines do:
        otherwise nothing would be computed or moved."""
        value, written = self.value_of(name), self.written_of(name)
        given = map(self.torch.from_numpy, self.file.inputs.values())
        kept = {each.untyped_storage().data_ptr() for each in (*self.fixed.values(), *given)}
        is_view = value.untyped_storage().data_ptr() in kept
        if value.is_contiguous() and not is_view:
            return written
        return self.made.call_method("clone", (written,), {"memory_format": self.torch.contiguous_format})


def module_of_file(torch: Any, file: ModelFile) -> Any:
    """The module, in evaluation mode: its inputs in the order of the file, its output or a tuple of several.

    Requires that nothing is missing. Formless: something is missing after all.
    """
    builder = _Builder(torch, file)
    with torch.no_grad():
        for node in file.model.graph.node:
            builder.add(node)
    outputs = [builder.output_of(each.name) for each in file.model.graph.output]
    builder.made.output(outputs[0] if len(outputs) == 1 else tuple(outputs))
    return importlib.import_module("torch.fx").GraphModule(builder.root, builder.made).eval()
