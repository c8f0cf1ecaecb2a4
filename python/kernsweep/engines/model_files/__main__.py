"""`python3 -m kernsweep.engines.model_files SEED [MODEL BATCH INPUTS ENGINES]...`: prints for each model a
line "good", or "refused" and why no engine can compute it. Before it, a line "lacks ENGINE" and why for each
of these engines, which are separated by commas, that cannot; a line "batch N" if the file fixes another
batch. Measures nothing."""
import importlib
import re
import sys

from ..engine import Missing
from .file import ModelFile, read_model
from .inputs import WAY, Undrawn, UnfitBatch, undrawn_advice
from .kernel import lacking
from .onnx_nodes.module import unknown_kinds
from .sizes import described
from .trial import Trial, in_process, now, tried

_SEARCH_S = 10.0  # seconds for the search after a rejection
_TRIALS_S = 20.0  # seconds for all models that are not doubtful; the jobs check the rest


def _said(names: list[str], first: int, last: int) -> str:
    return ",".join(f"{name}={first}..{last}" for name in names)


def _tried_ranges(path: str, batch: int, seed: int, inputs: str, names: list[str], end: float) -> str:
    """A range for these inputs that ONNX Runtime takes, its ends as well, as --inputs has it; "": none was
    found until `end`."""
    others = [part for part in inputs.split(",") if part and part.rpartition("=")[0].strip() not in names]
    for first, last in ((0, 9), (1, 9), (0, 1), (1, 1), (0, 0)):
        for low, high in ((first, last), (first, first), (last, last)):
            if now() > end:
                return ""
            try:
                file = read_model(path, batch, seed, ",".join([*others, _said(names, low, high)]))
            except Undrawn as error:
                more = [*names, error.name]
                return "" if error.name in names else _tried_ranges(path, batch, seed, inputs, more, end)
            except (UnfitBatch, ValueError):
                break
            if tried(file, batch, max(0.0, end - now())).why:
                break
        else:
            return _said(names, first, last)
    return ""


def _cause(why: str) -> str:
    """ONNX Runtime's message, without its status and the places in its sources."""
    found = re.search(r"running (\w+) node.*?Status Message: (?:\S+:\d+ )?(.*)", why)
    said = re.sub(r"^.*? was false\. ", "", found.group(2)) if found else why
    return f"{found.group(1)}: {said}" if found else said


def _of_sizes(file: ModelFile, trial: Trial) -> str:
    """If the model rejects the sizes of its inputs: the sizes that it accepts. The text does not contain
    the rejected sizes, so other sizes of the same input have the same reason."""
    if trial.size is None:
        listed = ", ".join(f"'{name}' ({'x'.join(map(str, array.shape)) or 'one number'})"
                           for name, array in file.inputs.items())
        plural = "s" if len(file.inputs) > 1 else ""
        return (f"the model does not take these sizes of input{plural} {listed}: {_cause(trial.why)}; "
                f"say other sizes {WAY}")
    size, must_be = trial.size, described(trial.fit, trial.tried)
    good = trial.fit[-1] if must_be.endswith("most") else trial.fit[0]
    inputs = list(dict.fromkeys(name for name, _ in size.places))
    node = re.search(r"running (\w+) node. Name:'(.*?)'", trial.why)
    cause = f", as {node.group(1)}{f' ({node.group(2)})' if node.group(2) else ''} needs it" if node else ""
    if size.is_batch:
        what, way = "the batch", f"say batch: [{good}] (-a batch={good})"
    elif size.names:
        what = f"the size{'s' if len(size.names) > 1 else ''} {' and '.join(size.names)}"
        way = f"say inputs: '{','.join(f'{name}={good}' for name in size.names)}' {WAY}"
    else:
        what = " and ".join(f"dimension {axis + 1}" for _, axis in size.places)
        shapes = {name: list(file.inputs[name].shape) for name in inputs}
        for name, axis in size.places:
            shapes[name][axis] = good
        listed = ",".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in shapes.items())
        way = f"say inputs: '{listed}' {WAY}"
    listed = " and ".join(f"'{name}'" for name in inputs)
    return f"{what} of input {listed} must be {must_be}{cause}; {way}"


def _why_not(path: str, batch: int, seed: int, inputs: str,
             engines: str = "", limit_s: float = _SEARCH_S) -> tuple[str, dict[str, str]]:
    """(why no engine can, why these engines cannot)."""
    lacks: dict[str, str] = {}
    try:
        file = read_model(path, batch, seed, inputs)
        names = sorted(file.doubtful)
        trial = tried(file, batch, _SEARCH_S if names else limit_s) if names or limit_s > 0 else Trial()
        is_unfit = trial.is_read and not trial.is_computed
        if not trial.why or not (names or is_unfit):
            if trial.why:
                lacks["onnxruntime"] = _cause(trial.why)
            return "", lacks | _lacking(file, engines, lacks)
        if not names:
            return _of_sizes(file, trial), lacks
        by = ", ".join(f"'{name}' ({file.doubtful[name]})" for name in names)
        plural = "s" if len(names) > 1 else ""
        why = f"ONNX Runtime does not take the values of input{plural} {by}: {trial.why}"
        if file.fixed & set(names):
            return f"{why}; say other sizes {WAY}", lacks
        sizes = _of_sizes(file, trial) if trial.size is not None else ""
    except Undrawn as error:
        names, why, sizes = [error.name], error.why, ""
    except UnfitBatch as error:
        if error.only is not None:
            print(f"batch {error.only}")
        return str(error), lacks
    except (Missing, ValueError) as error:
        return str(error), lacks
    found = _tried_ranges(path, batch, seed, inputs, names, now() + _SEARCH_S)
    return (sizes if sizes and not found else f"{why}; {undrawn_advice(found)}"), lacks


def _lacking(file: ModelFile, engines: str, known: dict[str, str]) -> dict[str, str]:
    """Checks each engine in a separate process."""
    lacks = {}
    for engine in sorted({*engines.split(",")} - {"", *known}):
        if engine == "torch" and not unknown_kinds(file):
            try:
                importlib.import_module("torch")  # once for all processes
            except Exception:
                pass  # lacking() reports it
        said, _ = in_process(lambda: iter([lacking(engine, file)]), _SEARCH_S)  # within this round
        if said and said[0]:
            lacks[engine] = said[0]
    return lacks


def main(words: list[str]) -> None:
    """Prints the lines."""
    end = now() + _TRIALS_S
    for at in range(1, len(words), 4):
        path, batch, inputs, engines = words[at:at + 4]
        why, lacks = _why_not(path, int(batch), int(words[0]), inputs, engines, end - now())
        for engine, reason in lacks.items():
            print(f"lacks {engine} " + " ".join(reason.split()))
        print("refused " + " ".join(why.split()) if why else "good", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
