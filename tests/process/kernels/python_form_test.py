"""Python kernels as objects with setup, run and output; seeds, threads and garbage of all Python kernels."""
import gc
import os
import sys
import textwrap
import types
import unittest
import unittest.mock

from python_test import HERE, PythonTest
from sandbox import SOURCE, UNHURRIED

VERIFIED = "verify: {reference: {python: 'forms:Sums'}, tolerance: {relative: 1e-12}}"
MODULE = textwrap.dedent('''
    import array, gc, random

    class Sums:
        def setup(self, params, inputs):
            self.n = params["n"]
            return array.array("d", [0.0] * self.n)
        def run(self, state):
            for i in range(self.n):
                state[i] = i * 0.5
        def output(self, state):
            return state
        def supports(self, params):
            return params["n"] < 100 or "n is too large"
        def flops(self, params):
            return params["n"]
        bytes = 64
        def reference(self, params, inputs):
            return array.array("d", [i / 2 for i in range(params["n"])])

    class Wrong(Sums):
        def run(self, state):
            state[0] = 1.0

    class Stored(Sums):
        def setup(self, params, inputs):
            state = super().setup(params, inputs)
            super().run(state)
            return state
        def run(self, state):
            pass

    class Copied(Stored):
        def output(self, state):
            return state[:]

    class Bare:
        def setup(params, inputs):
            return params["seed"], params["threads"], sorted(inputs)
        def run(state):
            return repr(state).encode()
    Bare.setup, Bare.run = staticmethod(Bare.setup), staticmethod(Bare.run)

    class NoState:
        def setup(self, params, inputs):
            pass
        def run(self, state):
            return b"none" if state is None else b"some"

    class SaysNo(Sums):
        def supports(self, params):
            return False

    class Pair(Sums):
        def supports(self, params):
            return False, "because"

    class SaysOne(Sums):
        def supports(self, params):
            return 1

    class GivesUp(Sums):
        def supports(self, params):
            raise NotImplementedError("not here")

    class BadWork(Sums):
        flops = "many"

    class NoObject(Sums):
        def __init__(self, needed):
            pass

    class Typo:
        setup = Sums.setup
        def Run(self, state):
            pass

    class ListOutput(Sums):
        output = [1, 2]

    class Async(Sums):
        async def setup(self, params, inputs):
            pass

    class NegativeWork(Sums):
        flops = -1

    class Counts(Sums):
        metrics = {"tokens_per_second": 5}
        flops = None

    class Whole:
        def __float__(self):
            return 8.0

    class OtherNumbers(Sums):
        flops = Whole()

    class NoReference:
        setup, run = Sums.setup, Sums.run

    class LateError(Sums):
        def output(self, state):
            raise ValueError("no output")

    made = Sums()
    number = 7

    def with_work(n):
        def kernel():
            return n
        kernel.flops, kernel.bytes = 1000.0, lambda params: 8 * params["n"]
        return kernel

    def draws(n):
        drawn = [random.random() for _ in range(n)]
        return lambda: array.array("d", drawn + [random.Random(1).random()])

    def collects():
        return lambda: str(gc.isenabled()).encode()

    def in_another_process(how):
        import concurrent.futures, multiprocessing
        pool = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context(how))
        return lambda: pool.submit(abs, -3).result()

    def of_the_main_module():
        import __main__, sys
        said = [hasattr(__main__, "__file__"), sys.argv, "kernsweep_slot" in sys.modules]
        return lambda: repr(said).encode()

    def wants_garbage_collected():
        gc.enable()
        return collects()
''')
@unittest.skipUnless(HERE, "this build has no pack for Python functions")
class FormTest(PythonTest):
    def setUp(self):
        super().setUp()
        self.write("forms.py", MODULE)

    def one(self, name, *more, axes="{n: [8]}", status=0):
        row, = self.run_sweep(f"forms:{name}", axes, *more, status=status)
        return row

    def each(self, names, *more, status=0):
        """The row of each of these kernels, which are measured in one sweep."""
        listed = ", ".join(f"'forms:{name}'" for name in names)
        rows = self.run_sweep(None, f"{{python: [{listed}], n: [8]}}", *more, status=status)
        return dict(zip(names, rows, strict=True))

    def refused(self, name, outcome, row):
        self.assertEqual(outcome, row["status"], row["reason"])
        self.assert_golden(name, row["reason"].split(" (")[0])

    def refused_before(self, name):
        self.write("p.yaml", f"sweep: 1\nname: p\npython: forms:{name}\naxes: {{n: [8]}}\n{UNHURRIED}")
        self.assert_golden(name, self.call("run", "p.yaml", status=2).errors)

    def same(self, value, row):
        self.write("same.py", f"def f():\n    return lambda: {value!r}\n")
        self.assertEqual("ok", row["status"], row["reason"])
        self.assertEqual(self.hash_of("same:f", "{label: [x]}", "expected"), row["output_hash"])


class Forms(FormTest):
    def test_a_class_and_an_object(self):
        rows = self.each(("Sums", "SaysOne", "made"), VERIFIED)
        self.assertEqual(["ok"] * 3, [row["status"] for row in rows.values()], rows)
        self.assertEqual(0, self.value("p.db", "select count(*) from result where error is null"))

    def test_what_a_call_does(self):
        self.each(("Sums", "with_work", "OtherNumbers"))
        rows = self.rows("p.db", "select r.flops, r.bytes from p join result r using (result) "
                                 "order by p.point")
        self.assertEqual([(8, 64), (1000, 64), (8, 64)], [tuple(row.values()) for row in rows])

    def test_what_it_has_counted(self):
        self.one("Counts")
        self.assertEqual(5, self.value("p.db", "select value from metric where name = 'tokens_per_second'"))

    def test_parameters_seed_threads_and_inputs(self):
        row = self.one("Bare", "seed: 5", "operands: {b: 'f32[2]', a: 'f32[2]'}", axes="{threads: [1]}")
        self.same(repr((5, 1, ["a", "b"])).encode(), row)

    def test_a_state_that_is_None(self):
        self.same(b"none", self.one("NoState"))

    def test_results_that_were_stored_or_are_wrong(self):
        self.assertEqual("wrong_result", self.each(("Wrong",), VERIFIED, status=1)["Wrong"]["status"])
        rows = self.each(("Stored", "Copied"), status=1)
        self.assertEqual({"Stored": "wrong_result", "Copied": "ok"},
                         {name: row["status"] for name, row in rows.items()}, rows)
        self.assert_golden("copied", self.value("p.db", "select notes from result join p using (result) "
                                                        "where python = 'forms:Copied'"))

    def test_that_are_refused(self):
        self.refused("Sums", "unsupported", self.one("Sums", axes="{n: [100]}", status=1))
        outcomes = {"SaysNo": "unsupported", "GivesUp": "unsupported", "LateError": "failed_run",
                    **dict.fromkeys(("BadWork", "NegativeWork", "NoObject", "Typo", "Pair", "ListOutput",
                                     "Async"), "failed_setup")}
        for name, row in self.each(outcomes, status=1).items():
            self.refused(name, outcomes[name], row)
        self.refused_before("number")  # a class may make its run() in __init__

    def test_a_reference_that_is_none(self):
        row = self.one("Sums", "verify: {reference: {python: 'forms:NoReference'}}", status=1)
        self.assert_golden("no-reference", row["reason"])


class Settings(FormTest):
    def test_the_seed_is_that_of_the_sweep(self):
        for seed in (1, 2):
            row, = self.run_sweep("forms:draws", "{n: [3]}", f"seed: {seed}", name=f"s{seed}")
            self.write("same.py", "import array, random\ndef f():\n"
                       f"    random.seed({seed})\n    drawn = [random.random() for _ in range(3)]\n"
                       "    return lambda: array.array('d', drawn + [random.Random(1).random()])\n")
            self.assertEqual(self.hash_of("same:f", "{label: [x]}", f"e{seed}"), row["output_hash"])

    def test_all_bits_of_a_seed_count_for_each_library(self):
        """NumPy's own seed() takes 32 bits."""
        names, got = {}, {}
        with open(os.path.join(SOURCE, "kernels", "python", "support.py"), encoding="utf-8") as file:
            exec(file.read(), names)
        library = types.SimpleNamespace(seed=lambda seed: got.setdefault(repr(seed)),
                                        manual_seed=lambda seed: got.setdefault(repr(seed)))
        library.random = library
        with unittest.mock.patch.dict(sys.modules, {"numpy": library, "torch": library, "random": library}):
            for seed in (7, 7 + (1 << 32), 7 + (1 << 63)):
                names["set_seeds"](seed)
        self.assertEqual({"7", "4294967303", "[7, 1]", "9223372036854775815", "[7, 2147483648]"}, set(got))

    def test_garbage_is_collected_again_after_the_last_kernel_of_a_job(self):
        """Of a job with cold caches several are prepared at a time."""
        names = {}
        path = os.path.join(SOURCE, "kernels", "python", "support.py")
        with open(path, encoding="utf-8") as file:
            exec(file.read(), names)
        seen = []
        for step in ("begin", "begin", "end", "end"):
            names[step](*[1, 1] if step == "begin" else [])
            seen.append(gc.isenabled())
        self.assertEqual([False, False, False, True], seen)

    def test_processes_of_its_own_are_ordinary_pythons(self):
        axes = "{how: [fork, spawn, forkserver]}"
        rows = self.run_sweep("forms:in_another_process", axes, "problem: [how]")
        self.assertEqual(["ok"] * 3, [row["status"] for row in rows], rows)
        row = self.one("of_the_main_module", axes="{label: [x]}")
        self.same(repr([False, [""], False]).encode(), row)

    def test_garbage_is_not_collected_unless_the_function_wants_it(self):
        cases = (("collects", "off", b"False"), ("wants_garbage_collected", "on", b"True"))
        listed = ", ".join(f"'forms:{name}'" for name, _, _ in cases)
        rows = self.run_sweep(None, f"{{python: [{listed}], label: [x]}}")
        for row, (_, word, said) in zip(rows, cases, strict=True):
            self.assertEqual(f"garbage collection {word}", row["runtime"].split("; ")[1])
            self.same(said, row)


del PythonTest, FormTest
