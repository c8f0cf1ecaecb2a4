"""Sweeps with `python:`: functions of the user's as kernels, from the file to the row."""
import os
import unittest

from sandbox import BUILD, SOURCE, UNHURRIED, UNWATCHED, ProcessTest, lines_with

HERE = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
TIMED = "timeout: {setup: 300s, run: 300s}"

MODULE = '''
import array, os, subprocess, sys

calls = []

def sums(n, scale=1.0):
    def kernel():
        return array.array("d", [scale * i for i in range(n)])
    return kernel

def kinds(**given):
    given.pop("seed"), given.pop("threads")
    text = ", ".join(f"{name}={value!r}" for name, value in sorted(given.items()))
    return lambda: text.encode()

def told(seed, threads):
    return lambda: f"{seed} {threads}".encode()

def untold():
    return lambda: b"none"

class Group:
    @staticmethod
    def inner(n):
        return lambda: n

def raises(n):
    raise ValueError(f"n is {n}")

def raises_later(n):
    def kernel():
        raise RuntimeError("too late")
    return kernel

def gives_up(n):
    raise NotImplementedError("n is too large")

def no_memory(n):
    raise MemoryError()

OutOfMemoryError = type("OutOfMemoryError", (RuntimeError,), {})  # as PyTorch's

def no_device_memory(n):
    raise OutOfMemoryError("CUDA out of memory")

def returns_a_list(n):
    return [n]

def kernel_returns(n):
    made = {"set": {1}, "call": abs, "within": [1, {"a": {2}}], "itself": [], "big": 2 ** 64,
            "pointers": memoryview(bytes(8)).cast("P"), "deep": memoryview(bytes(1)).cast("B", [1] * 9)}
    made["itself"].append(made["itself"])
    return lambda: made[n]

def exits(n):
    return lambda: sys.exit(3)

def aborts(n):
    return lambda: os.abort()

def forks(child):
    ends = {"exits": lambda: sys.exit("child"), "raises": lambda: {}["child"], "returns": lambda: None}
    def kernel():
        pid = os.fork()
        if pid == 0:
            return ends[child]()
        return float(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return kernel

def hangs(how):
    def inner():
        if how == "waits":
            os.read(os.pipe()[0], 1)
        if how == "starts":
            subprocess.run(["sleep", "600"], capture_output=True)
        if how == "closes":
            os.close(2)
            os.open("own.log", os.O_CREAT | os.O_WRONLY)
        while True:
            pass
    def deep(left):
        return deep(left - 1) if left else inner()
    return (lambda: deep(120)) if how == "computes" else inner

def outputs(kind):
    def kernel():
        dense = memoryview(array.array("i", range(12))).cast("B").cast("i", [12])
        made = {"none": None, "float": 2.5, "int": -7, "bool": True, "bytes": b"abc",
                "bytearray": bytearray(b"abc"), "forward": dense[0:12:2],
                "same": array.array("i", [0, 2, 4, 6, 8, 10]), "backward": dense[::-2]}
        return made[kind]
    return kernel

def differs(n):
    calls.append(n)
    def kernel():
        calls.append(n)
        return len(calls)
    return kernel

def counts(n):
    def kernel():
        kernel.metrics = {"score": (n, "larger", "points"), "rounds": 2, "Odd": 1, "text": "x",
                          "none": (None,)}
    return kernel

not_a_function = 3
'''


# Outcomes of these functions.
FAILS = {"raises": ("failed_setup", r"^ValueError: n is 4 \(.*kernels\.py, line \d+, in raises\)$"),
         "raises_later": ("failed_run", r"^RuntimeError: too late \(.*kernels\.py, line \d+, in kernel\)$"),
         "gives_up": ("unsupported", "^NotImplementedError: n is too large"),
         "no_memory": ("out_of_memory", "^MemoryError"),
         "no_device_memory": ("out_of_memory", "CUDA out of memory"),
         "returns_a_list": ("failed_setup", "'kernels:returns_a_list' returned list"),
         "exits": ("failed_run", "^SystemExit: 3"),
         "aborts": ("signal", "SIGABRT")}


@unittest.skipUnless(HERE, "built without Python's development files")
class PythonTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.write("kernels.py", MODULE)

    def run_sweep(self, function, axes="{n: [4]}", *more, status=0, name="p", timeout=TIMED):
        """The rows of a function, or of several that are an axis, in the order of the points."""
        what = f"python: {function}" if function else "kernel: python"
        lines = ["sweep: 1", f"name: {name}", what, f"axes: {axes}", UNHURRIED.rstrip("\n"), timeout, *more]
        self.write(f"{name}.yaml", "\n".join(lines) + "\n")
        self.answer = self.call("run", f"{name}.yaml", status=status)
        rows = self.rows(f"{name}.db", f'select p.*, r.grade_reasons, r.runtime from "{name}" p '
                         "left join result r using (result) order by p.point")
        self.expect_nobody_left()
        return rows

    def hash_of(self, function, axes, name):
        row = self.run_sweep(function, axes, name=name)[0]
        self.assertEqual("ok", row["status"], row["reason"])
        return row["output_hash"]


class Forks(PythonTest):
    def test_and_its_child_ends_where_the_call_does(self):
        rows = self.run_sweep("kernels:forks", "{child: [exits, raises, returns]}")
        self.assertEqual(["ok"] * 3, [row["status"] for row in rows], [row["reason"] for row in rows])
        hashes = [row["output_hash"] for row in rows]
        self.assertEqual(hashes[0], hashes[1])  # status 1
        self.assertNotEqual(hashes[0], hashes[2])  # status 0


class Hangs(PythonTest):
    def test_and_the_reason_has_its_stack(self):
        rows = self.run_sweep("kernels:hangs", "{how: [waits, computes, starts, closes]}", "verify: false",
                              status=1, timeout="timeout: {setup: 300s, run: 1s}")
        whole = ("select count(*) from p join attempt using (result) "
                 "where stderr like '%most recent call first%'")
        self.assertEqual(4, self.value("p.db", whole))
        self.assertEqual(["timeout_run"] * 4, [row["status"] for row in rows])
        own, deep = r"kernels\.py:\d+ in inner", r", called from kernels\.py:\d+ in deep"
        for row, calls in zip(rows, (own, own + deep + deep,
                                     r"selectors\.py:\d+ in select, called from " + own, own)):
            self.assertRegex(row["reason"], r"timeout\.run: 1 s; it was at " + calls + "$")
        self.assertEqual(0, os.path.getsize(os.path.join(self.folder, "own.log")))


class Calls(PythonTest):  # labels: sanitized
    def test_what_the_function_returned(self):
        rows = self.run_sweep("kernels:sums", "{n: [4, 8], scale: [0.5]}")
        self.assertEqual([("ok", UNWATCHED, "kernels:sums")] * 2,
                         [(row["status"], row["grade_reasons"], row["python"]) for row in rows])
        self.assertNotEqual(rows[0]["output_hash"], rows[1]["output_hash"])
        self.assertTrue(rows[0]["runtime"].startswith("CPython 3."), rows[0]["runtime"])
        self.assertNotIn("__pycache__", self.files())

    def test_with_python_values_and_names(self):
        axes = ("{b: [true], f: [0.5], i: [-3], t: [a b], x.y: ['1'], gone: [null], label: [note], "
                "env.A: [b]}")
        given = self.hash_of("kernels:kinds", axes, "given")
        text = "b=True, f=0.5, i=-3, t='a b', x_y='1'"
        self.write("same.py", f"def f():\n    return lambda: {text.encode()!r}\n")
        self.assertEqual(self.hash_of("same:f", "{label: [note]}", "expected"), given)

    def test_with_seed_and_threads_where_they_are_taken(self):
        self.write("same.py", "def f():\n    return lambda: b'11 1'\n")
        expected = self.hash_of("same:f", "{label: [x]}", "expected")
        row = self.run_sweep("kernels:told", "{threads: [1]}", "seed: 11")[0]
        self.assertEqual(("ok", expected), (row["status"], row["output_hash"]))
        row = self.run_sweep("kernels:untold", "{threads: [1]}", name="untold")[0]
        self.assertEqual("ok", row["status"], row["reason"])

    def test_a_function_inside_of_something(self):
        self.assertEqual("ok", self.run_sweep("kernels:Group.inner")[0]["status"])

    def test_a_module_that_env_PYTHONPATH_names(self):
        os.mkdir(os.path.join(self.folder, "lib"))
        self.write("lib/elsewhere.py", "def f(n):\n    return lambda: n\n")
        self.assertEqual("ok", self.run_sweep("elsewhere:f", "{n: [1], env.PYTHONPATH: [lib]}")[0]["status"])

    def test_the_package_of_this_installation_unless_there_is_another(self):
        text = "sweep: 1\nname: e\npython: kernsweep.engines:Training\naxes: {engine: [torch]}\n"
        self.write("e.yaml", text)
        self.call("check", "e.yaml")
        os.mkdir(os.path.join(self.folder, "kernsweep"))
        self.write("kernsweep/__init__.py", "")
        self.assertIn("kernsweep.engines", self.call("check", "e.yaml", status=None).errors)

    def test_the_example_of_the_tree(self):
        self.call("check", os.path.join(SOURCE, "sweeps", "python_example.yaml"))


class Output(PythonTest):  # labels: smoke
    def test_of_every_kind_that_is_promised(self):
        kinds = "{kind: [none, float, int, bool, bytes, bytearray, forward, same, backward]}"
        rows = self.run_sweep("kernels:outputs", kinds)
        hashes = {row["kind"]: row["output_hash"] for row in rows}
        self.assertEqual(["ok"] * 9, [row["status"] for row in rows])
        self.assertIsNone(hashes.pop("none"))
        self.assertEqual(hashes["bytes"], hashes["bytearray"])
        self.assertEqual(hashes["forward"], hashes["same"], "strides are no part of the content")
        self.assertEqual(6, len(set(hashes.values())))

    def test_that_differs_lowers_the_grade(self):
        row = self.run_sweep("kernels:differs")[0]
        self.assertEqual(("ok", "B"), (row["status"], row["grade"]))
        self.assertIn("different bits", row["grade_reasons"])


class Fails(PythonTest):
    def expect(self, row, status, reason):
        self.assertEqual(status, row["status"], row["reason"])
        self.assertRegex(row["reason"], reason)
        self.assertIsNone(row["median_s"])

    def expect_before(self, reason, function, axes="{n: [4]}"):
        """It is reported before anything is measured, by `check`, too."""
        self.write("p.yaml", f"sweep: 1\nname: p\npython: {function}\naxes: {axes}\n{UNHURRIED}")
        said = self.call("run", "p.yaml", status=2).errors
        self.assertRegex(said, rf"^kernsweep: p\.yaml:3:9: the function '{function}': {reason}.*; nothing")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "p.db")))
        self.assertRegex(self.call("check", "p.yaml").errors, "^cannot be measured on this .*: " + reason)

    def test_in_its_own_way_and_costs_its_own_job(self):
        """By exceptions, sys.exit, which is one like others, abort, and for want of memory."""
        names = ", ".join(f"'kernels:{name}'" for name in FAILS)
        rows = self.run_sweep(None, f"{{python: [{names}], n: [4]}}", status=1)
        for row, (name, (status, reason)) in zip(rows, FAILS.items(), strict=True):
            with self.subTest(name):
                self.expect(row, status, reason)

    def test_not_before_for_what_may_well_be_called(self):
        self.write("may.py",
        """
import functools, inspect
def given(f):
    @functools.wraps(f)
    def call(**keywords): return f(len(keywords), 1)
    return call
@given
def decorated(count, more): return lambda: float(count + more)
def odd(**keywords): return lambda: 3.0
odd.__signature__ = "none"
class Late:
    def __init__(self): self.run = lambda state: state
    def setup(self, params, inputs): return float(params["n"])
partly = functools.partial(lambda a, n, **rest: lambda: float(a + n), 1)
""")
        rows = self.run_sweep(None, "{python: ['may:decorated', 'may:odd', 'may:Late', 'may:partly'], "
                                    "n: [4]}")
        self.assertEqual(["ok"] * 4, [row["status"] for row in rows])

    def test_not_before_where_not_all_could_be_asked(self):
        self.write("late.py", "import os\nassert os.environ['WHICH'] == '20'\ndef f(): return lambda: 1.0\n")
        rows = self.run_sweep("late:f", "{env.WHICH: {range: [1, 20]}}", status=1)
        self.assertEqual(["failed_setup"] * 19 + ["ok"], [row["status"] for row in rows])

    def test_when_it_is_no_function_or_not_there(self):
        self.expect_before("'.*' is int; name a function, or what has setup", "kernels:not_a_function")

    def test_when_the_function_is_not_there(self):
        self.expect_before("looking for 'nothing': AttributeError: module", "kernels:nothing")

    def test_when_the_module_is_not_there(self):
        self.expect_before("importing 'nowhere': ModuleNotFoundError: No module named 'nowhere'",
                           "nowhere:f")

    def test_when_the_module_is_no_python(self):
        self.write("broken.py", "def f(:\n")
        self.expect_before(r"importing 'broken': SyntaxError: .*broken\.py, line 1", "broken:f")

    def test_when_a_parameter_is_not_its_own(self):
        self.expect_before(r"TypeError: '.*': missing a required argument: 'n'; its parameters are \(n\)",
                           "kernels:raises", "{m: [4]}")

    def test_of_points_with_gpus_before_where_no_gpu_could_help(self):
        axes = "{device: [gpu], n: [4]}"
        self.expect_before(r"TypeError: '.*': missing a required argument", "kernels:raises",
                           "{device: [gpu], m: [4]}")
        self.expect_before("importing 'nowhere': ModuleNotFoundError", "nowhere:f", axes)
        self.write("card.py", "raise RuntimeError('No CUDA GPUs are available')\n")
        self.write("p.yaml", f"sweep: 1\nname: p\npython: card:f\naxes: {axes}\n{UNHURRIED}")
        self.assertEqual("", lines_with("cannot be measured", self.call("check", "p.yaml").errors))

    def test_when_two_axes_have_one_name(self):
        row, = self.run_sweep("kernels:kinds", "{a.b: [1], a_b: [2]}", status=1)
        self.expect(row, "failed_setup", "two axes become the parameter 'a_b'")

    def test_when_a_call_returns_what_is_no_output(self):
        values = "{n: [set, call, within, itself, big, pointers, deep]}"
        rows = self.run_sweep("kernels:kernel_returns", values, status=1)
        self.assertEqual(["failed_run"] * 7, [row["status"] for row in rows])
        expected = ["it returned set;", "give kernsweep.kernel setup=True", "it returned set;",
                    "within itself", "an int that does not fit", "format 'P'", "rank 9"]
        for row, got in zip(rows, expected):
            self.assertIn(got, row["reason"])

    def test_in_a_file_that_names_no_function(self):
        lines = ["sweep: 1", "name: p", "python: kernels.py", "axes: {n: [1]}"]
        self.write("p.yaml", "\n".join(lines) + "\n")
        for verb in ("run", "check"):
            answer = self.call(verb, "p.yaml", status=2)
            self.assert_golden(verb, answer.errors)


class Metrics(PythonTest):
    def test_the_attribute_metrics_of_the_kernel_is_stored_and_declares(self):
        self.run_sweep("kernels:counts", "{n: [1, 10]}")
        self.assertEqual([{"name": "rounds", "value": 2.0, "better": None, "unit": None},
                          {"name": "score", "value": 10.0, "better": "larger", "unit": "points"}],
                         self.rows("p.db", "select name, value, better, unit from metric m join p "
                                   "using (result) where p.n = 10 order by name"))
        best = self.call("best", "p.db", "--by", "python", "--metric", "score", "--grade", "C", "--json")
        self.assertEqual("larger", best.json()["better"])


if __name__ == "__main__":
    unittest.main()
