"""Nodes of ONNX as functions of PyTorch, compared with the outputs in the package onnx."""
import json
import os
import subprocess
import unittest

from engines_test import EnginesTest
from sandbox import SOURCE

# Each model has one node. Its first input stays one, the others become weights, as in most model files.
NODES = '''
import collections, itertools, json
import numpy, onnx, torch
from onnx.backend.test.case.node import collect_testcases
from kernsweep.engines.model_files.file import ModelFile
from kernsweep.engines.model_files.onnx_nodes import module, recurrent
from kernsweep.engines.model_files.onnx_nodes.maker import Formless
torch.set_num_threads(1)
right, wrong, formless, compiled = collections.Counter(), [], collections.Counter(), set()
for case in collect_testcases(None):
    graph, (inputs, outputs) = case.model.graph, case.data_sets[0]
    kinds = {node.op_type for node in graph.node}
    if not inputs or not all(isinstance(each, numpy.ndarray) for each in [*inputs, *outputs]) \
            or not kinds <= module.KINDS or inputs[0].dtype.kind not in "fiub" \
            or "training" in case.name or "empty_set" in case.name:
        continue
    first, *others = (value.name for value in graph.input)
    for name, array in zip(others, inputs[1:]):
        graph.initializer.append(onnx.numpy_helper.from_array(numpy.asarray(array), name))
    file = ModelFile(case.model, {first: inputs[0]})
    why = module.lacks(torch, file)
    if not why:
        try:
            with torch.inference_mode():
                made = module.module_of_file(torch, file)
                got = made(torch.from_numpy(inputs[0].copy()))
                form = [(node.op_type, *(name != "" for name in node.input)) for node in graph.node]
                if repr(form) not in compiled:
                    torch._dynamo.reset()
                    got = torch.compile(made, backend="eager", fullgraph=True)(torch.from_numpy(inputs[0]))
                    compiled.add(repr(form))
        except Formless as error:
            why = str(error)
        except NotImplementedError as error:  # PyTorch computes little in unsigned numbers but u8
            why = str(error)
        except Exception as error:
            wrong.append(f"{case.name}: {type(error).__name__}: {error}")
            continue
    if why:
        formless[why] += 1
        continue
    for given, expected in zip(got if isinstance(got, tuple) else [got], outputs):
        if given.shape != expected.shape or not numpy.allclose(given.numpy(), expected, 1e-3, 1e-5,
                                                               equal_nan=True):
            wrong.append(f"{case.name}: {list(given.shape)} for {list(expected.shape)}")
            break
    else:
        right[graph.node[-1].op_type] += 1
# What PyTorch has a function for computes what the loop does, which these cases judge.
random, unlike = numpy.random.default_rng(1), []
for kind, direction in itertools.product(("RNN", "GRU", "LSTM"), ("forward", "reverse", "bidirectional")):
    ways, gates = 2 if direction == "bidirectional" else 1, recurrent._GATES[kind]
    shapes = {1: (ways, gates * 4, 5), 2: (ways, gates * 4, 4), 3: (ways, gates * 8)}
    said = {at: random.standard_normal(shape).astype("f4") for at, shape in shapes.items()}
    has = {"direction": direction.encode(), "linear_before_reset": 1}
    x, *state = (torch.from_numpy(random.standard_normal(shape).astype("f4"))
                 for shape in ((6, 3, 5), (ways, 3, 4), (ways, 3, 4)))
    weights = recurrent._directions(torch, kind, has, said)
    assert recurrent._is_usual(kind, has, weights)
    own, loop = (form(torch, kind, has, weights)(x, tuple(state[:2 if kind == "LSTM" else 1])) for form in (
        recurrent._library, recurrent._looped))
    if not all(torch.allclose(a, b, 1e-4, 1e-5) and a.shape == b.shape for a, b in zip(own, loop)):
        unlike.append(f"{kind} {direction}")
print(json.dumps({"right": right, "wrong": wrong, "formless": formless,
                  "compiled": len(compiled), "unlike": unlike}))
'''


class OnnxNodes(EnginesTest):
    needed = ("numpy", "onnx", "torch")

    def test_compute_what_the_package_says(self):
        environment = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"))
        said = subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-W", "ignore", "-c", NODES],
                              env=environment, check=True, capture_output=True, text=True).stdout
        found = json.loads(said)
        self.assertEqual([[], []], [found["wrong"], found["unlike"]])
        self.assertGreater(sum(found["right"].values()), 500, found["formless"])
        for kind, least in (("TopK", 5), ("LSTM", 5), ("GRU", 5), ("RNN", 5), ("ScatterElements", 6),
                            ("ScatterND", 6)):
            self.assertGreaterEqual(found["right"].get(kind, 0), least, found["formless"])
        self.assertGreater(len(found["right"]), 60, found["right"])
        self.assertGreater(found["compiled"], 60)


del EnginesTest

if __name__ == "__main__":
    unittest.main()
