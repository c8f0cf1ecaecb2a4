"""A kernel for sweeps: training steps of a small network."""
from __future__ import annotations

import importlib
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

from ..engine import Missing, Settings, found
from ..inference import modules_of
from . import backward
from .task import ACTIVATIONS, INITS, NETWORKS, Task, initialise, network, task_of
from .torch_loading import Images, loader_of
from .torch_processes import ParallelSteps
from .torch_steps import Steps, batches_of

# Name: the possible values, the first is the default; a number: the default of a whole number.
_SETTINGS: dict[str, tuple[Any, ...] | int] = {
    "engine": ("torch", "numpy"), "workload": NETWORKS, "activation": tuple(ACTIVATIONS), "init": INITS,
    "checkpoint": (False, True), "batch": 32, "size": 64, "depth": 3, "draw": 1, "steps": 2,
    "accumulate": 1, "processes": 1}
_OF_LOADING = ("loaders", "prefetch", "work")


def chosen_of(params: Settings) -> dict[str, Any]:
    """All settings of a point. ValueError: an unknown name or value."""
    chosen: dict[str, Any] = {}
    for name, value in params.items():
        if name not in _SETTINGS and name not in (*_OF_LOADING, "seed", "threads"):
            raise ValueError(f"training has no setting '{name}'; it has " +
                             ", ".join(sorted((*_SETTINGS, *_OF_LOADING))))
    for name, allowed in _SETTINGS.items():
        value = params.get(name)
        if isinstance(allowed, tuple):
            value = allowed[0] if value is None else value
            if value not in allowed or type(value) is not type(allowed[0]):
                raise ValueError(f"{name} is {value!r}; there are {', '.join(map(str, allowed))}")
        else:
            value = allowed if value is None else value
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} is {value!r}; it must be a whole number from 1 on")
        chosen[name] = value
    for name in _OF_LOADING:
        value = chosen[name] = params.get(name)
        if value is not None and (type(value) is not int or value < 0):
            raise ValueError(f"{name} is {value!r}; it must be a whole number from 0 on")
    return chosen


def _task(params: Settings, chosen: Settings) -> tuple[Task, Images | None]:
    graph = network(chosen["workload"], chosen["batch"], chosen["size"], chosen["depth"],
                    chosen["activation"])
    initialise(graph, chosen["init"])
    task = task_of(graph, chosen["steps"], params["seed"], chosen["draw"])
    if chosen["work"] is None:
        return task, None
    numpy = importlib.import_module("numpy")
    images = Images(chosen["steps"] * chosen["batch"], chosen["size"], chosen["work"], params["seed"])
    images.labels = task.labels.reshape(-1)
    task.inputs[:] = numpy.stack([images.loaded(i) for i in range(len(images))]).reshape(task.inputs.shape)
    return task, images


class Training:
    """`python: kernsweep.engines:Training`; docs/guides/engines.md has the axes.

    A call is `steps` steps from the initial weights. The output is the gradients of the last step, which
    depend on all updates before; the metric `loss` is the loss of the last batch.
    """

    imports = staticmethod(modules_of)
    reference_params = ("workload", "batch", "size", "depth", "activation", "init", "steps", "draw", "work")

    def __init__(self) -> None:
        self.metrics: dict[str, Any] = {}
        self.steps: Any = None

    def supports(self, params: Settings) -> bool | str:
        """Whether the engine is available and supports the point; a text is the reason why not."""
        chosen = chosen_of(params)
        if chosen["work"] is not None and chosen["workload"] != "cnn":
            return "work says what an input pipeline computes, which is for images: workload cnn"
        if (chosen["loaders"] is not None or chosen["prefetch"] is not None) and chosen["work"] is None:
            return "loaders and prefetch are of an input pipeline; `work` says how much it computes"
        if chosen["prefetch"] is not None and not chosen["loaders"]:
            return "prefetch is for loaders that are processes of their own (from 1 on)"
        if chosen["prefetch"] == 0:
            return "prefetch is how many batches a loader is ahead: from 1 on"
        if max(chosen["accumulate"], chosen["processes"]) > chosen["batch"]:
            return f"a batch of {chosen['batch']} cannot be divided into so many parts"
        alone = [name for name in ("accumulate", "processes") if chosen[name] > 1]
        alone += [name for name in ("checkpoint",) if chosen[name]]
        alone += [name for name in ("loaders",) if chosen[name] is not None]
        if chosen["engine"] == "numpy" and alone:
            return f"{alone[0]} is for torch, not for numpy"
        if chosen["processes"] > 1 and len(alone) > 1:
            return "processes are not combined with accumulate, checkpoint or loaders"
        if chosen["processes"] > params["threads"]:
            many = chosen["processes"]
            return f"{many} processes need as many threads; say threads: [{many}]"
        try:
            found("numpy", "1.22", "engines")
            if chosen["engine"] == "torch":
                found("torch", "2.2", "torch")
        except Missing as error:
            return str(error)
        return True

    def setup(self, params: Settings, inputs: Settings) -> Callable[[], Any]:
        """Makes the network, its processes and its loaders ready: the metric `prepare_s`, in seconds."""
        chosen = chosen_of(params)
        task, images = _task(params, chosen)
        began = time.perf_counter()
        call = self._of_numpy(task) if chosen["engine"] == "numpy" else self._of_torch(
            task, images, chosen, params["threads"])
        call()
        self.metrics = {"items": chosen["batch"] * chosen["steps"], "prepare_s": time.perf_counter() - began,
                        "loss": (self.steps.loss, "smaller")}
        return call

    def _of_numpy(self, task: Task) -> Callable[[], Any]:
        self.steps = backward.NumpySteps(task)
        call: Callable[[], Any] = self.steps.train
        return call

    def _of_torch(self, task: Task, images: Images | None, chosen: Settings,
                  threads: int) -> Callable[[], Any]:
        torch = found("torch", "2.2", "torch")
        try:
            tempfile.gettempdir()
        except FileNotFoundError:  # a distrusted process may be unable to write
            tempfile.tempdir = os.sep
            os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.sep)
        importlib.import_module("torch._dynamo")  # checkpoints import it: all points have the same modules
        torch.set_num_threads(threads)
        if chosen["processes"] > 1:
            self.steps = ParallelSteps(torch, task, chosen["processes"], threads)
            train: Callable[[], Any] = self.steps.train
            return train
        steps = self.steps = Steps(torch, task, chosen["accumulate"], chosen["checkpoint"])
        if images is None or chosen["loaders"] is None:
            batches = batches_of(torch, task)
            return lambda: steps.train(batches)
        loader = loader_of(torch, images, chosen["batch"], chosen["loaders"], chosen["prefetch"])
        return lambda: steps.train(loader)

    def run(self, state: Callable[[], Any]) -> Any:
        """All steps again."""
        return state()

    def output(self, state: Callable[[], Any]) -> Any:
        """The gradients of the last step, in the order of the layers."""
        return tuple(parameter.grad for parameter in self.steps.parameters)

    def flops(self, params: Settings) -> float:
        """Of the products: a backward pass has two for each of the forward pass, but one for the first
        layer, because the gradient of the input is not needed."""
        chosen = chosen_of(params)
        graph = network(chosen["workload"], chosen["batch"], chosen["size"], chosen["depth"],
                        chosen["activation"])
        return (3 * graph.flops - graph.of_input) * float(chosen["steps"])

    def reference(self, params: Settings, inputs: Settings) -> Any:
        """The output in f64, by NumPy and the chain rule."""
        task, _ = _task(params, chosen_of(params))
        _, gradients = backward.train(task, "f8")
        return tuple(gradients[name] for name in task.weights)
