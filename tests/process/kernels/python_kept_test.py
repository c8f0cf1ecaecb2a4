"""What a Python function returned is overwritten, and the function called again: calls that return a stored
result are found, and honest ones are left as they are."""
import os
import unittest

from sandbox import BUILD, UNHURRIED, UNWATCHED, ProcessTest

HERE = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))

HONEST = '''
import array

def work(n):
    return array.array("d", [i * i for i in range(n)])

def fresh(n):
    return lambda: work(n)

def into_a_buffer(n):
    out = array.array("d", bytes(8 * n))
    def kernel():
        for i in range(n):
            out[i] = i * i
        return out
    return kernel

def into_a_buffer_shown_by_a_new_view(n):
    out = array.array("d", bytes(8 * n))
    def kernel():
        out[:] = work(n)
        return memoryview(out)
    return kernel

def into_a_part_of_a_buffer(n):
    out = array.array("d", bytes(8 * (n + 2)))
    def kernel():
        out[1:-1] = work(n)
        return memoryview(out)[1:-1]
    return kernel

def into_a_bytearray_that_grows(n):
    out = bytearray()
    def kernel():
        out.clear()
        out.extend(range(n))
        return out
    return kernel

def two_buffers_in_turn(n):
    buffers = [array.array("d", bytes(8 * n)) for _ in range(2)]
    def kernel():
        buffers.reverse()
        buffers[0][:] = work(n)
        return buffers[0]
    return kernel

def sorts_in_place(n):
    values = array.array("i", [i * 7919 % 1009 for i in range(n)])
    def kernel():
        values[:] = array.array("i", sorted(values))
        return values
    return kernel

def cuts_in_place(n):
    values = array.array("d", [(i * 7919 % 1009) - 500 for i in range(n)])
    def kernel():
        for i in range(n):
            values[i] = max(values[i], 0.0)
        return values
    return kernel

def counts_in_place(n):
    values = array.array("d", bytes(8 * n))
    def kernel():
        for i in range(n):
            values[i] += 1
        return values
    return kernel

def backward_view_of_an_input(n):
    values = work(n)
    return lambda: memoryview(values)[::-1]

def compiles_once_by_key(n):
    compiled = {}
    def kernel():
        if n not in compiled:
            compiled[n] = eval(f"lambda: [i * i for i in range({n})]")
        return array.array("d", compiled[n]())
    return kernel

def generator(n):
    def results():
        while True:
            yield work(n)
    return results().__next__

def a_tuple(n):
    out = array.array("d", bytes(8 * n))
    def kernel():
        out[:] = work(n)
        return out, n, (sum(out), bytes(out[:1]))
    return kernel

def a_tuple_with_a_constant(n):
    labels = array.array("i", range(n))
    return lambda: (work(n), labels)

def a_float(n):
    return lambda: float(sum(range(n)))

def the_same_float(n):
    half = 0.5
    return lambda: half

def constant_bytes(n):
    table = bytes(range(n))
    return lambda: table

def all_but_the_edge(n):
    out = array.array("d", work(n))
    def kernel():
        for i in range(1, n - 1):
            out[i] = i * i
        return out
    return kernel

def indexed_by_its_output(n):
    order, values = array.array("i", range(n)), work(n)
    def kernel():
        sum(values[i] for i in order)
        order[:] = array.array("i", range(n))
        return order
    return kernel

def grows_where_it_is_negative(n):
    values = array.array("d", work(n))
    def kernel():
        if any(value < 0 for value in values):
            raise ValueError("negative")
        values[:] = work(n)
        return values
    return kernel

def prints_what_is_left(n):
    values = array.array("d", work(n))
    def kernel():
        kernel.metrics = {"changed": float(values != work(n))}
        return memoryview(values)
    return kernel
'''

CHEATS = '''
import array

computed = []

def work(n):
    return array.array("d", [i * i for i in range(n)])

def stored(n):
    known = []
    def kernel():
        if not known:
            known.append(work(n))
        return known[0]
    return kernel

def stored_by_key(n):
    known = {}
    return lambda: known[n] if n in known else known.setdefault(n, work(n))

def stored_in_the_module(n):
    def kernel():
        if not computed:
            computed.append(work(n))
        return computed[0]
    return kernel

def two_in_turn(n):
    known, calls = [], [0]
    def kernel():
        calls[0] += 1
        if len(known) < 2:
            known.append(work(n))
            return known[-1]
        return known[calls[0] % 2]
    return kernel

def by_its_address(n):
    out, known = array.array("d", bytes(8 * n)), set()
    def kernel():
        if out.buffer_info() not in known:
            known.add(out.buffer_info())
            out[:] = work(n)
        return out
    return kernel

def every_other_call(n):
    out, calls = array.array("d", bytes(8 * n)), [0]
    def kernel():
        calls[0] += 1
        if calls[0] % 2:
            out[:] = work(n)
        return out
    return kernel

def a_stored_bytearray(n):
    known = bytearray(range(n))
    return lambda: known

def a_stored_tuple(n):
    known = (work(n), work(n))
    return lambda: known

def a_small_part(n):
    out = work(n)
    def kernel():
        out[0] = 0
        return out
    return kernel
'''

UNSEEN = '''
import array

def copy_of_a_stored_one(n):
    known = array.array("d", [i * i for i in range(n)])
    return lambda: known[:]
'''

IN_PLACE = "it computes in place: whether each call does the whole work could not be checked"
SAME = ("each call returned the same object, which cannot be overwritten: whether it computes it could "
        "not be checked")
VIEW = ("no call writes the memory of its output: it is a view of an input, or a result that was stored\n" +
        UNWATCHED)
EDGE = ("a call did not write 2 of 100 elements of its output; they are constants, or were stored\n" +
        UNWATCHED)


@unittest.skipUnless(HERE, "built without Python's development files")
class Kept(ProcessTest):
    def rows_of(self, source, status=0, functions=None, more=()):
        self.write("kernels.py", source)
        names = functions or [line.split("(")[0][4:] for line in source.splitlines()
                              if line.startswith("def ") and not line.startswith("def work(")]
        axes = f"{{python: [{', '.join('kernels:' + name for name in names)}], n: [100]}}"
        self.write("k.yaml", "\n".join(["sweep: 1", "name: k", "kernel: python", f"axes: {axes}",
                                        UNHURRIED.rstrip("\n"), *more]) + "\n")
        self.answer = self.call("run", "k.yaml", status=status)
        rows = self.rows("k.db", "select k.python, k.status, k.reason, k.grade, r.grade_reasons, r.notes, "
                         "r.first_call_s, k.output_hash, k.result from k left join result r using (result)")
        return {row["python"].split(":")[1]: row for row in rows}

    def test_honest_functions_keep_their_results(self):
        rows = self.rows_of(HONEST)
        self.assertGreaterEqual(len(rows), 12)
        for name, row in rows.items():
            self.assertEqual("ok", row["status"], f"{name}: {row['reason']}")
            self.assertGreater(row["first_call_s"], 0)
        same_numbers = ("fresh", "into_a_buffer", "into_a_buffer_shown_by_a_new_view", "generator",
                        "into_a_part_of_a_buffer", "two_buffers_in_turn", "compiles_once_by_key",
                        "all_but_the_edge", "grows_where_it_is_negative")
        self.assertEqual(1, len({rows[name]["output_hash"] for name in same_numbers}))
        plain = ("fresh", "into_a_buffer", "into_a_buffer_shown_by_a_new_view", "generator",
                 "into_a_part_of_a_buffer", "into_a_bytearray_that_grows", "two_buffers_in_turn",
                 "compiles_once_by_key", "a_float", "indexed_by_its_output")
        for name in plain:
            self.assertEqual((UNWATCHED, None), (rows[name]["grade_reasons"], rows[name]["notes"]), name)

    def test_what_could_not_be_checked_is_told(self):
        rows = self.rows_of(HONEST)
        for name, note in [("sorts_in_place", IN_PLACE), ("cuts_in_place", IN_PLACE),
                           ("the_same_float", SAME), ("constant_bytes", SAME)]:
            self.assertEqual((UNWATCHED, note), (rows[name]["grade_reasons"], rows[name]["notes"]), name)
        self.assert_golden("failed", rows["grows_where_it_is_negative"]["notes"])
        for name in ("backward_view_of_an_input", "a_tuple_with_a_constant", "prints_what_is_left"):
            self.assertIn(VIEW, rows[name]["grade_reasons"], name)  # a slow first call may be one, too
        self.assertEqual(EDGE, rows["all_but_the_edge"]["grade_reasons"])
        shown = self.call("show", "k.db", str(rows["the_same_float"]["result"]))
        notes = [" ".join(line.split()) for line in shown.out.splitlines() if line.startswith("note ")]
        self.assertEqual(["note " + SAME], notes)

    def test_memory_has_its_values_again_for_the_next_job(self):
        # Both jobs run in one process, and use one array of the module. The second one sees what is in it.
        source = ("import array\nvalues = array.array('d', [i * i for i in range(9)])\n"
                  "def f(n):\n    before = list(values)\n    def kernel():\n"
                  "        kernel.metrics = {'right': float(before == [i * i for i in range(9)])}\n"
                  "        return memoryview(values)\n    return kernel\n")
        self.write("kernels.py", source)
        self.write("k.yaml", "\n".join(["sweep: 1", "name: k", "python: kernels:f", "axes: {n: [1, 2, 3]}",
                                        UNHURRIED.rstrip("\n")]) + "\n")
        self.call("run", "k.yaml")
        right = self.rows("k.db", "select value from metric join k using (result) where name = 'right'")
        self.assertEqual([{"value": 1.0}] * 3, right)

    def test_a_file_that_is_mapped_keeps_its_content(self):
        self.write("table.bin", bytes(range(100)))
        source = ("import mmap\ndef shared(n):\n    file = open('table.bin', 'r+b')\n"
                  "    mapped = mmap.mmap(file.fileno(), 0)\n    return lambda: memoryview(mapped)\n"
                  "def dies(n):\n    import os\n    work = shared(n)\n    calls = []\n"
                  "    def kernel():\n        calls.append(1)\n"
                  "        if open('table.bin', 'rb').read() != bytes(range(100)):\n            os.abort()\n"
                  "        return work()\n    return kernel\n")
        rows = self.rows_of(source)
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows.values()])
        with open(os.path.join(self.folder, "table.bin"), "rb") as file:
            self.assertEqual(bytes(range(100)), file.read())

    def test_stored_results_are_wrong_ones(self):
        rows = self.rows_of(CHEATS, status=1)
        self.assertEqual(9, len(rows))
        for name, row in rows.items():
            self.assertEqual("wrong_result", row["status"], f"{name}: {row['notes']}")
        reasons = [f"{name}: {row['reason']}" for name, row in sorted(rows.items())]
        self.assert_golden("stored", "\n".join(reasons))

    def test_a_copy_of_a_stored_result_is_not_seen(self):
        row = self.rows_of(UNSEEN)["copy_of_a_stored_one"]
        self.assertEqual(("ok", UNWATCHED, None), (row["status"], row["grade_reasons"], row["notes"]))

    def test_nothing_is_overwritten_where_nothing_is_verified(self):
        rows = self.rows_of(CHEATS, functions=["stored"], more=["verify: false"])
        self.assertEqual("ok", rows["stored"]["status"], rows["stored"]["reason"])

    def test_the_first_call_is_timed(self):
        source = ("import time\nknown = []\ndef f(n):\n    def kernel():\n        if not known:\n"
                  "            end = time.process_time() + 0.1\n"
                  "            while time.process_time() < end:\n                pass\n"
                  "            known.append(1)\n        return float(n)\n    return kernel\n")
        row = self.rows_of(source, functions=["f"])["f"]
        self.assertEqual("ok", row["status"])
        self.assertRegex(row["grade_reasons"], f"^the first call took .*(?s:.*){UNWATCHED}$")
        self.assertGreaterEqual(row["first_call_s"], 0.1)


if __name__ == "__main__":
    unittest.main()
