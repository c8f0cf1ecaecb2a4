"""kernsweep.engines: what each engine computes is what NumPy says, and what it lacks is a row that says so.

Engines are looked for in the Python that KERNSWEEP_PYTHON names, in the one that runs this, and in the
system's; one that none of them has is skipped with the reason.
"""
import functools
import json
import os
import subprocess
import sys
import unittest

from python_test import HERE, PythonTest
from sandbox import SANITIZED, SOURCE

VERIFIED = ("verify: {reference: {python: 'kernsweep.engines:Inference'}, "
            "tolerance: {f32: 1e-4, bf16: 5e-2, f64: 1e-4}}")
ROUGH, ROUGHER = VERIFIED.replace("1e-4", "0.1"), VERIFIED.replace("1e-4", "0.25")


@functools.cache
def python_with(*modules):
    """The first Python that has all of them; None: there is none."""
    for path in (os.environ.get("KERNSWEEP_PYTHON"), sys.executable, "/usr/bin/python3"):
        if path and os.path.isdir(path):
            path = os.path.join(path, "bin", "python3")
        try:
            if path and subprocess.run([path, "-c", "import " + ", ".join(modules)], check=False,
                                       capture_output=True).returncode == 0:
                return path
        except OSError:
            pass
    return None


@unittest.skipUnless(HERE, "this build has no pack for Python functions")
@unittest.skipIf(SANITIZED, "only one Python has the sanitizer, and it has no engines")
class EnginesTest(PythonTest):
    needed, kernel = ("numpy",), "kernsweep.engines:Inference"

    def setUp(self):
        super().setUp()
        path = python_with(*self.needed)
        if path is None:
            self.skipTest(f"no Python here has {' and '.join(self.needed)}; KERNSWEEP_PYTHON may name one")
        self.environment["KERNSWEEP_PYTHON"] = path

    def points(self, axes, *more, **options):
        """The rows of a sweep, in the order of its points."""
        return self.run_sweep(self.kernel, f"{{{axes}}}", *more, **options)

    def agree(self, axes, verified=VERIFIED, count=1):
        """All of them compute what the reference says."""
        rows = self.points(axes, verified)
        self.assertEqual(["ok"] * count, [row["status"] for row in rows], [row["reason"] for row in rows])
        self.assertEqual(0, self.value("p.db", "select count(*) from result where error is null"))
        return rows

    def expect_rounding(self, rows):
        """That of 8 bits, in each output; another one where channels have scales of their own."""
        self.assertLess(1e-4, self.value("p.db", "select min(error) from result"))
        by_scales = [{row["output_hash"] for row in rows if row["per_channel"] == each} for each in (0, 1)]
        self.assertEqual([len(rows), set()], [2 * sum(row["per_channel"] for row in rows),
                                              by_scales[0] & by_scales[1]])


class Workloads(EnginesTest):
    def test_all_are_computed_by_numpy(self):
        self.agree("engine: [numpy], workload: [matmul, linear, mlp, recurrence], batch: [1, 3], size: [33]",
                   count=8)
        self.agree("engine: [numpy], workload: [conv2d, resnet18], batch: [2], size: [33], "
                   "convolution: [patches, offsets]", count=4)

    def test_pruned_weights_are_computed_by_numpy(self):
        self.agree("engine: [numpy], workload: [sparse_linear], batch: [2], size: [33], density: [0.1, 1.0]",
                   count=2)

    def test_transformers_are_computed_by_numpy(self):
        self.agree("engine: [numpy], workload: [attention, encoder], batch: [2], size: [9]", count=2)

    def test_items_per_second_follow_from_the_batch_and_the_median(self):
        self.agree("engine: [numpy], workload: [linear], batch: [1, 64], size: [48]", count=2)
        items = self.rows("p.db", """select round(m.value * r.median_s, 6) as items from metric m
            join results r using (result) where m.name = 'items_per_s' order by 1""")
        self.assertEqual([1, 64], [row["items"] for row in items])
        row, = self.call("best", "p.db", "--metric", "items_per_s", "--grade", "C", "--by", "workload",
                         "--json").json()["rows"]
        self.assertEqual(64, row["batch"])


class Refused(EnginesTest):
    needed = ("sys",)

    def refused_cases(self, outcome, *cases, name="p"):
        """The reasons of several points of one sweep; each record of an axis needs all of its names. Which
        engines the Python of this test has is not known."""
        given = [dict(part.split(": ") for part in case.split(", ")) for case in cases]
        names = list(dict.fromkeys(name for case in given for name in case))
        records = [", ".join(f"{name}: {case.get(name, 'null')}" for name in names) for case in given]
        rows = self.points(f"case: [{', '.join('{' + record + '}' for record in records)}]", status=1,
                           name=name)
        self.assertEqual([outcome] * len(cases), [row["status"] for row in rows])
        return "\n".join(row["reason"].split(" (")[0] for row in rows) + "\n"

    def test_what_does_not_exist(self):
        self.assert_golden("does-not-exist", self.refused_cases(
            "failed_setup", "engine: nmupy, workload: mlp", "engine: numpy, workload: mlpp",
            "engine: numpy, size: 3", "engine: numpy, workload: mlp, batch: 0",
            "engine: numpy, workload: mlp, chanels: 1", "engine: torch, workload: mlp, mode: fast",
            "engine: numpy, workload: mlp, precision: f16",
            "engine: onnxruntime, workload: mlp, inter_op: 0",
            "engine: openvino, workload: mlp, hint: speed", "engine: torch, workload: mlp, onednn: 1",
            "engine: tvm, workload: mlp, trials: 0"))

    def test_what_an_engine_lacks(self):
        self.assert_golden("lacks", self.refused_cases(
            "unsupported", "engine: numpy, workload: mlp, precision: bf16", "engine: numba, workload: mlp",
            "engine: torch, workload: mlp, channels_last: true",
            "engine: torch, workload: conv2d, precision: int8",
            "engine: torch, workload: mlp, mode: eager, fullgraph: true",
            "engine: onnxruntime, workload: recurrence", "engine: openvino, workload: recurrence",
            "engine: openvino, workload: mlp, precision: int8"))

    def test_settings_that_an_engine_lacks_for_a_workload(self):
        self.assert_golden("lacks-settings", self.refused_cases(
            "unsupported", "engine: onnxruntime, workload: mlp, per_channel: true",
            "engine: torch, workload: mlp, precision: int8, per_channel: true",
            "engine: torch, workload: matmul, precision: int8_static",
            "engine: torch, workload: mlp, precision: int8_static, mode: compiled",
            "engine: torch, workload: mlp, form: csr",
            "engine: onnxruntime, workload: mlp, inter_op: 2, threads: 1",
            "engine: tvm, workload: mlp, minutes: 1", "engine: tvm, workload: mlp, search: random",
            "engine: torch, workload: sparse_linear, form: coo, mode: traced",
            "engine: scipy, workload: mlp", "engine: cython, workload: mlp",
            "engine: pybind11, workload: conv2d"))

    def test_densities_that_there_are_not(self):
        self.assert_golden("density", self.refused_cases(
            "failed_setup", "engine: numpy, workload: mlp, density: 0.5",
            "engine: numpy, workload: sparse_linear, density: 0.0",
            "engine: numpy, workload: sparse_linear, density: 1.5",
            "engine: scipy, workload: sparse_linear, form: dense"))

    def test_without_a_compiler(self):
        for module in ("numpy", "Cython", "pybind11"):
            self.write(f"{module}.py", "__version__ = '9.9'\nget_include = str\n")
        self.environment["PATH"] = self.folder
        self.assert_golden("no-compiler", self.refused_cases(
            "unsupported", "engine: cython, workload: matmul", "engine: pybind11, workload: matmul"))

    def test_an_engine_that_is_missing_old_or_broken(self):
        for module, text in (("numpy", "raise ModuleNotFoundError('none', name='numpy')\n"),
                             ("torch", "__version__ = '1.13.1+cpu'\n"),
                             ("onnxruntime", "import nothing_of_this_name\n"), ("numba", "1 / 0\n"),
                             ("openvino", "__version__ = '2022.3.0-9052'\n"),
                             ("jax", "__version__ = '0.4.29'\n"), ("tvm", "__version__ = '0.24.0'\n")):
            self.write(f"{module}.py", text)
        said = self.refused_cases("unsupported", *(f"engine: {engine}, workload: matmul" for engine in (
            "numpy", "torch", "onnxruntime", "openvino", "jax", "tvm")))
        self.write("numpy.py", "__version__ = '2.0'\n")
        self.assert_golden("missing", said + self.refused_cases(
            "unsupported", "engine: numba, workload: matmul", name="numba"))

    def test_a_tuner_whose_packages_do_not_fit(self):
        for module, version in (("tvm", "0.27.0.post1"), ("onnx", "1.23.2"), ("tvm_ffi", "0.1.15.post2")):
            self.write(f"{module}.py", f"__version__ = '{version}'\n")
        tuned = "engine: tvm, workload: mlp, trials: 4"
        said = self.refused_cases("unsupported", tuned)
        self.write("tvm_ffi.py", "__version__ = '0.1.14.post1'\n")
        self.write("xgboost.py", "raise ModuleNotFoundError('none', name='xgboost')\n")
        self.assert_golden("tuner", said + self.refused_cases("unsupported", tuned, name="xgboost"))

    def test_what_openvino_says_is_the_fault_and_not_its_place(self):
        place = "Exception from src/inference/src/cpp/core.cpp:84:\n"
        check = "Check 'a != b()' failed at src/frontends/onnx/frontend/src/op/reduce.cpp:134:\n"
        log = (f"{place}{check}FrontEnd API failed with OpConversionFailure:\n"
               "Model wasn't fully converted. Failed operations detailed log:\n"
               f"-- Slice-20 with a message:\n{check}Unsupported\n\n"
               "Summary:\n-- Conversion is failed for: Slice-20\n\n")
        texts = (log, place + check + "Unable to read the model.\nMore\n", place + place,
                 place + "While validating ONNX node '<Node(Slice): start>': " + place + "Not supported\n")
        said = subprocess.run(
            [sys.executable, "-B", "-c", "import sys\n"
             "from kernsweep.engines.openvino_engine import said_by\n"
             "for text in sys.argv[1:]: print(said_by(RuntimeError(text)))", *texts], check=True,
            env=dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python")), capture_output=True, text=True)
        self.assert_golden("said", said.stdout)

    def test_which_are_there_is_told_before_a_sweep(self):
        self.write("torch.py", "__version__ = '1.13.1'\n")
        for module in ("numpy", "onnxruntime", "onnx", "openvino", "jax", "numba", "Cython", "pybind11",
                       "scipy", "tvm"):
            self.write(f"{module}.py", "__version__ = '9.9'\nget_include = str\n")
        paths = os.pathsep.join([self.folder, os.path.join(SOURCE, "python")])
        environment = dict(os.environ, PYTHONPATH=paths)
        done = subprocess.run([sys.executable, "-B", "-m", "kernsweep.engines"], cwd=self.folder, check=True,
                              env=environment, stdout=subprocess.PIPE, text=True)
        self.assert_golden("there", done.stdout)


class Torch(EnginesTest):
    needed = ("numpy", "torch")

    def test_all_modes_agree(self):
        self.agree("engine: [torch], workload: [mlp, resnet18, encoder], batch: [2], size: [40], "
                   "mode: [eager, inference, traced]", count=9)
        self.agree("engine: [torch], workload: [resnet18], size: [40], onednn: [false]")

    def test_other_ways_agree(self):
        self.agree("engine: [torch], workload: [attention, recurrence, matmul], size: [20]", count=3)
        self.agree("engine: [torch], workload: [resnet18], size: [40], mode: [inference, traced], "
                   "channels_last: [true]", count=2)
        self.agree("engine: [torch], workload: [encoder], size: [12], mode: [inference, traced], "
                   "precision: [bf16, int8]", ROUGH, 4)

    def test_what_is_quantised_statically_is_near(self):
        rows = self.agree("engine: [torch], workload: [mlp, encoder], size: [24], mode: [inference], "
                          "precision: [int8_static], per_channel: [false, true]", ROUGHER, 4)
        self.expect_rounding(rows)
        self.agree("engine: [torch], workload: [resnet18], size: [33], mode: [traced], "
                   "precision: [int8_static]", ROUGHER)

    def test_sparse_layouts_agree(self):
        self.agree("engine: [torch], workload: [sparse_linear], batch: [1, 3], size: [33], "
                   "mode: [eager, inference], form: [dense, csr, csc, coo]", count=16)

    def test_what_is_compiled_agrees_and_tells_of_breaks(self):
        self.agree("engine: [torch], workload: [mlp], size: [20], mode: [compiled], fullgraph: [true]")
        for name, count in (("graph_breaks", 0), ("graphs", 1)):
            self.assertEqual(count, self.value("p.db", "select max(value) from metric where name = ?", name))
        self.assertLess(0, self.value("p.db", "select min(value) from metric where name = 'prepare_s'"))


class Onnxruntime(EnginesTest):
    needed = ("numpy", "onnx", "onnxruntime")

    def test_all_workloads_agree(self):
        self.agree("engine: [onnxruntime], workload: [matmul, linear, conv2d, mlp, attention, encoder], "
                   "batch: [2], size: [20], optimisation: [all, none]", count=12)
        self.agree("engine: [onnxruntime], workload: [resnet18, resnet50], size: [40], inter_op: [2], "
                   "threads: [2], spinning: [false], optimisation: [basic, extended]", count=4)

    def test_what_is_quantised_is_near(self):
        self.agree("engine: [onnxruntime], workload: [mlp, encoder], size: [24], precision: [int8]",
                   ROUGH, 2)

    def test_what_is_quantised_statically_is_near(self):
        rows = self.agree("engine: [onnxruntime], workload: [mlp, encoder], size: [24], "
                          "precision: [int8_static], per_channel: [false, true]", ROUGHER, 4)
        self.expect_rounding(rows)
        self.agree("engine: [onnxruntime], workload: [resnet18], size: [33], precision: [int8_static]",
                   ROUGHER)

    def test_a_profile_has_its_own_spans_of_each_call(self):
        self.agree("engine: [onnxruntime], workload: [mlp], size: [24], optimisation: [none]")
        self.call("profile", "p.db", "1")
        with open(os.path.join(self.folder, "p.1.trace.json"), encoding="utf-8") as file:
            told = json.load(file)
        begun = [event["ts"] for event in told["traceEvents"]
                 if event["ph"] == "B" and event["name"].startswith("call ")]
        products = [event["ts"] for event in told["traceEvents"]
                    if event.get("args", {}).get("op_name") == "Gemm"]
        self.assertEqual(told["otherData"]["calls"], len(begun))
        within = [sum(at <= product for at in begun) for product in products]  # which call
        self.assertEqual([3] * len(begun), [within.count(call + 1) for call in range(len(begun))])


class Openvino(EnginesTest):
    needed = ("numpy", "onnx", "openvino")

    def test_all_workloads_agree(self):
        self.agree("engine: [openvino], workload: [matmul, linear, conv2d, mlp, attention, encoder], "
                   "batch: [2], size: [20], hint: [latency, throughput]", count=12)
        self.agree("engine: [openvino], workload: [resnet18, resnet50], size: [40], threads: [2], "
                   "streams: [2]", count=2)

    def test_what_is_quantised_statically_is_near(self):
        if python_with(*self.needed, "onnxruntime") is None:
            self.skipTest("no Python here has onnxruntime, too, which quantises")
        rows = self.agree("engine: [openvino], workload: [mlp, encoder], size: [24], "
                          "precision: [int8_static], per_channel: [false, true]", ROUGHER, 4)
        self.expect_rounding(rows)

    def test_of_bf16_is_near(self):
        rows = self.points("engine: [openvino], workload: [mlp, encoder], size: [24], precision: [bf16]",
                           ROUGH, status=None)
        said = {(row["status"], "" if row["status"] == "ok" else row["reason"].split(" where")[0])
                for row in rows}
        lacking = {("unsupported", "NotImplementedError: OpenVINO has f32")}  # a processor without bf16
        self.assertIn(said, ({("ok", "")}, lacking))


class Jax(EnginesTest):
    needed = ("numpy", "jax")

    def test_all_workloads_agree(self):
        self.agree("engine: [jax], workload: [matmul, conv2d, mlp, attention, recurrence], batch: [2], "
                   "size: [20]", count=5)
        self.agree("engine: [jax], workload: [resnet18], size: [33]")

    def test_numbers_of_threads_need_processes_of_their_own(self):
        self.agree("engine: [jax], workload: [mlp], size: [20], "
                   "placement: [{threads: 1, env.NPROC: 1}, {threads: 2, env.NPROC: 2}]", count=2)
        row, = self.points("engine: [jax], workload: [mlp], size: [20], env.NPROC: [2]", status=1)
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("threads", row["reason"].split(" (")[0] + "\n")


class Numba(EnginesTest):
    needed = ("numpy", "numba")

    def test_loops_agree(self):
        self.agree("engine: [numba], workload: [matmul, conv2d, recurrence], batch: [2], size: [20], "
                   "fastmath: [true, false], threads: [2]", count=6)


class Scipy(EnginesTest):
    needed = ("numpy", "scipy")

    def test_all_forms_agree_and_count_what_is_not_zero(self):
        self.agree("engine: [scipy], workload: [sparse_linear], batch: [1, 5], size: [33], "
                   "density: [0.04, 0.5], form: [csr, csc, coo]", count=12)
        counted = self.rows("p.db", """select p.batch, p.density, r.flops, m.value as bytes from p
            join result r using (result) join metric m using (result)
            where p.form = 'csr' and m.name = 'stored_bytes' order by p.point""")
        for row in counted:
            kept = round(row["density"] * 33 * 33)  # each with its column, each row with its beginning
            self.assertEqual((2 * row["batch"] * kept, 8 * kept + 4 * 34), (row["flops"], row["bytes"]))
        self.assertEqual(4, len(counted))


class Cython(EnginesTest):
    needed, engine, fast_math = ("numpy", "Cython"), "cython", "[true]"

    def test_loops_agree_and_each_is_compiled_once(self):
        count = len(self.fast_math.split())
        self.agree(f"engine: [{self.engine}], workload: [matmul, recurrence], batch: [2], size: [20], "
                   f"fastmath: {self.fast_math}, threads: [1, 2], env.XDG_CACHE_HOME: ['{self.folder}']",
                   count=4 * count)
        kept = os.listdir(os.path.join(self.folder, "kernsweep", "engines"))
        self.assertEqual([".lock"] * count + [".so"] * count,
                         sorted(os.path.splitext(name)[1] for name in kept))

    def test_what_is_torn_is_compiled_again_and_what_others_may_write_is_not_loaded(self):
        axes = (f"engine: [{self.engine}], workload: [matmul], size: [9], "
                f"env.XDG_CACHE_HOME: ['{self.folder}']")
        self.agree(axes)
        folder = os.path.join(self.folder, "kernsweep", "engines")
        file, = (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".so"))
        os.truncate(file, 100)
        self.agree(axes.replace("[9]", "[8]"))
        self.assertGreater(os.path.getsize(file), 1000)
        os.chmod(file, 0o722)
        row, = self.points(axes.replace("[9]", "[7]"), status=1)
        self.assertEqual("unsupported", row["status"])
        self.assert_golden("of-others", row["reason"].replace(file, "FILE") + "\n")

    def test_what_cannot_be_kept_or_compiled(self):
        axes = f"engine: [{self.engine}], workload: [matmul], env.XDG_CACHE_HOME: "
        row, = self.points(axes + "[/proc/1/none]", status=1)
        self.assertEqual("unsupported", row["status"])
        said = row["reason"]
        self.write("c++", "#!/bin/sh\necho made up: error: no room >&2; exit 1\n")
        os.chmod(os.path.join(self.folder, "c++"), 0o755)
        self.environment["PATH"] = self.folder + os.pathsep + os.environ["PATH"]
        row, = self.points(axes + f"['{self.folder}']", status=1)
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("not-compiled", f"{said}\n{row['reason'].split(' (')[0]}\n")


class Pybind11(Cython):
    needed, engine, fast_math = ("numpy", "pybind11"), "pybind11", "[true, false]"


del PythonTest
