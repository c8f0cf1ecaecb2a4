"""The sizes of a model file's inputs: which is the batch, and which others are left open."""
from __future__ import annotations

import ast
import operator
import re
from typing import Any

_BATCH = re.compile(r"(?i)n|b|bs|\w*batch\w*")
_OTHER = re.compile(r"(?i)seq|len|token|time|step")
# Names that programs give to sizes: they say nothing.
_SAYS_NOTHING = re.compile(r"(?i)s\d+|u\d+|unk\w*|dim_?\d*|none|\?|-1|.*DynamicDimension\.\d+|"
                           r".*_dynamic_axes_\d+|.*_dim_\d+|")
_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
               ast.FloorDiv: operator.floordiv, ast.Div: operator.floordiv}


def is_batch(name: str) -> bool:
    """Whether files call the size of a batch so."""
    name = name.replace("-", "_").replace(".", "_")
    return bool(_BATCH.fullmatch(name)) and not _OTHER.search(name)


def says_nothing(name: str) -> bool:
    """Whether a program made the name, and it has no meaning."""
    return bool(_SAYS_NOTHING.fullmatch(name))


def dimensions_of(value: Any) -> list[Any]:
    """Of an input, as the file has them. ValueError: it has none, not even their number."""
    if not value.type.tensor_type.HasField("shape"):
        raise ValueError(f"the file does not say how many sizes input '{value.name}' has; say them as "
                         f"inputs: '{value.name}:Nx8' (bench: --inputs)")
    return list(value.type.tensor_type.shape.dim)


def batch_names(given: list[Any]) -> set[str]:
    """What these inputs call the batch. Where no size is called so: the first size of the first input that
    leaves that open, if its name says nothing."""
    shapes = [value.type.tensor_type.shape.dim for value in given]
    names = {size.dim_param for sizes in shapes for size in sizes if size.dim_value <= 0}
    called = {name for name in names if is_batch(name)}
    if called:
        return called
    first = [sizes[0].dim_param for sizes in shapes if sizes and sizes[0].dim_value <= 0][:1]
    return {name for name in first if name and says_nothing(name)}


def names_in(text: str) -> list[str]:
    """The names of an expression such as "past + 1"; one that is none is a name itself."""
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
    """The size that an expression of names says; None: one of them is not known."""
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
