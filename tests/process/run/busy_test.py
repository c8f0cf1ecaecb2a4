"""A neighbour on the host: it is waited for once, then its disturbance is marked."""
import os
import re
import subprocess
import sys
import unittest

from sandbox import ProcessTest, sweep_text

# Long enough to be watched.
WATCHED = ("measure: {processes: 1, warmup: {min_time: 20ms, max_time: 50ms}, "
           "samples: {min: 2, max: 2000, min_time: 200ms, max_time: 300ms}}\n")
AXES = "{variant: naive, m: 64, n: 64, k: {range: [60, 63]}}"
BURN = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"
ROWS = "select o.grade, r.grade_reasons from outcome o join result r using (result) where o.sweep_id = {}"


class BusyTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.write("b.yaml", sweep_text("b", "gemm", AXES, measure=WATCHED))

    def burn(self, number):
        for _ in range(number):
            burner = subprocess.Popen([sys.executable, "-c", BURN])
            self.addCleanup(burner.wait)
            self.addCleanup(burner.kill)
        return burner


class Leaves(BusyTest):  # labels: alone
    """Only on a host without other work does the run see quiet."""

    def test_a_neighbour_that_goes_is_waited_for(self):
        burner = self.burn(1)
        running = self.start("run", "b.yaml", "--patience", "60s")
        self.until(lambda: "this host is not quiet" in running.complained(), "the neighbour")
        burner.kill()
        self.assertEqual(0, running.wait(), running.complained())
        said = running.complained()
        if "not quiet after" in said:
            self.skipTest("others keep this host busy")
        self.assertRegex(said, "this host is not quiet: .* uses .*--patience 0 does not wait")
        self.assertEqual(1, len(re.findall(r"(?m)^quiet after \d+ s; measuring", said)), said)
        for row in self.rows("b.db", ROWS.format(1)):
            self.assertNotIn("not retried", row["grade_reasons"] or "")


class Busy(BusyTest):
    def test_a_neighbour_that_stays_is_waited_for_once_and_marked(self):
        self.burn(2 * len(os.sched_getaffinity(0)))
        answer = self.call("run", "b.yaml", "--patience", "2s")
        self.assertRegex(answer.errors, "not quiet after [23] s: .*graded C and not retried")
        self.assertEqual(1, answer.errors.count("waiting for quiet for at most 2 s"))
        tries, = self.rows("b.db", "select count(*) n from attempt")
        self.assertEqual(4, tries["n"], "one for each job")
        doubtful = [row for row in self.rows("b.db", ROWS.format(1)) if row["grade"] == "C"]
        self.assertTrue(doubtful)
        for row in doubtful:
            self.assertRegex(row["grade_reasons"],
                             "not retried, because the disturbance lasts: .* uses [0-9.]+ cores")
        self.assertRegex(answer.out, r"most disturbed by: .* \([0-9.]+ cores\), \d of these \d jobs?")
        self.assertIn("To measure just these again: kernsweep run b.yaml --again=doubtful\n", answer.out)

        again = self.call("run", "b.yaml", "--again=doubtful", "--patience", "0")
        self.assertIn(f"{len(doubtful)} measured", again.out)
        self.assertEqual(4, len(self.rows("b.db", ROWS.format(2))))
        self.assertEqual(4, len(self.rows("b.db", ROWS.format(1))), "nothing stored is lost")

    def test_a_patience_that_is_none(self):
        for command in ("run", "worker"):
            for patience in ("-5s", "nan", "10", "61m", "1y", ""):
                answer = self.call(command, f"--patience={patience}", status=2)
                self.assertIn("--patience", answer.errors)


if __name__ == "__main__":
    unittest.main()
