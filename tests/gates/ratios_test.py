"""The time of Kernsweep relative to the libraries and the system below it, in turns on one machine.

Fails only if it is shown, at 99 % (decision.py), that a limit is exceeded; undecided ones are printed.
"""
import os
import signal
import time

from ratios import CORES, RatioTest
from sandbox import free_port


class NoopJobs(RatioTest):
    JOBS, ROWS = 60_000, 200_000

    def rows_per_s(self):
        self.remove("bare.db")
        return float(self.yardstick("rows", "bare.db", self.ROWS))

    def test_a_committed_job_takes_less_than_seven_bare_rows(self):
        sweep = self.sweep("noop", "kernel: noop", f"i: {{range: [1, {self.JOBS}]}}")
        self.hold("noop jobs over bare SQLite rows", lambda: self.run_jobs_per_s(sweep, self.JOBS),
                  self.rows_per_s, at_least=0.15)


class Encrypted(RatioTest):
    JOBS = 60_000

    def over_tcp(self, keys):
        """Jobs per second of a coordinator and a worker that meet over TCP."""
        self.remove("tcp.db")
        address = f"tcp://127.0.0.1:{free_port()}"
        safety = ("--join", "tcp.join") if keys else ("--insecure",)
        coordinator = self.start("coordinator", self.file, "--db", "tcp.db", "--quiet", "--listen", address,
                                 *safety)
        join = os.path.join(self.folder, "tcp.join")
        if keys:
            self.until(lambda: os.path.exists(join), "the join file")
        whom = ("--join", "tcp.join") if keys else ("--connect", address)
        worker = self.start("worker", *whom, "--cores", str(CORES))
        self.assertEqual([0, 0], [coordinator.wait(), worker.wait()], coordinator.complained())
        if keys:
            os.remove(join)
        return self.jobs_per_s("tcp.db", self.JOBS)

    def test_encryption_takes_a_tenth_at_most(self):
        self.file = self.sweep("tcp", "kernel: noop", f"i: {{range: [1, {self.JOBS}]}}")
        self.hold("encrypted noop jobs over those in the clear", lambda: self.over_tcp(True),
                  lambda: self.over_tcp(False), at_least=0.9)


class Commands(RatioTest):
    JOBS = 4_000

    # 1.17 to 1.3 by the state of the machine; system_calls_test counts what no machine changes.
    def test_a_command_takes_a_third_more_than_its_start(self):
        sweep = self.sweep("true", "command: /bin/true", f"i: {{range: [1, {self.JOBS}]}}")
        self.hold("/bin/true over two bare loops of spawns",
                  lambda: self.JOBS / self.run_jobs_per_s(sweep, self.JOBS),
                  lambda: self.spawns_s(self.JOBS), at_most=1.33)


class FirstRow(RatioTest):
    SPAWNS = 400

    def first_row_s(self):
        self.remove("now.db")
        began = time.monotonic()
        running = self.start("run", self.file, "--db", "now.db", "--quiet")
        self.until(lambda: self.count_of("now.db", "outcome"), "the first row")
        spent = time.monotonic() - began
        running.signal(signal.SIGINT)
        running.wait()
        return spent

    def test_the_first_of_a_hundred_million_points_comes_soon(self):
        self.file = self.sweep("first", "kernel: noop", "i: {range: [1, 100000]}, j: {range: [1, 1000]}")
        self.hold("first row of 100 million points over 400 spawns of a program", self.first_row_s,
                  lambda: self.spawns_s(self.SPAWNS), at_most=2)


class Resume(RatioTest):
    JOBS = 200_000

    def test_jobs_that_are_done_are_read_and_answered_in_the_time_of_some_scans(self):
        sweep = self.sweep("done", "kernel: noop", f"i: {{range: [1, {self.JOBS}]}}")
        self.call("run", sweep, "--db", "done.db", "--quiet")
        scan = "select status, count(*), sum(job), max(median_s) from outcome group by status"
        self.hold("resume of jobs that are done over a scan of their rows",
                  lambda: self.seconds("resume", "done.db", "--quiet"),
                  lambda: self.question_s("done.db", scan), at_most=14)


class Best(RatioTest):
    ROWS = 1_000_000

    def test_a_million_rows_are_judged_in_the_time_of_a_few_scans(self):
        self.yardstick("made", "made.db", self.ROWS)
        scan = "select variant, threads, min(median_s), max(gflops) from made group by variant, threads"
        self.hold("best of a million rows over a scan of them", lambda: self.seconds("best", "made.db"),
                  lambda: self.question_s("made.db", scan), at_most=2.8)
