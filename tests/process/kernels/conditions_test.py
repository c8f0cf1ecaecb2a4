"""Doubts about a measurement: a neighbour on the host, a process with other settings than requested.

A busy machine may add reasons of its own, so these tests ask for one reason among others.
"""
import os
import subprocess
import sys
import unittest

from sandbox import BRISK, BUILD, SANITIZED, ProcessTest, sweep_text

# Long enough to be watched.
WATCHED = ("measure: {processes: 1, warmup: {min_time: 50ms, max_time: 100ms}, "
           "samples: {min: 2, max: 2000, min_time: 300ms, max_time: 500ms}}\n")
COUNTS = f"env.LD_PRELOAD: {os.path.join(BUILD, 'tests', 'fake_counters', 'libfake_counters.so')}"
ROWS = ("select s.*, r.grade_reasons, c.* from {0} s left join result r on r.result = s.result "
        "left join conditions c on c.result = s.result order by s.point")


class Asked(ProcessTest):
    def rows_of(self, axes, *more, status=0):
        self.write("m.yaml", sweep_text("m", "meddler", axes, *more, measure=WATCHED))
        self.call("run", "m.yaml", status=status)
        return self.rows("m.db", ROWS.format("m"))

    def test_a_thread_too_many_lowers_the_grade(self):
        row, = self.rows_of("{variant: thread}")
        self.assertEqual("ok", row["status"])
        self.assertIn(row["grade"], "BC")
        self.assertRegex(row["grade_reasons"], "1 thread was asked for, (at least )?2 worked")
        self.assertIn(row["threads_found"], (2, None))

    def test_a_thread_that_was_asked_for_does_not(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two threads need two cores")
        row, = self.rows_of("{variant: thread, threads: 2}")
        self.assertNotIn("asked for", row["grade_reasons"] or "")

    def test_im2col_works_with_the_threads_that_were_asked_for(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two threads need two cores")
        shape = "c_in: 32, c_out: 32, h: 56, w: 56, kh: 3, kw: 3, padding: 1"
        self.write("i.yaml", sweep_text("i", "conv2d", f"{{variant: im2col, threads: 2, {shape}, "
                                        "layout: [nchw, nhwc]}", measure=WATCHED))
        self.call("run", "i.yaml")
        for row in self.rows("i.db", ROWS.format("i")):
            self.assertEqual("ok", row["status"])
            self.assertLessEqual(row["threads_found"] or 0, 2)  # 1: the other one had no core meanwhile
            self.assertNotRegex(row["grade_reasons"] or "", "asked for, (at least )?3 worked")

    def test_a_thread_that_did_not_work_lowers_the_grade(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two threads need two cores")
        row, = self.rows_of("{variant: variable, threads: 2}")
        self.assertEqual("ok", row["status"])
        self.assertIn("2 threads were asked for, 1 worked", row["grade_reasons"])
        self.assertEqual(1, row["threads_found"])

    def test_a_variable_that_was_changed_lowers_the_grade(self):
        row, = self.rows_of("{variant: variable, env.MEDDLED: ['1']}")
        self.assertIn("asked for MEDDLED=1, it is now 2", row["grade_reasons"])

    def test_or_fails_the_job_where_the_file_says_so(self):
        row, = self.rows_of("{variant: variable, env.MEDDLED: ['1']}", "verify: {asked: fail}", status=1)
        self.assertEqual("failed_setup", row["status"])
        self.assertEqual("verify.asked: asked for MEDDLED=1, it is now 2", row["reason"])
        self.assertIsNone(row["median_s"])


NARROWED = """import os, subprocess, sys, threading, time, zlib
ALL = os.sched_getaffinity(0)
DATA = bytes(range(256)) * 20000
# Two processes that compute at the same time.
PROGRAM = "import os; last = os.fork(); sum(range(300000)); last and os.waitpid(last, 0)"

def go(how, threads):
    one = {min(ALL)}
    os.sched_setaffinity(0, one if how == "mask" else ALL)
    begun = time.monotonic()
    def later():
        if time.monotonic() > begun + 0.3:  # in the samples, which take as long
            for thread in os.listdir("/proc/self/task"):
                os.sched_setaffinity(int(thread), one)
    if how == "program":
        words = ["sh", "-c", 'taskset -c "$0" "$1" -c "$2"; true', str(min(one)), sys.executable, PROGRAM]
        return lambda: subprocess.run(words, check=True).returncode
    begin, done = [[threading.Semaphore(0) for _ in range(threads)] for _ in "12"]
    def work(i):
        while begin[i].acquire():
            sum(zlib.crc32(DATA) for _ in range(4))
            done[i].release()
    for i in range(threads):
        threading.Thread(target=work, args=(i,), daemon=True).start()
    work_once = lambda: [each.release() for each in begin] and [each.acquire() for each in done] and 0
    return lambda: how == "later" and later() or work_once()
"""


class Narrowed(ProcessTest):
    def test_a_mask_of_one_core_for_two_threads_is_a_doubt(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two threads need two cores")
        self.write("pins.py", NARROWED)
        self.write("n.yaml", "sweep: 1\nname: n\npython: pins:go\n"
                   "axes: {how: [free, mask, program, later], threads: 2}\nverify: {repeat: 1}\n"
                   "retry: {for: worker_lost}\n" + WATCHED)
        self.call("run", "n.yaml")
        rows = {row["how"]: row for row in self.rows("n.db", ROWS.format("n"))}
        reason = "by their affinity 1 can run at a time, on core " + str(min(os.sched_getaffinity(0)))
        for how, is_narrowed in ("free", False), ("mask", True), ("program", True), ("later", True):
            self.assertEqual(is_narrowed, reason in (rows[how]["grade_reasons"] or ""), rows[how])
            # Its own threads move it; others move none, as it waits for these.
            self.assertNotIn("migrated", rows[how]["disturbed_by"] or "")
            if is_narrowed:
                self.assertEqual("C", rows[how]["grade"])
        # The same where the rules ask for less than is watched.
        self.write("short.yaml", "sweep: 1\nname: short\npython: pins:go\n"
                   "axes: {how: [free, mask, program], threads: 2}\nverify: {repeat: 1}\n"
                   "measure: {processes: 1, warmup: {min_time: 5ms, max_time: 5s}, "
                   "samples: {min: 2, max: 5, min_time: 5ms, max_time: 5s}}\n")
        self.call("run", "short.yaml")
        for row in self.rows("short.db", ROWS.format("short")):
            self.assertEqual(row["how"] != "free", reason in (row["grade_reasons"] or ""), row)


class Counters(ProcessTest):
    """Of the processor: fake_counters/ simulates one that has all but llc_misses."""

    def metrics_of(self, name, kernel, axes, *more, measure=WATCHED):
        self.write(f"{name}.yaml", sweep_text(name, kernel, f"{{{axes}}}", *more, measure=measure))
        self.call("run", f"{name}.yaml")
        return self.rows(f"{name}.db", "select m.*, value * calls_per_sample as block from metric m "
                         "join attempt_row using (result) where final order by result, m.name")

    @unittest.skipIf(SANITIZED, "the sanitizer has to be loaded first")
    def test_become_metrics_of_a_call_that_best_knows(self):
        rows = self.metrics_of("c", "sleep", "seconds: [0.0002, 0.002], " + COUNTS)
        self.assertEqual([("branch_misses", "smaller", "1/call"), ("cycles", "smaller", "1/call"),
                          ("dtlb_misses", "smaller", "1/call"), ("instructions", "smaller", "1/call"),
                          ("instructions_per_cycle", "larger", None)] * 2,
                         [(row["name"], row["better"], row["unit"]) for row in rows])
        for misses, cycles, tlb, instructions, ratio in (rows[:5], rows[5:]):
            shares = {round(1 / (row["block"] / each), 6) for row, each in (
                (cycles, 2e9), (tlb, 1e6), (instructions, 5e9))}
            self.assertEqual((1, 0, 2.5), (len(shares), misses["value"], ratio["value"]))
        self.assertEqual(2, self.value("c.db", "select count(*) from results join result r using (result) "
                                       "where r.notes like '%counted for 75 %'"))
        for metric, better in ("instructions", "smaller"), ("instructions_per_cycle", "larger"):
            best = self.call("best", "c.db", "--by", "seconds", "--metric", metric, "--grade", "C", "--json")
            self.assertEqual(better, best.json()["better"])

    @unittest.skipIf(SANITIZED, "the sanitizer has to be loaded first")
    def test_are_not_of_jobs_that_others_compute_or_that_nobody_watches(self):
        self.assertEqual([], self.metrics_of("brisk", "sleep", "seconds: 0.0002, " + COUNTS, measure=BRISK))
        product = "variant: blocked, m: 40, n: 40, k: 40, " + COUNTS
        self.assertEqual([], self.metrics_of("distrusted", "gemm", product, "verify: {distrust: true}"))
        if len(os.sched_getaffinity(0)) > 1:
            rows = self.metrics_of("copies", "sleep", "seconds: 0.0002, copies: 2, " + COUNTS)
            self.assertEqual({"copy"}, {row["name"].split("_")[0] for row in rows})

    def test_are_those_that_doctor_names(self):
        found, = [each for each in self.call("doctor", "--json", status=None).json()
                  if each["id"] == "kernel.counters"]
        counted = set(filter(None, found["values"]["counted"].split(", ")))
        names = {row["name"] for row in self.metrics_of("d", "noop", "i: [1]")}
        self.assertEqual(counted, names - {"instructions_per_cycle"})


class Neighbour(ProcessTest):
    def test_that_burns_a_core_is_noticed_each_time(self):
        burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            axes = "{seconds: 0.0002, i: {range: [1, 5]}}"
            self.write("n.yaml", sweep_text("n", "sleep", axes, measure=WATCHED))
            self.call("run", "n.yaml")
        finally:
            burner.kill()
            burner.wait()
        rows = self.rows("n.db", ROWS.format("n"))
        self.assertEqual(5, len(rows))
        for row in rows:
            self.assertGreaterEqual(row["foreign_cores"], 0.2)
            self.assertRegex(row["grade_reasons"], "of this host busy|of others on a host of")
            self.assertIn(row["grade"], "BC")

    def test_disturbs_programs_of_one_and_of_two_processes(self):
        # A program that has less than a fifth of a core is taken for one that sleeps.
        with open("/proc/loadavg", encoding="utf-8") as file:
            if int(file.read().split()[3].split("/")[0]) > 3 * os.cpu_count():
                self.skipTest("others keep this host busy")
        burners = [subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", "while True: pass"])
                   for core in os.sched_getaffinity(0)]
        try:
            count = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"
            self.write("p.yaml", "sweep: 1\nname: p\ncommand: 'dash -c {script}'\n"
                       f"axes: {{script: ['{count}', '({count}) & {count}; wait']}}\n"
                       "retry: {for: worker_lost}\n" + WATCHED.replace("50ms", "300ms").replace(
                           "max_time: 100ms", "max_time: 1s"))
            self.call("run", "p.yaml", "--patience", "0")
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()
        rows = self.rows("p.db", ROWS.format("p"))
        self.assertEqual(2, len(rows))
        for row in rows:
            self.assertEqual("C", row["grade"])
            self.assertIn("switched", row["disturbed_by"])
            least = self.value("p.db", "select least_median_s from conditions where result = ?",
                               row["result"])
            # NULL: half of the samples' time or more went to others, so that the least is not known.
            self.assertLess(least or 0, 0.8 * row["median_s"])
        if os.cpu_count() > 1:
            notes = self.value("p.db", "select notes from result where result = ?", rows[1]["result"])
            self.assertEqual("2 threads on 1 core; add threads: 2", notes)

    def test_of_ours_is_counted(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one core has no neighbours")
        measure = WATCHED.replace("processes: 1", "processes: 1, alone_on: core, interference: 100%")
        axes = "{seconds: 0.0002, i: {range: [1, 6]}}"
        self.write("n.yaml", sweep_text("n", "sleep", axes, measure=measure))
        self.call("run", "n.yaml")
        rows = self.rows("n.db", ROWS.format("n"))
        self.assertTrue(any(row["neighbours"] > 0 for row in rows))
        for row in rows:
            self.assertGreater(row["interference"], 0)


if __name__ == "__main__":
    unittest.main()
