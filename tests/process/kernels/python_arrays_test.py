"""Arrays of libraries that a Python function returns, and those that it gets. The libraries are replaced by
what of them matters here; the tests of engines have the real ones."""
import textwrap
import unittest

from engines_test import python_with
from python_kept_test import SAME
from python_test import HERE, PythonTest
from sandbox import SANITIZED

# The part of PyTorch that matters to an output. A tensor on a GPU is copied to be read.
TORCH = textwrap.dedent('''
    import array
    float32, bfloat16, int16, uint8 = "torch.float32", "torch.bfloat16", "h", "B"
    class Tensor:
        def __init__(self, values, dtype=float32, is_on_gpu=False):
            self.dtype, self.is_on_gpu = dtype, is_on_gpu
            self.values = array.array("f" if dtype is float32 else "H", values)
        def detach(self):
            return self
        resolve_conj = resolve_neg = detach
        def cpu(self):
            return Tensor(self.values, self.dtype) if self.is_on_gpu else self
        def view(self, dtype):
            return Viewed(self.values) if dtype is int16 else None
        def numpy(self):
            if self.dtype is bfloat16:
                raise TypeError("no such numbers")
            return self.values
    class Viewed:
        def __init__(self, values):
            self.values = values
        def numpy(self):
            return self.values
    ''')
TENSORS = textwrap.dedent('''
    import torch
    def tensors(how):
        def made():
            if how.endswith("bf16"):
                return torch.Tensor([0x3f80 + i for i in range(9)], torch.bfloat16)
            return torch.Tensor(range(9), is_on_gpu=how.endswith("gpu"))
        stored = made()
        return (lambda: stored) if how.startswith("stored") else made
    ''')
# Arrays of JAX, and tensors of TensorFlow, cannot be written to.
IMMUTABLE = textwrap.dedent('''
    import sys, types
    class Array(bytes):
        pass
    jax = sys.modules["jax"] = types.ModuleType("jax")
    tensorflow = sys.modules["tensorflow"] = types.ModuleType("tensorflow")
    jax.Array, tensorflow.Tensor = Array, ()
    def arrays(how):
        parts = [Array(range(9)), Array(range(3))]
        return {"fresh": lambda: Array(range(9)), "stored": lambda: parts[0], "empty": lambda: empty,
                "tuple": lambda: tuple(parts), "constant": lambda: (parts[0], Array(range(3)))}[how]
    empty = Array()
    ''')
NUMBERS = textwrap.dedent('''
    import array
    def numbers(code, first):
        return lambda: array.array(code, [first, 2, 3])
    def kept(code):
        stored = array.array(code, [7, 7, 9])
        return lambda: stored
    def written(code):
        out = array.array(code, [0, 0, 0])
        def kernel():
            for i in range(3):
                out[i] = 5 + i
            return out
        return kernel
    signed = numbers
    def large(n):
        large = array.array("Q", [2**63])
        return lambda: (large[:], (array.array("H", [40000]), large[:]), 2.5 - 1j)[n]
    def plain(n):
        return lambda: array.array("d", ([2.0**63], [40000, 2.0**63], [2.5, -1])[n])
    many = [float(i) for i in range(5000)]
    def contained(n):
        arrays = [array.array("f", [1, 2]), array.array("f", [3])]
        return lambda: [[each[:] for each in arrays], {"b": arrays[1][:], "a": [1.0, (2, None)]},
                        {"text": "1"}, list(many)][n]
    def same(n):
        return lambda: [array.array("d", [1, 2, 3]), array.array("d", [1, 2, 3]),
                        array.array("d", [49]), array.array("d", many)][n]
    def parts(kind, by):
        values, place, large = array.array("f", [1e6, 2e6 * (1 + by)]), int(by > 0), 200_000_001
        return {"values": lambda: (values[:], array.array("q", [17])), "list": lambda: [values[:]],
                "small": lambda: (values[:1], array.array("f", [1 + by])),
                "floats": lambda: values.tolist(), "counts": lambda: [large, place],
                "places": lambda: (values[:1], array.array("q", [17, place])),
                "digits": lambda: (2 ** 63 + place, 0.5), "digit": lambda: 2 ** 64 - 1 - place}[kind]
    def kept_list(n):
        arrays = [array.array("d", [1, 2]), array.array("d", [3])]
        return lambda: [arrays, {"a": arrays}, many, "text"][n]
    ''')
ARRAYS = textwrap.dedent('''
    import numpy
    def products(n, x, w, y):
        assert all(type(each) is numpy.ndarray for each in (x, w, y))
        assert (x.dtype, x.shape, x.flags.writeable) == (numpy.float16, (n, 3), False), x.dtype
        assert (w.shape, y.flags.writeable) == ((), True)
        def kernel():
            y[:] = x.sum(axis=1) * w + y
            return y
        return kernel
    def exact(n, x, w, y):
        return numpy.asarray(x, "f8").sum(axis=1) * w + y
    ''')
# Types of NumPy beyond the standard library, each with an equal value.
NUMPYS = textwrap.dedent('''
    import numpy
    def made(n):
        z = numpy.arange(24, dtype="c16").reshape(2, 3, 4) * (1 - 2j)
        return {"c16": z, "c8": z.astype("c8"), "slice": z[:, ::-2, 1:],
                "u2": numpy.arange(5, dtype="u2"), "texts": numpy.array(["a", "bcd"]),
                "objects": numpy.array([["a", "bc"], ["d", None]], dtype=object)}[n]
    def texts():
        return lambda: [b"a", b"bcd"]
    def kernels(kind):
        return lambda: made(kind)
    def plain(kind):
        as_pairs = {"c16": "f8", "c8": "f4", "slice": "f8"}
        array = made(kind)
        array = array.astype("i8") if kind == "u2" else numpy.stack(
            [array.real, array.imag], -1).astype(as_pairs[kind])
        return lambda: array.copy()
    def stored(kind):
        array = made(kind)
        return lambda: array
    ''')

KEYED = '''
def keyed(how):
    right = {"b": 1.0, "a": [2.0], "c": {"x": 3.0, 1: 4.0}, "rows": [{"n": 5.0}, {"n": 6.0}]}
    made = {"same": right, "order": dict(reversed(right.items())), "list": [[2.0], 1.0, 4.0, 3.0, 5.0, 6.0],
            "text": {**right, "c": {"1": 4.0, "x": 3.0}}, "more": {**right, "d": 5.0},
            "missing": {key: value for key, value in right.items() if key != "b"},
            "renamed": {"b\\n" if key == "b" else key: value for key, value in right.items()},
            "inner": {**right, "c": {"y": 3.0, 1: 4.0}}, "rows": {**right, "rows": [{"n": 5.0}, {"m": 6.0}]}}
    return lambda: made[how]
'''


@unittest.skipUnless(HERE, "this build has no pack for Python functions")
class ArraysTest(PythonTest):
    def statuses(self, function, axes, status=1):
        rows = self.run_sweep(function, axes, status=status)
        return [row["status"] for row in rows], rows

    def are_told_unchecked(self, which):
        """Of each such result. Where starting takes long a note says that, too."""
        rows = self.rows("p.db", f"select notes from result where {which} order by result")
        return [SAME in (row["notes"] or "").split("\n") for row in rows]

    def hashes(self, function, axes):
        name = function.split(":")[1]
        return [row["output_hash"] for row in self.run_sweep(function, axes, name=name)]


class Arrays(ArraysTest):
    def test_a_tensor_is_an_output_and_may_be_stored(self):
        self.write("torch.py", TORCH)
        self.write("tensors.py", TENSORS)
        names = "fresh, stored, fresh_bf16, stored_bf16, fresh_gpu, stored_gpu"
        statuses, rows = self.statuses("tensors:tensors", f"{{how: [{names}]}}")
        self.assertEqual(["ok", "wrong_result", "ok", "wrong_result", "ok", "ok"], statuses,
                         rows[0]["reason"])
        self.write("same.py", "import array\ndef f():\n    return lambda: array.array('f', range(9))\n")
        expected = self.hash_of("same:f", "{label: [x]}", "expected")
        self.assertEqual([expected] * 2, [rows[0]["output_hash"], rows[5]["output_hash"]])
        # For a copy it is unknown whether a call has written the original.
        self.assertEqual([True], self.are_told_unchecked(f"result = {rows[5]['result']}"))

    def test_an_array_that_cannot_be_written_is_computed_by_no_call_that_returns_it_again(self):
        self.write("immutable.py", IMMUTABLE)
        statuses, rows = self.statuses("immutable:arrays", "{how: [fresh, stored, tuple, constant, empty]}")
        self.assertEqual(["ok", "wrong_result", "wrong_result", "ok", "ok"], statuses)
        self.assert_golden("immutable", rows[1]["reason"])
        # On a busy host the first call may be a reason, too.
        stored = [line for line in rows[3]["grade_reasons"].split("\n") if "the first call" not in line]
        self.assert_golden("constant", stored[0])

    def test_whole_numbers_of_all_sizes(self):
        self.write("numbers_.py", NUMBERS)
        found = self.hashes("numbers_:numbers", "{code: [H, I, L, Q, q], first: [40000]}")
        found += self.hashes("numbers_:signed", "{code: [h, q], first: [-1]}")
        self.assertEqual([5, 2], [found.count(found[0]), found.count(found[5])])

    def test_containers_and_numbers_of_64_bits_equal_plain_ones(self):
        self.write("numbers_.py", NUMBERS)
        for function, plain, count in (("large", "plain", 3), ("contained", "same", 4)):
            rows = self.run_sweep(f"numbers_:{function}", f"{{n: {list(range(count))}}}",
                                  f"verify: {{reference: {{python: 'numbers_:{plain}'}}}}", name=function)
            self.assertEqual(["ok"] * count, [row["status"] for row in rows], rows)

    def test_each_part_is_compared_by_its_type(self):
        self.write("numbers_.py", NUMBERS)
        kinds = "values, list, small, floats, counts, places, digits, digit"
        rows = self.run_sweep("numbers_:parts", f"{{by: [0.0, 4e-6, 4e-5], kind: [{kinds}]}}",
                              "verify: {reference: {by: 0.0}}", status=1)
        said = {}
        for row in rows:
            said[row["kind"]] = said.get(row["kind"], "") + str(int(row["status"] == "ok"))
        self.assertEqual({"values": "110", "list": "110", "small": "110", "floats": "100", "places": "100",
                          "counts": "100", "digits": "100", "digit": "100"}, said)

    def test_containers_of_what_was_stored(self):
        self.write("numbers_.py", NUMBERS)
        statuses, rows = self.statuses("numbers_:kept_list", "{n: [0, 1, 2, 3]}")
        self.assertEqual(["wrong_result", "wrong_result", "ok", "ok"], statuses)
        self.assertEqual([True, True], self.are_told_unchecked("true"))

    def test_whole_numbers_that_were_stored(self):
        self.write("numbers_.py", NUMBERS)
        codes = "{code: [h, H, I, L, Q]}"
        self.assertEqual(["wrong_result"] * 5, self.statuses("numbers_:kept", codes)[0])
        self.assertEqual(["ok"] * 5, self.statuses("numbers_:written", codes, 0)[0])

    def test_keys_are_those_of_the_reference(self):
        self.write("keyed.py", KEYED)
        kinds = "same, order, text, list, missing, more, renamed, inner, rows"
        rows = self.run_sweep("keyed:keyed", f"{{how: [{kinds}]}}",
                              "verify: {reference: {how: same}}", status=1)
        self.assertEqual(["ok"] * 4 + ["wrong_result"] * 5, [row["status"] for row in rows], rows)
        self.assert_golden("keys", "".join(f"{row['how']}: {row['reason']}\n" for row in rows[4:]))


@unittest.skipUnless(HERE, "this build has no pack for Python functions")
@unittest.skipUnless(python_with("numpy") and not SANITIZED, "no Python here has NumPy")
class ArraysOfNumpy(ArraysTest):
    def setUp(self):
        super().setUp()
        self.environment["KERNSWEEP_PYTHON"] = python_with("numpy")

    def test_operands_are_arrays_of_numpy(self):
        self.write("arrays.py", ARRAYS)
        row, = self.run_sweep("arrays:products", "{n: [5]}",
                              "operands: {x: 'f16[{n}, 3]', w: 'f64[]', y: 'f64[{n}] in_place'}",
                              "verify: {reference: {python: 'arrays:exact'}, tolerance: {relative: 1e-3}}")
        self.assertEqual("ok", row["status"], row["reason"])

    def test_complex_numbers_are_pairs(self):
        self.write("numpys.py", NUMPYS)
        kinds = "{kind: [c16, c8, slice, u2]}"
        self.assertEqual(self.hashes("numpys:plain", kinds), self.hashes("numpys:kernels", kinds))
        self.assertEqual(["wrong_result"] * 4, self.statuses("numpys:stored", kinds)[0])

    def test_moments_and_spans_say_how_they_are_returned(self):
        self.write("moments.py", textwrap.dedent("""
            import numpy
            def kernel(kind, n):
                x = numpy.arange(9).astype(kind)
                return lambda: (x + 0, {"x": x + 0}, (x + 0).view("int64"))[n]
            """))
        rows = self.run_sweep("moments:kernel", "{kind: ['M8[s]', 'm8[ns]'], n: [0, 1, 2]}", status=1)
        self.assertEqual(["failed_run", "failed_run", "ok"] * 2, [row["status"] for row in rows], rows)
        self.assert_golden("moments", "".join(row["reason"] + "\n" for row in rows if row["status"] != "ok"))

    def test_texts(self):
        self.write("numpys.py", NUMPYS)
        plain, = self.hashes("numpys:texts", "{label: [x]}")
        self.assertEqual([plain] * 2, self.hashes("numpys:kernels", "{kind: [texts, objects]}"))


if __name__ == "__main__":
    unittest.main()
