"""Kill anything at any time: at the end each job has exactly one outcome."""
import os
import signal
import unittest

from sandbox import ProcessTest, lines_with, read_bytes, sweep_text

JOBS = 24
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Sleeping needs no processor, so that two slots get on on a busy machine too.
NAPS = sweep_text("naps", "sleep", f"{{seconds: 0.03, i: {{range: [1, {JOBS}]}}}}",
                  measure="measure: {processes: 1, alone_on: core, warmup: {min_time: 0ms, max_time: 1ms}, "
                          "samples: {min: 3, max: 3, min_time: 0ms}}")


class KillTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("naps.yaml", NAPS)

    def start_until_some_are_stored(self, *arguments):
        running = self.start("run", self.file, *arguments)
        self.until(lambda: self.count_of("naps.db") >= 3, "the first results")
        return running

    def attempts(self):
        return self.rows("naps.db", "select * from attempt order by result")

    def busy_s(self, pid):
        """Processor time in user mode."""
        text = read_bytes(f"/proc/{pid}/stat").decode()
        return int(text.rpartition(")")[2].split()[11]) / TICKS_PER_S if text else 0


class KilledSlot(KillTest):  # labels: smoke
    def test_costs_its_job_a_row_and_the_others_nothing(self):
        self.write("f.yaml", sweep_text("f", "faulty", "{variant: good, n: {range: [1, 6]}}",
                                        "include: [{variant: hang_run, n: 9}]", "timeout: {setup: 300s}"))
        running = self.start("run", "f.yaml")

        # Nothing but the endless loop uses so much. If several jobs were sent together, each is tried alone
        # before one is blamed: then there is a second slot to kill.
        def kill_what_spins():
            for pid in self.slots():
                if self.busy_s(pid) > 0.7:
                    self.kill(pid)
            return running.child.poll() is not None
        self.until(kill_what_spins, "the end of the run")
        self.assertEqual(1, running.wait(), running.complained())
        rows = self.rows("f.db", "select variant, status, reason from f order by point")
        self.assertEqual([("good", "ok")] * 6 + [("hang_run", "out_of_memory")],
                         [(row["variant"], row["status"]) for row in rows])
        # A kill from outside mostly comes from the kernel without memory; the row says what was seen.
        self.assertIn("SIGKILL", rows[-1]["reason"])
        self.expect_nobody_left()


class KilledWorker(KillTest):  # labels: sanitized
    def test_is_started_again_and_its_jobs_are_tried_again(self):
        running = self.start_until_some_are_stored()
        first, = self.workers(running)
        slots = self.slots(running)
        self.assertTrue(slots)
        self.kill(first)
        self.until(lambda: not set(slots) & set(self.slots()), "the end of the dead worker's slots")
        self.assertEqual(0, running.wait(), running.complained())
        self.expect_each_job_once("naps.db", JOBS)
        lost = self.rows("naps.db", "select * from attempt where status = 'worker_lost'")
        self.assertTrue(lost)
        self.assertEqual({0}, {row["final"] for row in lost})
        for row in lost:
            self.assertTrue(row["reason"])
            tries = self.rows("naps.db", "select attempt, status from attempt where job = ? "
                              "order by attempt", row["job"])
            self.assertEqual((len(tries), "ok"), (tries[-1]["attempt"], tries[-1]["status"]))
        self.assertIn("SIGKILL", running.complained())
        self.expect_nobody_left()

    def test_again_and_again_ends_the_run_with_the_command_that_goes_on(self):
        running = self.start("run", self.file, "--set", "retry.max=100", "-a", "seconds=5")

        def kill_each():
            for pid in {self.parent(slot) for slot in self.slots()} & set(self.workers()):
                self.kill(pid)
            return running.child.poll() is not None
        self.until(kill_each, "the coordinator to give up")
        self.assertEqual(3, running.wait(), running.complained())
        self.assertIn("kernsweep resume naps.db", running.said() + running.complained())
        self.expect_nobody_left()


class KilledCoordinator(KillTest):  # labels: waits sanitized
    def resumed(self, before):
        answer = self.call("resume", "naps.db")
        self.expect_each_job_once("naps.db", JOBS)
        after = self.attempts()
        self.assertEqual(before, after[:len(before)])
        stored = {row["job"] for row in before if row["final"]}
        self.assertFalse(stored & {row["job"] for row in after[len(before):]}, "measured twice")
        self.assertEqual(1, self.count_of("naps.db", "sweep"))
        self.assertRegex(answer.errors,
                         rf"(?m)^{len(stored)} jobs? (have their|has its) outcome from an earlier run")
        self.expect_nobody_left()

    def test_takes_worker_and_slots_with_it_and_resume_repeats_nothing(self):
        running = self.start_until_some_are_stored()
        self.assertTrue(self.workers(running))
        self.kill(running.pid)
        self.assertEqual(-signal.SIGKILL, running.wait())
        self.expect_nobody_left()
        self.resumed(self.attempts())

    def test_with_all_the_others_at_once(self):
        running = self.start_until_some_are_stored()
        for pid in self.ours():
            self.kill(pid)
        running.wait()
        self.expect_nobody_left()
        self.resumed(self.attempts())

    def test_again_while_it_resumes(self):
        running = self.start_until_some_are_stored()
        self.kill(running.pid)
        running.wait()
        stored = self.count_of("naps.db")
        resuming = self.start("resume", "naps.db")
        self.until(lambda: self.count_of("naps.db") > stored, "a result of the resumed run")
        self.kill(resuming.pid)
        resuming.wait()
        self.expect_nobody_left()
        self.resumed(self.attempts())

    def test_and_rerunning_the_file_goes_on_as_well(self):
        running = self.start_until_some_are_stored()
        self.kill(running.pid)
        running.wait()
        self.expect_nobody_left()
        before = self.attempts()
        self.call("run", self.file)
        self.expect_each_job_once("naps.db", JOBS)
        self.assertEqual(before, self.attempts()[:len(before)])


class Stopped(KillTest):
    def expect_stopped_and_resumable(self, running):
        self.assertEqual(3, running.wait(), running.complained())
        self.assertIn("kernsweep resume naps.db", running.said())
        self.expect_nobody_left()
        done = self.rows("naps.db", "select job from results where status = 'ok'")
        self.assertTrue(3 <= len(done) < JOBS, len(done))
        before = self.attempts()
        told = self.call("resume", "naps.db", "--json").json()
        self.assertEqual((0, len(done), JOBS), (told["status"], told["earlier"], told["done"]))
        self.expect_each_job_once("naps.db", JOBS)
        self.assertEqual(before, self.attempts()[:len(before)])

    def test_by_ctrl_c(self):
        running = self.start_until_some_are_stored()
        running.signal(signal.SIGINT)
        self.expect_stopped_and_resumable(running)

    def test_by_sigterm(self):
        running = self.start_until_some_are_stored()
        running.signal(signal.SIGTERM)
        self.expect_stopped_and_resumable(running)

    def test_in_the_middle_of_a_long_job_ends_at_once(self):
        running = self.start("run", self.file, "-a", "seconds=[0.01, 500]", "-a", "i=[1]")
        self.until(lambda: self.count_of("naps.db") == 1, "the short job")
        running.signal(signal.SIGINT)
        self.assertEqual(3, running.wait())
        self.expect_nobody_left()

    def test_by_its_own_time_limit(self):
        running = self.start("run", self.file, "--set", "timeout.sweep=1s", "-a", "seconds=0.2")
        self.assertEqual(3, running.wait(), running.complained())
        self.assert_golden("time limit", lines_with("timeout.sweep", running.said()))
        self.assertIn("kernsweep resume naps.db", running.said())
        self.assertLess(self.count_of("naps.db"), JOBS)
        self.expect_nobody_left()

    def test_and_resumed_when_finished_does_nothing_and_says_so(self):
        self.call("run", self.file, "-q", "-a", "i=[1, 2]")
        answer = self.call("resume", "naps.db")
        self.assert_golden("nothing to do", answer.out.split("\n")[0])
        self.assertEqual(2, self.count_of("naps.db", "attempt"))


if __name__ == "__main__":
    unittest.main()
