"""The inputs of a model file: their sizes, from the file and the sweep, and their values."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from .ranges import Need, Ranges
from .sizes import batch_names, computed, dimensions_of, names_in, says_nothing

WAY = "(bench: --inputs)"


class UnfitBatch(Exception):
    """The model is for another batch size; the text says so. `only`: the size that its file fixes, if
    any."""

    def __init__(self, text: str, only: int | None = None) -> None:
        super().__init__(text)
        self.only = only


def undrawn_advice(found: str = "") -> str:
    """What to do if whole numbers cannot be drawn. `found`: ranges that are right."""
    return (f"say what to draw as inputs: '{found}' {WAY}" if found else
            f"say what to draw, the first and last whole number, as inputs: NAME=FIRST..LAST {WAY}")


class Undrawn(ValueError):
    """It is unknown which whole numbers are right for the input `name`; `why` without the remedy."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{why}; {undrawn_advice()}")
        self.name, self.why = name, why


class Said(NamedTuple):
    """What a sweep sets by name: sizes of inputs, where None is the batch; values of their elements, one
    number for all or one each, where None is the batch; the first and last of whole numbers to draw."""

    sizes: dict[str, list[int | None]]
    values: dict[str, list[float | None]]
    ranges: dict[str, tuple[int, int]]


class Drawn(NamedTuple):
    """Arrays of NumPy by name. `fixed`: the inputs that are sizes. `doubtful`: inputs whose values may be
    wrong, drawn or set, with the operation that uses them."""

    arrays: dict[str, Any]
    fixed: frozenset[str]
    doubtful: dict[str, str]


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float({"true": "1", "false": "0"}.get(text, text))


def said_in(text: str) -> Said:
    """Parses "x:Nx3x48x192,sr=16000,shape=Nx4,ids=0..99". ValueError: it is malformed."""
    said = Said({}, {}, {})
    for part in filter(None, text.split(",")):
        name, colon, sizes = part.strip().rpartition(":")
        of_value, equals, value = part.strip().rpartition("=")
        first, dots, last = value.partition("..")
        try:
            if equals and dots:
                said.ranges[of_value] = int(first), int(last)
            elif equals:
                said.values[of_value] = [None if each == "N" else _number(each) for each in value.split("x")]
            elif colon:
                said.sizes[name] = [None if size == "N" else int(size) for size in sizes.split("x")]
            if not (colon or equals) or not (of_value if equals else name) or min(
                    (1 if size is None else size for size in said.sizes.get(name, [])), default=1) < 1 or (
                    equals and dots and int(first) > int(last)):
                raise ValueError(part)
        except ValueError:
            raise ValueError(f"inputs is '{text}'; '{part.strip()}' is neither NAME:SIZExSIZE, with N for "
                             "the batch, as x:Nx3x224x224, nor NAME=VALUE, NAME=VALUExVALUE or "
                             "NAME=FIRST..LAST") from None
    return said


class _Shapes:
    """The shapes of all inputs. ValueError: a size is left open, or differs from the file."""

    def __init__(self, given: list[Any], batch: int, said: Said) -> None:
        self.batch, self.said, self.symbols = batch, said, batch_names(given)
        self.known = dict.fromkeys(self.symbols, batch)
        self.has_batch = any(None in sizes for sizes in said.sizes.values())
        named = {name for value in given for size in value.type.tensor_type.shape.dim
                 for name in names_in(size.dim_param) if name}
        inputs = [value.name for value in given]
        for name in (*said.sizes, *said.values, *said.ranges):
            if name in inputs:
                continue
            if name in self.symbols:
                raise ValueError(f"'{name}' is the batch of this model; say batch: [8] (-a batch=8)")
            if name not in named or name not in said.values or len(said.values[name]) != 1:
                raise ValueError(f"the model has no input '{name}'; it has {', '.join(inputs)}" + (
                    f", and the sizes {', '.join(sorted(named - self.symbols))}"
                    if named - self.symbols else ""))
            size = said.values[name][0]
            if not isinstance(size, int) or size < 1:
                raise ValueError(f"'{name}' is a size of the model; say a whole number from 1 on")
            self.known[name] = size
        for value in given:
            if any(size.HasField("dim_value") and size.dim_value == 0
                   for size in value.type.tensor_type.shape.dim):
                raise ValueError(f"input '{value.name}' has a size of 0 in the file, so that there is "
                                 "nothing to compute; export the model with another size, or an open one")
        self.open: list[str] = []
        self.shapes = {value.name: self._of(value) for value in given}
        if self.open:
            names = sorted({name for value in given if value.name not in said.sizes
                            for size in value.type.tensor_type.shape.dim if size.dim_value <= 0
                            for name in names_in(size.dim_param)
                            if name not in self.known and not says_nothing(name)})
            one = self.open[0]
            listed = ",".join(name + "=128" for name in names)
            by_name = f"'{listed}' with your numbers, or " if names else ""
            raise ValueError(
                f"input{'s' if len(self.open) > 1 else ''} {', '.join(self.open)} "
                f"leave{'' if len(self.open) > 1 else 's'} sizes open; say them as inputs: {by_name}'"
                f"{one}' with numbers for ? {WAY}")

    def _of(self, value: Any) -> tuple[int, ...]:
        given = self.said.sizes.get(value.name)
        if given is None:
            sizes = dimensions_of(value)
        else:
            sizes = list(value.type.tensor_type.shape.dim)
            if (value.type.tensor_type.HasField("shape") and len(given) != len(sizes)) or any(
                    has.dim_value > 0 and has.dim_value != (self.batch if it is None else it)
                    for has, it in zip(sizes, given)):
                has = "x".join(str(size.dim_value) if size.dim_value > 0 else "?" for size in sizes)
                raise ValueError(f"input '{value.name}' has the sizes {has or '(none)'}, where ? is open")
            return tuple(self.batch if it is None else it for it in given)
        elements = self.said.values.get(value.name, [])
        if len(sizes) == 1 and sizes[0].dim_value <= 0 and len(elements) > 1:
            return (len(elements),)
        shape, shown = [], []
        for at, size in enumerate(sizes):
            name = size.dim_param
            is_first = at == 0 and size.dim_value <= 0 and not name
            self.has_batch = self.has_batch or is_first or (size.dim_value <= 0 and name in self.symbols)
            known = size.dim_value if size.dim_value > 0 else self.batch if is_first else computed(
                name, self.known)
            shape.append(known or 0)
            shown.append("N" if is_first or (name and name in self.symbols) else str(known or "?"))
        if 0 in shape:
            self.open.append(f"{value.name}:{'x'.join(shown)}")
        return tuple(shape)


def _check_batch(given: list[Any], shapes: _Shapes) -> None:
    first = given[0].type.tensor_type.shape.dim[:1] if given else []
    if shapes.has_batch or not given:
        return
    if first and first[0].dim_value > 0 and first[0].dim_value != shapes.batch:
        has = first[0].dim_value
        raise UnfitBatch(f"the first size of input '{given[0].name}' is {has}, and no input leaves it "
                         f"open; say batch: [{has}] (-a batch={has})", has)
    if shapes.batch != 1 and not (first and first[0].dim_value > 0):
        raise UnfitBatch("no size of this model is called a batch; say batch: [1] (-a batch=1), or which "
                         f"one it is as inputs, with N {WAY}")


def _said_array(name: str, shape: tuple[int, ...], kind: Any, batch: int, said: list[float | None]) -> Any:
    numpy = importlib.import_module("numpy")
    values = [batch if each is None else each for each in said]
    count = numpy.prod(shape, dtype=int)
    if len(values) > 1 and len(values) != count:
        raise ValueError(f"input '{name}' has {count} elements, not {len(values)}")
    if kind.kind in "iu" and any(each != int(each) for each in values):
        raise ValueError(f"input '{name}' has whole numbers; {said} are said")
    array = numpy.array(values, kind).reshape(shape if len(values) > 1 else ())
    return numpy.broadcast_to(array, shape).copy()


def _apart(random: Any, need: Need, shape: tuple[int, ...], high: Any) -> Any:
    """Distinct indices: with equal ones the outputs of ScatterElements and ScatterND are undefined. None:
    there are too few."""
    numpy = importlib.import_module("numpy")
    if need.apart == -1:
        sizes, count = numpy.asarray(high) + 1, numpy.prod(shape[:-1], dtype=int)
        if count > sizes.prod():
            return None
        flat = random.permutation(sizes.prod())[:count]
        return numpy.stack(numpy.unravel_index(flat, sizes), -1).reshape(shape)
    axis, size = (need.apart or 0) % len(shape), int(high) + 1
    if shape[axis] > size:
        return None
    full = tuple(size if at == axis else each for at, each in enumerate(shape))
    return random.permuted(numpy.broadcast_to(
        numpy.arange(size).reshape([-1 if at == axis else 1 for at in range(len(shape))]), full),
        axis=axis).take(range(shape[axis]), axis)


def _drawn_whole(random: Any, name: str, shape: tuple[int, ...], needs: list[Need],
                 asked: tuple[int, int] | None) -> Any:
    """Whole numbers that meet all needs. ValueError: there are none, or they are unknown."""
    numpy = importlib.import_module("numpy")
    opened = [need for need in needs if need.is_open]
    if asked is not None:
        return random.integers(asked[0], asked[1] + 1, shape)
    if opened:
        raise Undrawn(name, f"input '{name}' picks by its numbers ({opened[0].by}), from an axis whose "
                            "length the file does not say")
    highs = [need.high for need in needs if need.high is not None]
    low = max((need.low for need in needs), default=0)
    low = max(low, 0) if not highs or numpy.min(highs[0]) >= 0 else low
    is_mask = "mask" in name.lower() and low == 0 and shape
    high = highs[0] if highs else low + 9 if not needs else low + 8
    for each in highs[1:]:
        high = numpy.minimum(high, each)
    if numpy.min(high) < low:
        raise Undrawn(name, f"no whole number is right for input '{name}' ({needs[0].by})")
    apart = [need for need in needs if need.apart is not None]
    if apart and (found := _apart(random, apart[0], shape, high)) is not None:
        return found
    if is_mask:  # ones, then zeros
        length = random.integers(1, shape[-1] + 1, (*shape[:-1], 1))
        return (numpy.arange(shape[-1]) < length).astype("i8")
    return random.integers(low, high + 1, shape)


def _drawn_truths(random: Any, shape: tuple[int, ...]) -> Any:
    """Both truth values in each row: attention is NaN if a mask keeps nothing, and whether true or false
    removes elements depends on the model."""
    numpy = importlib.import_module("numpy")
    truths = numpy.asarray(random.integers(0, 2, shape))
    if shape and shape[-1] > 1:
        one_kind = truths.min(-1) == truths.max(-1)
        truths[..., -1] = numpy.where(one_kind, 1 - truths[..., 0], truths[..., -1])
    return truths


def drawn(model: Any, array_of: Callable[[Any], Any], batch: int, seed: int, text: str) -> Drawn:
    """Inputs of a ModelProto: numbers are normal; whole numbers are what the graph asks for (ranges.py),
    else from 0 to 9, of a mask 1 and then 0; truth values either, both in each
    row. ValueError, UnfitBatch."""
    onnx, numpy = importlib.import_module("onnx"), importlib.import_module("numpy")
    constants = {each.name for each in model.graph.initializer}
    given = [value for value in model.graph.input if value.name not in constants]
    said = said_in(text)
    for value in given:
        if not value.type.HasField("tensor_type"):
            raise ValueError(f"input '{value.name}' is not a tensor")
        if value.type.tensor_type.elem_type == onnx.TensorProto.STRING:
            raise ValueError(f"input '{value.name}' takes text, and a model that takes text cannot be "
                             "measured; export the part of it that takes numbers")
    shapes = _Shapes(given, batch, said)
    _check_batch(given, shapes)
    kinds = {value.name: onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
             for value in given}
    ranges = Ranges(model, shapes.shapes, array_of)
    unsaid = {name for name in kinds if name not in said.values and name not in said.ranges}
    sizes = {name: need.by for name, needs in ranges.needs.items() for need in needs if need.is_size and (
        kinds[name].kind in "iu" or len(shapes.shapes[name]) <= 1)}
    _refuse_sizes({name: by for name, by in sizes.items() if name in unsaid}, shapes.shapes)
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    arrays = {}
    for name, kind in kinds.items():
        shape, needs = shapes.shapes[name], [each for each in ranges.needs.get(name, []) if not each.is_size]
        if name in said.values:
            arrays[name] = _said_array(name, shape, kind, batch, said.values[name])
        elif kind.kind in "iu" or (kind.kind == "f" and (needs or name in said.ranges)):
            array = _drawn_whole(random, name, shape, needs, said.ranges.get(name))
            arrays[name] = numpy.asarray(array).astype(kind)
        elif kind.kind == "f":
            arrays[name] = numpy.asarray(random.standard_normal(shape)).astype(kind)
        elif kind.kind == "b":
            arrays[name] = _drawn_truths(random, shape).astype(kind)
        else:
            raise ValueError(f"input '{name}' has elements of {kind}, which are not drawn here")
    doubtful = {name: "as said" for name in kinds if name not in unsaid} | {
        name: need.by for name, needs in ranges.needs.items() for need in needs if name not in unsaid
    } | ranges.doubtful
    return Drawn(arrays, frozenset(sizes) & frozenset(said.values), doubtful)


def _refuse_sizes(sizes: dict[str, str], shapes: dict[str, tuple[int, ...]]) -> None:
    numpy = importlib.import_module("numpy")
    if not sizes:
        return
    names = ", ".join(f"'{name}' ({by})" for name, by in sizes.items())
    example = ",".join(f"{name}={'x'.join(['4'] * max(1, numpy.prod(shapes[name], dtype=int)))}"
                       for name in sizes)
    raise ValueError(f"sizes follow from the values of input{'s' if len(sizes) > 1 else ''} {names}; say "
                     f"them as inputs, each number or N for the batch: '{example}' {WAY}")
