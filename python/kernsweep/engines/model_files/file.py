"""A model file of the user, read by the package onnx, and its output."""
from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..engine import Missing, found
from .inputs import drawn
from .ranges import graphs_of

_LEAST = "1.15"
_RANDOM = {"Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
           "RandomUniformLike"}


class ModelFile(NamedTuple):
    """`inputs` are arrays of NumPy by name, drawn for one batch size. `path`: of a model whose weights are
    in files next to it, which are not in `model`; else empty."""

    model: Any  # ModelProto
    inputs: dict[str, Any]
    path: str = ""
    fixed: frozenset[str] = frozenset()  # inputs that are sizes
    doubtful: dict[str, str] = {}  # inputs that may have wrong values, with the operation that takes them

    def array_of(self, tensor: Any) -> Any:
        """A TensorProto of the model as an array of NumPy."""
        onnx = importlib.import_module("onnx")
        return onnx.numpy_helper.to_array(tensor, os.path.dirname(self.path))

    def whole(self) -> Any:
        """The ModelProto with all its weights."""
        return importlib.import_module("onnx").load(self.path) if self.path else self.model

    @property
    def content(self) -> bytes | str:
        """What engines read: the bytes of the model, or the path of one with weights next to it."""
        content: bytes = b"" if self.path else self.model.SerializeToString()
        return content or self.path

    @property
    def bytes_beside(self) -> int:
        """The size of the weight files next to the model."""
        folder = os.path.dirname(self.path)
        names = {each.value for tensor in tensors_of(self.model) for each in tensor.external_data
                 if each.key == "location"} if self.path else set()
        return sum(os.path.getsize(os.path.join(folder, name)) for name in names)

    @property
    def kinds(self) -> set[str]:
        """The kinds of its operations, with the domain of those outside ONNX."""
        return {(node.domain + "." if node.domain not in ("", "ai.onnx") else "") + node.op_type
                for node in self.model.graph.node}

    @property
    def opset(self) -> int:
        """The version of ONNX's own operations."""
        return next((each.version for each in self.model.opset_import if each.domain in ("", "ai.onnx")), 1)

    @property
    def flattens(self) -> bool:
        """Whether its softmax is that before opset 13: over all dimensions from `axis` on together."""
        return self.opset < 13 and bool(self.kinds & {"Softmax", "LogSoftmax", "Hardmax"})


def read_model(path: str, batch: int, seed: int, inputs: str = "") -> ModelFile:
    """`inputs`: sizes and values of inputs, as inputs.said_in() reads them.

    ValueError: it is no file, no model of ONNX, or has an input that is not known how to draw. UnfitBatch.
    engine.Missing: there is no onnx.
    """
    onnx = found("onnx", _LEAST, "onnxruntime")
    try:
        model = onnx.load(path, load_external_data=False)
        is_apart = any(each.data_location == each.EXTERNAL for each in tensors_of(model))
        onnx.checker.check_model(_with_shapes(onnx, model) or path)
    except onnx.checker.ValidationError as error:
        said = f"the package onnx {onnx.__version__} refuses {path}: {first_line(error).rstrip('.')}" + (
            "; copy both files into a folder (cp -L)" if "symbolic link" in str(error) else "")
        raise ValueError(said) from error
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from error
    except Exception as error:
        raise ValueError(f"{path} is not an ONNX model: {first_line(error)}") from error
    file = ModelFile(model, {}, path if is_apart else "")
    made = drawn(model, file.array_of, batch, seed, inputs)
    return file._replace(inputs=made.arrays, fixed=made.fixed, doubtful=made.doubtful)


def _with_shapes(onnx: Any, model: Any) -> Any:
    """What the checker of the package onnx takes in place of a model with inputs or outputs without a shape,
    which engines compute: one where they have any, and weights next to the model are inputs. None: all have
    a shape."""
    def shapeless(graph: Any) -> list[Any]:
        return [each for each in (*graph.input, *graph.output) if each.type.HasField("tensor_type")
                and not each.type.tensor_type.HasField("shape")]

    if not shapeless(model.graph):
        return None
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for value in shapeless(copy.graph):
        value.type.tensor_type.shape.SetInParent()
    apart = [each for each in copy.graph.initializer if each.data_location == each.EXTERNAL]
    named = {each.name for each in copy.graph.input}
    for each in apart:
        copy.graph.initializer.remove(each)
        if each.name not in named:
            copy.graph.input.append(onnx.helper.make_tensor_value_info(each.name, each.data_type, each.dims))
    return copy


def tensors_of(model: Any) -> Iterator[Any]:
    """Those of weights and attributes, without the ones of functions."""
    graphs = [model.graph]
    for graph in graphs:
        yield from graph.initializer
        for sparse in graph.sparse_initializer:
            yield from (sparse.values, sparse.indices)
        for attribute in (each for node in graph.node for each in node.attribute):
            graphs += [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]
            yield from (*attribute.tensors, *([attribute.t] if attribute.HasField("t") else []))


def first_line(error: Exception) -> str:
    """Of its text, or its class."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def other_inputs(file: ModelFile, batch: int, seed: int, inputs: str, count: int) -> list[dict[str, Any]]:
    """`count` times inputs as those of read_model(), but others: such as for calibrating."""
    return [drawn(file.model, file.array_of, batch, seed + at, inputs).arrays for at in range(1, count + 1)]


def reference_of(file: ModelFile) -> Any:
    """The output of the reference implementation in the package onnx: an array, or a tuple of several. If
    it lacks an operation, or has only a newer meaning of it, ONNX Runtime without optimisation.
    ValueError: it is another one each time."""
    random = random_outputs(file)
    if random:
        raise ValueError(f"output '{random[0]}' is another one each time, because the model draws random "
                         "numbers, so there is none to compare with; measure the model without: "
                         "--set verify=false")
    try:
        outputs = computed_by_onnx(file)
    except Exception as error:
        try:
            outputs = plainly_computed(file)
        except Missing as missing:
            raise Missing(f"{missing}; the package onnx says: {first_line(error)}") from error
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def computed_by_onnx(file: ModelFile) -> list[Any]:
    """All outputs, by the package onnx. NotImplementedError: it has another meaning of an operation."""
    has_lengths = any(node.op_type in ("LSTM", "GRU", "RNN") and len(node.input) > 4 and node.input[4]
                      for node in file.model.graph.node)  # it computes all steps
    if file.flattens or has_lengths or file.kinds & {"Resize", "Upsample"}:  # 10 times 0.9 is 8 there
        raise NotImplementedError
    evaluator = importlib.import_module("onnx.reference").ReferenceEvaluator(file.whole())
    outputs: list[Any] = evaluator.run([output.name for output in file.model.graph.output], file.inputs)
    return outputs


def plain_function(file: ModelFile) -> Callable[[dict[str, Any]], list[Any]]:
    """All outputs of such inputs, by ONNX Runtime without any optimisation. engine.Missing."""
    runtime = found("onnxruntime", "1.17", "onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # errors are raised
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(file.content, options,
                                       providers=["CPUExecutionProvider"])
    names = [output.name for output in file.model.graph.output]

    def computed(inputs: dict[str, Any]) -> list[Any]:
        outputs: list[Any] = session.run(names, inputs)
        return outputs
    return computed


def plainly_computed(file: ModelFile) -> list[Any]:
    """All outputs, by ONNX Runtime without any optimisation. engine.Missing."""
    return plain_function(file)(file.inputs)


def random_outputs(file: ModelFile) -> list[str]:
    """The outputs that two calls compute differently, of a model with operations that draw numbers."""
    if not {node.op_type for graph in graphs_of(file.model.graph) for node in graph.node} & _RANDOM:
        return []
    numpy = importlib.import_module("numpy")
    try:
        compute = plain_function(file)
        first, second = compute(file.inputs), compute(file.inputs)
    except Missing:
        first, second = computed_by_onnx(file), computed_by_onnx(file)
    return [output.name for output, one, other in zip(file.model.graph.output, first, second)
            if not numpy.array_equal(numpy.asarray(one), numpy.asarray(other))]


def far_outputs(file: ModelFile, outputs: Sequence[Any], near: float) -> str:
    """The first of several outputs that is not near the output of ONNX Runtime without optimisation,
    relative to the largest value of that output: compared to a larger one, its errors would be hidden.
    Those that are random are not compared. Empty: none, or ONNX Runtime is not installed."""
    numpy = importlib.import_module("numpy")
    try:
        right = plainly_computed(file)
    except Missing:
        return ""
    random = random_outputs(file)
    for output, has, should in zip(file.model.graph.output, outputs, right):
        if output.name in random:
            continue
        has, should = numpy.asarray(has), numpy.asarray(should)
        if has.shape != should.shape:
            return f"output '{output.name}' has the shape {has.shape}, and should have {should.shape}"
        if should.dtype.kind not in "fiub" or not should.size:
            continue
        has, should = has.astype("f8"), should.astype("f8")
        same = (has == should) | (numpy.isnan(has) & numpy.isnan(should))
        scale = float(numpy.abs(should[numpy.isfinite(should)]).max(initial=0))
        with numpy.errstate(invalid="ignore"):
            error = float(numpy.where(same, 0, numpy.abs(has - should)).max())
        if not error <= near * scale:
            return (f"output '{output.name}' differs from what ONNX Runtime computes without any "
                    f"optimisation by {error:.3g}, of at most {scale:.3g}")
    return ""
