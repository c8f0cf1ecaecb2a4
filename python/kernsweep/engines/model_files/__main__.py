"""`python3 -m kernsweep.engines.model_files SEED MODEL BATCH INPUTS [MODEL BATCH INPUTS ...]`: prints for
each model a line "good", or "refused" and why no engine can compute it. Measures nothing."""
import os
import sys

from ..engine import Missing
from .file import ModelFile, plainly_computed, read_model
from .inputs import UnfitBatch


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


def _why_not(path: str, batch: int, seed: int, inputs: str) -> str:
    try:
        file = read_model(path, batch, seed, inputs)
    except (Missing, UnfitBatch, ValueError) as error:
        return str(error)
    said = _try(file) if file.doubtful else ""
    if not said:
        return ""
    name, by = min(file.doubtful.items())
    names = ", ".join(f"'{each}'" for each in sorted(file.doubtful))
    return (f"ONNX Runtime does not take the drawn values of input{'s' if len(file.doubtful) > 1 else ''} "
            f"{names} ({by}): {said}; say what to draw as inputs: '{name}=1..9' (bench: --inputs)")


def main(words: list[str]) -> None:
    """Prints the lines."""
    for at in range(1, len(words), 3):
        why = _why_not(words[at], int(words[at + 1]), int(words[0]), words[at + 2])
        print("refused " + " ".join(why.split()) if why else "good", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
