"""Nodes of ONNX as functions of PyTorch, compared with the outputs in the package onnx."""
import json
import os
import subprocess
import unittest

from engines_test import EnginesTest
from sandbox import SOURCE

# Each model has one node. Its first input stays one, the others become weights, as in most model files.
NODES = '''
import collections, itertools, json, types
import numpy, onnx, onnx.parser, onnx.reference, torch
from onnx.backend.test.case.node import collect_testcases
from kernsweep.engines.model_files.file import ModelFile
from kernsweep.engines.model_files.onnx_nodes import module, recurrent
from kernsweep.engines.model_files.onnx_nodes.maker import Formless
torch.set_num_threads(1)
right, wrong, formless, compiled = collections.Counter(), [], collections.Counter(), set()
# Those whose cases give the first input as a parameter, or return what follows from shapes alone.
own = (("OneHot", "(int64[3] x) => (float[3,5] y) <int64 d = {5}, float[2] v = {0.5, 2}>"
                  "{ y = OneHot(x, d, v) }"),
       ("OneHot", "(int64[3] x) => (float[5,3] y) <int64 d = {5}, float[2] v = {0, 1}>"
                  "{ y = OneHot<axis = 0>(x, d, v) }"),
       ("Size", "(float[2,3] x) => (float[2,3] y) { n = Size(x) f = Cast<to = 1>(n) y = Mul(x, f) }"),
       ("NonZero", "(float[4] x) => (float[1,2] y) <int64[4] m = {0, 1, 0, 1}>"
                   "{ at = NonZero(m) y = Gather(x, at) }"),
       *(("Resize", "(float[1,2,4,5] x) => (float[1,2,h,w] y) <float[0] r = {}, float[4] s = {1, 1, %s}>"
                    "{ y = Resize<mode = \\"cubic\\", coordinate_transformation_mode = \\"%s\\">(x, r, s) }"
          % way) for way in (("2, 2", "half_pixel"), ("2, 2", "align_corners"), ("1.5, 3", "half_pixel"))))
cases = list(collect_testcases(None))
for kind, graph in own:
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 18]> g ' + graph)
    type_ = model.graph.input[0].type.tensor_type
    shape = [each.dim_value for each in type_.shape.dim]
    x = (numpy.array([3, 0, -1]) if type_.elem_type == 7 else
         numpy.random.default_rng(1).standard_normal(shape).astype("f4"))
    data = [x], onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})
    cases.append(types.SimpleNamespace(name="own " + kind, model=model, data_sets=[data]))
for case in cases:
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
        right[case.name if case.name.startswith("own") else graph.node[-1].op_type] += 1
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
                            ("ScatterND", 6), ("GridSample", 12), ("own OneHot", 2), ("own Size", 1),
                            ("own NonZero", 1), ("own Resize", 3)):
            self.assertGreaterEqual(found["right"].get(kind, 0), least, found["formless"])
        self.assertGreater(len(found["right"]), 60, found["right"])
        self.assertGreater(found["compiled"], 60)


del EnginesTest

if __name__ == "__main__":
    unittest.main()
