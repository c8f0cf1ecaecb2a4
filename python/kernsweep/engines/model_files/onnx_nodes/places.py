"""Operations that read or write elements by index, and operations along a dimension."""
from __future__ import annotations

import math
from typing import Any

from .maker import Attributes, Formless, Function, Maker, Parameters


def _from_start(torch: Any, at: Any, size: int) -> Any:
    """Indices from the end, converted to indices from the start."""
    return torch.where(at < 0, at + size, at).long()


def _triangle(torch: Any, has: Attributes, said: Parameters) -> Function:
    diagonal = 0 if said.get(1) is None else int(said[1].reshape(-1)[0])
    of = torch.triu if has.get("upper", 1) else torch.tril
    return lambda x: of(x, diagonal)


def _running_sum(torch: Any, has: Attributes, said: Parameters) -> Function:
    axis, backwards = int(said[1].reshape(-1)[0]), bool(has.get("reverse", 0))
    without_own = bool(has.get("exclusive", 0))

    def running_sum(x: Any) -> Any:
        x = x.flip(axis) if backwards else x
        total = x.cumsum(axis, dtype=x.dtype)
        total = total - x if without_own else total
        return total.flip(axis) if backwards else total
    return running_sum


def _einsum(torch: Any, has: Attributes, said: Parameters) -> Function:
    equation = has["equation"].decode()
    return lambda *xs: torch.einsum(equation, *xs)


def _gathered_elements(torch: Any, has: Attributes, said: Parameters) -> Function:
    axis = has.get("axis", 0)
    return lambda x, at: x.gather(axis, _from_start(torch, at, x.shape[axis]))


def _gathered_slices(torch: Any, has: Attributes, said: Parameters) -> Function:
    if has.get("batch_dims", 0):
        raise Formless("GatherND of batches")
    return lambda x, at: x[tuple(_from_start(torch, at[..., each], x.shape[each])
                                 for each in range(at.shape[-1]))]


def _reduction_of(has: Attributes) -> str | None:
    """As scatter_reduce() calls it; None: elements are replaced."""
    names = {b"none": None, b"add": "sum", b"mul": "prod", b"max": "amax", b"min": "amin"}
    name = has.get("reduction", b"none")
    if name not in names:
        raise Formless(f"a reduction {name.decode()}")
    return names[name]


def _written_slices(torch: Any, has: Attributes, said: Parameters) -> Function:
    reduction = _reduction_of(has)

    def written(x: Any, at: Any, values: Any) -> Any:
        count = at.shape[-1]
        places = tuple(_from_start(torch, at[..., each], x.shape[each]) for each in range(count))
        if reduction is None:
            return x.index_put(places, values)
        rows = torch.zeros_like(places[0])
        for each, size in zip(places, x.shape):
            rows = rows * size + each
        flat = x.reshape(math.prod(x.shape[:count]), -1)
        taken = rows.reshape(-1, 1).expand(-1, flat.shape[1])
        return flat.scatter_reduce(0, taken, values.reshape(taken.shape), reduction).reshape(x.shape)
    return written


def _written_elements(torch: Any, has: Attributes, said: Parameters) -> Function:
    axis, reduction = has.get("axis", 0), _reduction_of(has)

    def written(x: Any, at: Any, values: Any) -> Any:
        at = _from_start(torch, at, x.shape[axis])
        return x.scatter(axis, at, values) if reduction is None else x.scatter_reduce(
            axis, at, values, reduction)
    return written


def _largest(torch: Any, has: Attributes, said: Parameters) -> Function:
    """Among equal values the one at the lower index comes first, which topk() does not guarantee: if the
    inputs have equal values, all are sorted."""
    count = int(has["k"] if said.get(1) is None else said[1].reshape(-1)[0])
    axis, largest, ordered = has.get("axis", -1), bool(has.get("largest", 1)), has.get("sorted", 1)
    has_equals: list[bool] = []  # known from the first call, which makes the module

    def sorted_out(x: Any, most: int) -> Any:
        values, at = x.sort(dim=axis, descending=largest, stable=True)
        return values.narrow(axis, 0, most), at.narrow(axis, 0, most)

    def chosen(x: Any) -> Any:
        if not has_equals:
            near = sorted_out(x, min(count + 1, x.shape[axis]))[0].movedim(axis, 0)
            has_equals.append(bool((near[1:] == near[:-1]).any()) or not ordered)
        return sorted_out(x, count) if has_equals[0] else torch.topk(x, count, axis, largest)
    return chosen


def _to_space(torch: Any, has: Attributes, said: Parameters) -> Function:
    size, is_columns = has["blocksize"], has.get("mode", b"DCR") == b"CRD"

    def to_space(x: Any) -> Any:
        n, c, h, w = x.shape
        if is_columns:
            return torch.nn.functional.pixel_shuffle(x, size)
        parts = x.reshape(n, size, size, c // size**2, h, w).permute(0, 3, 4, 1, 5, 2)
        return parts.reshape(n, c // size**2, h * size, w * size)
    return to_space


def _one_hot(torch: Any, has: Attributes, said: Parameters) -> Function:
    depth, axis = int(said[1].reshape(-1)[0]), has.get("axis", -1)

    def one_hot(at: Any, values: Any) -> Any:
        along = axis % (at.ndim + 1)
        shape = [depth if each == along else 1 for each in range(at.ndim + 1)]
        is_on = _from_start(torch, at, depth).unsqueeze(along) == torch.arange(depth).reshape(shape)
        return torch.where(is_on, values[1], values[0])
    return one_hot


def _grid_sampled(torch: Any, has: Attributes, said: Parameters) -> Function:
    modes = {b"linear": "bilinear", b"bilinear": "bilinear", b"nearest": "nearest"}
    mode = modes.get(has.get("mode", b"linear"))
    padding, corners = has.get("padding_mode", b"zeros").decode(), bool(has.get("align_corners", 0))
    if mode is None or padding == "reflection":
        raise Formless("GridSample of this kind")
    return lambda x, at: torch.nn.functional.grid_sample(x, at, mode, padding, corners)


PLACES: dict[str, Maker] = {
    "OneHot": _one_hot, "GridSample": _grid_sampled,
    "NonZero": lambda torch, has, said: lambda x: torch.nonzero(x).T.contiguous(),
    "Trilu": _triangle, "CumSum": _running_sum, "Einsum": _einsum, "GatherElements": _gathered_elements,
    "GatherND": _gathered_slices, "ScatterND": _written_slices, "ScatterElements": _written_elements,
    "TopK": _largest, "DepthToSpace": _to_space}
