"""What the module files of `kernel` use in a process that measures."""
from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from typing import Any

ACTIVE = False  # whether this process measures: measure() then ends the script that defines the function

# What a call may return but no output can be (docs/reference/programs.md): it is dropped.
_DROPPED = frozenset({str, list, dict, set, frozenset, bool, complex, range})


class Reached(BaseException):
    """A script has come to its measure(): what stands above it has been run."""


def script(path: str, name: str) -> Any:
    """The function of that name of a script, which is run up to its first measure(), not as __main__."""
    spec = importlib.util.spec_from_file_location("kernsweep_script", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Reached:
        pass
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
