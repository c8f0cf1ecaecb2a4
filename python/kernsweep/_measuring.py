"""Functions for the module files of `kernel` in a measuring process."""
from __future__ import annotations

import __future__
import ast
import dis
import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ACTIVE = False  # whether this process measures: measure() then ends the script that defines the function

# Objects that cannot be an output, as a return value or a part of one (docs/reference/programs.md).
_DOUBTED = frozenset({list, tuple, dict, set, frozenset, range})


# Starts the message if the function that was found is not the one of measure().
DIFFERENT = "the measuring process finds another function than measure() was called of"


class Reached(BaseException):
    """A script has reached a measure()."""


def lines_of(statement: ast.stmt) -> range:
    """The lines of a statement, with those of its decorators."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(line.lineno for line in decorators)])
    return range(first, (statement.end_lineno or first) + 1)


def script(path: str, name: str, line: int | None, argv: Sequence[str]) -> Any:
    """The function of that name in a script, which is run up to a measure(), not as __main__.

    `line` is a line of the top-level statement with the right measure(); None: the script runs to its end.
    Earlier statements with a measure() are left at that call. Errors that follow from this are ignored.
    """
    sys.argv = list(argv)
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    module = types.ModuleType("kernsweep_script")
    module.__file__ = path
    sys.modules[module.__name__] = module
    flags, skipped = 0, False
    for statement in tree.body:
        lines = lines_of(statement)
        if line is not None and lines.start > line:
            break
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for feature in statement.names:
                flags |= getattr(__future__, feature.name).compiler_flag
        code = compile(ast.Module([statement], []), path, "exec", flags, dont_inherit=True)
        try:
            exec(code, module.__dict__)
        except Reached:
            if line in lines:
                break
            skipped = True
        except Exception:
            if not skipped:
                raise
    return getattr(module, name)


def member(module: str, name: str, argv: Sequence[str] | None) -> Any:
    """The function of that name in a module, which sees these arguments; None: those of this process."""
    if argv is not None:
        sys.argv = list(argv)
    try:
        return getattr(importlib.import_module(module), name)
    except Reached as reached:
        raise ImportError(f"{module} calls measure() when it is imported; let `if __name__ == "
                          "'__main__':` hold it") from reached


def names_of(code: types.CodeType) -> set[str]:
    """The global names that a code object reads, with those of the code within it."""
    read, own = set(), set()
    for step in dis.get_instructions(code):
        if step.opname.startswith("LOAD_") and step.opname.endswith(("GLOBAL", "GLOBALS", "NAME")):
            read.add(str(step.argval))
        elif step.opname == "STORE_NAME":  # of a class or a module
            own.add(str(step.argval))
    for within in code.co_consts:
        if isinstance(within, types.CodeType):
            read |= names_of(within)
    return read - own


def constants_of(function: types.FunctionType) -> list[str]:
    """The global names that a function reads and does not write."""
    code = function.__code__
    written = {str(step.argval) for step in dis.get_instructions(code) if step.opname == "STORE_GLOBAL"}
    return sorted((names_of(code) - written) & set(function.__globals__))


def functions_of(function: types.FunctionType) -> list[types.FunctionType]:
    """The function and all functions of its module that it uses, directly or indirectly."""
    found = [function]
    for one in found:
        for name in sorted(names_of(one.__code__)):
            value = one.__globals__.get(name)
            value = getattr(value, "__dict__", {}).get("__wrapped__", value)
            if isinstance(value, types.FunctionType) and value.__globals__ is function.__globals__ \
                    and value not in found:
                found.append(value)
    return found


def facts_of(function: types.FunctionType) -> dict[str, str]:
    """Identifies the function in the measuring process: where it and the functions that it uses begin,
    their defaults, and the numbers and texts of the module that they use."""
    facts: dict[str, str] = {}
    for one in functions_of(function):
        name = one.__name__
        facts[f"the line of {name}"] = str(one.__code__.co_firstlineno)
        defaults = {parameter.name: parameter.default
                    for parameter in inspect.signature(one, follow_wrapped=False).parameters.values()}
        _add_constants(facts, {f"{key} of {name}": value for key, value in defaults.items()})
        _add_constants(facts, {key: one.__globals__[key] for key in constants_of(one)
                               if not key.startswith("__")})
    return dict(sorted(facts.items()))


def _add_constants(facts: dict[str, str], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if type(value) in (int, float, complex, bool, str, bytes, type(None)):
            text = repr(value)
            facts[key] = text if len(text) <= 200 else f"{text[:99]}...{text[-99:]} ({len(text)} long)"


def _is_output(value: Any, depth: int = 0) -> bool:
    """Whether it and all its parts can be an output."""
    if isinstance(value, (tuple, list, dict)):
        items = value.values() if isinstance(value, dict) else value
        return depth < 50 and all(_is_output(item, depth + 1) for item in items)
    if isinstance(value, int):
        return -2**63 <= value < 2**63
    if value is None or isinstance(value, (float, complex, str)) or hasattr(type(value), "__array__"):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def made(found: Any, *, setup: bool, facts: Mapping[str, str] | None = None) -> Callable[..., Any]:
    """The function that `python:` names: it takes the axes and returns what is timed.

    `facts` are those of the function whose measure() was called. RuntimeError: the function differs.
    """
    function = getattr(found, "function", found)
    here = facts_of(function) if facts else {}
    for key, value in (facts or {}).items():
        if here.get(key) != value:
            raise RuntimeError(f"{DIFFERENT}: {key} is {value} there, {here.get(key, 'nothing')} here; let "
                               "the code above measure(), at the top of the file, decide it")
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def prepare(**axes: Any) -> Callable[[], Any]:
        for key in ("seed", "threads"):
            if key not in parameters:
                axes.pop(key, None)
        if setup:
            return function(**axes)  # type: ignore[no-any-return]

        shown: list[bool] = []  # whether the first value can be an output; others are not checked

        def work() -> Any:
            value = function(**axes)
            if type(value) not in _DOUBTED:
                return value
            if not shown:
                shown.append(_is_output(value))
            return value if shown[0] else None

        return work

    return prepare
