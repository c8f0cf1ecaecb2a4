"""Models as torch.onnx.export writes them, by every engine: their weights are in a separate file."""
import os
import subprocess
import unittest

from engines_test import EnginesTest

EXPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "export_models.py")
MODELS = ("linear", "conv", "attention", "shapes", "words", "axes")


class Exported(EnginesTest):
    needed = ("numpy", "onnx", "onnxruntime", "onnxscript", "openvino", "torch")

    def setUp(self):
        super().setUp()
        subprocess.run([self.environment["KERNSWEEP_PYTHON"], "-B", "-W", "ignore", EXPORT],
                       cwd=self.folder, capture_output=True, check=True)

    def expect_results(self, database, count, *command):
        """All jobs of a first look have a result that was compared with the reference."""
        self.call(*command, "--quick", "--patience", "0", "-a", "threads=1", "-a", "mode=inference",
                  "-a", "optimisation=all", "--set", "retry.max=0", "--db", database)
        self.assertEqual([count, 0], [self.value(database, "select count(*) from result where " + which)
                                      for which in ("error < 1e-3", "error is null or error >= 1e-3")])

    def test_models_are_computed_by_all_engines_and_their_weights_are_seen(self):
        self.expect_results("b.db", 6, "bench", "large.onnx", "-a", "batch=[1,3]")
        path = os.path.join(self.folder, "large.onnx.data")
        with open(path, "r+b") as file:
            self.assertGreater(os.fstat(file.fileno()).st_size, 8 << 20)
            file.write(bytes(64))
        self.expect_results("b.db", 12, "bench", "large.onnx", "-a", "batch=[1,3]")  # other weights
        self.write("all.yaml", self.call("bench", "large.onnx", "--print-sweep").out)
        listed = ", ".join(f"{name}.onnx" for name in MODELS)
        self.expect_results("all.db", 3 * len(MODELS), "run", "all.yaml", "-a", f"model=[{listed}]",
                            "-a", "batch=2")


del EnginesTest

if __name__ == "__main__":
    unittest.main()
