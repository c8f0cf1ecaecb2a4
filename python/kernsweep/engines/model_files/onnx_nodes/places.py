"""What picks or writes elements by their places, and what runs along a dimension."""
from __future__ import annotations

from typing import Any

from .maker import Attributes, Formless, Function, Maker, Parameters


def _from_start(torch: Any, at: Any, size: int) -> Any:
    """Places that count from the end, as those from the start."""
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


def _written_slices(torch: Any, has: Attributes, said: Parameters) -> Function:
    if has.get("reduction", b"none") != b"none":
        raise Formless("ScatterND that reduces")

    def written(x: Any, at: Any, values: Any) -> Any:
        places = tuple(_from_start(torch, at[..., each], x.shape[each]) for each in range(at.shape[-1]))
        return x.index_put(places, values)
    return written


def _written_elements(torch: Any, has: Attributes, said: Parameters) -> Function:
    axis = has.get("axis", 0)
    if has.get("reduction", b"none") != b"none":
        raise Formless("ScatterElements that reduces")
    return lambda x, at, values: x.scatter(axis, _from_start(torch, at, x.shape[axis]), values)


def _to_space(torch: Any, has: Attributes, said: Parameters) -> Function:
    size, is_columns = has["blocksize"], has.get("mode", b"DCR") == b"CRD"

    def to_space(x: Any) -> Any:
        n, c, h, w = x.shape
        if is_columns:
            return torch.nn.functional.pixel_shuffle(x, size)
        parts = x.reshape(n, size, size, c // size**2, h, w).permute(0, 3, 4, 1, 5, 2)
        return parts.reshape(n, c // size**2, h * size, w * size)
    return to_space


PLACES: dict[str, Maker] = {
    "Trilu": _triangle, "CumSum": _running_sum, "Einsum": _einsum, "GatherElements": _gathered_elements,
    "GatherND": _gathered_slices, "ScatterND": _written_slices, "ScatterElements": _written_elements,
    "DepthToSpace": _to_space}
