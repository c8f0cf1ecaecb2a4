"""The sizes of a model file's inputs: which is the batch, and which others are left open."""
from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_BATCH = re.compile(r"(?i)n|b|bs|\w*batch\w*")
_OTHER = re.compile(r"(?i)seq|len|token|time|step")
# Names that programs give to sizes: they have no meaning.
_SAYS_NOTHING = re.compile(r"(?i)s\d+|u\d+|unk\w*|dim_?\d*|none|\?|-1|.*DynamicDimension\.\d+|"
                           r".*_dynamic_axes_\d+|.*_dim_\d+|")
_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
               ast.FloorDiv: operator.floordiv, ast.Div: operator.floordiv}
_USUAL = {*range(1, 33), *(1 << at for at in range(6, 12)), 96, 160, 192, 224, 240, 299, 320, 384, 416, 480,
          640, 768}
_SIZE_MAX = 4096  # of those that are tried
_SHOWN = 8


class OpenSize(NamedTuple):
    """Sizes that are one number: those with the same name in the file, or several that are tried
    together."""

    names: tuple[str, ...]  # as in the file; without meaningless names
    places: tuple[tuple[str, int], ...]  # inputs and their dimensions
    is_batch: bool


def is_batch(name: str) -> bool:
    """Whether files use this name for the size of a batch."""
    name = name.replace("-", "_").replace(".", "_")
    return bool(_BATCH.fullmatch(name)) and not _OTHER.search(name)


def says_nothing(name: str) -> bool:
    """Whether a program made the name, and it has no meaning."""
    return bool(_SAYS_NOTHING.fullmatch(name))


def dimensions_of(value: Any) -> list[Any]:
    """The sizes in the file. ValueError: an input has none, not even their number."""
    if not value.type.tensor_type.HasField("shape"):
        raise ValueError(f"the file does not say how many sizes input '{value.name}' has; say them as "
                         f"inputs: '{value.name}:Nx8' (bench: --inputs)")
    return list(value.type.tensor_type.shape.dim)


def batch_names(given: list[Any]) -> set[str]:
    """The name of the batch in these inputs. If no size has such a name: the first size of the first input
    that leaves it open, if its name has no meaning."""
    shapes = [value.type.tensor_type.shape.dim for value in given]
    names = {size.dim_param for sizes in shapes for size in sizes if size.dim_value <= 0}
    called = {name for name in names if is_batch(name)}
    if called:
        return called
    first = [sizes[0].dim_param for sizes in shapes if sizes and sizes[0].dim_value <= 0][:1]
    return {name for name in first if name and says_nothing(name)}


def names_in(text: str) -> list[str]:
    """The names of an expression such as "past + 1"; one that is not an expression is a name itself."""
    tree = _tree(text)
    return [text] if tree is None else [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _tree(text: str) -> ast.expr | None:
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    allowed = (ast.BinOp, ast.Name, ast.Constant, ast.operator, ast.expr_context)
    return tree if all(isinstance(node, allowed) for node in ast.walk(tree)) else None


def computed(text: str, known: dict[str, int]) -> int | None:
    """The size that an expression of names gives; None: one of them is unknown."""
    def value(node: ast.AST) -> int:
        if isinstance(node, ast.Name):
            return known[node.id]
        if isinstance(node, ast.Constant):
            return int(node.value)  # type: ignore[arg-type]
        if isinstance(node, ast.BinOp):
            return int(_OPERATIONS[type(node.op)](value(node.left), value(node.right)))
        raise KeyError(text)
    if text in known:
        return known[text]
    tree = _tree(text)
    try:
        size = None if tree is None else value(tree)
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None
    return size if size is not None and size > 0 else None


def open_sizes(model: Any, arrays: Mapping[str, Any], batch: int) -> list[OpenSize]:
    """The sizes that the file leaves open: the most likely causes first, and then all that are not
    the batch, together."""
    found: dict[str, list[tuple[str, int]]] = {}
    given = [value for value in model.graph.input if value.name in arrays]
    batches = batch_names(given)
    for value in given:
        for axis, size in enumerate(value.type.tensor_type.shape.dim):
            if size.dim_value <= 0:
                found.setdefault(size.dim_param or f"\0{value.name} {axis}", []).append((value.name, axis))
    sizes = [OpenSize(() if says_nothing(name) or name[0] == "\0" else (name,), tuple(places),
                      name in batches or (name[0] == "\0" and places[0][1] == 0))
             for name, places in found.items()]
    sizes.sort(key=lambda size: size.is_batch == (batch == 1))
    others = [size for size in sizes if not size.is_batch]
    if len(others) > 1:
        sizes.append(OpenSize(tuple(name for size in others for name in size.names),
                              tuple(place for size in others for place in size.places), False))
    return sizes


def candidates_of(model: Any, array_of: Callable[[Any], Any], arrays: Mapping[str, Any]) -> list[int]:
    """Sizes that are worth trying: small and usual ones, those of the inputs, and what divides a size or a
    small whole number of a weight."""
    has = {size for array in arrays.values() for size in array.shape}
    constants = (each.t for node in model.graph.node for each in node.attribute if each.HasField("t"))
    for tensor in (*model.graph.initializer, *constants):
        has.update(tensor.dims)
        is_here = tensor.data_location != tensor.EXTERNAL
        if is_here and tensor.data_type in (6, 7) and tensor.ByteSize() < 600:
            has.update(int(number) for number in array_of(tensor).reshape(-1))
    divisors = {part for size in has for part in range(1, min(size, _SIZE_MAX) + 1) if size % part == 0}
    return sorted({*_USUAL, *divisors})


def described(fit: tuple[int, ...], tried: tuple[int, ...]) -> str:
    """What a size must be, if `fit` are right of those `tried`; in words if they follow a rule."""
    first, last = fit[0], fit[-1]
    if len(fit) > 3:
        if first > 1 and fit == tuple(size for size in tried if size % first == 0):
            return f"a multiple of {first}"
        if fit == tuple(size for size in tried if size >= first):
            return f"{first} or more"
        if fit == tuple(size for size in tried if size <= last):
            return f"{last} at most"
    listed = ", ".join(map(str, fit[:_SHOWN])) + (", ..." if len(fit) > _SHOWN else "")
    return listed if len(fit) == 1 else f"one of {listed}"
