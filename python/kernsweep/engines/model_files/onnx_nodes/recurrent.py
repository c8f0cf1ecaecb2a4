"""Recurrent networks: RNN, GRU and LSTM, by the functions of PyTorch where it has the same arithmetic, else
as a loop over time."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .maker import Attributes, Formless, Function, Maker, Parameters

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_ORDER = {"RNN": (0,), "GRU": (1, 0, 2), "LSTM": (0, 2, 3, 1)}  # the gates in PyTorch's order
_USUAL = {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}
_ACTIVATIONS = {"Tanh": "tanh", "Sigmoid": "sigmoid", "Relu": "relu"}


class _Weights(NamedTuple):
    """The weights of one direction, with the gates in the order of ONNX, and its activations."""

    w: Any
    r: Any
    wb: Any
    rb: Any
    peep: list[Any]  # of the gates i, o, f; empty if there are none
    activations: tuple[str, ...]


def _directions(torch: Any, kind: str, has: Attributes, said: Parameters) -> list[_Weights]:
    count, (size, units) = _GATES[kind], said[2].shape[1:]
    directions = said[1].shape[0]
    names = [name.decode().capitalize() for name in has.get("activations", [])]
    if has.get("activation_alpha") or has.get("activation_beta") or not set(names) <= set(_ACTIVATIONS):
        raise Formless(f"{kind} with these activations")
    chosen = tuple(_ACTIVATIONS[name] for name in names) or _USUAL[kind] * directions
    each = len(_USUAL[kind])
    peep = said.get(7)
    out = []
    for at in range(directions):
        w, r = (torch.from_numpy(said[place][at].copy()) for place in (1, 2))
        bias = torch.zeros(2 * count * units, dtype=w.dtype) if said.get(3) is None else \
            torch.from_numpy(said[3][at].copy())
        parts = [] if peep is None else list(torch.from_numpy(peep[at].copy()).split(units))
        out.append(_Weights(w, r, bias[:size], bias[size:], parts, chosen[at * each:(at + 1) * each]))
    return out


def _step_of(torch: Any, kind: str, has: Attributes, of: _Weights) -> Callable[..., Any]:
    """(the product with x, the state) -> the next state, as ONNX defines it."""
    clip, joined = has.get("clip"), has.get("input_forget", 0)
    linear_first = has.get("linear_before_reset", 0)
    f, g, h = ([getattr(torch, name) for name in of.activations] + [None, None])[:3]
    r, rb, units = of.r.mT.contiguous(), of.rb, of.r.shape[1]
    pi, po, pf = of.peep or (0.0, 0.0, 0.0)

    def cut(x: Any) -> Any:
        return x if clip is None else x.clamp(-clip, clip)

    def rnn(x: Any, state: Any) -> Any:
        return (f(cut(x + state[0] @ r + rb)),)

    def gru(x: Any, state: Any) -> Any:
        before, = state
        both = cut(x[..., :2 * units] + before @ r[:, :2 * units] + rb[:2 * units])
        update, reset = f(both).split(units, -1)
        if linear_first:
            hidden = reset * (before @ r[:, 2 * units:] + rb[2 * units:])
        else:
            hidden = (reset * before) @ r[:, 2 * units:] + rb[2 * units:]
        return ((1 - update) * g(cut(x[..., 2 * units:] + hidden)) + update * before,)

    def lstm(x: Any, state: Any) -> Any:
        before, cell = state
        i, o, forget, c = (x + before @ r + rb).split(units, -1)
        i = f(cut(i + pi * cell))
        forget = 1 - i if joined else f(cut(forget + pf * cell))
        cell = forget * cell + i * g(cut(c))
        return f(cut(o + po * cell)) * h(cell), cell
    return {"RNN": rnn, "GRU": gru, "LSTM": lstm}[kind]


def _looped(torch: Any, kind: str, has: Attributes, weights: list[_Weights]) -> Function:
    """x and the first states of all directions -> the outputs of all, and the last states."""
    steps = [_step_of(torch, kind, has, of) for of in weights]
    backwards = [at == 1 or has.get("direction") == b"reverse" for at in range(len(weights))]

    def looped(x: Any, states: Any) -> Any:
        outputs, last = [], []
        for at, (of, step) in enumerate(zip(weights, steps)):
            state, made = tuple(each[at] for each in states), []
            products = x @ of.w.mT + of.wb
            for time in range(x.shape[0])[::-1] if backwards[at] else range(x.shape[0]):
                state = step(products[time], state)
                made.append(state[0])
            outputs.append(torch.stack(made[::-1] if backwards[at] else made))
            last.append(state)
        return torch.stack(outputs, 1), *(torch.stack(each) for each in zip(*last))
    return looped


def _library(torch: Any, kind: str, has: Attributes, weights: list[_Weights]) -> Function:
    """The same function, by PyTorch's own implementation."""
    is_reverse, relu = has.get("direction") == b"reverse", weights[0].activations == ("relu",)
    name = {"RNN": "rnn_relu" if relu else "rnn_tanh", "GRU": "gru", "LSTM": "lstm"}[kind]
    function, count = getattr(torch, name), len(weights)

    def in_order(array: Any) -> Any:
        parts = array.chunk(_GATES[kind])
        return torch.cat([parts[at] for at in _ORDER[kind]])
    flat = [in_order(array) for of in weights for array in (of.w, of.r, of.wb, of.rb)]

    def own(x: Any, states: Any) -> Any:
        first = states if kind == "LSTM" else states[0]
        x = x.flip(0) if is_reverse else x
        made, *last = function(x, first, flat, True, 1, 0.0, False, count == 2, False)
        made = made.flip(0) if is_reverse else made
        return made.reshape(*made.shape[:2], count, -1).permute(0, 2, 1, 3), *last
    return own


def _is_usual(kind: str, has: Attributes, weights: list[_Weights]) -> bool:
    usual = {_USUAL[kind], ("relu",) if kind == "RNN" else _USUAL[kind]}
    chosen = {of.activations for of in weights}
    return len(chosen) == 1 and chosen <= usual and not weights[0].peep and has.get("clip") is None \
        and not has.get("input_forget", 0) and (kind != "GRU" or bool(has.get("linear_before_reset", 0)))


def _recurrent(kind: str) -> Maker:
    def maker(torch: Any, has: Attributes, said: Parameters) -> Function:
        has.get("hidden_size")
        is_usual = _is_usual(kind, has, weights := _directions(torch, kind, has, said))
        computed = (_library if is_usual else _looped)(torch, kind, has, weights)
        by_batch, units = bool(has.get("layout", 0)), said[2].shape[2]
        lengths = set() if said.get(4) is None else set(said[4].tolist())

        def recurrent(x: Any, *first: Any) -> Any:
            x = x.transpose(0, 1) if by_batch else x
            if lengths - {x.shape[0]}:
                raise Formless(f"{kind} of sequences that differ in length")
            zeros = x.new_zeros(len(weights), x.shape[1], units)
            given = [zeros if each is None else each.transpose(0, 1) if by_batch else each for each in first]
            states = tuple([*given, zeros, zeros][:2 if kind == "LSTM" else 1])
            made, *last = computed(x, tuple(each.contiguous() for each in states))
            return (made.permute(2, 0, 1, 3) if by_batch else made,
                    *(each.transpose(0, 1) if by_batch else each for each in last))
        return recurrent
    return maker


RECURRENT: dict[str, Maker] = {kind: _recurrent(kind) for kind in _GATES}
