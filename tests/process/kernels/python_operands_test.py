"""`operands` of a Python function: what it gets, what may be written, and what becomes of functions that
answer for other operands than those of the call."""
import os
import unittest

from sandbox import BUILD, SANITIZED, ProcessTest, sweep_text

PYTHON = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
SHORT = ("measure: {processes: 1, warmup: {min_time: 0ms, max_time: 20ms}, "
         "samples: {min: 5, max: 20, min_time: 0ms, max_time: 20s}}\n")

MODULE = '''
import array

def rows(n, x, w):
    return lambda: array.array("d", [sum(x[i, j] * w[j] for j in range(3)) for i in range(n)])

def exact(n, x, w):
    return rows(n, x, w)()

def packs_what_is_constant(n, x, w):
    packed = w.tolist()
    return lambda: array.array("d", [sum(x[i, j] * packed[j] for j in range(3)) for i in range(n)])

def reads_beforehand(n, x, w):
    read = [[x[i, j] for j in range(3)] for i in range(n)]
    return lambda: array.array("d", [sum(read[i][j] * w[j] for j in range(3)) for i in range(n)])

def stored(n, x, w):
    result = exact(n, x, w)
    return lambda: result[:]

def writes_what_is_read(n, x, w):
    def kernel():
        x[0, 0] = 1.0
    return kernel

def what_came(n, x, y, z, h, e):
    said = [x.format, y.format, z.format, h.format, x.ndim, z.shape == (), x.readonly, e.nbytes]
    def kernel():
        raise ValueError(said)
    return kernel

def sorts(n, x, order=1):
    def kernel():
        x[:] = memoryview(array.array("f", sorted(x)))
        return x
    return kernel

def sorts_first(n, x):
    def kernel():
        if kernel.calls < 4:
            x[:] = memoryview(array.array("f", sorted(x)))
        kernel.calls += 1
        return x
    kernel.calls = 0
    return kernel

def sorted_copy(x):
    return array.array("f", sorted(x))

def count(dtype, x):
    return lambda: len(x)
'''
ROWS = "operands: {x: 'f32[{n}, 3]', w: 'f64[3] normal(0, 1) constant'}"
IN_PLACE = "operands: {x: 'f32[100] in_place'}"
SORTED = {"sorts": "ok", "sorts_first": "wrong_result"}
TOLERANT = "tolerance: {relative: 1e-12}, "


@unittest.skipUnless(PYTHON, "built without Python's development files")
class Operands(ProcessTest):
    def setUp(self):
        super().setUp()
        self.write("kernels.py", MODULE)
        self.write("numpy.py", "raise ImportError('this machine has none')\n")

    def rows_of(self, functions, operands, verify="", axes="n: [7]"):
        """The rows of these functions, in the order of the points."""
        names = [f"kernels:{function}" for function in functions]
        text = sweep_text("s", "python", f"{{{axes}}}", operands, measure=SHORT)
        if len(names) == 1:
            text = text.replace("kernel: python", f"python: {names[0]}")
        else:
            text = text.replace("axes: {", f"axes: {{python: {names}, ")
        self.write("s.yaml", text + verify)
        if os.path.exists(os.path.join(self.folder, "s.db")):
            os.remove(os.path.join(self.folder, "s.db"))
        self.call("run", "s.yaml", "--patience", "0", status=None)
        return self.rows("s.db", 'select s.*, a.reason from "s" s join attempt a using (result) '
                                 "order by s.point")

    def statuses(self, functions, operands, distrust, reference):
        rows = self.rows_of(functions, operands, f"verify: {{distrust: {distrust}, {TOLERANT}"
                                                 f"reference: {{python: 'kernels:{reference}'}}}}\n")
        return {row["python"].split(":")[1]: row["status"] for row in rows}

    def test_come_with_type_shape_and_role(self):
        row, = self.rows_of(("what_came",), "operands: {x: 's8[2, 3, 4]', y: 'f64[5] in_place', "
                                            "z: 's64[]', h: 'f16[2]', e: 'u8[0, 7]'}")
        self.assertEqual("failed_run", row["status"])
        self.assert_golden("came", row["reason"].split(" (")[0])

    def test_are_those_of_the_reference(self):
        functions = ("rows", "packs_what_is_constant", "reads_beforehand", "stored")
        self.assertEqual(dict.fromkeys(functions, "ok"), self.statuses(functions, ROWS, "false", "exact"))
        rows = self.rows("s.db", 'select distinct "operand.x" as x, "operand.w" as w from "s"')
        self.assertEqual([{"x": "f32[7, 3]", "w": "f64[3] normal(0, 1) constant"}], rows)
        inputs = self.rows("s.db", "select distinct name from input")
        self.assertEqual(["w", "x"], sorted(row["name"] for row in inputs))

    def test_that_are_only_read_cannot_be_written(self):
        row, = self.rows_of(("writes_what_is_read",), ROWS)
        self.assertEqual("failed_run", row["status"])
        self.assert_golden("read-only", row["reason"].split(" (")[0])

    def test_that_may_be_written_are_written_back(self):
        self.assertEqual(SORTED, self.statuses(SORTED, IN_PLACE, "false", "sorted_copy"))

    def test_that_may_be_written_are_written_back_for_a_setting_that_is_right(self):
        rows = self.rows_of(("sorts",), IN_PLACE, "verify: {reference: {order: 1}}\n",
                            "n: [100], order: [1, 2]")
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows], rows)

    @unittest.skipIf(SANITIZED, "a sanitizer takes more memory and time than an isolated process may")
    def test_of_distrusted_functions_change_from_call_to_call(self):
        expected = {"rows": "ok", "packs_what_is_constant": "ok", "reads_beforehand": "wrong_result",
                    "stored": "wrong_result"}
        self.assertEqual(expected, self.statuses(expected, ROWS, "true", "exact"))
        self.assertEqual(SORTED, self.statuses(SORTED, IN_PLACE, "true", "sorted_copy"))

    @unittest.skipIf(SANITIZED, "a sanitizer takes more memory and time than an isolated process may")
    def test_that_are_all_constant_cannot_be_distrusted(self):
        row, = self.rows_of(("rows",), "operands: {x: 'f32[{n}, 3] constant', w: 'f64[3] constant'}",
                            "verify: {distrust: true, reference: {python: 'kernels:exact'}}\n")
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("constant", row["reason"])

    def test_that_a_setting_would_change_are_another_problem(self):
        rows = self.rows_of(("count",), "operands: {x: '{dtype}[4]'}",
                            "verify: {reference: {dtype: f64}}\n", "dtype: [f32, f64]")
        self.assertEqual(["failed_setup", "ok"], [row["status"] for row in rows])
        self.assert_golden("another problem", rows[0]["reason"])

    def refused(self, text):
        self.write("s.yaml", text)
        errors = self.call("check", "s.yaml", status=2).errors
        self.assertEqual(errors, self.call("run", "s.yaml", status=2).errors)
        return errors

    def test_with_a_distribution_that_is_none_are_refused(self):
        text = sweep_text("s", "python", "{n: [1]}", ROWS.replace("normal(0, 1)", "gauss(0, 1)"))
        errors = self.refused(text.replace("kernel: python", "python: kernels:rows"))
        self.assert_golden("distribution", errors)
        axes = "{variant: [loop], n: [9], input.x: ['uniform(0, 1)', 'uniform(0)']}"
        self.assert_golden("distribution of a pack", self.refused(sweep_text("s", "stream", axes)))

    def test_that_only_some_points_could_have_are_refused(self):
        text = sweep_text("s", "python", "{n: [1, -1]}", ROWS)
        self.assert_golden("point", self.refused(text.replace("kernel: python", "python: kernels:rows")))


if __name__ == "__main__":
    unittest.main()
