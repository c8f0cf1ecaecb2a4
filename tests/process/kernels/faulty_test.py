"""A kernel that goes wrong costs its job a typed row, never the sweep.

Each sweep has the faulty variant and a good one side by side; the pack is tests/kernels/faulty_pack.
"""
import re
import resource
import sys
import unittest

from sandbox import BRISK, SANITIZED, UNHURRIED, UNWATCHED, ProcessTest, sweep_text

TIMED = "timeout: {setup: 300s, run: 300s}"


class FaultyTest(ProcessTest):
    def run_beside_good(self, fault, *more, limits=None):
        """Runs four points, two of them faulty, and returns the row of the first one that is."""
        if not any(line.startswith("timeout:") for line in more):
            more = (*more, TIMED)
        axes = f"{{variant: [good, {fault}], n: [16, 5000]}}"
        self.write("f.yaml", sweep_text("f", "faulty", axes, *more, measure=UNHURRIED))
        answer = self.call("run", "f.yaml", status=1, limits=limits)
        rows = self.rows("f.db", "select f.*, a.stderr, r.grade_reasons from f "
                         "left join attempt a using (result) left join result r using (result) "
                         "order by f.point")
        self.assertEqual([("good", "ok", UNWATCHED)] * 2,
                         [(row["variant"], row["status"], row["grade_reasons"]) for row in rows[:2]])
        first, second = rows[2:]
        self.assertEqual((fault, fault), (first["variant"], second["variant"]))
        self.assertEqual((first["status"], "X"), (second["status"], second["grade"]))
        self.assertEqual("X", first["grade"])
        self.assertIn(first["status"], answer.out)
        self.assertTrue(first["reason"], "a failure without a reason")
        self.expect_nobody_left()
        return first

    def expect(self, fault, status, reason, *more, **limits):
        row = self.run_beside_good(fault, *more, **limits)
        self.assertEqual(status, row["status"], row["reason"])
        self.assertRegex(row["reason"], reason)
        self.assertIsNone(row["median_s"])
        return row


class Dies(FaultyTest):
    def test_of_a_wild_access_while_it_runs(self):
        self.expect("crash_run", "signal", "SIGSEGV")

    def test_of_a_wild_access_while_it_prepares(self):
        self.expect("crash_prepare", "signal", "SIGSEGV")

    def test_by_abort(self):
        self.expect("abort", "signal", "SIGABRT")

    def test_by_exit_and_the_status_is_told(self):
        self.expect("exit", "signal", "exited with status 3")

    # A sanitizer catches the access first, reports it, and ends the process in its own way.
    def test_writing_behind_its_output(self):
        self.expect("overrun", "signal", "." if SANITIZED else "SIGSEGV")

    def test_writing_to_its_input_which_stays_as_it_was(self):
        self.expect("write_input", "signal", "." if SANITIZED else "SIGSEGV")
        inputs = self.rows("f.db", "select distinct name, bytes from input order by bytes")
        self.assertEqual([{"name": "x", "bytes": 4 * 16}, {"name": "x", "bytes": 4 * 5000}], inputs)

    def test_and_the_end_of_what_it_said_is_kept(self):
        row = self.expect("noisy_stderr", "signal", "SIGABRT")
        self.assertTrue(row["stderr"].endswith("faulty: these are the last words\n"), row["stderr"][-200:])
        # 250 KB were written
        self.assertLess(len(row["stderr"]), 64 * 1024)


class Hangs(FaultyTest):
    def test_while_it_is_verified(self):
        self.expect("hang_run", "timeout_setup", r"timeout\.setup: 1 s",
                    "timeout: {setup: 1s, run: 300s}")

    def test_while_it_is_measured(self):
        self.expect("hang_run", "timeout_run", r"timeout\.run: 1 s", "timeout: {setup: 300s, run: 1s}",
                    "verify: false")

    def test_while_it_prepares(self):
        self.expect("hang_prepare", "timeout_setup", r"timeout\.setup: 1 s",
                    "timeout: {setup: 1s, run: 300s}")


class Errs(FaultyTest):
    def test_with_nan(self):
        self.expect("nan", "wrong_result", "(?i)nan")

    def test_with_a_wrong_number(self):
        self.expect("wrong", "wrong_result", r"\d")

    def test_only_when_it_is_run_again_and_verification_sees_it(self):
        self.expect("flaky", "wrong_result", r"\d")

    def test_only_while_it_is_timed_and_the_grade_tells(self):
        self.write("f.yaml", sweep_text("f", "faulty", "{variant: [good, flaky], n: 16}",
                                        "verify: {repeat: 1}", measure=UNHURRIED))
        self.call("run", "f.yaml", "-q")
        rows = self.rows("f.db", "select f.variant, f.status, f.grade, r.grade_reasons as why "
                         "from f join result r using (result) order by f.point")
        self.assertEqual([("good", "ok", "B"), ("flaky", "ok", "C")],
                         [(row["variant"], row["status"], row["grade"]) for row in rows])
        self.assertEqual(UNWATCHED, rows[0]["why"])
        self.assertIn("changed while", rows[1]["why"])

    def test_with_a_status(self):
        self.expect("fail_run", "failed_run", ".")

    def test_by_losing_its_device_and_the_next_job_has_a_new_process(self):
        self.expect("lose_device", "failed_run", "failed when it was run")

    def test_by_saying_no_with_its_reason(self):
        self.expect("refuse", "unsupported", "refuses every point, on purpose")


@unittest.skipIf(SANITIZED, "a sanitizer needs all addresses for itself")
class FillsMemory(FaultyTest):
    def test_until_there_is_none(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        axes = "{variant: [good, fill_memory], n: [16, 5000], fill_bytes_max: 3000000000}"
        self.write("f.yaml", sweep_text("f", "faulty", axes, TIMED))
        self.call("run", "f.yaml", status=1, limits=little_memory)
        rows = self.rows("f.db", "select status from f order by point")
        self.assertEqual(["ok", "ok", "out_of_memory", "out_of_memory"], [row["status"] for row in rows])
        self.expect_nobody_left()

    def expect_told(self, program):
        """The memory of the process is reported with the limit at which it waited."""
        self.call("run", "f.yaml", "--memory", "512MiB", status=1)
        row = self.rows("f.db", "select status, reason from f order by point")[-1]
        self.assertIn(row["status"], ("timeout_setup", "timeout_run"), row["reason"])
        told = re.search(r"timeout\.(?:setup|run): [35] s; (?:it.*; |the program.*; )?" + program +
                         r" used (\d+) MiB of private memory; the limit is (\d+) MiB \(--memory\): a request"
                         r" for more fails, or may wait forever; raise it by --memory$", row["reason"])
        self.assertTrue(told, row["reason"])
        had, limit = map(int, told.groups())
        self.assertLessEqual(limit, 384, "a quarter is for operands")
        self.assertLess(limit - 17, had, "16 MiB at a time are taken")
        self.expect_nobody_left()

    def test_and_waits_for_more(self):
        self.write("f.yaml", sweep_text("f", "faulty", "{variant: [good, wait_for_memory], n: 16}",
                                        "timeout: {setup: 3s, run: 3s}"))
        self.expect_told("kernsweep-slot")
        self.assertEqual(["ok"], [row["status"] for row in self.rows(
            "f.db", "select status from f where variant = 'good'")])

    def test_and_waits_for_more_in_a_program_of_its_own(self):
        self.write("hungry.py", "taken = []\nwhile True:\n    try:\n"
                                "        taken.append(bytearray(1 << 24))\n"
                                "    except MemoryError:\n        pass\n")
        text = sweep_text("f", "none", "{n: [1]}", "timeout: {setup: 5s, run: 5s}")
        self.write("f.yaml", text.replace("kernel: none", f"command: '{sys.executable} hungry.py {{n}}'"))
        self.expect_told("python[0-9.]*")


class EverythingAtOnce(ProcessTest):  # labels: sanitized smoke
    def test_each_fault_gets_its_own_type_and_each_good_job_its_result(self):
        expected = {"crash_run": "signal", "crash_prepare": "signal", "abort": "signal", "exit": "signal",
                    "hang_run": "timeout_setup", "hang_prepare": "timeout_setup", "nan": "wrong_result",
                    "wrong": "wrong_result", "overrun": "signal", "write_input": "signal",
                    "refuse": "unsupported", "fail_run": "failed_run", "noisy_stderr": "signal",
                    "good": "ok"}
        axes = "{variant: [" + ", ".join(expected) + "], n: {range: [1, 4]}}"
        limit = "5s" if SANITIZED else "1s"  # a sanitizer that reports takes a second and more
        self.write("f.yaml", sweep_text("f", "faulty", axes, f"timeout: {{setup: {limit}, run: {limit}}}",
                                        "verify: {repeat: 1}", measure=BRISK))
        told = self.call("run", "f.yaml", "--json", status=1).json()
        self.assertEqual((4, 52, 56), (told["ok"], told["failed"], told["done"]))
        rows = self.rows("f.db", "select variant, status, count(*) as n from f group by 1, 2")
        self.assertEqual({variant: (status, 4) for variant, status in expected.items()},
                         {row["variant"]: (row["status"], row["n"]) for row in rows})
        self.assertEqual(56, self.count_of("f.db", "attempt"))
        self.expect_nobody_left()


if __name__ == "__main__":
    unittest.main()
