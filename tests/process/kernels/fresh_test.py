"""Each job of a Python function has a process of its own: nothing that an earlier one has left is there."""
import os
import unittest

from sandbox import BUILD, ProcessTest

HERE = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))

MODULE = '''
import threading
BEFORE
HELD, calls = [], 0

def make(mb):
    global calls
    calls += 1
    threads = threading.active_count()
    if mb > 100:
        HELD.append(bytearray(b"1") * (mb << 20))
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    found = [calls, threads, len(HELD) - (mb > 100)]
    return lambda: found
'''
# A module that starts a thread cannot be forked: its processes are started.
IMPORTED = "with open('imported.txt', 'a') as file:\n    file.write(__name__ + '\\n')\n"
NAMES = """
import importlib, sys
ALL = ["one", "two", "threaded"]

def make(library, n):
    importlib.import_module(library)
    found = [each for each in ALL if each in sys.modules]
    if found != [library]:
        raise RuntimeError("there is also " + str(found))
    return lambda: n

make.imports = lambda params: [params["library"]] if params["n"] < 5 else params["n"]
"""
THREAD = "threading.Thread(target=threading.Event().wait, daemon=True).start()"
MIB = 1 << 20


@unittest.skipUnless(HERE, "built without Python's development files")
class Fresh(ProcessTest):
    def expect_fresh(self, name, before, order):
        self.write(f"{name}.py", MODULE.replace("BEFORE", before))
        self.write(f"{name}.yaml", "\n".join([
            "sweep: 1", f"name: {name}", "kernel: python",
            # Long enough for the conditions to be looked at.
            "measure: {processes: 1, order: sequential, warmup: {min_runs: 1, min_time: 1ms}, "
            "samples: {min: 5, max: 20, min_time: 30ms, max_time: 60ms}}",
            f"axes: {{python: ['{name}:make'], mb: {order}}}"]) + "\n")
        self.call("run", f"{name}.yaml", "--patience", "0")
        rows = self.rows(f"{name}.db", "select p.mb, p.status, p.output_hash, c.peak_memory_bytes as peak "
                         f'from "{name}" p join conditions c using (result)')
        self.assertEqual(["ok"] * len(order), [row["status"] for row in rows])
        self.assertEqual(1, len({row["output_hash"] for row in rows}), "what the first one found")
        for row in rows:
            with self.subTest(mb=row["mb"], before=before):
                (self.assertGreater if row["mb"] > 100 else self.assertLess)(row["peak"], 400 * MIB)

    def test_nothing_is_left_of_another_setting(self):
        self.expect_fresh("forked", "", [500, 1, 2])
        self.expect_fresh("other_order", "", [1, 2, 500])
        self.expect_fresh("started", THREAD, [500, 1, 2])

    def test_a_module_that_left_something_open_is_imported_for_each_job(self):
        """Forked processes would share the position of a file, what is in a pipe, and mapped memory."""
        self.write("rows.txt", "0123456789")
        self.write("shares.py", "\n".join([
            "import mmap, os", "opened, memory = open('rows.txt', 'rb', buffering=0), mmap.mmap(-1, 1)",
            "ends = os.pipe()", "null = open('/dev/null')", "",
            "def make(n):",
            "    found = [opened.tell(), memory[0]]",
            "    os.set_blocking(ends[0], False)",
            "    try: found.append(len(os.read(ends[0], 9)))",
            "    except BlockingIOError: pass",
            "    opened.read(1)", "    memory[0] = 1", "    os.write(ends[1], b'x')",
            "    return lambda: found"]) + "\n")
        self.write("shares.yaml", "sweep: 1\nname: shares\npython: shares:make\naxes: {n: [1, 2, 3]}\n"
                   "measure: {processes: 1, order: sequential, samples: {min: 2, max: 3}}\n")
        self.call("run", "shares.yaml", "--quick", "--patience", "0")
        rows = self.rows("shares.db", "select status, output_hash from shares")
        self.assertEqual(["ok"] * 3, [row["status"] for row in rows])
        self.assertEqual(1, len({row["output_hash"] for row in rows}), "what the first one found")

    def test_a_function_that_ends_its_process_is_not_taken_for_one_that_is_done(self):
        """75 is the status by which a process that cannot be forked says that the next one may begin."""
        self.write("ends.py", "import os\ndef make(n):\n"
                   "    return (lambda: os._exit(75)) if n < 3 else (lambda: n)\n")
        self.write("ends.yaml", "sweep: 1\nname: ends\npython: ends:make\naxes: {n: [1, 2, 3]}\n"
                   "measure: {processes: 1, order: sequential, samples: {min: 2, max: 3}}\n")
        self.call("run", "ends.yaml", "--quick", "--patience", "0", status=None)
        rows = self.rows("ends.db", "select status, reason from ends order by n")
        self.assertEqual(["signal", "signal", "ok"], [row["status"] for row in rows])
        self.assertIn("75", rows[0]["reason"])

    def test_what_a_function_names_is_imported_once_for_each_slot(self):
        """Settings that name a module never find another one's, also if they follow it and cannot be forked,
        as was seen before. Each job imports what cannot be forked, as by replay. `imports` of the wrong type
        is the job's failure."""
        for name, more in (("one", ""), ("two", ""), ("threaded", "import threading\n" + THREAD)):
            self.write(f"{name}.py", IMPORTED + more + "\n")
        self.write("names.py", NAMES)
        cores = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, {min(cores)})  # one slot
        self.write("names.yaml", "sweep: 1\nname: names\npython: names:make\n"
                   "axes: {n: [1, 2, 3, 5], library: [threaded, one, two]}\n"
                   "measure: {processes: 1, order: sequential, alone_on: host, samples: {min: 2, max: 3}}\n")
        self.call("run", "names.yaml", "--quick", "--patience", "0", status=None)
        rows = self.rows("names.db", "select p.n, p.library, p.status, p.reason, r.notes from names p "
                         "left join result r using (result) order by p.n")
        self.assertEqual(12, len(rows))
        for row in rows[:9]:
            with self.subTest(**{name: row[name] for name in ("n", "library")}):
                once = "its slot has imported, once for all such jobs: "
                which = "its own process has imported: " if row["library"] == "threaded" else once
                self.assertEqual("ok", row["status"], row["reason"])
                self.assertIn(which + row["library"], (row["notes"] or "").split("\n"))
        for row in rows[9:]:
            self.assertEqual("failed_setup", row["status"])
        with open(os.path.join(self.folder, "imported.txt"), encoding="utf-8") as file:
            imported = file.read().split()
        self.assertEqual((1, 1), (imported.count("one"), imported.count("two")))
        self.assertGreaterEqual(imported.count("threaded"), 3)


if __name__ == "__main__":
    unittest.main()
