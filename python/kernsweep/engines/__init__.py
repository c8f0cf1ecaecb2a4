"""Engines for networks and array code, on workloads that are defined once: kernels to be swept.

    python: kernsweep.engines:Inference
    axes: {engine: [numpy, torch, onnxruntime], workload: mlp, batch: [1, 32]}

Importing this imports no engine: each is looked for in the interpreter that measures, when a point names it.
`python3 -m kernsweep.engines` says which are there. docs/guides/engines.md.
"""
from .inference import ENGINES, Inference
from .model_files import Model
from .training_steps import Training
from .workloads import NAMES as WORKLOADS

__all__ = ["ENGINES", "WORKLOADS", "Inference", "Model", "Training"]
