"""What is measured again, and what is not: files that changed since they were measured."""
import os
import shutil
import signal
import struct
import sys
import unittest

from sandbox import BUILD, UNHURRIED, ProcessTest, free_port, lines_with, sweep_text

PACKS = os.path.join(BUILD, "lib", "kernsweep", "packs")
TIMED = "timeout: {setup: 300s, run: 300s}"
HAS_PYTHON = os.path.exists(os.path.join(PACKS, "python.so"))


def npy(values):
    """A file of little-endian float32 values, one row, as NumPy writes it."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(values), len(values[0]))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = b"".join(struct.pack("<f", value) for row in values for value in row)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


class ChangedTest(ProcessTest):
    def write_program(self, name, text):
        os.chmod(os.path.join(self.folder, self.write(name, text)), 0o755)

    def write_sweep(self, name, what, axes, *more):
        text = sweep_text(name, "none", axes, TIMED, *more, measure=UNHURRIED)
        return self.write(name + ".yaml", text.replace("kernel: none", what))

    def counts(self, database):
        if not self.count_of(database, "sweep"):
            return 0, 0
        row = self.rows(database, "select (select count(*) from attempt_row), sum(reused) from outcome")[0]
        return tuple(value or 0 for value in row.values())

    def again(self, file, database=None):
        """Runs once more: jobs measured, jobs reused, the text on stderr."""
        database = database or file.replace(".yaml", ".db")
        before = self.counts(database)
        answer = self.call("run", file, "--db", database)
        after = self.counts(database)
        return after[0] - before[0], after[1] - before[1], answer.errors


class Commands(ChangedTest):
    def setUp(self):
        super().setUp()
        self.write_program("one.sh", "#!/bin/sh\necho one\n")
        self.write_program("two.sh", "#!/bin/sh\necho two\n")
        self.file = self.write_sweep("c", "command: './{which}.sh {n}'", "{which: [one, two], n: [1, 2]}")
        self.assertEqual((4, 0), self.again(self.file)[:2])

    def test_nothing_changed_nothing_is_measured(self):
        self.assertEqual((0, 0), self.again(self.file)[:2])
        self.assertEqual(1, self.count_of("c.db", "sweep"))

    def test_a_file_that_was_only_touched_is_the_same(self):
        os.utime(os.path.join(self.folder, "one.sh"), (1, 1))
        self.assertEqual((0, 0), self.again(self.file)[:2])

    def test_exactly_what_the_changed_program_measured_is_measured_again(self):
        self.write_program("two.sh", "#!/bin/sh\necho TWO\n")
        measured, reused, told = self.again(self.file)
        self.assertEqual((2, 2), (measured, reused), told)
        self.assert_golden("changed", lines_with(" are ", told))
        rows = self.rows("c.db", "select which, reused from c order by which, n")
        self.assertEqual([("one", 1), ("one", 1), ("two", 0), ("two", 0)],
                         [(row["which"], row["reused"]) for row in rows])
        self.assertEqual({"superseded", "finished"},
                         {row["state"] for row in self.rows("c.db", "select state from sweep")})
        self.assertEqual((0, 0), self.again(self.file)[:2], "and then it holds")

    def test_json_says_what_was_measured_again(self):
        self.write_program("two.sh", "#!/bin/sh\necho TWO\n")
        told = self.call("run", self.file, "--json").json()
        self.assertEqual((2, 2), (told["ok"], told["reused"]))
        self.assertEqual(["2 jobs are measured again: ./two.sh has changed"], told["measured_again"])

    def test_the_same_content_in_its_place_again_is_the_same_again(self):
        self.write_program("two.sh", "#!/bin/sh\necho TWO\n")
        self.again(self.file)
        self.write_program("two.sh", "#!/bin/sh\necho two\n")
        self.assertEqual((0, 4), self.again(self.file)[:2], "the first run's results hold again")

    def test_a_program_or_a_word_that_is_gone_is_told(self):
        os.remove(os.path.join(self.folder, "two.sh"))
        answer = self.call("run", self.file, status=2)
        self.assert_golden("program", answer.errors)
        self.write("data.txt", "1\n")
        file = self.write_sweep("w", "command: 'cat --number data.txt'", "{n: [1]}")
        self.call("run", file)
        os.remove(os.path.join(self.folder, "data.txt"))
        answer = self.call("run", file, status=1)
        self.assert_golden("word", lines_with("data.txt", answer.errors))

    def test_a_word_that_is_a_file_counts(self):
        self.write("data.txt", "1\n")
        file = self.write_sweep("w", "command: 'cat --number data.txt'", "{n: [1]}")
        self.assertEqual((1, 0), self.again(file)[:2])
        self.write("data.txt", "2\n")
        self.assertEqual((1, 0), self.again(file)[:2])

    def test_resume_after_an_edit_mixes_nothing(self):
        self.write_program("slow.sh", "#!/bin/sh\nsleep 0.1\n")
        file = self.write_sweep("s", "command: './slow.sh {n}'", "{n: {range: [1, 60]}}")
        running = self.start("run", file)
        self.until(lambda: self.count_of("s.db") > 2, "some rows")
        running.signal(signal.SIGINT)
        self.assertEqual(3, running.wait())
        self.write_program("slow.sh", "#!/bin/sh\nexit 0\n")
        answer = self.call("resume", "s.db")
        self.assert_golden("changed", lines_with("./slow.sh", answer.errors), jobs=r"^\d+(?= jobs? )")
        self.assertEqual(60, self.value("s.db", "select count(*) from s"))
        self.assertEqual(1, self.value("s.db", "select count(distinct sources) from software where id in "
                                       "(select software_id from outcome where sweep_id = 2)"))

    def test_another_sweep_uses_what_holds_and_measures_the_rest(self):
        self.write_program("one.sh", "#!/bin/sh\necho ONE\n")
        with open(os.path.join(self.folder, self.file), encoding="utf-8") as file:
            text = file.read()
        other = self.write("d.yaml", text.replace("name: c", "name: d"))
        measured, reused, told = self.again(other, "c.db")
        self.assertEqual((2, 2), (measured, reused), told)


class Failed(ChangedTest):  # labels: sanitized
    """Only what has failed is left, and its program is another one now."""
    AGAIN = "2 jobs are measured again: ./two.sh has changed"

    def setUp(self):
        super().setUp()
        self.write_program("one.sh", "#!/bin/sh\necho one\n")
        self.write_program("two.sh", "#!/bin/sh\nexit 1\n")
        self.file = self.write_sweep("c", "command: './{which}.sh {n}'", "{which: [one, two], n: [1, 2]}")

    def fail_and_mend(self):
        self.call("run", self.file, status=1)
        self.write_program("two.sh", "#!/bin/sh\necho two\n")

    def test_run_says_why(self):
        self.fail_and_mend()
        measured, reused, told = self.again(self.file)
        self.assertEqual((2, 2), (measured, reused), told)
        self.assertEqual(1, told.count("measured again"), told)
        self.assertIn(self.AGAIN, told)

    def test_json_says_why(self):
        self.fail_and_mend()
        told = self.call("run", self.file, "--json").json()
        self.assertEqual([self.AGAIN], told["measured_again"])

    def test_resume_says_why(self):
        self.fail_and_mend()
        self.assertIn(self.AGAIN, self.call("resume", "c.db").errors)

    def test_what_fails_as_before_is_tried_too_when_something_else_has_changed(self):
        self.call("run", self.file, status=1)
        self.write_program("one.sh", "#!/bin/sh\necho ONE\n")
        told = self.call("run", self.file, status=1).errors
        self.assert_golden("changed", lines_with("2 jobs", told))

    def test_submit_says_why(self):
        address = f"tcp://127.0.0.1:{free_port()}"
        coordinator = self.start("coordinator", "--db", "all.db", "--listen", address, "--insecure")
        worker = self.start("worker", "--connect", address)
        states = "select state from sweep order by id"
        self.call("submit", self.file, "--connect", address)
        self.until(lambda: self.count_of("all.db", "sweep") and
                   self.value("all.db", states) == "finished", "the end")
        self.write_program("two.sh", "#!/bin/sh\necho two\n")
        told = self.call("submit", self.file, "--connect", address, "--json").json()
        ended = [{"state": "superseded"}, {"state": "finished"}]
        self.until(lambda: self.rows("all.db", states) == ended, "the end of the new one")
        self.assertIn(self.AGAIN, coordinator.complained())
        if not told["checked_later"]:  # the client is answered after 2 s even if the worker has not answered
            self.assertEqual([self.AGAIN], told["measured_again"])
        coordinator.signal(signal.SIGTERM)
        coordinator.wait()
        worker.wait()


@unittest.skipUnless(HAS_PYTHON, "built without Python")
class Modules(ChangedTest):
    def setUp(self):
        super().setUp()
        self.write("helper.py", "VALUE = 1\n")
        self.write("bench.py", "import helper\n\ndef f(n):\n    return lambda: bytes([helper.VALUE])\n")
        self.file = self.write_sweep("p", "python: bench:f", "{n: [1, 2]}")
        self.assertEqual((2, 0), self.again(self.file)[:2])

    def test_nothing_changed_nothing_is_measured(self):
        self.assertEqual((0, 0), self.again(self.file)[:2])

    def test_a_module_that_it_imports_counts(self):
        self.write("helper.py", "VALUE = 2\n")
        measured, _, told = self.again(self.file)
        self.assertEqual(2, measured)
        self.assert_golden("changed", lines_with("./helper.py", told))

    def test_the_same_name_in_another_folder_is_another_function(self):
        database = os.path.join(self.folder, "p.db")
        self.folder = os.path.join(self.home, "there")
        os.mkdir(self.folder)
        self.write("helper.py", "VALUE = 1\n")
        self.write("bench.py", "import helper\n\ndef f(n):\n    return lambda: bytes([9])\n")
        self.write_sweep("p", "python: bench:f", "{n: [1, 2]}")
        self.assertEqual((2, 0), self.again("p.yaml", database)[:2])

    def test_a_function_that_failed_is_tried_again_when_it_was_mended(self):
        self.write("bad.py", "def f(n):\n    raise ValueError('not yet')\n")
        file = self.write_sweep("b", "python: bad:f", "{n: [1]}")
        self.call("run", file, status=1)
        self.write("bad.py", "def f(n):\n    return lambda: b'x'\n")
        self.call("run", file)
        self.assertEqual("ok", self.value("b.db", "select status from b"))


class Packs(ChangedTest):
    def test_a_pack_that_was_rebuilt_measures_again(self):
        own = os.path.join(self.home, "packs")
        os.mkdir(own)
        pack = shutil.copy(os.path.join(PACKS, "noop.so"), own)
        self.environment["KERNSWEEP_PACKS"] = own
        file = self.write("n.yaml", sweep_text("n", "noop", "{i: [1, 2]}", "verify: false"))
        self.assertEqual((2, 0), self.again(file)[:2])
        self.assertEqual((0, 0), self.again(file)[:2])
        with open(pack + ".new", "wb") as new, open(pack, "rb") as old:
            new.write(old.read() + b"\0")  # as good as another build
        os.replace(pack + ".new", pack)
        measured, _, told = self.again(file)
        self.assertEqual(2, measured, told)
        self.assert_golden("changed", lines_with("noop.so", told))


class Inputs(ChangedTest):
    def write_inputs(self, scale):
        self.write("a.npy", npy([[scale * (i + j) for j in range(8)] for i in range(8)]))

    def sweep(self, name):
        return self.write(name + ".yaml", sweep_text(
            name, "gemm", "{variant: [naive, blocked], m: 8, n: 8, k: 8, input.a: a.npy}", TIMED,
            measure=UNHURRIED))

    def test_a_rewritten_file_is_measured_again_and_right(self):
        self.write_inputs(1)
        self.assertEqual((2, 0), self.again(self.sweep("g"))[:2])
        self.write_inputs(2)
        measured, _, told = self.again("g.yaml")
        self.assertEqual(2, measured, told)
        self.assert_golden("changed", lines_with("./a.npy", told))
        self.assertEqual(["ok", "ok"], [row["status"] for row in self.rows("g.db", "select status from g")])

    def test_also_by_workers_that_have_it_in_memory(self):
        self.write_inputs(1)
        address = f"tcp://127.0.0.1:{free_port()}"
        coordinator = self.start("coordinator", "--db", "all.db", "--listen", address, "--insecure")
        worker = self.start("worker", "--connect", address)
        ended = "select count(*) from sweep where state = 'finished'"
        self.call("submit", self.sweep("g"), "--connect", address)
        self.until(lambda: self.count_of("all.db", "sweep") and self.value("all.db", ended) == 1, "the end")
        self.write_inputs(2)
        for name in ("g", "h"):
            self.call("submit", self.sweep(name), "--connect", address)
        self.until(lambda: self.value("all.db", ended) >= 2, "the second end")
        self.until(lambda: self.value("all.db", "select count(*) from sweep where state = 'running'") == 0,
                   "all ends")
        rows = self.rows("all.db", "select sweep, status, inputs from results join result using (result) "
                         "order by results.result")
        self.assertEqual({"ok"}, {row["status"] for row in rows})
        self.assertEqual(2, len({row["inputs"] for row in rows}), "before and after")
        coordinator.signal(signal.SIGTERM)
        coordinator.wait()
        worker.wait()


if __name__ == "__main__":
    sys.exit(unittest.main())
