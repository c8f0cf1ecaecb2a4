"""Running sweeps and functions from Python."""
import os
import signal
import subprocess
import sys
import warnings

from package import BRISK, PACKAGE, QUICKLY, PackageTest
from sandbox import LIMIT_S

import kernsweep
from kernsweep import _run

QUICK = f"measure={BRISK!r}"
FUNCTION = """import kernsweep
print("above")
STEP = 2
def helper(n): return sum(range(0, n, STEP))
@kernsweep.kernel(n=[10, 100], problem=["n"], %s)
def work(n):
    return helper(n)
results = work.measure(progress=False, patience="0")
print(sorted((row["n"], row["status"]) for row in results.rows()))
print(results.best(grade="C")["jobs"], work(5))
""" % QUICK


class Sweeps(PackageTest):
    def test_a_dict_is_run_and_leaves_only_its_database(self):
        results = self.small({"a": range(3)})
        self.assertEqual([0, 1, 2], sorted(row["a"] for row in results.rows()))
        self.assertEqual(["small.db"], [name for name in self.files() if not name.endswith("-lock")])
        self.assertEqual(3, results.told["ok"])

    def test_a_file_is_run_and_parts_are_replaced(self):
        self.write("s.yaml", "sweep: 1\nname: s\nkernel: noop\naxes: {a: [1]}\nverify: false\n")
        replace = {"axes.a": [5, 6], "axes.+b": ["x"], "measure.processes": 2}
        results = kernsweep.run("s.yaml", db="other.db", quick=True, only="a > 5", replace=replace,
                                **QUICKLY)
        rows = [(row["a"], row["b"], row["quick"], row["process"]) for row in results.rows()]
        self.assertEqual([(6, "x", 1, 0), (6, "x", 1, 1)], sorted(rows))
        self.assertTrue(os.path.exists("other.db"))

    def test_a_sweep_that_is_none_says_why(self):
        for sweep in ({"name": "x", "kernel": "gem", "axes": {"a": [1]}}, {}, {"name": float("nan")},
                      {"name": "x", "kernel": object()}):
            with self.assertRaises(kernsweep.SweepError) as caught:
                kernsweep.run(sweep, **QUICKLY)
            self.assertNotIn(".kernsweep-", str(caught.exception))
        with self.assertRaises(kernsweep.NotFound):
            kernsweep.run("nothing.yaml", **QUICKLY)
        self.assertEqual([], self.files())

    def test_a_database_that_is_none_is_left_alone(self):
        self.write("small.db", "mine")
        for more in ({}, {"db": "small.db"}, {"db": "/nothing/x.db"}):
            with self.assertRaises(kernsweep.DatabaseError):
                kernsweep.run({"name": "small", "kernel": "noop", "axes": {"a": [1]}}, **QUICKLY, **more)
        with open("small.db", encoding="utf-8") as file:
            self.assertEqual("mine", file.read())

    def test_jobs_without_results_are_told(self):
        self.write("bench.py", "def work(n):\n if n > 1: raise ValueError('too large')\n return lambda: n\n")
        sweep = {"name": "s", "python": "bench:work", "axes": {"n": [1, 2]}, "measure": BRISK}
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            results = kernsweep.run(sweep, **QUICKLY)
        self.assertEqual([kernsweep.KernsweepWarning], [warning.category for warning in told])
        self.assertRegex(str(told[0].message), "^1 job has no result; main cause: failed_setup: ")
        self.assertEqual(__file__, told[0].filename)
        self.assertEqual(["failed_setup", "ok"], sorted(row["status"] for row in results.rows()))
        with self.assertRaises(kernsweep.MeasurementError) as caught:
            kernsweep.run({**sweep, "axes": {"n": [2, 3]}}, **QUICKLY)
        self.assertEqual(2, len(caught.exception.results.rows()))
        self.assertRegex(str(caught.exception), "too large")

    def test_ctrl_c_keeps_what_was_measured(self):
        self.write("stop.py", f"import kernsweep\ntry:\n kernsweep.run({{'name': 's', 'kernel': 'noop', "
                   f"'axes': {{'a': range(100000)}}, 'verify': False, 'measure': {BRISK}}}, **{QUICKLY})\n"
                   "except kernsweep.Interrupted as stopped:\n print(len(stopped.results.rows()) > 0)\n")
        environment = dict(os.environ, PYTHONPATH=PACKAGE)
        with subprocess.Popen([sys.executable, "-B", "stop.py"], env=environment, stdout=subprocess.PIPE,
                              text=True) as child:
            self.until(lambda: self.count_of("s.db") or child.poll() is not None, "a row")
            child.send_signal(signal.SIGINT)
            self.assertEqual("True\n", child.communicate(timeout=LIMIT_S)[0])
        self.expect_nobody_left()

    def test_the_module_is_the_program(self):
        done = self.python("-m", "kernsweep", "--version")
        self.assertEqual((0, self.call("--version").out), (done.returncode, done.stdout))

    def test_a_notebook_has_one_line_that_is_updated(self):
        shown = []

        class Handle:
            def update(self, data, raw):
                shown.append((data["text/plain"], raw))

        notebook = _run._Notebook(lambda data, raw, display_id: Handle())
        for line in ("worker 1 joined", "[1/2] a=1", "[2/2] a=2"):
            notebook.line(line)
        notebook.close()
        self.assertEqual([("[1/2] a=1", True), ("[2/2] a=2", True), ("", True)], shown)


class Functions(PackageTest):
    def run_script(self, text):
        self.write("script.py", text)
        return self.python("script.py")

    def test_a_script_is_run_up_to_its_measure(self):
        done = self.run_script(FUNCTION)
        rows = "[(10, 'ok'), (100, 'ok')]"
        self.assertEqual(f"above\n{rows}\n2 6\n", done.stdout, done.stderr)

    def test_five_lines_are_enough(self):
        done = self.run_script("""import kernsweep
@kernsweep.kernel(n=[10, 100])
def work(n): return sum(range(n))
print(work.measure(quick=True, patience="0").best(grade="C")["jobs"])
""")
        self.assertEqual("2\n", done.stdout, done.stderr)

    def test_a_script_measures_one_function_after_the_other(self):
        done = self.run_script(FUNCTION + """
first = results.best(grade="C").rows[0]["n"]
def more(n): return work(n) + 1
@kernsweep.kernel(n=[5, first], problem=["n"], measure=work.keys["measure"])
def other(n): return more(n)
print([row["status"] for row in other.measure(progress=False, patience="0").rows()])
""".replace("first]", "10]"))
        self.assertEqual("above\n[(10, 'ok'), (100, 'ok')]\n2 6\n['ok', 'ok']\n", done.stdout, done.stderr)

    def test_a_function_of_a_module(self):
        os.mkdir("mine")
        self.write("mine/bench.py", FUNCTION.split("results =")[0])
        done = self.python("-c", "import sys; sys.path.insert(0, 'mine')\nfrom bench import work\n"
                           "print(len(work.measure(progress=False, patience='0').rows()))")
        self.assertEqual("above\n2\n", done.stdout, done.stderr)
        self.write("mine/bench.py", FUNCTION.replace("results =", "if __name__ == '__main__': results =")
                   .split("print(sorted")[0])
        done = self.python("-m", "mine.bench")
        self.assertEqual((0, "above\n"), (done.returncode, done.stdout), done.stderr)

    def test_the_source_of_a_notebook_goes_along(self):
        self.write("cell.txt", FUNCTION)
        done = self.python("-c", "import linecache\ntext = open('cell.txt').read()\n"
                           "linecache.cache['<cell>'] = (len(text), None, text.splitlines(True), '<cell>')\n"
                           "exec(compile(text, '<cell>', 'exec'))")
        self.assertEqual("above\n[(10, 'ok'), (100, 'ok')]\n2 6\n", done.stdout, done.stderr)

    def test_what_a_session_cannot_give_is_told_before_the_sweep(self):
        seen = "linecache.cache['<cell>'] = (1, None, text.splitlines(True), '<cell>')\n"
        for text, source in ((FUNCTION.replace("STEP = 2", "STEP = {}"), seen), (FUNCTION, "")):
            done = self.python("-c", f"import linecache, sys\ntext = sys.argv[1]\n{source}"
                               "exec(compile(text, '<cell>', 'exec'))", text)
            self.assertEqual("above\n", done.stdout)
            self.assertRegex(done.stderr.splitlines()[-1], r"^kernsweep\.errors\.FunctionError: ")
            self.assertEqual([], self.files())

    def test_a_function_that_prepares(self):
        done = self.run_script(f"""import kernsweep
@kernsweep.kernel(setup=True, n=[10, 20], order=["up", None], {QUICK})
def work(n, seed, order="down"):
    numbers = list(range(n))
    assert seed == 1 and order in ("up", "down")
    return lambda: float(sum(numbers))
print({{row["status"] for row in work.measure(progress=False, patience="0").rows()}})
""")
        self.assertEqual("{'ok'}\n", done.stdout, done.stderr)

    def test_the_interpreter_is_an_axis(self):
        done = self.run_script(f"""import kernsweep, os, sys
own = os.environ.get("KERNSWEEP_PYTHON") or sys.executable
@kernsweep.kernel(n=[10], over={{"python.interpreter": [own]}}, {QUICK})
def work(n): return n
rows = work.measure(progress=False, patience="0").rows()
print([row["status"] for row in rows], rows[0]["python.interpreter"] == own)
""")
        self.assertEqual("['ok'] True\n", done.stdout, done.stderr)

    def test_a_list_is_compared_and_one_of_what_is_no_output_only_measured(self):
        done = self.run_script(f"""import kernsweep
@kernsweep.kernel(n=[10], kind=["list", "sets", "large"], over={{"of.it": [1]}}, {QUICK})
def work(n, kind, of_it):
    return {{"list": list(range(n)), "sets": [set(range(n))], "large": [2**64]}}[kind]
r = work.measure(progress=False, patience="0")
print(sorted((row["kind"], row["status"], row["output_hash"] is None, row["of.it"]) for row in r.rows()))
""")
        self.assertEqual("[('large', 'ok', True, 1), ('list', 'ok', False, 1), ('sets', 'ok', True, 1)]\n",
                         done.stdout, done.stderr)

    def test_sys_exit_and_exceptions_are_the_reason(self):
        for line in ("sys.exit(3)", "raise OSError('gone')"):
            done = self.run_script(f"""import kernsweep, sys
@kernsweep.kernel(n=[1], {QUICK})
def work(n): {line}
try: work.measure(progress=False, patience="0")
except kernsweep.MeasurementError as error: print(len(error.results.rows()))
""")
            self.assertEqual("1\n", done.stdout, done.stderr)

    def test_a_warning_names_the_line_of_the_measure(self):
        done = self.run_script(f"""import kernsweep
@kernsweep.kernel(n=[1, 2], {QUICK})
def work(n): return 1 // (n - 1)
work.measure(progress=False, patience="0")
""")
        self.assertRegex(done.stderr, "script.py:4: KernsweepWarning: 1 job has no result")

    def test_functions_that_cannot_be_measured(self):
        def nested(n):
            return n

        def wrong(m):
            return m

        wrong.__qualname__ = "wrong"

        def generator(n):
            yield n

        generator.__qualname__ = "generator"
        for function in (nested, wrong, generator, lambda n: n, len, BRISK):
            with self.assertRaises(kernsweep.FunctionError):
                kernsweep.kernel(n=[1])(function)
        with self.assertRaises(kernsweep.FunctionError):
            kernsweep.kernel(wrong)

    def test_an_axis_called_variant_is_refused_by_the_program(self):
        done = self.run_script("""import kernsweep
@kernsweep.kernel(variant=["a"])
def work(variant="b"): pass
try: work.measure(progress=False)
except kernsweep.SweepError as error: print(error)
""")
        self.assertEqual("sweep:1:95: a python sweep has no variants; call the column 'variant' something "
                         "else\n", done.stdout, done.stderr)
