"""Cython and pybind11: plain loops, compiled by the C++ compiler of this host when first used.

The loops are those for Numba (numba_loops.py): arrays are f32 and dense, `out` is written completely, and
the threads share the rows of an output.
"""
from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any

from . import extension
from .engine import Engine, Prepared, Settings, found
from .graph import Graph

_KINDS = {"MatMul", "Recurrence"}

_CYTHON = """\
# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
from cython.parallel cimport prange
from libc.math cimport tanhf

def product(const float[:, ::1] a, const float[:, ::1] b, float[:, ::1] out, int threads):
    cdef Py_ssize_t i, j, k
    for i in prange(a.shape[0], nogil=True, schedule="static", num_threads=threads):
        for j in range(b.shape[1]):
            out[i, j] = 0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] = out[i, j] + a[i, k] * b[k, j]

def recurrence(const float[:, ::1] x, float factor, float[:, ::1] out, int threads):
    cdef Py_ssize_t row, t
    cdef float state
    for row in prange(x.shape[0], nogil=True, schedule="static", num_threads=threads):
        state = 0
        for t in range(x.shape[1]):
            state = tanhf(factor * state + x[row, t])
            out[row, t] = state
"""

_CPP = """\
#include <cmath>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace py = pybind11;
using Matrix = py::array_t<float, py::array::c_style>;

void product(const Matrix& a, const Matrix& b, Matrix& out, int threads) {
  const py::ssize_t m = a.shape(0), n = b.shape(1), depth = a.shape(1);
  const float *const left = a.data(), *const right = b.data();
  float* const to = out.mutable_data();
  py::gil_scoped_release released;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (py::ssize_t i = 0; i < m; ++i) {
    for (py::ssize_t j = 0; j < n; ++j) to[i * n + j] = 0;
    for (py::ssize_t k = 0; k < depth; ++k)
      for (py::ssize_t j = 0; j < n; ++j) to[i * n + j] += left[i * depth + k] * right[k * n + j];
  }
}

void recurrence(const Matrix& x, float factor, Matrix& out, int threads) {
  const py::ssize_t rows = x.shape(0), steps = x.shape(1);
  const float* const from = x.data();
  float* const to = out.mutable_data();
  py::gil_scoped_release released;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (py::ssize_t row = 0; row < rows; ++row) {
    float state = 0;
    for (py::ssize_t t = 0; t < steps; ++t) {
      state = std::tanh(factor * state + from[row * steps + t]);
      to[row * steps + t] = state;
    }
  }
}

PYBIND11_MODULE(loops_pybind11, made) {
  made.def("product", &product, py::arg().noconvert(), py::arg().noconvert(), py::arg().noconvert(),
           py::arg());
  made.def("recurrence", &recurrence, py::arg().noconvert(), py::arg(), py::arg().noconvert(), py::arg());
}
"""


class _CompiledEngine(Engine):
    """`fastmath`: sums may be reordered, which vector instructions need. `prepare_s` includes the
    compiler's time only in the process that compiles."""

    settings = {"fastmath": (True, False)}
    precisions = ("f32",)
    name = ""

    def source(self) -> extension.Source:
        """Raises Missing if its package is not installed, or too old."""
        raise NotImplementedError

    def version(self) -> str:
        said = self.source().package
        extension.compiler()
        return f"{said}, numpy {found('numpy', '1.22', 'engines').__version__}"

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        if len(graph.operations) > 1 or not graph.kinds <= _KINDS:
            return f"{self.name} computes matmul and recurrence; it is not an engine for networks"
        return ""

    def require(self, chosen: Settings) -> None:
        extension.require(self.source(), chosen["fastmath"])

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        numpy = importlib.import_module("numpy")
        loops = extension.module_of(self.source(), chosen["fastmath"])
        operation, = graph.operations
        x = arrays["x"].reshape(-1, graph.shape[-1])
        shape = graph.shapes[operation.output]
        out = numpy.empty(shape, "f4")
        flat = out.reshape(-1, shape[-1])
        if operation.kind == "MatMul":
            function, second = loops.product, arrays[operation.inputs[1]]
        else:
            function, second = loops.recurrence, operation.settings["factor"]

        def call() -> Any:
            function(x, second, flat, threads)
            return out
        return Prepared(call, {})


class CythonEngine(_CompiledEngine):
    """Typed loops over memory views, divided by prange."""

    name = "cython"

    def source(self) -> extension.Source:
        version = found("Cython", "3.0", "cython").__version__
        return extension.Source("loops_cython", _CYTHON, f"cython {version}", translate=lambda path, to: [
            sys.executable, "-m", "cython", "--cplus", "-3", path, "-o", to])


class Pybind11Engine(_CompiledEngine):
    """Loops in C++ over arrays of NumPy, divided by OpenMP."""

    name = "pybind11"

    def source(self) -> extension.Source:
        package = found("pybind11", "2.10", "pybind11")
        return extension.Source("loops_pybind11", _CPP, f"pybind11 {package.__version__}",
                                (package.get_include(),))
