"""Finds where in a script a measure() is called."""
from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable
from typing import Any

from ._measuring import constants_of, functions_of, lines_of
from .errors import FunctionError

# The facts of the functions when a statement, by its line, first measured a function of a name.
_MEASURED: dict[tuple[int, str, str], _State] = {}
_LONG = 10000  # elements; longer values are not compared by content


class _State:
    """A function, the functions that it uses and the values that they read."""

    def __init__(self, function: types.FunctionType) -> None:
        self.parts: list[Any] = []
        self.kept: list[Any] = []  # so that no other object gets their ids
        for one in functions_of(function):
            self.parts.append(one.__code__)
            self._add(one.__defaults__)
            self._add(one.__kwdefaults__)
            for name in constants_of(one):
                value = one.__globals__[name]
                value = getattr(value, "__dict__", {}).get("__wrapped__", value)
                if not isinstance(value, types.FunctionType):
                    self.parts.append(name)
                    self._add(value)

    def _add(self, value: Any) -> None:
        plain = type(value) in (int, float, complex, bool, str, bytes, type(None), range)
        listed = type(value) in (tuple, list, dict, set, frozenset, bytearray) and len(value) <= _LONG
        self.kept.append(value)
        self.parts.append(repr(value) if plain or listed else id(value))


def line_of_measure(function: Callable[..., Any], *, once: bool = False) -> int | None:
    """The first line of the statement of the running script; None if it is not a script's.

    `once`: measure() is called. FunctionError: the same statement, such as a loop, has already measured a
    different function of that name. The measuring process leaves a statement at its first measure() and
    could not reach this one.
    """
    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    frame: types.FrameType | None = sys._getframe(1)
    line = None
    while frame is not None and path is not None:
        if frame.f_globals is vars(main) and frame.f_code.co_name == "<module>":
            line = frame.f_lineno
        frame = frame.f_back
    if line is None or path is None:
        return None
    try:
        with open(path, "rb") as file:
            lines = [lines_of(statement) for statement in ast.parse(file.read(), path).body]
    except (OSError, SyntaxError, ValueError):
        return None
    first = next((found.start for found in lines if line in found), None)
    if once and first is not None and isinstance(function, types.FunctionType):
        state = _State(function)
        key = (first, function.__module__, function.__name__)
        before = _MEASURED.setdefault(key, state)
        if before.parts != state.parts:
            raise FunctionError(f"{function.__name__} has changed since the statement in line {first} "
                                "measured it; the measuring process cannot distinguish the two; make what "
                                "differs an axis, or measure it in a statement of its own")
    return first
