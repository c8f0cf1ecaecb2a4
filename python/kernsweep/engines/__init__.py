"""Engines for networks and array code, on workloads that are defined once: kernels for sweeps.

    python: kernsweep.engines:Inference
    axes: {engine: [numpy, torch, onnxruntime], workload: mlp, batch: [1, 32]}

Importing this imports no engine: the measuring interpreter looks for an engine when a point names it.
`python3 -m kernsweep.engines` lists the available ones. docs/guides/engines.md.
"""
from .inference import ENGINES, Inference
from .model_files import Model
from .training_steps import Training
from .workloads import NAMES as WORKLOADS

__all__ = ["ENGINES", "WORKLOADS", "Inference", "Model", "Training"]
