"""Where the command is, and how it is started in place of this interpreter."""

import os
import shutil
import sys

__all__ = ["main", "program"]


def program() -> str:
    """The path of the command `kernsweep`.

    $KERNSWEEP_PROGRAM, else the one that came with this package, else that of $PATH. FileNotFoundError:
    there is none.
    """
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_prefix", "bin", "kernsweep")
    named = os.environ.get("KERNSWEEP_PROGRAM")
    for path in (named,) if named else (own, shutil.which("kernsweep")):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    if named:
        raise FileNotFoundError(f"$KERNSWEEP_PROGRAM is {named}, which is no program")
    raise FileNotFoundError(
        f"there is no command kernsweep: not {own}, and none in $PATH; set KERNSWEEP_PROGRAM to its path")


def main() -> None:
    """The script `kernsweep`: becomes the command that came with this package, with this process's words."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_prefix", "bin", "kernsweep")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"kernsweep: {path}: {error.strerror}; this package was installed without its command")
