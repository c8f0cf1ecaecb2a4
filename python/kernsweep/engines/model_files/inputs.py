"""The inputs of a model file: their sizes, as the file and the sweep say them, and what is drawn."""
from __future__ import annotations

import importlib
from typing import Any, NamedTuple

_BATCHES = ("N", "batch", "batch_size")  # what files call the size of a batch


class UnfitBatch(Exception):
    """The model is for batches of another size; the text says so."""


class Said(NamedTuple):
    """What a sweep says of inputs by name: sizes, in which None is the batch; what all elements are."""

    sizes: dict[str, list[int | None]]
    values: dict[str, float]


def said_in(text: str) -> Said:
    """Of "x:Nx3x48x192,sr=16000". ValueError: it is none."""
    said = Said({}, {})
    for part in filter(None, text.split(",")):
        name, colon, sizes = part.strip().rpartition(":")
        of_value, equals, value = part.strip().rpartition("=")
        try:
            if equals:
                said.values[of_value] = float(value)
            elif colon:
                said.sizes[name] = [None if size == "N" else int(size) for size in sizes.split("x")]
            if not (colon or equals) or not (of_value if equals else name) or min(
                    (1 if size is None else size for size in said.sizes.get(name, [])), default=1) < 1:
                raise ValueError(part)
        except ValueError:
            raise ValueError(f"inputs is '{text}'; '{part.strip()}' is neither NAME:SIZExSIZE, with N for "
                             "the batch, as x:Nx3x224x224, nor NAME=VALUE") from None
    return said


def _is_batch(size: Any, symbols: set[str]) -> bool:
    return size.dim_value <= 0 and (size.dim_param in symbols or size.dim_param in _BATCHES)


def _shape_of(value: Any, batch: int, symbols: set[str], said: Said) -> tuple[int, ...]:
    """ValueError: a size beside the batch is left open, or said to be another one than the file has."""
    sizes = list(value.type.tensor_type.shape.dim)
    given = said.sizes.get(value.name)
    if given is not None:
        if len(given) != len(sizes) or any(
                has.dim_value > 0 and has.dim_value != (batch if it is None else it)
                for has, it in zip(sizes, given)):
            has = "x".join(str(size.dim_value) if size.dim_value > 0 else "?" for size in sizes)
            raise ValueError(f"input '{value.name}' has the sizes {has or '(none)'}, where ? is open")
        return tuple(batch if it is None else it for it in given)
    shown, shape = [], []
    for at, size in enumerate(sizes):
        is_batch = _is_batch(size, symbols) or (at == 0 and size.dim_value <= 0 and not size.dim_param)
        shape.append(batch if is_batch else size.dim_value)
        shown.append("N" if is_batch else str(size.dim_value) if size.dim_value > 0 else "?")
    if "?" in shown:
        raise ValueError(f"input '{value.name}' leaves sizes open: {'x'.join(shown)}; say them as "
                         f"inputs: '{value.name}:{'x'.join(shown)}' with numbers for ? (bench: --inputs)")
    return tuple(shape)


def drawn(given: list[Any], batch: int, seed: int, text: str) -> dict[str, Any]:
    """Arrays of NumPy by name, for these inputs of a graph. Numbers are normal, whole numbers from 0 to 9,
    truth values either. ValueError, UnfitBatch."""
    onnx, numpy = importlib.import_module("onnx"), importlib.import_module("numpy")
    said, names = said_in(text), [value.name for value in given]
    for name in (*said.sizes, *said.values):
        if name not in names:
            raise ValueError(f"the model has no input '{name}'; it has {', '.join(names)}")
    for value in given:
        if not value.type.HasField("tensor_type"):
            raise ValueError(f"input '{value.name}' is no tensor")
    first = [value.type.tensor_type.shape.dim[0] for value in given if value.type.tensor_type.shape.dim]
    opened = [size.dim_param for size in first if size.dim_value <= 0]
    symbols = set(opened[:1]) - {""}  # another first size that is left open may be a length
    is_fixed = not opened and not any(_is_batch(size, symbols) for value in given
                                      for size in value.type.tensor_type.shape.dim)
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    inputs = {}
    for value in given:
        shape = _shape_of(value, batch, symbols, said)
        if is_fixed and value is given[0] and shape and shape[0] != batch:
            raise UnfitBatch(f"the first size of input '{value.name}' is {shape[0]}, and no input leaves it "
                             f"open; say batch: [{shape[0]}] (-a batch={shape[0]})")
        kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if value.name in said.values:
            inputs[value.name] = numpy.full(shape, said.values[value.name]).astype(kind)
        elif kind.kind == "f":
            inputs[value.name] = random.standard_normal(shape).astype(kind)
        elif kind.kind in "iub":
            inputs[value.name] = random.integers(0, 2 if kind.kind == "b" else 10, shape).astype(kind)
        else:
            raise ValueError(f"input '{value.name}' has elements of {kind}, which are not drawn here")
    return inputs
