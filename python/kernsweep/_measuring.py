"""What the module files of `kernel` use in a process that measures."""
from __future__ import annotations

import __future__
import ast
import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

ACTIVE = False  # whether this process measures: measure() then ends the script that defines the function

# What a call may return but no output can be (docs/reference/programs.md): it is dropped.
_DROPPED = frozenset({str, list, dict, set, frozenset, bool, complex, range})


class Reached(BaseException):
    """A script has come to the measure() of the function that is named."""


def script(path: str, name: str) -> Any:
    """The function of that name of a script, which is run up to its measure(), not as __main__.

    A statement with the measure() of another function is left where that is called. What fails behind it
    because of that is left, too.
    """
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    module = types.ModuleType("kernsweep_script")
    module.__file__ = path
    sys.modules[module.__name__] = module
    flags, skipped = 0, False
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for feature in statement.names:
                flags |= getattr(__future__, feature.name).compiler_flag
        code = compile(ast.Module([statement], []), path, "exec", flags, dont_inherit=True)
        try:
            exec(code, module.__dict__)
        except Reached as reached:
            if reached.args == (name,):
                break
            skipped = True
        except Exception:
            if not skipped:
                raise
    return getattr(module, name)


def member(module: str, name: str) -> Any:
    """The function of that name of a module."""
    try:
        return getattr(importlib.import_module(module), name)
    except Reached as reached:
        raise ImportError(f"{module} calls measure() when it is imported; let `if __name__ == "
                          "'__main__':` hold it") from reached


def made(found: Any, *, setup: bool) -> Callable[..., Any]:
    """What `python:` calls: it takes the axes and returns what is timed."""
    function = getattr(found, "function", found)
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def prepare(**axes: Any) -> Callable[[], Any]:
        for key in ("seed", "threads"):
            if key not in parameters:
                axes.pop(key, None)
        if setup:
            return function(**axes)  # type: ignore[no-any-return]

        def work() -> Any:
            value = function(**axes)
            return None if type(value) in _DROPPED else value

        return work

    return prepare
