"""`python3 -m kernsweep.engines.model_files SEED MODEL BATCH INPUTS [MODEL BATCH INPUTS ...]`: prints for
each model a line "good", or "refused" and why no engine can compute it. Measures nothing."""
import os
import sys
import time

from ..engine import Missing
from .file import ModelFile, plainly_computed, read_model
from .inputs import WAY, Undrawn, UnfitBatch, undrawn_advice

_SEARCH_S = 10.0  # seconds that a refusal may take


def _try(file: ModelFile) -> str:
    """What ONNX Runtime says of doubtful inputs. A process of its own computes: a division by 0 ends it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            plainly_computed(file)
        except Missing:
            pass
        except Exception as error:
            os.write(writer, (str(error) or type(error).__name__).splitlines()[0][:500].encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        said = answer.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    return said or (f"it ends by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "")


def _said(names: list[str], first: int, last: int) -> str:
    return ",".join(f"{name}={first}..{last}" for name in names)


def _tried_ranges(path: str, batch: int, seed: int, inputs: str, names: list[str], end: float) -> str:
    """A range for these inputs that ONNX Runtime takes, its ends as well, as --inputs has it; "": none was
    found until `end`."""
    others = [part for part in inputs.split(",") if part and part.rpartition("=")[0].strip() not in names]
    for first, last in ((0, 9), (1, 9), (0, 1), (1, 1), (0, 0)):
        for low, high in ((first, last), (first, first), (last, last)):
            if time.monotonic() > end:
                return ""
            try:
                file = read_model(path, batch, seed, ",".join([*others, _said(names, low, high)]))
            except Undrawn as error:
                more = [*names, error.name]
                return "" if error.name in names else _tried_ranges(path, batch, seed, inputs, more, end)
            except (UnfitBatch, ValueError):
                break
            if _try(file):
                break
        else:
            return _said(names, first, last)
    return ""


def _why_not(path: str, batch: int, seed: int, inputs: str) -> str:
    try:
        file = read_model(path, batch, seed, inputs)
        names, why = sorted(file.doubtful), _try(file) if file.doubtful else ""
        if not why:
            return ""
        by = ", ".join(f"'{name}' ({file.doubtful[name]})" for name in names)
        why = f"ONNX Runtime does not take the values of input{'s' if len(names) > 1 else ''} {by}: {why}"
        if file.fixed & set(names):
            return f"{why}; say other sizes {WAY}"
    except Undrawn as error:
        names, why = [error.name], error.why
    except (Missing, UnfitBatch, ValueError) as error:
        return str(error)
    found = _tried_ranges(path, batch, seed, inputs, names, time.monotonic() + _SEARCH_S)
    return f"{why}; {undrawn_advice(found)}"


def main(words: list[str]) -> None:
    """Prints the lines."""
    for at in range(1, len(words), 3):
        why = _why_not(words[at], int(words[at + 1]), int(words[0]), words[at + 2])
        print("refused " + " ".join(why.split()) if why else "good", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
