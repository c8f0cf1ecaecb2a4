"""A training step divided among processes: each computes the gradients of its part of a batch, and they are
added. The processes share the memory of weights and gradients; a pipe synchronises them."""
from __future__ import annotations

import importlib
import multiprocessing
from typing import Any

from .task import Task
from .torch_steps import Steps, batches_of


def _place(torch: Any, steps: Steps, weights: Any, gradients: Any) -> None:
    """The parameters of the network and their gradients become parts of these flat arrays."""
    at = 0
    for parameter in steps.parameters:
        end = at + parameter.numel()
        parameter.data = weights[at:end].view_as(parameter)
        parameter.grad = gradients[at:end].view_as(parameter)
        at = end


def _part(values: Any, rank: int, processes: int) -> Any:
    return values.tensor_split(processes)[rank]


class _Member:
    """One of the processes: its network, and its part of each batch."""

    def __init__(self, task: Task, rank: int, processes: int, threads: int, memory: Any) -> None:
        torch = importlib.import_module("torch")
        torch.set_num_threads(threads)
        self.steps = Steps(torch, task, 1, False)
        self.flat = torch.frombuffer(memory, dtype=torch.float32).view(processes + 1, -1)
        _place(torch, self.steps, self.flat[0], self.flat[1 + rank])
        self.batches = []
        for x, labels in batches_of(torch, task):
            part = _part(labels, rank, processes)
            self.batches.append((_part(x, rank, processes), part, len(part) / len(labels)))

    def compute(self, step: int) -> Any:
        self.steps.clear()
        return self.steps.add_gradients(*self.batches[step])


def _serve(connection: Any, *given: Any) -> None:
    """A helper process: computes what is requested until the pipe is closed."""
    member = _Member(*given)
    connection.send(0.0)
    try:
        while True:
            connection.send(float(member.compute(connection.recv())))
    except (EOFError, OSError):
        pass


class ParallelSteps:
    """Like Steps, with several processes; the calling one is the first of them. They end with it."""

    def __init__(self, torch: Any, task: Task, processes: int, threads: int) -> None:
        self.steps_of_task = len(task.inputs)
        count = sum(array.size for array in task.weights.values())
        context = multiprocessing.get_context("spawn")  # a fork of a process that has computed may hang
        memory = context.RawArray("f", (processes + 1) * count)
        self.connections, self.processes = [], []
        for rank in range(1, processes):
            near, far = context.Pipe()
            given = (far, task, rank, processes, max(1, threads // processes), memory)
            process = context.Process(target=_serve, args=given, daemon=True)
            process.start()
            far.close()
            self.connections.append(near)
            self.processes.append(process)
        self.member = _Member(task, 0, processes, max(1, threads // processes), memory)
        self.parameters = self.member.steps.parameters
        self.loss = 0.0
        for connection in self.connections:
            connection.recv()

    def train(self) -> None:
        """All steps of the task, from the initial weights."""
        flat, steps = self.member.flat, self.member.steps
        steps.begin()
        for step in range(self.steps_of_task):
            for connection in self.connections:
                connection.send(step)
            loss = float(self.member.compute(step))
            for rank, connection in enumerate(self.connections):
                loss += connection.recv()
                flat[1] += flat[2 + rank]
            steps.update()
            self.loss = loss
