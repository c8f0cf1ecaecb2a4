"""TVM's modules, imported without PyTorch. Importing this needs TVM."""
from __future__ import annotations

import importlib
import os
import platform
import sys
import types
from typing import Any

from .tvm_engine import without_torch

_INTRINSICS = {"x86_64": "x86", "aarch64": "arm_cpu"}  # by machine: a module of tvm.s_tir.tensor_intrin

with without_torch():
    tvm: Any = importlib.import_module("tvm")
    relax: Any = importlib.import_module("tvm.relax")
    frontend: Any = importlib.import_module("tvm.relax.frontend.onnx")
    meta_schedule: Any = importlib.import_module("tvm.s_tir.meta_schedule")


def add_intrinsics() -> None:
    """Imports the instructions that schedules for this processor may use. TVM itself would import those of
    all processors and GPUs, which takes 44 s (TVM 0.27.0, two busy cores of an AMD EPYC VM, 2026-11-30)."""
    name, own = "tvm.s_tir.tensor_intrin", _INTRINSICS.get(platform.machine())
    folder = os.path.join(os.path.dirname(tvm.__file__), "s_tir", "tensor_intrin")
    if name in sys.modules or own is None or not os.path.exists(os.path.join(folder, own + ".py")):
        return
    package = types.ModuleType(name)
    package.__path__ = [folder]
    sys.modules[name] = package
    importlib.import_module(f"{name}.{own}")
