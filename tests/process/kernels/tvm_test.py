"""The engine tvm of kernsweep.engines: what it computes, and what its tuner finds and keeps."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from engines_test import VERIFIED, EnginesTest
from sandbox import SOURCE

sys.path.insert(0, os.path.join(SOURCE, "python"))
from kernsweep.engines import tvm_tuning  # noqa: E402

THREADS = """
import os
from kernsweep.engines.inference import Inference
last = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {last})
params = {"engine": "tvm", "workload": "mlp", "size": 9, "seed": 1, "threads": 2}
Inference().setup(params, {})()
import sys, tvm
cores = {core for thread in os.listdir("/proc/self/task") for core in os.sched_getaffinity(int(thread))}
print(tvm.runtime.num_threads(), cores == {last}, "torch" in sys.modules)
"""

MODELS = """
import numpy, onnx
from onnx import TensorProto, helper, numpy_helper
def save(name, nodes, outputs):
    ends = [[helper.make_tensor_value_info(each, TensorProto.FLOAT, shape) for each, shape in part]
            for part in ([("x:0", ["batch", 4, 4])], outputs)]
    weight = numpy_helper.from_array(numpy.arange(12, dtype="f4").reshape(4, 3), "w")
    graph = helper.make_graph([helper.make_node(*node) for node in nodes], "g", *ends, [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), name)
save("two.onnx", [("MatMul", ["x:0", "w"], ["y"]), ("Relu", ["x:0"], ["z"])],
     [("y", ["batch", 4, 3]), ("z", ["batch", 4, 4])])
save("det.onnx", [("Det", ["x:0"], ["y"])], [("y", ["batch"])])
"""


class Tvm(EnginesTest):
    needed = ("numpy", "onnx", "tvm", "xgboost")

    def test_networks_agree(self):
        self.agree("engine: [tvm], workload: [conv2d, encoder], size: [20], threads: [2]", count=2)

    def test_what_is_tuned_agrees_and_is_tuned_once(self):
        axes = ("engine: [tvm], workload: [linear], size: [8], trials: [2], minutes: [5], "
                "search: [evolutionary, random]")
        self.agree(axes, count=2)
        self.agree(axes, VERIFIED + "\nseed: 7", count=2)  # other weights
        seconds, trials = (
            [row["value"] for row in self.rows("p.db", f"select value from metric where name = '{name}'")]
            for name in ("tuning_s", "tuned_trials"))
        self.assertEqual(([2] * 4, [2, 2]), (trials, [seconds.count(each) for each in set(seconds)]))

    def test_model_files_agree_or_are_refused(self):
        subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-c", MODELS], cwd=self.folder,
                       check=True)
        words = ("-a", "engine=tvm", "-a", "threads=1", "--quick", "--patience", "0", "--db", "b.db")
        self.call("bench", "two.onnx", "-a", "batch=3", *words)
        self.assertEqual(1, self.value("b.db", "select count(*) from result where error < 1e-3"))
        self.assert_golden("refused", self.call("bench", "det.onnx", *words, status=2).errors)

    def test_its_threads_keep_to_the_cores_of_the_process(self):
        """TVM itself binds them to the first cores of the machine."""
        done = subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-c", THREADS], check=True,
                              env=dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python")),
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual("2 True False\n", done.stdout)


class InTime(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_what_is_late_is_ended(self):
        began = time.monotonic()
        self.assertTrue(tvm_tuning.in_time(signal.pause, self.folder, 0.05))
        self.assertLess(time.monotonic() - began, 30)
        self.assertFalse(tvm_tuning.in_time(lambda: None, self.folder, None))

    def test_why_it_failed(self):
        def fail():
            raise KeyError("nothing")
        for work, said in ((fail, "TVM's tuner failed: KeyError: 'nothing'"),
                           (lambda: os.kill(os.getpid(), signal.SIGSEGV), "TVM's tuner ended by signal 11")):
            with self.assertRaises(RuntimeError) as caught:
                tvm_tuning.in_time(work, self.folder, None)
            self.assertEqual(said, str(caught.exception))

    def test_a_record_that_was_not_written_completely_is_left_out(self):
        path = os.path.join(self.folder, "records")
        self.assertEqual(0, tvm_tuning.complete_lines(path))
        for text, whole in ((b"", b""), (b"[1", b""), (b"[1]\n[2]\n", b"[1]\n[2]\n"),
                            (b"[1]\n[2", b"[1]\n")):
            with open(path, "wb") as file:
                file.write(text)
            self.assertEqual(whole.count(b"\n"), tvm_tuning.complete_lines(path))
            with open(path, "rb") as file:
                self.assertEqual(whole, file.read())


del EnginesTest

if __name__ == "__main__":
    unittest.main()
