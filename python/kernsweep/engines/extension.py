"""Extension modules of Python that are compiled here, once for each source, compiler and processor, and kept
(kept.py)."""
from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.machinery import ExtensionFileLoader
from typing import Any, NamedTuple

from . import kept
from .engine import Missing

_USUAL = ("-O3", "-march=native", "-fopenmp", "-fPIC", "-DNDEBUG")
# Options that -ffast-math implies while compiling. It is not passed to the linker, because there it would
# change how the whole process rounds numbers near 0.
_REORDERED = ("-fno-math-errno", "-funsafe-math-optimizations", "-ffinite-math-only", "-fno-trapping-math")


class Source(NamedTuple):
    """`text` is C++, or becomes C++ by the command `translate(path, to)`; `package` is the library that it
    is for, with its version: "cython 3.2.1"."""

    name: str  # of the module
    text: str
    package: str
    folders: tuple[str, ...] = ()  # of headers
    translate: Callable[[str, str], Sequence[str]] | None = None  # words of a command


def compiler() -> str:
    """The path of the C++ compiler. Missing: there is no compiler, or Python's headers are not
    installed."""
    path = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if path is None:
        raise Missing("there is no C++ compiler in $PATH; apt install g++")
    folder = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(folder, "Python.h")):
        raise Missing(f"there is no {folder}/Python.h; apt install python3-dev")
    return path


def require(source: Source, fast_math: bool) -> None:
    """Missing: it is not compiled yet, and cannot be, or other users could have written it."""
    kept.require(_path_of(source, fast_math), "compiled")


def module_of(source: Source, fast_math: bool) -> Any:
    """The module, compiled if necessary. `fast_math`: sums may be reordered. RuntimeError: the compiler's
    first message. Missing: as for require()."""
    path = _path_of(source, fast_math)
    require(source, fast_math)
    if not os.path.exists(path):
        _compile_once(source, fast_math, path, again=False)
    try:
        return _loaded(source.name, path)
    except ImportError:  # half written when the power went, say
        _compile_once(source, fast_math, path, again=True)
        return _loaded(source.name, path)


def _compile_once(source: Source, fast_math: bool, path: str, again: bool) -> None:
    began = time.time()
    with kept.locked(path):
        is_there = os.path.exists(path)
        if not is_there or (again and os.stat(path).st_mtime < began):
            _compile(source, fast_math, path)


def _loaded(name: str, path: str) -> Any:
    loader = ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


def _path_of(source: Source, fast_math: bool) -> str:
    """Missing: there is no folder for such files."""
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    parts = (source.name, source.text, source.package, suffix, *_USUAL, *_REORDERED, str(fast_math),
             _compiler_file(), kept.processor())
    return kept.path_of(source.name, parts, suffix)


def _compiler_file() -> str:
    path = os.path.realpath(compiler())
    found = os.stat(path)
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def _compile(source: Source, fast_math: bool, path: str) -> None:
    options = (*_USUAL, *(_REORDERED if fast_math else ()))
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        text, code, compiled, linked = (os.path.join(folder, source.name + end)
                                        for end in (".pyx", ".cpp", ".o", ".so"))
        with open(text if source.translate else code, "w", encoding="utf-8") as file:
            file.write(source.text)
        if source.translate is not None:
            _run(source.translate(text, code))
        headers = (sysconfig.get_path("include"), *source.folders)
        _run([compiler(), *options, *(f"-I{each}" for each in headers), "-c", code, "-o", compiled])
        _run([compiler(), "-shared", "-fopenmp", compiled, "-o", linked])
        with open(linked, "rb") as file:
            os.fsync(file.fileno())
        os.chmod(linked, 0o700)
        os.replace(linked, path)


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).splitlines()
        first = next((line for line in lines if "error" in line.lower()), (lines or ["no reason"])[-1])
        raise RuntimeError(f"{os.path.basename(command[0])} failed: {first}")
