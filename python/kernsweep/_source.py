"""The source of a function that is not in a file: of a notebook or an interactive session."""
from __future__ import annotations

import ast
import inspect
import linecache
import sys
import textwrap
import types
from collections.abc import Callable
from typing import Any

from ._measuring import lines_of, names_of
from .errors import FunctionError

_CONSTANTS = (int, float, complex, str, bytes, bool, type(None))


def source_of(function: Callable[..., Any]) -> str:
    """The text of a module with the function and what it uses of its session.

    Modules are imported; functions and classes of the session are written with their source, constants with
    their value. Errors: FunctionError, the source is not available, or it uses something else.
    """
    parts: list[str] = []
    _add(function, parts, set(), function.__name__)
    return "\n".join(parts) + "\n"


def _add(thing: Any, parts: list[str], seen: set[int], of: str) -> None:
    if id(thing) in seen:
        return
    seen.add(id(thing))
    try:
        tree = ast.parse(textwrap.dedent(_text_of(thing)))
    except (OSError, TypeError, SyntaxError) as error:
        raise FunctionError(f"the source of {thing.__name__} cannot be had ({error}); write it to a file "
                            "and import it from there") from error
    definition = tree.body[0]
    if isinstance(definition, (ast.FunctionDef, ast.ClassDef)):
        definition.decorator_list = [line for line in definition.decorator_list if not _is_kernel(line)]
    text = ast.unparse(tree)
    session = thing.__globals__ if inspect.isfunction(thing) else vars(sys.modules["__main__"])
    names = names_of(compile(text, "<session>", "exec", dont_inherit=True))
    for name in sorted(names & set(session)):
        _carry(name, session[name], parts, seen, of)
    parts.append(text)


def _text_of(thing: Any) -> str:
    """The source; the methods of a session's class show where its source is."""
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        for method in vars(thing).values() if inspect.isclass(thing) else ():
            code = getattr(getattr(method, "__func__", method), "__code__", None)
            if code is None:
                continue
            lines = linecache.getlines(code.co_filename)
            for node in ast.walk(ast.parse("".join(lines))):
                if isinstance(node, ast.ClassDef) and node.name == thing.__name__ \
                        and code.co_firstlineno in lines_of(node):
                    return "".join(lines[line - 1] for line in lines_of(node))
        raise


def _carry(name: str, value: Any, parts: list[str], seen: set[int], of: str) -> None:
    value = getattr(value, "function", value) if type(value).__name__ == "Kernel" else value
    if isinstance(value, types.ModuleType):
        parts.append(f"import {value.__name__} as {name}" if "." in value.__name__ or name != value.__name__
                     else f"import {name}")
    elif isinstance(value, _CONSTANTS):
        parts.append(f"{name} = {value!r}" if value == value else f"{name} = float('nan')")
    elif inspect.isfunction(value) or inspect.isclass(value) or inspect.isbuiltin(value):
        if value.__module__ == "__main__":
            _add(value, parts, seen, of)
        else:
            parts.append(f"from {value.__module__} import {value.__qualname__} as {name}")
    else:
        raise FunctionError(f"{of} uses {name}, a {type(value).__name__} of this session, which the "
                            "measuring process lacks; make it within the function, or import it from a file")


def _is_kernel(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) == "kernel"
