"""Loops as in C, for Numba to compile. Importing this needs Numba.

Arrays are f32 and dense; `out` is written completely. The threads share the rows of an output.
"""
from __future__ import annotations

import importlib
import math
from typing import Any

_numba: Any = importlib.import_module("numba")
prange: Any = _numba.prange  # a name that Numba looks up in this module


def product(a: Any, b: Any, out: Any) -> None:
    """out [m, n] = a [m, k] b [k, n]."""
    for i in prange(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


def convolution(x: Any, w: Any, bias: Any, out: Any) -> None:
    """x [batch, c, h, w], padded already; stride 1; out [batch, channels, rows, columns]."""
    channels, rows, columns = out.shape[1], out.shape[2], out.shape[3]
    for at in prange(out.shape[0] * channels):
        image, o = at // channels, at % channels
        for r in range(rows):
            for s in range(columns):
                out[image, o, r, s] = bias[o]
        for c in range(w.shape[1]):
            for i in range(w.shape[2]):
                for j in range(w.shape[3]):
                    factor = w[o, c, i, j]
                    for r in range(rows):
                        for s in range(columns):
                            out[image, o, r, s] += factor * x[image, c, r + i, s + j]


def recurrence(x: Any, factor: Any, out: Any) -> None:
    """out[b, t] = tanh(factor out[b, t - 1] + x[b, t])."""
    for b in prange(x.shape[0]):
        state = x[b, 0] * 0
        for t in range(x.shape[1]):
            state = math.tanh(factor * state + x[b, t])
            out[b, t] = state
