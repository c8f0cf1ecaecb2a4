"""The interface of an engine: something that computes a graph, with settings of its own."""
from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from .graph import Graph

Settings = Mapping[str, Any]
PRECISIONS = ("f32", "bf16", "int8", "int8_static")
_CALIBRATION_INPUTS = 32


def calibration_batches(batch: int) -> int:
    """How many batches of other inputs the scales of int8_static are found by: of as many inputs, whatever
    the size of a batch, as far as it goes."""
    return max(1, _CALIBRATION_INPUTS // batch)


class Missing(Exception):
    """The engine cannot be used here; the text is the reason."""


class Prepared(NamedTuple):
    """`call` computes the output again each time; `metrics` are those of its preparation."""

    call: Callable[[], Any]
    metrics: dict[str, Any]


class Engine(Protocol):
    """One object per job.

    `settings` maps the names of its own settings to their possible values: a tuple of values, or a type.
    The default is the first value, or for a type the engine's own choice.
    """

    settings: Mapping[str, tuple[Any, ...] | type]
    precisions: tuple[str, ...]
    modules: tuple[str, ...] = ()  # what version() imports, if importing them reads no variable that it sets

    def version(self) -> str:
        """Names its libraries, such as "torch 2.15.0". Missing: they are not installed, or too old."""

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        """Why it cannot compute this graph with these settings; empty if it can. Imports nothing."""

    def require(self, chosen: Settings) -> None:
        """Missing: something that only these settings need is not installed. The engine itself is."""

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        """The arrays are those of Graph.arrays(); the engine owns them from now on. `chosen` has its
        settings, and `precision`, `seed` and `threads`."""


def numbers_of(version: str) -> tuple[int, ...]:
    """(2, 15, 0) of "2.15.0+cpu"."""
    return tuple(int(part) for part in re.findall(r"\d+", version.split("+")[0])[:3])


def found(module: str, least: str, extra: str, package: str = "") -> Any:
    """The module. Missing: it is not installed, cannot be imported, or is older than `least`.

    `extra` is that of this package that installs it; `package` is its name on PyPI, if that differs.
    """
    try:
        library = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise Missing(f"{module} cannot be imported: {error}") from error
        raise Missing(f"{module} is not installed in this Python; pip install {package or module}, "
                      f"or 'kernsweep[{extra}]'") from error
    except Exception as error:
        raise Missing(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
    version = str(getattr(library, "__version__", "0"))
    if numbers_of(version) < numbers_of(least):
        raise Missing(f"{module} {version} is older than {least}")
    return library


def _is_fit(value: Any, kind: type) -> bool:
    return type(value) is kind and not (isinstance(value, int) and value < 1)


def checked(engine: Engine, name: str, given: Settings) -> dict[str, Any]:
    """The settings with defaults filled in. ValueError: an unknown name or value."""
    chosen = {}
    for key in given:
        if key not in engine.settings:
            raise ValueError(f"{name} has no setting '{key}'; it has " +
                             (", ".join(sorted(engine.settings)) or "none"))
    for key, allowed in engine.settings.items():
        value = given.get(key)
        if isinstance(allowed, tuple):
            value = allowed[0] if value is None else value
            if value not in allowed or type(value) is not type(allowed[0]):
                raise ValueError(f"{key} is {value!r}; {name} has " +
                                 ", ".join(str(each) for each in allowed))
        elif value is not None and not _is_fit(value, allowed):
            raise ValueError(f"{key} is {value!r}; it must be " +
                             ("a whole number from 1 on" if allowed is int else f"a {allowed.__name__}"))
        chosen[key] = value
    return chosen
