"""Where the command is, and how it replaces this interpreter."""

import os
import shutil
import sys

__all__ = ["environment", "main", "program"]


def program() -> str:
    """The path of the command `kernsweep`.

    $KERNSWEEP_PROGRAM, else the command of this package, else that of $PATH. FileNotFoundError: there is
    none.
    """
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_prefix", "bin", "kernsweep")
    named = os.environ.get("KERNSWEEP_PROGRAM")
    for path in (named,) if named else (own, shutil.which("kernsweep")):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    if named:
        raise FileNotFoundError(f"$KERNSWEEP_PROGRAM is {named}, which is not a program")
    raise FileNotFoundError(
        f"there is no command kernsweep: not {own}, and none in $PATH; set KERNSWEEP_PROGRAM to its path")


def environment() -> dict[str, str]:
    """This process's variables, with KERNSWEEP_PYTHON: functions are measured in this same interpreter."""
    named = os.environ.get("KERNSWEEP_PYTHON") or sys.executable
    return {**os.environ, "KERNSWEEP_PYTHON": named} if named else dict(os.environ)


def main() -> None:
    """The script `kernsweep`: runs the command of this package, with this process's words.

    Functions are measured in the active environment, or in that of this script if none is active.
    """
    if not os.environ.get("VIRTUAL_ENV") and not os.environ.get("CONDA_PREFIX"):
        os.environ.update(environment())
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_prefix", "bin", "kernsweep")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"kernsweep: {path}: {error.strerror}; this package was installed without its command")
