"""`kernsweep bench`: a model file by every engine; what is no such file, and what an engine lacks of it."""
import json
import os
import re
import subprocess
import sys
import unittest

from engines_test import EnginesTest
from sandbox import SOURCE

sys.path.insert(0, os.path.join(SOURCE, "python"))
from kernsweep.engines.model_files.inputs import said_in  # noqa: E402

MODELS = '''
import numpy
import onnx
from kernsweep.engines.onnx_file import model_of
from kernsweep.engines.workloads import workload
for name, size in (("mlp", 20), ("resnet18", 33), ("open", 33)):
    graph = workload("resnet18" if name == "open" else name, 2, size)
    model = model_of(graph, graph.arrays(1))
    for value in (model.graph.input[0], model.graph.output[0]):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    if name == "open":
        model.graph.input[0].type.tensor_type.shape.dim[3].dim_param = "width"
    onnx.save(model, name + ".onnx")
# Two inputs, two outputs, and a shape that is computed from the first one: words by their embeddings, with
# the mean of those that the mask has.
make = onnx.helper.make_node
nodes = [make("Gather", ["table", "ids"], ["words"]), make("Shape", ["ids"], ["sizes"]),
         make("Gather", ["sizes", "zero"], ["batch"]), make("Concat", ["batch", "rest"], ["to"], axis=0),
         make("Cast", ["mask"], ["real"], to=1), make("Unsqueeze", ["real", "last"], ["column"]),
         make("Mul", ["words", "column"], ["kept"]), make("ReduceSum", ["kept", "one"], ["sum"], keepdims=0),
         make("ReduceSum", ["column", "one"], ["count"], keepdims=0),
         make("Div", ["sum", "count"], ["mean"]), make("Reshape", ["kept", "to"], ["flat"])]
arrays = {"table": numpy.random.default_rng(1).standard_normal((10, 8)).astype("f4"),
          **{name: numpy.array([at]) for name, at in (("zero", 0), ("rest", 40), ("last", -1), ("one", 1))}}
ends = [onnx.helper.make_tensor_value_info(name, kind, ["batch", size]) for name, kind, size in (
    ("ids", 7, 5), ("mask", 7, 5), ("mean", 1, 8), ("flat", 1, 40))]
graph = onnx.helper.make_graph(nodes, "words", ends[:2], ends[2:], [
    onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()])
onnx.save(onnx.helper.make_model(graph, ir_version=9, opset_imports=[onnx.helper.make_opsetid("", 17)]),
          "words.onnx")
node = onnx.helper.make_node("Asinh", ["x"], ["y"])
x, y = (onnx.helper.make_tensor_value_info(name, 1, [2, 3]) for name in "xy")
onnx.save(onnx.helper.make_model(onnx.helper.make_graph([node], "g", [x], [y]), ir_version=9,
                                 opset_imports=[onnx.helper.make_opsetid("", 20)]), "asinh.onnx")
node = onnx.helper.make_node("Det", ["x"], ["y"])
x, unread, y = (onnx.helper.make_tensor_value_info(name, 1, shape) for name, shape in
                (("x", [2, 3, 3]), ("unread", [2]), ("y", [2])))
onnx.save(onnx.helper.make_model(onnx.helper.make_graph([node], "g", [x, unread], [y]), ir_version=9,
                                 opset_imports=[onnx.helper.make_opsetid("", 20)]), "det.onnx")


def save(name, nodes, given, outputs, arrays=()):
    ends = [[onnx.helper.make_tensor_value_info(each, 1, shape) for each, shape in some]
            for some in (given, outputs)]
    graph = onnx.helper.make_graph(nodes, name, *ends, [
        onnx.numpy_helper.from_array(array, each) for each, array in arrays])
    onnx.save(onnx.helper.make_model(graph, ir_version=9, opset_imports=[onnx.helper.make_opsetid("", 17)]),
              name + ".onnx")


big = [("big", numpy.full((8, 8), 1e6, "f4"))]
save("noise", [make("MatMul", ["x", "big"], ["y"]), make("RandomNormalLike", ["x"], ["z"])],
     [("x", [1, 8])], [("y", [1, 8]), ("z", [1, 8])], big)
save("shapeless", [make("MatMul", ["x", "w"], ["y"])], [("x", ["batch", 8])], [("y", None)],
     [("w", numpy.ones((8, 4), "f4"))])
onnx.save(onnx.load("shapeless.onnx"), "shapeless_apart.onnx", save_as_external_data=True,
          location="w.data", size_threshold=1)
save("untold", [make("MatMul", ["x", "big"], ["y"])], [("x", None)], [("y", ["batch", 8])], big)
save("trained", [make("Dropout", ["x", "share", "is_training"], ["y"])], [("x", [1, 64])], [("y", [1, 64])],
     [("share", numpy.array(0.5, "f4")), ("is_training", numpy.array(True))])
save("steps", [make("LSTM", ["x", "w", "r", "", "lengths"], ["y"], hidden_size=8)],
     [("x", [10, "batch", 4])], [("y", None)],
     [("w", numpy.ones((1, 32, 4), "f4")), ("r", numpy.ones((1, 32, 8), "f4")),
      ("lengths", numpy.array([4], "i4"))])
save("lengths", [make("Add", ["x", "at"], ["y"])], [("x", ["batch", "length", 4]), ("at", ["length", 4])],
     [("y", ["batch", "length", 4])])
save("turned", [make("Transpose", ["x"], ["y"], perm=[0, 2, 1])], [("x", ["batch", 300, 200])],
     [("y", ["batch", 200, 300])])
# As scikit-learn's converter writes a classifier: the second output is a list with a dict for each row.
of = onnx.helper
rows = of.make_sequence_type_proto(of.make_map_type_proto(7, of.make_tensor_type_proto(1, [])))
nodes = [make("LinearClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml",
              classlabels_ints=[0, 1, 2], coefficients=[1.0, 2, -1, 0.5, 3, -2], intercepts=[0.0, 1, 2]),
         make("ZipMap", ["scores"], ["zipped"], domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2])]
graph = of.make_graph(nodes, "classes", [of.make_tensor_value_info("x", 1, ["batch", 2])],
                      [of.make_tensor_value_info("label", 7, ["batch"]), of.make_value_info("zipped", rows)])
versions = [of.make_opsetid("", 17), of.make_opsetid("ai.onnx.ml", 3)]
onnx.save(of.make_model(graph, ir_version=9, opset_imports=versions), "classes.onnx")
product = [make("MatMul", ["x", "w"], ["y"])]
weights = [("w", numpy.ones((8, 4), "f4"))]
save("matmul", product, [("x", ["batch", "width"])], [("y", ["batch", 4])], weights)
save("nameless", product, [("x", [None, None])], [("y", ["batch", 4])], weights)
save("whole", product, [("x", [4, 8])], [("y", [4, 4])], weights)
save("apart", [make("Reshape", ["x", "to"], ["y"])], [("x", ["batch", 8])], [("y", [2, "rest", 3])],
     [("to", numpy.array([2, -1, 3]))])
save("folded", [make("Flatten", ["x"], ["f"]), make("MatMul", ["f", "w"], ["y"])],
     [("x", ["batch", 3, "h", "w_"])], [("y", ["batch", 4])], [("w", numpy.ones((48, 4), "f4"))])
save("table", [make("Shape", ["x"], ["s"]), make("Slice", ["s", "one", "two"], ["n"]),
               make("Slice", ["table", "zero", "n"], ["p"]), make("Add", ["x", "p"], ["y"])],
     [("x", ["batch", "seq", 4])], [("y", ["batch", "seq", 4])],
     [("table", numpy.ones((40, 4), "f4")), ("one", numpy.array([1])), ("two", numpy.array([2])),
      ("zero", numpy.array([0]))])
save("kernel", [make("Conv", ["x", "w"], ["y"])], [("x", ["batch", 3, "h", "w_"])],
     [("y", ["batch", 2, "p", "q"])], [("w", numpy.ones((2, 3, 5, 5), "f4"))])
save("padded", [make("Pad", ["x", "by"], ["y"], mode="reflect")], [("x", ["batch", 4])],
     [("y", ["batch", 8])], [("by", numpy.array([0, 2, 0, 2]))])
'''

WHOLE = ":\x01\x7f"  # a message that looks like a graph; only an engine finds that it is not


def model_with_weights(*locations):
    """A message with a graph of tensors (5), whose data_location (14) is 1 and whose external_data (13) are
    64 bytes from 32 on; the last one is that of a constant: a node's attribute's tensor (1, 5, 5)."""
    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    def tensor(location):
        entries = (("location", location), ("offset", "32"), ("length", "64"))
        return b"".join(field(13, field(1, key.encode()) + field(2, value.encode()))
                        for key, value in entries) + bytes([14 << 3, 1])
    *weights, last = map(tensor, locations)
    node = field(1, field(5, field(5, last)))
    return field(7, b"".join(field(5, weight) for weight in weights) + node)


class BenchTest(EnginesTest):
    def statuses(self, model, *more, status):
        """[(engine, status, reason)] of a first look with one thread, by points."""
        self.call("bench", model, "--quick", "--patience", "0", "-a", "threads=1", "-a", "mode=inference",
                  "-a", "optimisation=all", "--db", "b.db", *more, status=status)
        name = "bench-" + os.path.splitext(model)[0]
        rows = self.rows("b.db", f'select engine, status, reason from "{name}" order by point')
        return [(row["engine"], row["status"], "" if row["status"] == "ok" else row["reason"].split(" (")[0])
                for row in rows]


class Files(BenchTest):
    needed = ("sys",)

    def test_that_are_none(self):
        self.write("empty.onnx", "")
        os.mkdir(os.path.join(self.folder, "folder.onnx"))
        for name, text in (("text.onnx", "no model"), ("cut.onnx", "\x08\x09" + WHOLE[:-1]),
                           ("graphless.onnx", "\x08\x09"),
                           ("lfs.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")):
            self.write(name, text)
        said = [self.call("bench", name, status=2).errors
                for name in ("no.onnx", "empty.onnx", "folder.onnx", "text.onnx", "cut.onnx",
                             "graphless.onnx", "lfs.onnx")]
        self.assert_golden("none", "".join(said))
        self.assertEqual([], [name for name in self.files() if name.endswith(".db")])

    def test_with_weights_beside_the_model(self):
        os.mkdir(os.path.join(self.folder, "models"))
        self.write("models/apart.onnx", model_with_weights("w.data", "sub/../v.data"))
        said = [self.call("bench", "models/apart.onnx", status=2).errors]
        self.write("models/v.data", bytes(96))
        self.write("models/w.data", bytes(40))
        said.append(self.call("bench", "models/apart.onnx", status=2).errors)
        self.write("models/w.data", bytes(96))
        self.write("models/v.data", "version https://git-lfs.github.com/spec/v1\n")
        said.append(self.call("bench", "models/apart.onnx", status=2).errors)
        self.write("models/v.data", bytes(96))
        printed = self.call("bench", "models/apart.onnx", "--print-sweep").out.splitlines()
        said.append(next(line for line in printed if line.startswith("depends:")) + "\n")
        self.assert_golden("apart", "".join(said))

    def test_the_sweep_is_one_that_can_be_changed(self):
        self.write("a b'ü.onnx", WHOLE)
        said = self.call("bench", "a b'ü.onnx", "--print-sweep").out
        self.write("it.yaml", said)
        self.call("check", "it.yaml")
        said = re.sub(r"threads: \[1.*\]", "threads: [CORES]", said)
        self.assert_golden("sweep", said)


class Inputs(unittest.TestCase):
    def test_as_they_are_said(self):
        said = said_in("x:Nx3x224x224, state:2xN, sr=16000,y:7,to=Nx-1,ids=0..99")
        self.assertEqual({"x": [None, 3, 224, 224], "state": [2, None], "y": [7]}, said.sizes)
        self.assertEqual({"sr": [16000], "to": [None, -1]}, said.values)
        self.assertEqual({"ids": (0, 99)}, said.ranges)
        self.assertEqual(({}, {}, {}), said_in(""))
        self.assertEqual({"a:b": [1]}, said_in("a:b:1").sizes)
        self.assertEqual({"a:0": [5]}, said_in("x:0:Nx4,a:0=5").values)
        for text in ("x", "x:", ":3", "x:0", "x:-1", "x:3x", "x:NxNope", "=3", "x=", "x=y", "x:1,,z",
                     "x=9..1", "x=1..", "x=1x"):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "neither NAME:SIZExSIZE"):
                said_in(text)


class Models(BenchTest):
    needed = ("numpy", "onnx", "onnxruntime", "openvino", "torch")

    def setUp(self):
        super().setUp()
        environment = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"))
        subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-c", MODELS], cwd=self.folder,
                       env=environment, check=True)

    def test_are_computed_by_all_engines(self):
        for model in ("mlp.onnx", "resnet18.onnx"):
            rows = self.statuses(model, "-a", "batch=[1,3]", status=0)
            self.assertEqual(["ok"] * 6, [status for _, status, _ in rows], rows)
        self.assertEqual(0, self.value("b.db", "select count(*) from result where error is null"))

    def test_are_quantised_statically(self):
        rows = self.statuses("mlp.onnx", "-a", "+precision=int8_static", "-a", "+per_channel=[false,true]",
                             "-a", "engine=[onnxruntime,openvino]", "--set", "verify.tolerance.f32=0.25",
                             status=0)
        self.assertEqual(["ok"] * 4, [status for _, status, _ in rows], rows)
        self.assertLess(1e-4, self.value("b.db", "select min(error) from result"))

    def test_of_several_inputs_and_outputs(self):
        rows = self.statuses("words.onnx", "-a", "batch=[1,3]", status=0)
        self.assertEqual(["ok"] * 6, [status for _, status, _ in rows], rows)

    def test_of_which_each_output_is_compared(self):
        """Not with the largest value of all outputs."""
        compared = """
import numpy
from kernsweep.engines.model_files.file import far_outputs, plainly_computed, read_model
file = read_model("words.onnx", 2, 1)
mean, flat = plainly_computed(file)
print(*(far_outputs(file, outputs, 1e-3).split(" by ")[0] for outputs in (
    (mean, flat), (mean * 1.01, flat), (mean, flat[:1]), (mean, flat + numpy.float32(1e-2)))), sep="|")
"""
        said = subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-c", compared], cwd=self.folder,
                              check=True, env=dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python")),
                              capture_output=True, text=True).stdout
        differs = "differs from what ONNX Runtime computes without any optimisation"
        self.assertEqual(["", f"output 'mean' {differs}",
                          "output 'flat' has the shape (1, 40), and should have (2, 40)",
                          f"output 'flat' {differs}"], said.rstrip("\n").split("|"))

    def test_that_draw_random_numbers_are_measured_without_a_reference(self):
        said, engines = "", ("-a", "engine=[onnxruntime,openvino]")
        for model, which in (("noise.onnx", engines), ("trained.onnx", ("-a", "engine=onnxruntime"))):
            rows = self.statuses(model, *which, status=1)
            said += "".join(" ".join(row) + "\n" for row in rows)
            rows = self.statuses(model, *which, "--set", "verify=false", "--again", status=0)
            self.assertEqual({"ok"}, {status for _, status, _ in rows[-len(which[1].split(",")):]}, rows)
        self.assert_golden("random", said)

    def test_of_which_outputs_have_no_shape(self):
        for model in ("shapeless.onnx", "shapeless_apart.onnx"):
            rows = self.statuses(model, "-a", "batch=[1,3]", status=0)
            self.assertEqual(["ok"] * 6, [status for _, status, _ in rows], rows)
        self.assert_golden("untold", self.call("bench", "untold.onnx", status=2).errors)
        rows = self.statuses("untold.onnx", "--inputs", "x:Nx8", "-a", "batch=2", status=0)
        self.assertEqual(["ok"] * 3, [status for _, status, _ in rows], rows)

    def test_of_sequences_with_lengths(self):
        """The reference of the package onnx computes their other steps, too."""
        rows = self.statuses("steps.onnx", "-a", "engine=onnxruntime", status=0)
        self.assertEqual(["ok"], [status for _, status, _ in rows], rows)

    def test_of_which_no_engine_leaves_work_undone(self):
        rows = self.statuses("turned.onnx", status=0)
        self.assertEqual(["ok"] * 3, [status for _, status, _ in rows], rows)
        self.assertEqual(0, self.value("b.db", "select count(*) from result where "
                                               "grade_reasons like '%view%'"))

    def test_of_which_an_output_is_no_tensor(self):
        rows = self.statuses("classes.onnx", "-a", "batch=3", status=0)
        self.assertEqual([("onnxruntime", "ok")], [row[:2] for row in rows])

    def test_of_which_a_length_is_no_batch(self):
        self.assertIn("'x:Nx?x4'", self.call("bench", "lengths.onnx", status=2).errors)
        rows = self.statuses("lengths.onnx", "--inputs", "length=7", status=0)
        self.assertEqual({"ok"}, {status for _, status, _ in rows}, rows)
        rows = self.statuses("lengths.onnx", "--inputs", "x:Nx9x4,at:9x4", "-a", "batch=[1,3]", status=0)
        self.assertEqual({"ok"}, {status for _, status, _ in rows}, rows)

    def test_with_sizes_and_values_that_are_said(self):
        self.assert_golden("open", self.call("bench", "open.onnx", status=2).errors)
        for sizes in (["x:Nx3x33x40"], ["x:Nx3x33x33,x=1", "x:Nx3x33x64"]):
            rows = self.statuses("open.onnx", *(f"--inputs={each}" for each in sizes), status=0)
            self.assertEqual({"ok"}, {status for _, status, _ in rows}, rows)
        for name, words in (("other", "x:Nx3x32x40"), ("unknown", "y:1"), ("none", "x:3x")):
            self.assert_golden(name, self.call("bench", "open.onnx", "--inputs", words, status=2).errors)

    def test_that_an_engine_cannot_compute_say_so(self):
        self.write("broken.onnx", WHOLE)
        two = "engine=[onnxruntime,openvino]"
        eight = ("-a", "batch=2", "-a", "+precision=int8_static", "-a", two)
        rows = self.statuses("asinh.onnx", *eight, status=1)
        said = "".join(" ".join(row) + "\n" for row in rows)
        said += self.call("bench", "broken.onnx", status=2).errors
        self.assert_golden("refused", re.sub(r"(?m)( is not an ONNX model): .*$", r"\1", said))

    def test_whose_operations_an_engine_lacks_are_left_out(self):
        """Before anything runs, once: no job ends as unsupported."""
        self.write("sweep.yaml", self.call("bench", "asinh.onnx", "--print-sweep").out)
        said = ""
        for words in (("bench", "asinh.onnx", "-a", "batch=[2,4]"),
                      ("bench", "padded.onnx", "-a", "engine=[torch,onnxruntime]"),
                      ("bench", "det.onnx", "-a", "batch=2", "-a", "engine=[openvino,onnxruntime]"),
                      ("run", "sweep.yaml", "-a", "model=[asinh.onnx,whole.onnx]",
                       "-a", "batch=[2,4]")):
            answer = self.call(*words, "--quick", "--patience", "0", "-a", "threads=1", "--db", "left.db",
                               "-a", "mode=inference", "-a", "optimisation=all", "--json")
            rejected = json.loads(answer.out)["rejected"]
            said += f"{' '.join(words)}: {rejected['points']} of {rejected['of']}\n" + "".join(
                f"  {each['points']} by {each['rule']}: {each['why']}\n" for each in rejected["rules"])
            self.assertEqual(0, json.loads(answer.out)["failed"])
        said += self.call("bench", "asinh.onnx", "-a", "engine=torch", "-a", "batch=2", status=2).errors
        self.assert_golden("left_out", said)
        self.assertNotIn("bench-asinh.db", self.files())

    def test_that_do_not_take_the_sizes_are_refused(self):
        problems = (("matmul", 1, "width=7"), ("matmul", 2, "x:Nx9"), ("apart", 5, ""), ("whole", 8, ""),
                    ("folded", 1, "h=3,w_=5"), ("table", 1, "seq=50"), ("kernel", 1, "x:Nx3x4x4"),
                    ("nameless", 1, "x:Nx9"), ("apart", 6, ""))
        words = [str(word) for name, batch, inputs in problems
                 for word in (f"{name}.onnx", batch, inputs, "")]
        said = subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-W", "ignore", "-m",
                               "kernsweep.engines.model_files", "1", *words], cwd=self.folder, check=True,
                              env=dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python")),
                              capture_output=True, text=True).stdout
        self.assert_golden("sizes", said + self.call("bench", "apart.onnx", "-a", "batch=[2,4]",
                                                     status=2).errors)
        self.assertEqual([], [name for name in self.files() if name.endswith(".db")])
        rows = self.statuses("apart.onnx", "-a", "batch=[2,3,4]", "-a", "engine=onnxruntime", status=0)
        self.assertEqual(["ok"], [status for _, status, _ in rows], rows)

    def test_whose_file_fixes_the_batch_are_measured_with_it(self):
        """No option says which batch."""
        words = ("bench", "whole.onnx", "-a", "engine=onnxruntime", "-a", "threads=1", "-a",
                 "optimisation=all", "--quick", "--patience", "0", "--db", "b.db")
        said = self.call(*words).errors.split("\n")[0] + "\n"
        self.assertEqual(4, self.value("b.db", "select params ->> '$.batch' from results"))
        self.assert_golden("fixed", said + self.call(*words, "-a", "batch=1", status=2).errors)


del EnginesTest, BenchTest
