"""What is drawn for the inputs of a model file: whole numbers that the graph takes, or a refusal."""
import json
import os
import select
import subprocess
import sys
import unittest
import unittest.mock

from engines_test import EnginesTest
from sandbox import SOURCE

sys.path.insert(0, os.path.join(SOURCE, "python"))
from kernsweep.engines.model_files import trial  # noqa: E402

MODELS = '''
import json, sys
import numpy, onnx
from onnx import helper as of
from kernsweep.engines.model_files.file import plainly_computed, read_model
from kernsweep.engines.model_files.inputs import UnfitBatch
node, drawn, refused = of.make_node, {}, {}
F, I = 1, 7


def model(name, nodes, inputs, inputs_said="", batch=1, **arrays):
    ends = [of.make_tensor_value_info(each, kind, shape) for each, kind, shape in inputs]
    outputs = [of.make_tensor_value_info("y", 1 if nodes[-1].op_type != "Add" else 7, None)]
    graph = of.make_graph(nodes, name, ends, outputs, [
        onnx.numpy_helper.from_array(numpy.asarray(array), each) for each, array in arrays.items()])
    made = of.make_model(graph, ir_version=9, opset_imports=[of.make_opsetid("", 17)])
    onnx.save(onnx.shape_inference.infer_shapes(made), name + ".onnx")
    try:
        file = read_model(name + ".onnx", batch, 1, inputs_said)
    except (ValueError, UnfitBatch) as error:
        refused[name] = str(error)
        return
    if name != "doubtful":
        plainly_computed(file)
    drawn[name] = {key: [array.min().item(), array.max().item(), len(numpy.unique(array)), *array.shape]
                   for key, array in file.inputs.items()}
    if name == "padding":  # a row without both kinds would be a mask that leaves nothing
        drawn[name]["mixed"] = bool((file.inputs["pad"].any(-1) & ~file.inputs["pad"].all(-1)).all())


def floats(*shape):
    return numpy.ones(shape, "f4")


gather = node("Gather", ["table", "at"], ["y"])
model("gather", [node("Gather", ["table", "ids"], ["y"])], [("ids", I, ["N", 500])], batch=2,
      table=floats(5, 4))
model("far", [node("Gather", ["table", "ids"], ["y"])], [("ids", I, ["N", 500])], table=floats(3000, 1))
model("moved", [node("Sub", ["ids", "one"], ["less"]), node("Cast", ["less"], ["cast"], to=6),
                node("Unsqueeze", ["cast", "one"], ["at"]), gather],
      [("ids", I, ["batch", 200])], table=floats(5, 4), one=[1])
model("two", [node("Gather", ["table", "ids"], ["a"]), node("Gather", ["small", "ids"], ["b"]),
              node("Concat", ["a", "b"], ["y"], axis=-1)],
      [("ids", I, ["N", 200])], table=floats(50, 4), small=floats(2, 4))
model("of_floats", [node("Cast", ["ids"], ["at"], to=7), gather], [("ids", F, ["N", 200])],
      table=floats(5, 4))
model("gather_nd", [node("GatherND", ["table", "at"], ["y"])], [("at", I, [300, 2])], batch=300,
      table=floats(2, 40))
model("elements", [node("ScatterElements", ["x", "at", "v"], ["y"], axis=1)],
      [("x", F, ["N", 9]), ("at", I, ["N", 9]), ("v", F, ["N", 9])])
model("slices", [node("ScatterND", ["x", "at", "v"], ["y"])],
      [("x", F, [4, 5]), ("at", I, [20, 2]), ("v", F, [20])], batch=4)
model("one_hot", [node("OneHot", ["ids", "depth", "ends"], ["y"])], [("ids", I, ["N", 200])],
      depth=numpy.array(3), ends=numpy.array([0, 1], "f4"))
for kind in ("Div", "Mod"):
    model(kind, [node(kind, ["a", "b"], ["q"]), node("Add", ["q", "q"], ["y"])],
          [("a", I, ["N", 200]), ("b", I, ["N", 200])])
model("mask", [node("Cast", ["attention_mask"], ["y"], to=1)], [("attention_mask", I, ["N", 50])], batch=40)
model("padding", [node("Cast", ["pad"], ["y"], to=1)], [("pad", 9, ["N", 3])], batch=40)
model("scalar", [node("Mul", ["x", "s"], ["y"])], [("x", F, ["N", 8]), ("s", F, [])])
for name, kind, inputs, said in (
        ("Reshape", "Reshape", ["x", "to"], "to=Nx8"), ("Expand", "Expand", ["x", "to"], "to=Nx8"),
        ("Tile", "Tile", ["x", "to"], "to=1x2"), ("Slice", "Slice", ["x", "to", "ends"], "to=0x1"),
        ("ConstantOfShape", "ConstantOfShape", ["to"], "to=Nx8")):
    for suffix, words in (("", ""), ("_said", said)):
        model(name + suffix, [node(kind, inputs, ["y"])], [("x", F, ["N", 8]), ("to", I, [2])], words, 3,
              ends=[9, 9])
model("made", [node("Cast", ["count"], ["c"], to=7), node("Concat", ["c", "eight"], ["to"], axis=0),
               node("Reshape", ["x", "to"], ["y"])], [("x", F, ["N", 8]), ("count", 6, [1])], eight=[8])
product = [node("MatMul", ["x", "w"], ["y"])]
for name, shape, said in (("sequence", ["seq", "batch", 8], ""),
                          ("sequence_said", ["seq", "batch", 8], "seq=6"),
                          ("tokens", ["seq_len", 4, 8], ""), ("tokens_said", ["seq_len", 4, 8], "x:7x4x8"),
                          ("nameless", [None, 4, 8], ""), ("s77", ["s77", 4, 8], ""),
                          ("sum", ["batch", "past + 1", 8], "past=3"),
                          ("other", ["batch", 4, 8], "batch=2")):
    model(name, product, [("x", F, shape)], said, 1 if name.startswith("tokens") else 3, w=floats(8, 8))
model("range", [node("Gather", ["x", "at"], ["y"])], [("x", F, ["N", 8]), ("at", I, ["N"])], "at=0..1", 2)
model("wrong", [node("Reshape", ["x", "to"], ["y"])], [("x", F, ["N", 8]), ("to", I, [2])], "to=1x2x4")
model("doubtful", [node("Mul", ["ids", "ids"], ["at"]), gather], [("ids", I, ["N", 50])], table=floats(5, 4))
model("text", [node("Identity", ["x"], ["y"])], [("x", 8, ["N", 1])], "x=1")
model("empty", [node("Relu", ["x"], ["y"])], [("x", F, [0, 8])])
branches = {name + "_branch": of.make_graph([node("Gather", ["table", "ids"], [name])], name, [], [
    of.make_tensor_value_info(name, F, ["k", 4])]) for name in ("then", "else")}
model("branch", [node("If", ["c"], ["y"], **branches)], [("c", 9, []), ("ids", I, ["N"])], batch=200,
      table=floats(5, 4))
model("of_branch", [node("If", ["c"], ["at"], **{
    name + "_branch": of.make_graph([node("Identity", ["ids"], ["same"])], name, [], [
        of.make_tensor_value_info("same", I, ["N"])]) for name in ("then", "else")}), gather],
      [("c", 9, []), ("ids", I, ["N"])], batch=200, table=floats(5, 4))

import kernsweep.engines.model_files.__main__ as refusal
from kernsweep.engines.model_files.inputs import Undrawn
reads = []


def one_more(*said):
    reads.append(said)
    if len(reads) > 50:
        raise ValueError("the search has no end")
    raise Undrawn(f"i{len(reads)}", "not known")


refusal.now, refusal.read_model = lambda: 3.0 * len(reads), one_more  # seconds, each of them one read
refusal._why_not("x.onnx", 1, 1, "")
json.dump([drawn, refused, len(reads)], sys.stdout)
'''


class Limits(unittest.TestCase):
    def test_do_not_count_what_others_on_this_host_take(self):
        def steps():
            yield 1
            select.select([], [], [], 0.5)
            yield 2

        for waited_s, said in ((0.0, [1]), (30.0, [1, 2])):
            with unittest.mock.patch.object(trial, "_waited_s", lambda process, s=waited_s: s):
                self.assertEqual((said, ""), trial.in_process(steps, 0.1))


class Drawn(EnginesTest):
    needed = ("numpy", "onnx", "onnxruntime")

    def test_values_are_those_that_the_graph_takes(self):
        environment = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"))
        said = subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-c", MODELS], cwd=self.folder,
                              env=environment, check=True, capture_output=True, text=True).stdout
        drawn, refused, reads = json.loads(said)
        self.assertLess(reads, 6, "10 s for all that are searched")
        ranges = {name: values[next(key for key in ("ids", "at", "b", "attention_mask") if key in values)]
                  for name, values in drawn.items() if set(values) & {"ids", "at", "b", "attention_mask"}}
        for name, least, most in (("gather", 0, 4), ("moved", 1, 5), ("two", 0, 1), ("of_floats", 0, 4),
                                  ("one_hot", 0, 2), ("gather_nd", 0, 39), ("Div", 1, 9), ("Mod", 1, 9),
                                  ("mask", 0, 1), ("range", 0, 1), ("branch", 0, 4), ("of_branch", 0, 4)):
            with self.subTest(name):
                self.assertEqual([least, most], ranges[name][:2])
        self.assertTrue(drawn["padding"]["mixed"])
        self.assertLess(2000, ranges["far"][1])
        self.assertEqual([0, 8, 9, 1, 9], ranges["elements"])  # no place twice
        self.assertEqual([0, 4], ranges["slices"][:2])
        shapes = {name: drawn[name]["x"][3:] for name in drawn if "x" in drawn[name]}
        self.assertEqual([[6, 3, 8], [7, 4, 8], [3, 4, 8], [3, 4, 8], [3, 4, 8]], [shapes[name] for name in (
            "sequence_said", "tokens_said", "nameless", "s77", "sum")])
        self.assertEqual("Reshape Expand Tile Slice ConstantOfShape made sequence tokens other wrong text "
                         "empty", " ".join(refused))
        self.assert_golden("refused", "".join(f"{name}: {why}\n" for name, why in refused.items()))
        texts = [self.call("bench", "doubtful.onnx", "--db", "b.db", *inputs, status=2).errors
                 for inputs in ((), ("--inputs", "ids=1..9"))]  # drawn, and as said
        self.assert_golden("doubtful", "".join(
            text.split(": [ONNX")[0] + "; " + "; ".join(text.split("; ")[-2:]) for text in texts))
        self.assertNotIn("b.db", self.files())
        advised = texts[1].split("'")[-2]
        self.assertEqual("good", self.module("doubtful.onnx", advised), advised)
        self.assertRegex(self.module("Reshape.onnx", "to=4x4"), "^refused .*'to' .Reshape.*other sizes")

    def module(self, model, inputs):
        words = [self.environment["KERNSWEEP_PYTHON"], "-B", "-m", "kernsweep.engines.model_files", "1",
                 model, "1", inputs, ""]
        return subprocess.run(words, cwd=self.folder, check=True, capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"))).stdout.strip()


del EnginesTest

if __name__ == "__main__":
    unittest.main()
