"""Functions of the user as kernels of a sweep."""
from __future__ import annotations

import functools
import hashlib
import inspect
import os
import re
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, ParamSpec, TypeVar

from . import _measuring
from ._place import line_of_measure
from ._run import run
from ._source import source_of
from .errors import FunctionError, MeasurementError, SweepError
from .results import Results

P = ParamSpec("P")
R = TypeVar("R")

FOLDER = "kernsweep_functions"  # of the module files, below the working directory
# Axes that are not passed, by docs/reference/programs.md.
_NOT_PASSED = ("variant", "threads", "copies", "label", "count", "seed", "python.interpreter")


class Kernel(Generic[P, R]):
    """A function with the axes over which it is measured. Calling it calls the function."""

    def __init__(self, function: Callable[P, R], axes: Mapping[str, Any], setup: bool,
                 keys: Mapping[str, Any]) -> None:
        _check(function, [*axes, *_operands(keys), *(["build"] if "build" in keys else [])], axes)
        functools.update_wrapper(self, function)
        self.function = function
        self.axes = dict(axes)
        self.setup = setup
        self.keys = {"name": function.__name__, **keys}
        self._text = ""  # of the last module file

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<kernel {self.function.__name__} over {', '.join(self.axes)}>"

    def sweep(self) -> dict[str, Any]:
        """The sweep as a dict, as `run` takes it; its module file is written by `measure`."""
        return self._sweep(self._text or self._module(line_of_measure(self.function)))

    def measure(self, **options: Any) -> Results:
        """Measures the function over its axes; `options` are those of `run`.

        Writes a module file for the measuring processes to `kernsweep_functions` in this folder. It runs a
        script up to this `measure()`, imports a module, or has the source of a notebook's function.
        """
        if _measuring.ACTIVE:
            raise _measuring.Reached(self.function.__name__)
        text = self._module(line_of_measure(self.function, once=True))
        sweep = self._sweep(text)
        os.makedirs(FOLDER, exist_ok=True)
        path = os.path.join(FOLDER, f"{self._stem(text)}.py")
        part = f"{path}.{os.getpid()}.{threading.get_ident()}"  # so that no process reads a part of it
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
        self._text = text
        try:
            return run(sweep, **options)
        except (MeasurementError, SweepError) as error:
            if _measuring.DIFFERENT in str(error):
                raise FunctionError(str(error)) from error
            raise

    def _sweep(self, text: str) -> dict[str, Any]:
        name = self.keys["name"]
        if isinstance(name, str) and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", name):
            raise FunctionError(f"a sweep and its database cannot be called {name!r}: letters, digits, _, - "
                                "and ., beginning with a letter or digit; give @kernel another name=")
        return {**self.keys, "python": f"{FOLDER}.{self._stem(text)}:{_ascii(self.function.__name__)}",
                "axes": self.axes}

    def _stem(self, text: str) -> str:
        """The name of the module: a different text, such as that of another script, is a different
        module."""
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
        return f"{_ascii(self.function.__name__)}_{digest}"

    def _module(self, line: int | None) -> str:
        """The text of the module file."""
        function = self.function
        name = function.__name__
        main = sys.modules.get("__main__")
        script = getattr(main, "__file__", None)
        spec = getattr(main, "__spec__", None)  # of `python -m MODULE`
        module = spec.name if function.__module__ == "__main__" and spec else function.__module__
        if module == "__main__":
            if script and os.path.exists(script) and _same(script, function.__code__.co_filename):
                load = f"script({os.path.abspath(script)!r}, {name!r}, {line}, {sys.argv!r})"
            else:
                load = name
        else:
            argv = None if "ipykernel" in sys.modules else sys.argv
            load = f"member({module!r}, {name!r}, {argv!r})"
        source = source_of(function) if load == name else ""
        facts = {} if source else _measuring.facts_of(function)  # type: ignore[arg-type]
        load = load if source else f"_measuring.{load}"
        return _HEAD.format(paths=_paths()) + source + _TAIL.format(
            name=_ascii(name), load=load, setup=self.setup, facts=facts)


_HEAD = """# Written by kernsweep for the processes that measure; each measure() rewrites it.
import sys
sys.path += [path for path in {paths} if path not in sys.path]
from kernsweep import _measuring
_measuring.ACTIVE = True
"""
_TAIL = """
{name} = _measuring.made({load}, setup={setup}, facts={facts})
"""


def kernel(function: Callable[..., Any] | None = None, /, *, setup: bool = False, name: str | None = None,
           problem: Sequence[str] | None = None, measure: Mapping[str, Any] | None = None,
           verify: Mapping[str, Any] | bool | None = None, keys: Mapping[str, Any] | None = None,
           over: Mapping[str, Any] | None = None,
           **axes: Any) -> Callable[[Callable[P, R]], Kernel[P, R]]:
    """Makes a function a kernel: `@kernel(n=[10, 100])`. Each axis is an argument of the function.

    The call of the function is timed; with `setup=True`, the function returns a callable without
    parameters, whose call is timed. `problem` lists the axes that define the task; all others compete.
    `name` is the name of the sweep and its database, `measure` and `verify` are keys of the sweep language,
    `keys` are any others. `over` are axes whose names are not Python names (`{"blas.library": [...]}`) or
    are names of options. A call that returns a set, or an object that is no number, text or array, is
    measured, but its output is not compared.

    >>> @kernel(n=[10, 100], problem=["n"])
    ... def work(n):
    ...     return sum(range(n))
    >>> work(10)
    45
    >>> work.sweep()["axes"]
    {'n': [10, 100]}
    """
    if function is not None:
        raise FunctionError("write the axes: @kernsweep.kernel(n=[10, 100])")
    given = {"name": name, "problem": None if problem is None else list(problem), "measure": measure,
             "verify": verify}
    said = {key: value for key, value in given.items() if value is not None}

    def decorate(function: Callable[P, R]) -> Kernel[P, R]:
        return Kernel(function, {**axes, **(over or {})}, setup, {**said, **(keys or {})})

    return decorate


def _operands(keys: Mapping[str, Any]) -> list[str]:
    """Names of the arrays that the function gets."""
    operands = keys.get("operands")
    return [str(name) for name in operands] if isinstance(operands, Mapping) else []


def _ascii(name: str) -> str:
    """A name of a function as the sweep language takes it."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _check(function: Any, names: Sequence[str], axes: Mapping[str, Any]) -> None:
    """Whether it can be measured, as far as known in advance. `names`: axes, operands, and `build`."""
    name = getattr(function, "__name__", repr(function))
    if not inspect.isfunction(function):
        raise FunctionError(f"{name} is not a function written in Python; write one that calls it")
    if name == "<lambda>":
        raise FunctionError("a lambda has no name by which the measuring process could find it; write `def`")
    if "<locals>" in function.__qualname__ or "." in function.__qualname__:
        raise FunctionError(f"{function.__qualname__} is defined within a function or a class, where the "
                            "measuring process cannot find it; define it at the top of a module")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) \
            or inspect.isasyncgenfunction(function):
        raise FunctionError(f"calling {name} does not do its work, as it is a generator or asynchronous")
    if not axes:
        raise FunctionError(f"{name} has no axes: @kernsweep.kernel(n=[10, 100])")
    for null in (False, True):  # an axis that is null is not passed
        absent = {axis for axis, values in axes.items() if null and _has_null(values)}
        passed = [axis for axis in names if axis not in _NOT_PASSED and axis not in absent
                  and not axis.startswith(("env.", "input."))]
        try:
            inspect.signature(function).bind(**{axis.replace(".", "_"): None for axis in passed},
                                             **_seed_and_threads(function))
        except TypeError as error:
            called = f"{name}({', '.join(axis.replace('.', '_') for axis in passed)})"
            raise FunctionError(f"it cannot be called with its axes as {called}: {error}") from error


def _seed_and_threads(function: Any) -> dict[str, None]:
    return {key: None for key in ("seed", "threads") if key in inspect.signature(function).parameters}


def _has_null(values: Any) -> bool:
    if isinstance(values, Mapping):
        return "when" in values or _has_null(values.get("values", ()))
    return values is None or (isinstance(values, (list, tuple)) and any(value is None for value in values))


def _same(one: str, other: str) -> bool:
    return os.path.abspath(one) == os.path.abspath(other)


def _paths() -> list[str]:
    """Where this Python looks for modules, without its own library, and the folder of this package."""
    own = {os.path.abspath(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib")}
    own |= {os.path.join(path, "lib-dynload") for path in own}
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = [os.path.abspath(path) for path in sys.path]
    return list(dict.fromkeys(path for path in [*found, package]
                              if path not in own and not path.endswith(".zip")))
