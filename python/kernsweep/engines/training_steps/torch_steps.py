"""Training steps with PyTorch on processors."""
from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from ..torch_modules import layer_of
from .task import RATE, Task


def chain_of(torch: Any, task: Task) -> Any:
    """The network as a chain of layers; its parameters are in the order of the task's weights."""
    layers = []
    for operation in task.graph.operations:
        weights = [task.weights[name] for name in operation.inputs if name in task.weights]
        if operation.kind == "Pool":
            layers += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()]
        elif operation.kind == "Tanh":
            layers.append(torch.nn.Tanh())
        else:
            layers.append(layer_of(torch, operation, weights))
    return torch.nn.Sequential(*layers)


class Steps:
    """The steps of a task, from the initial weights, each time that it is called.

    `accumulate`: a batch has this number of parts, computed in sequence, whose gradients are added;
    `checkpoint`: activations are computed again in the backward pass, except those between segments, whose
    number is the square root of the number of layers.
    """

    def __init__(self, torch: Any, task: Task, accumulate: int, checkpoint: bool) -> None:
        self.torch, self.accumulate = torch, accumulate
        self.network = chain_of(torch, task)
        self.parameters = list(self.network.parameters())
        self.first = [parameter.detach().clone() for parameter in self.parameters]
        for parameter in self.parameters:
            parameter.grad = torch.zeros_like(parameter)
        self.forward = self._recomputing() if checkpoint else self.network
        self.loss = 0.0

    def _recomputing(self) -> Callable[[Any], Any]:
        sequential = importlib.import_module("torch.utils.checkpoint").checkpoint_sequential
        segments = max(1, round(len(self.network) ** 0.5))
        return lambda x: sequential(self.network, segments, x, use_reentrant=False)

    def begin(self) -> None:
        """Restores the initial weights."""
        with self.torch.no_grad():
            for parameter, first in zip(self.parameters, self.first):
                parameter.copy_(first)

    def add_gradients(self, x: Any, labels: Any, share: float = 1.0) -> Any:
        """Adds `share` times the gradients of the mean loss of this batch; returns that loss, a tensor."""
        loss = None
        for part, right in zip(x.tensor_split(self.accumulate), labels.tensor_split(self.accumulate)):
            each = self.torch.nn.functional.cross_entropy(self.forward(part), right)
            each = each * (share * len(right) / len(labels))
            each.backward()
            loss = each.detach() if loss is None else loss + each.detach()
        return loss

    def clear(self) -> None:
        """Sets all gradients to 0, in place."""
        for parameter in self.parameters:
            parameter.grad.zero_()

    def update(self) -> None:
        """Gradient descent."""
        with self.torch.no_grad():
            for parameter in self.parameters:
                parameter.sub_(parameter.grad, alpha=RATE)

    def train(self, batches: Iterable[tuple[Any, Any]]) -> None:
        """One step per batch."""
        self.begin()
        loss = None
        for x, labels in batches:
            self.clear()
            loss = self.add_gradients(x, labels)
            self.update()
        self.loss = float(loss) if loss is not None else 0.0


def batches_of(torch: Any, task: Task) -> list[tuple[Any, Any]]:
    """A tensor in memory, without a copy."""
    return list(zip(torch.from_numpy(task.inputs), torch.from_numpy(task.labels)))
