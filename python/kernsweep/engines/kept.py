"""Files that engines make once and keep: extension modules that are compiled here, results of a tuner.

They are in `kernsweep/engines` of $XDG_CACHE_HOME, else of ~/.cache. Concurrent processes that need the same
file wait for the first. Nothing is deleted there; it is safe to delete all of it. A file that another user
could have written is not used.
"""
from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence

from .engine import Missing


def path_of(name: str, contents: Sequence[str], suffix: str = "") -> str:
    """The path of what is made from these texts. Missing: there is no folder for it."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(home):
        raise Missing(f"{home} is not a user's folder for what is kept; name one as env.XDG_CACHE_HOME")
    key = hashlib.sha256("\0".join(contents).encode()).hexdigest()[:24]
    return os.path.join(home, "kernsweep", "engines", f"{name}-{key}{suffix}")


def require(path: str, made: str) -> None:
    """Missing: it is not there and cannot be written, or other users could have written it. `made` is what
    happens to it, such as "compiled"."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.path.exists(path):
            with tempfile.TemporaryFile(dir=folder):
                pass
    except OSError as error:
        raise Missing(f"it is not {made} yet, and {folder} cannot be written ({error.strerror}); name "
                      "another folder as env.XDG_CACHE_HOME") from error
    for each in filter(os.path.exists, (folder, path)):
        if not _is_ours(each):
            raise Missing(f"{each} can be written by others, who could change what is computed; delete it, "
                          "or name another folder as env.XDG_CACHE_HOME")


def _is_ours(path: str) -> bool:
    found = os.lstat(path)
    return not stat.S_ISLNK(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """No other process makes this file meanwhile."""
    lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def processor() -> str:
    """What machine code for this processor depends on: several hosts may share a user's folder."""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        return "".join(sorted({line for line in file if line.startswith(
            ("model", "flags", "cpu family", "stepping", "Features", "CPU "))}))
