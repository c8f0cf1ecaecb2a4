"""SciPy: a product with a sparse matrix, by one thread. Not for networks."""
from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from .engine import Engine, Prepared, Settings, found
from .graph import Graph

_LEAST = "1.8"  # the first with sparse arrays


class ScipyEngine(Engine):
    """`form` is how the pruned weights are stored: by rows (csr), by columns (csc), as coordinates (coo)."""

    settings = {"form": ("csr", "csc", "coo")}
    precisions = ("f32",)
    modules = ("numpy", "scipy.sparse")

    def version(self) -> str:
        numpy = found("numpy", "1.22", "engines").__version__
        return f"scipy {found('scipy', _LEAST, 'scipy').__version__}, numpy {numpy}"

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        return "" if graph.is_sparse else "scipy computes sparse_linear; it is not an engine for networks"

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        sparse = importlib.import_module("scipy.sparse")
        operation, = graph.operations
        x, weight = (arrays[name] for name in operation.inputs)
        # x W = (W' x')': a sparse matrix must be the left operand.
        transposed = getattr(sparse, f"{chosen['form']}_array")(weight.T)
        return Prepared(lambda: (transposed @ x.T).T, {"stored_bytes": _bytes_of(transposed)})


def _bytes_of(matrix: Any) -> int:
    """The arrays of the elements and their positions."""
    parts = [getattr(matrix, name, None) for name in ("data", "indices", "indptr")]
    parts += getattr(matrix, "coords", ()) if matrix.format == "coo" else ()
    return sum(part.nbytes for part in parts if part is not None)
