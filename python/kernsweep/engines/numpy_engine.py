"""NumPy: one operation at a time, in f32."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arithmetic import convolution_by_offsets, convolution_by_patches, function_of
from .engine import Engine, Prepared, Settings, found
from .graph import Graph

_CONVOLUTIONS = {"patches": convolution_by_patches, "offsets": convolution_by_offsets}


class NumpyEngine(Engine):
    """`convolution`: by a matrix of patches (im2col), or by one product per position of the kernel."""

    settings = {"convolution": tuple(_CONVOLUTIONS)}
    precisions = ("f32",)
    modules = ("numpy",)

    def version(self) -> str:
        return f"numpy {found('numpy', '1.22', 'engines').__version__}"

    def lacks(self, graph: Graph, chosen: Settings) -> str:
        return ""

    def prepare(self, graph: Graph, arrays: Mapping[str, Any], chosen: Settings, threads: int) -> Prepared:
        convolution = _CONVOLUTIONS[chosen["convolution"]]
        steps = [(function_of(each, convolution), each.inputs, each.output) for each in graph.operations]
        output = graph.output

        def call() -> Any:
            known = dict(arrays)
            for function, inputs, name in steps:
                known[name] = function([known[each] for each in inputs])
            return known[output]
        return Prepared(call, {})
