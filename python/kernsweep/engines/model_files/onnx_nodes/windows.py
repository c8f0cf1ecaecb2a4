"""Operations with a sliding window: convolutions and pools."""
from __future__ import annotations

import math
from typing import Any

from .maker import Attributes, Formless, Function, Maker, Parameters


def _padding(torch: Any, has: Attributes, width: int, fill: float, kernel: list[int], stride: list[int],
             dilation: list[int]) -> tuple[list[int], Function]:
    """(the padding for the function of PyTorch, the separate padding if the ends differ)."""
    functional, kind = torch.nn.functional, has.get("auto_pad", b"NOTSET")
    pads = list(has.get("pads", [0] * (2 * width)))
    if kind in (b"NOTSET", b"VALID"):
        if kind == b"VALID":
            pads = [0] * (2 * width)
        if pads[:width] == pads[width:]:
            return pads[:width], lambda x: x
        around = [end for at in reversed(range(width)) for end in (pads[at], pads[at + width])]
        return [0] * width, lambda x: functional.pad(x, around, value=fill)

    def same(x: Any) -> Any:
        around = []
        for at in reversed(range(width)):
            size, step = x.shape[at + 2], stride[at]
            needed = (-(-size // step) - 1) * step + dilation[at] * (kernel[at] - 1) + 1 - size
            first = max(needed, 0) // 2 if kind == b"SAME_UPPER" else -(-max(needed, 0) // 2)
            around += [first, max(needed, 0) - first]
        return functional.pad(x, around, value=fill)
    return [0] * width, same


def _convolution(torch: Any, has: Attributes, said: Parameters) -> Function:
    groups, kernel = has.get("group", 1), list(has["kernel_shape"]) if "kernel_shape" in has else None
    if kernel is None:
        raise Formless("Conv without kernel_shape")
    width = len(kernel)
    stride, dilation = list(has.get("strides", [1] * width)), list(has.get("dilations", [1] * width))
    if width > 3:
        raise Formless(f"Conv over {width} dimensions")
    convolve = getattr(torch.nn.functional, f"conv{width}d")
    own, before = _padding(torch, has, width, 0.0, kernel, stride, dilation)

    def convolution(x: Any, weight: Any, bias: Any = None) -> Any:
        return convolve(before(x), weight, bias, stride, own, dilation, groups)
    return convolution


def _transposed_convolution(torch: Any, has: Attributes, said: Parameters) -> Function:
    if "kernel_shape" not in has or "output_shape" in has or has.get("auto_pad", b"NOTSET") != b"NOTSET":
        raise Formless("ConvTranspose whose padding is not said")
    width = len(has["kernel_shape"])
    pads, groups = list(has.get("pads", [0] * (2 * width))), has.get("group", 1)
    if width > 3 or pads[:width] != pads[width:]:
        raise Formless("ConvTranspose with this padding")
    stride, dilation = list(has.get("strides", [1] * width)), list(has.get("dilations", [1] * width))
    more = list(has.get("output_padding", [0] * width))
    convolve = getattr(torch.nn.functional, f"conv_transpose{width}d")
    given = stride, pads[:width], more, groups, dilation
    return lambda x, weight, bias=None: convolve(x, weight, bias, *given)


def _max_pool(torch: Any, has: Attributes, said: Parameters) -> Function:
    kernel = list(has["kernel_shape"])
    width = len(kernel)
    stride, dilation = list(has.get("strides", [1] * width)), list(has.get("dilations", [1] * width))
    if width > 3:
        raise Formless(f"MaxPool over {width} dimensions")
    pool = getattr(torch.nn.functional, f"max_pool{width}d")
    own, before = _padding(torch, has, width, -math.inf, kernel, stride, dilation)
    if any(2 * pad > size for pad, size in zip(own, kernel)):
        raise Formless("MaxPool with padding of more than half its window")
    return lambda x: pool(before(x), kernel, stride, own, dilation)


def _average_pool(torch: Any, has: Attributes, said: Parameters) -> Function:
    kernel = list(has["kernel_shape"])
    width = len(kernel)
    stride, counts = list(has.get("strides", [1] * width)), bool(has.get("count_include_pad", 0))
    pads = list(has.get("pads", [0] * (2 * width)))
    if width > 3 or has.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID") \
            or pads[:width] != pads[width:] or list(has.get("dilations", [1] * width)) != [1] * width:
        raise Formless("AveragePool with this padding")
    if any(2 * pad > size for pad, size in zip(pads, kernel)):
        raise Formless("AveragePool with padding of more than half its window")
    pool = getattr(torch.nn.functional, f"avg_pool{width}d")
    return lambda x: pool(x, kernel, stride, pads[:width], False, counts)


WINDOWS: dict[str, Maker] = {
    "Conv": _convolution, "ConvTranspose": _transposed_convolution, "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "GlobalAveragePool": lambda torch, has, said: lambda x: x.mean(tuple(range(2, x.ndim)), keepdim=True),
    "GlobalMaxPool": lambda torch, has, said: lambda x: x.amax(tuple(range(2, x.ndim)), keepdim=True)}
