"""Extension modules of Python that are compiled here, once for each source, compiler and processor.

They are in `kernsweep/engines` of $XDG_CACHE_HOME, else of ~/.cache. Concurrent processes that need the
same module wait for the first. Nothing is deleted there; it is safe to delete all of it. A file that
another user could have written is not loaded.
"""
from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import stat
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.machinery import ExtensionFileLoader
from typing import Any, NamedTuple

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
    path = _path_of(source, fast_math)
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.path.exists(path):
            with tempfile.TemporaryFile(dir=folder):
                pass
    except OSError as error:
        raise Missing(f"it is not compiled yet, and {folder} cannot be written ({error.strerror}); name "
                      "another folder as env.XDG_CACHE_HOME") from error
    for each in filter(os.path.exists, (folder, path)):
        if not _is_ours(each):
            raise Missing(f"{each} can be written by others, who could change what is computed; delete it, "
                          "or name another folder as env.XDG_CACHE_HOME")


def _is_ours(path: str) -> bool:
    found = os.lstat(path)
    return not stat.S_ISLNK(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


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
    lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_there = os.path.exists(path)
        if not is_there or (again and os.stat(path).st_mtime < began):
            _compile(source, fast_math, path)
    finally:
        os.close(lock)


def _loaded(name: str, path: str) -> Any:
    loader = ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


def _path_of(source: Source, fast_math: bool) -> str:
    """Missing: there is no folder for such files."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(home):
        raise Missing(f"{home} is not a user's folder for what is compiled; name one as env.XDG_CACHE_HOME")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    parts = (source.name, source.text, source.package, suffix, *_USUAL, *_REORDERED, str(fast_math),
             _compiler_file(), _processor())
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
    return os.path.join(home, "kernsweep", "engines", f"{source.name}-{key}{suffix}")


def _compiler_file() -> str:
    path = os.path.realpath(compiler())
    found = os.stat(path)
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def _processor() -> str:
    """What -march=native depends on: several hosts may share a user's folder."""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        return "".join(sorted({line for line in file if line.startswith(
            ("model", "flags", "cpu family", "stepping", "Features", "CPU "))}))


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
