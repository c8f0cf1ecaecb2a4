"""Operations that reduce or select along dimensions, or change shapes."""
from __future__ import annotations

import math
from typing import Any

from .maker import Attributes, Formless, Function, Maker, Parameters


def _reduced(name: str) -> Maker:
    def maker(torch: Any, has: Attributes, said: Parameters) -> Function:
        keep, axes, over_none = bool(has.get("keepdims", 1)), said.get(1), has.get("noop_with_empty_axes", 0)
        wanted = has.get("axes") if axes is None else axes.tolist()
        if not wanted and over_none:
            return lambda x: x

        def reduced(x: Any) -> Any:
            over = sorted({axis % x.ndim for axis in wanted or range(x.ndim)})
            if not over:
                return x
            if name == "norm":
                return torch.linalg.vector_norm(x, dim=over, keepdim=keep)
            kind = x.dtype  # sums and products of small whole numbers have larger ones in PyTorch
            if name == "prod":
                for axis in reversed(over):
                    x = x.prod(axis, keepdim=keep)
                return x.to(kind)
            return getattr(torch, name)(x, dim=over, keepdim=keep).to(kind)
        return reduced
    return maker


def _placed(name: str) -> Maker:
    def maker(torch: Any, has: Attributes, said: Parameters) -> Function:
        axis, keep, of = has.get("axis", 0), bool(has.get("keepdims", 1)), getattr(torch, name)
        return lambda x: of(x, dim=axis, keepdim=keep)
    return maker


def _gathered(torch: Any, has: Attributes, said: Parameters) -> Function:
    axis = has.get("axis", 0)

    def gathered(x: Any, at: Any) -> Any:
        along = axis % x.ndim
        flat = at.reshape(-1).long()
        flat = torch.where(flat < 0, flat + x.shape[along], flat)
        return x.index_select(along, flat).reshape((*x.shape[:along], *at.shape, *x.shape[along + 1:]))
    return gathered


def _flattened(torch: Any, has: Attributes, said: Parameters) -> Function:
    """Reshapes to two dimensions: those before `axis`, and the others."""
    axis = has.get("axis", 1)
    return lambda x: x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def _reshaped(torch: Any, has: Attributes, said: Parameters) -> Function:
    """A size of 0 means the input's size at this position; with `allowzero` it means 0."""
    to, is_zero = [int(size) for size in said[1]], bool(has.get("allowzero", 0))
    return lambda x: x.reshape([x.shape[at] if size == 0 and not is_zero else size
                                for at, size in enumerate(to)])


def _turned(torch: Any, has: Attributes, said: Parameters) -> Function:
    order = has.get("perm")
    return lambda x: x.permute(order or list(range(x.ndim))[::-1])


def _joined(torch: Any, has: Attributes, said: Parameters) -> Function:
    axis = has["axis"]
    return lambda *xs: torch.cat(xs, axis)


def _axes_of(has: Attributes, said: Parameters) -> list[int] | None:
    axes = said.get(1)
    return has.get("axes") if axes is None else [int(axis) for axis in axes.reshape(-1)]


def _squeezed(torch: Any, has: Attributes, said: Parameters) -> Function:
    axes = _axes_of(has, said)
    return lambda x: x.squeeze() if axes is None else x.squeeze(tuple(axes))


def _unsqueezed(torch: Any, has: Attributes, said: Parameters) -> Function:
    axes = _axes_of(has, said) or []

    def unsqueezed(x: Any) -> Any:
        rank = x.ndim + len(axes)
        for axis in sorted(axis % rank for axis in axes):
            x = x.unsqueeze(axis)
        return x
    return unsqueezed


def _sliced(torch: Any, has: Attributes, said: Parameters) -> Function:
    begin, end, axes, steps = (None if said.get(at) is None else [int(each) for each in said[at].reshape(-1)]
                               for at in (1, 2, 3, 4))
    begin, end, axes = begin or has.get("starts"), end or has.get("ends"), axes or has.get("axes")
    if begin is None or end is None:
        raise Formless("Slice without its ends")

    def sliced(x: Any) -> Any:
        places = [slice(None)] * x.ndim
        for at, (first, last) in enumerate(zip(begin, end)):
            axis, step = (axes[at] if axes else at) % x.ndim, steps[at] if steps else 1
            if step > 0:
                places[axis] = slice(first, last, step)
                continue
            wanted = range(x.shape[axis])[first:last:step]  # PyTorch has no negative steps
            x = x.flip(axis)
            places[axis] = slice(x.shape[axis] - 1 - wanted.start, x.shape[axis] - 1 - wanted.stop, -step) \
                if wanted else slice(0, 0)
        return x[tuple(places)]
    return sliced


def _parted(torch: Any, has: Attributes, said: Parameters) -> Function:
    axis, sizes = has.get("axis", 0), said.get(1)
    said_sizes = has.get("split") if sizes is None else [int(size) for size in sizes]
    parts = has.get("num_outputs", has.get("outputs"))

    def parted(x: Any) -> Any:
        return torch.split(x, said_sizes or -(-x.shape[axis] // parts), axis)
    return parted


def _expanded(torch: Any, has: Attributes, said: Parameters) -> Function:
    to = [int(size) for size in said[1]]
    return lambda x: x.expand(torch.broadcast_shapes(x.shape, to))


def _tiled(torch: Any, has: Attributes, said: Parameters) -> Function:
    times = [int(each) for each in said[1]]
    return lambda x: x.repeat(times)


def _padded(torch: Any, has: Attributes, said: Parameters) -> Function:
    pads = list(has.get("pads", [])) if said.get(1) is None else [int(each) for each in said[1]]
    fill = has.get("value", 0.0) if said.get(2) is None else said[2].item()
    form = {b"constant": "constant", b"reflect": "reflect", b"edge": "replicate"}.get(
        has.get("mode", b"constant"))
    if form is None or said.get(3) is not None:
        raise Formless("Pad of this kind")
    half = len(pads) // 2
    around = [end for at in reversed(range(half)) for end in (pads[at], pads[at + half])]
    if form == "constant":
        return lambda x: torch.nn.functional.pad(x, around, value=fill)

    def padded(x: Any) -> Any:  # these forms are for the dimensions after the first two
        if x.ndim < 3 or any(around[2 * (x.ndim - 2):]):
            raise Formless("Pad of these dimensions")
        return torch.nn.functional.pad(x, around[:2 * (x.ndim - 2)], form)
    return padded


def _rounded_to_f32(number: float) -> float:
    """By functions that torch.compile can trace, which does not accept scalars of NumPy."""
    part, exponent = math.frexp(number)
    return math.ldexp(round(math.ldexp(part, 24)), exponent - 24)


def _resized(torch: Any, has: Attributes, said: Parameters) -> Function:
    form = has.get("mode", b"nearest"), has.get("coordinate_transformation_mode", b"half_pixel")
    nearest, axes = has.get("nearest_mode", b"round_prefer_floor"), has.get("axes")
    known = {(b"linear", b"half_pixel"): False, (b"linear", b"pytorch_half_pixel"): False,
             (b"linear", b"align_corners"): True, (b"nearest", b"asymmetric"): None,
             (b"cubic", b"half_pixel"): False, (b"cubic", b"align_corners"): True}
    if form not in known or (form[0] == b"nearest" and nearest != b"floor") or axes is not None \
            or (form[0] == b"cubic" and round(has.get("cubic_coeff_a", -0.75), 6) != -0.75):
        raise Formless("Resize of this kind")
    sizes = said[3].tolist() if said.get(3) is not None and said[3].size else None
    scales = None if sizes is not None else [float(scale) for scale in said[2]]

    def resized(x: Any) -> Any:
        # Sizes are products in f32: 10 times 0.9 is 9, not slightly less.
        exact = sizes or [_rounded_to_f32(size * scale) for size, scale in zip(x.shape, scales or ())]
        to = [math.floor(size) for size in exact]
        if to[:2] != list(x.shape[:2]) or not 3 <= x.ndim <= 5 or (form[0] == b"cubic" and x.ndim != 4):
            raise Formless("Resize of other dimensions than those of an image")
        by = {"size": to[2:]} if scales is None or to == exact else {"scale_factor": scales[2:]}
        differs = {b"align_corners": to != exact, b"pytorch_half_pixel": 1 in to[2:]}
        if differs.get(form[1]):
            raise Formless("Resize to these sizes")
        names = {b"linear": {3: "linear", 4: "bilinear", 5: "trilinear"}, b"cubic": {4: "bicubic"}}
        name = names.get(form[0], {}).get(x.ndim, "nearest")
        made = torch.nn.functional.interpolate(x, **by, mode=name, align_corners=known[form])
        if list(made.shape) != to:
            raise Formless("Resize to these sizes")
        return made
    return resized


def _filled(torch: Any, has: Attributes, said: Parameters) -> Function:
    value, shape = has.get("value"), [int(size) for size in said[0]]
    array = None if value is None else value.reshape(-1)
    return lambda: torch.zeros(shape) if array is None else torch.from_numpy(array.copy()).expand(shape)


def _range(torch: Any, has: Attributes, said: Parameters) -> Function:
    begin, end, step = (said[at].item() for at in range(3))
    kind = torch.from_numpy(said[0].reshape(-1).copy()).dtype
    return lambda: torch.arange(begin, end, step, dtype=kind)


def _same(torch: Any, has: Attributes, said: Parameters) -> Function:
    if said.get(2) is not None and said[2].any():
        raise Formless("Dropout while training")
    return lambda x: x


SHAPES: dict[str, Maker] = {
    **{f"Reduce{name}": _reduced(of) for name, of in (
        ("Mean", "mean"), ("Sum", "sum"), ("Max", "amax"), ("Min", "amin"), ("Prod", "prod"),
        ("L2", "norm"))},
    "ArgMax": _placed("argmax"), "ArgMin": _placed("argmin"), "Gather": _gathered, "Flatten": _flattened,
    "Reshape": _reshaped, "Transpose": _turned, "Concat": _joined, "Squeeze": _squeezed,
    "Unsqueeze": _unsqueezed, "Slice": _sliced, "Split": _parted, "Expand": _expanded, "Tile": _tiled,
    "Pad": _padded, "Resize": _resized, "ConstantOfShape": _filled, "Range": _range, "Identity": _same,
    "Dropout": _same}
