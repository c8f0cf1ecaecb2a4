"""`python -m kernsweep ARGUMENTS` runs the program `kernsweep`."""
import os
import sys

from ._call import program
from .errors import ProgramNotFound


def main() -> None:
    """Replaces this process by the program."""
    try:
        path = program()
        os.execv(path, [path, *sys.argv[1:]])
    except (ProgramNotFound, OSError) as error:
        sys.exit(f"kernsweep: {error}")


if __name__ == "__main__":
    main()
