"""`python3 -m kernsweep.engines`: which engines this Python has. Status 1: none of them."""
import sys

from .engine import Missing
from .inference import ENGINES


def main() -> int:
    """Prints a line for each."""
    there = 0
    for name, engine in ENGINES.items():
        try:
            said = engine().version()
            there += 1
        except Missing as error:
            said = f"not there: {error}"
        print(f"{name:12} {said}")
    return 0 if there else 1


if __name__ == "__main__":
    sys.exit(main())
