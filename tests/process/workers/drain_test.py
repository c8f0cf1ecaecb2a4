"""Workers that are requested to stop, and their limits."""
import contextlib
import os
import signal
import unittest

from network_test import NetworkTest
from sandbox import BRISK, SANITIZED, sweep_text

LONG = sweep_text("long", "sleep", "{seconds: [LENGTH], i: {range: [1, 6]}}",
                  measure="measure: {processes: 1, alone_on: core, warmup: {min_time: 0ms, max_time: 0ms}, "
                          "samples: {min: 1, max: 1, min_time: 0ms}}")


class DrainTest(NetworkTest):
    def setUp(self):
        super().setUp()
        self.spool = os.path.join(self.home, "spool")

    def work(self, address, *arguments, **others):
        return self.start("worker", "--connect", address, "--spool", self.spool, *arguments, **others)

    def slot_of(self, worker):
        mine = self.until(lambda: [pid for pid in self.slots() if self.parent(pid) == worker.pid], "a slot")
        return mine[0]

    def long_jobs(self, seconds, *arguments):
        """A coordinator, and a worker that measures the first job."""
        self.write("long.yaml", LONG.replace("LENGTH", str(seconds)))
        coordinator, address = self.coordinate(file="long.yaml")
        worker = self.work(address, "--cores", "1", *arguments)
        self.until(lambda: worker.pid in self.at_work(), "its slot")
        self.until(lambda: any(each["active"] for each in
                               self.call("workers", "--connect", address, "--json").json()), "its first job")
        return coordinator, address, worker


class Draining(DrainTest):  # labels: waits
    def test_finishes_what_runs_and_gives_the_rest_back(self):
        coordinator, address, worker = self.long_jobs(1)
        self.until(lambda: self.count_of("long.db") >= 1, "the first job")
        worker.signal(signal.SIGTERM)
        self.assertEqual(0, worker.wait(), worker.complained())
        self.assertLess(self.count_of("long.db"), 6)
        self.assertEqual([], os.listdir(self.spool), "something was not delivered")
        self.assertEqual(0, self.work(address).wait())
        self.assertEqual(0, coordinator.wait(), coordinator.complained())
        self.expect_each_job_once("long.db", 6)
        self.assertEqual(6, self.count_of("long.db", "attempt"), "a job was begun twice")
        self.expect_nobody_left()

    def expect_ended_in_the_middle(self, coordinator, worker):
        self.assertEqual(0, worker.wait(), worker.complained())
        self.until(lambda: not self.slots(), "the end of its slots")
        self.assertEqual(0, self.count_of("long.db"))
        coordinator.signal(signal.SIGINT)
        self.assertEqual(3, coordinator.wait(), coordinator.complained())
        self.assertIn(self.events("long.db")[-1], ("left", "drained"))
        self.expect_nobody_left()

    def test_ends_at_once_at_the_second_signal(self):
        coordinator, _, worker = self.long_jobs(500, "-v")
        worker.signal(signal.SIGTERM)
        self.until(lambda: "draining" in worker.complained(), "that it drains")
        self.assertIsNone(worker.child.poll())
        worker.signal(signal.SIGINT)
        self.expect_ended_in_the_middle(coordinator, worker)

    def test_ends_when_its_time_is_over(self):
        coordinator, _, worker = self.long_jobs(500, "--drain-time", "0.3")
        worker.signal(signal.SIGTERM)
        self.expect_ended_in_the_middle(coordinator, worker)

    def test_of_no_time_ends_at_once(self):
        coordinator, _, worker = self.long_jobs(500, "--drain-time", "0")
        worker.signal(signal.SIGTERM)
        self.expect_ended_in_the_middle(coordinator, worker)

    def test_of_an_idle_worker_ends_at_once(self):
        worker = self.work("tcp://127.0.0.1:1", "-v")
        self.until(lambda: "looking for a coordinator" in worker.complained(), "its start")
        worker.signal(signal.SIGTERM)
        self.assertEqual(0, worker.wait(), worker.complained())


class Commands(DrainTest):  # labels: sanitized
    def expect_to_be_repeated(self, nap, order=list):
        self.write("nap", "#!/bin/sh\n" + nap)
        os.chmod(os.path.join(self.folder, "nap"), 0o755)
        self.write("c.yaml", "sweep: 1\nname: c\ncommand: ./nap\naxes: {a: [1]}\n" + BRISK)
        coordinator, address = self.coordinate(file="c.yaml")
        worker = self.work(address, "--cores", "1", "--drain-time", "0")
        sleeper, = self.until(lambda: self.ours("sleep 500"), "the command")
        # Like a batch system that stops all processes of a job: some long after the others have reported.
        for pid in order(list(dict.fromkeys([self.slot_of(worker), self.parent(sleeper), sleeper]))):
            with contextlib.suppress(ProcessLookupError):  # it ends when what it waits for has ended
                os.kill(pid, signal.SIGTERM)
        self.until(lambda: sleeper not in self.ours("sleep 500"), "the end of the command")
        worker.signal(signal.SIGTERM)
        self.assertEqual(0, worker.wait(), worker.complained())
        self.assertEqual(0, self.count_of("c.db", "attempt"), "what was cut short counts")
        self.write("go", "")
        self.assertEqual(0, self.work(address).wait())
        self.assertEqual(0, coordinator.wait(), coordinator.complained())
        self.expect_each_job_once("c.db", 1)

    def test_that_are_stopped_with_their_worker_have_not_failed(self):
        self.expect_to_be_repeated("[ -e go ] || exec sleep 500\n")

    def test_that_are_stopped_before_their_slot_have_not_failed_either(self):
        self.expect_to_be_repeated("[ -e go ] || exec sleep 500\n", reversed)

    def test_that_end_in_their_own_way_before_their_slot_have_not_failed_either(self):
        self.expect_to_be_repeated("[ -e go ] && exit 0\ntrap 'exit 1' TERM\nsleep 500\nexit 1\n", reversed)

    def test_that_end_well_when_they_are_stopped_are_not_measured(self):
        self.expect_to_be_repeated("[ -e go ] && exit 0\ntrap 'exit 0' TERM\nsleep 500\nexit 0\n")


class Slots(DrainTest):  # labels: smoke
    def test_that_are_stopped_with_their_worker_have_not_failed_a_job(self):
        coordinator, _, worker = self.long_jobs(500, "-v")
        worker.signal(signal.SIGTERM)
        self.until(lambda: "draining" in worker.complained(), "that it drains")
        os.kill(self.slot_of(worker), signal.SIGUSR1)
        self.assertEqual(0, worker.wait(), worker.complained())
        self.assertEqual(0, self.count_of("long.db", "attempt"), "what was cut short counts")
        coordinator.signal(signal.SIGINT)
        self.assertEqual(3, coordinator.wait(), coordinator.complained())
        self.assertEqual("retracted", self.events("long.db", "attempt")[-1])
        self.expect_nobody_left()


class Limits(DrainTest):  # labels: waits
    def expect_refused(self, arguments, *words, **others):
        worker = self.work("tcp://127.0.0.1:1", "--wait", "1", *arguments, **others)
        self.assertEqual(2, worker.wait(), worker.complained())
        for word in words:
            self.assertIn(word, worker.complained())

    def slot_at_work(self, *arguments):
        """A worker, and a slot of its that is still there when the test ends."""
        self.write("long.yaml", LONG.replace("LENGTH", "500"))
        _, address = self.coordinate(file="long.yaml")
        worker = self.work(address, *arguments)
        return worker, self.slot_of(worker)

    def test_that_make_no_sense_say_what_to_write(self):
        self.expect_refused(["--memory", "lots"], "--memory lots", "8GiB", "50%")
        self.expect_refused(["--memory", "1EiB"], "--memory 1EiB")
        self.expect_refused(["--gpus", "99"], "--gpus 99 is more than the", "that CUDA shows here")
        self.expect_refused(["--tag", "rack"], "--tag rack", "name=value")
        self.expect_refused(["--tag", "cores=3"], "every host reports its own 'cores'", "memory_bytes")
        self.expect_refused(["--allow", "pack"], "did you mean 'packs'?")
        self.expect_refused(["--cores", "100000"], "--cores 100000")

    def test_of_one_core_cannot_reserve_it(self):
        first = min(os.sched_getaffinity(0))
        self.expect_refused(["--reserve-core"], "--reserve-core", "jobs need one",
                            limits=lambda: os.sched_setaffinity(0, {first}))

    def test_a_reserved_core_is_the_workers_own(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("one core")
        worker, slot = self.slot_at_work("--reserve-core")
        self.assertEqual({cores[0]}, os.sched_getaffinity(worker.pid))
        self.assertNotIn(cores[0], os.sched_getaffinity(slot))

    @unittest.skipIf(SANITIZED, "a sanitizer needs all addresses for itself")
    def test_of_memory_are_each_slots_by_its_cores(self):
        _, slot = self.slot_at_work("--memory", "1GiB", "--cores", "1")
        with open(f"/proc/{slot}/limits", encoding="utf-8") as file:
            limit, = [line for line in file if line.startswith("Max data size")]
        self.assertEqual(str(3 << 28), limit.split()[3])  # a quarter of a GiB is for operands

    # 96 MiB for the slot: OpenBLAS would ask for its 128 again and again.
    @unittest.skipIf(SANITIZED, "a sanitizer needs all addresses for itself")
    def test_of_memory_that_are_too_low_for_a_library_end_its_jobs_at_once_and_say_so(self):
        self.write("b.yaml", sweep_text("b", "gemm", "{variant: [naive, blas], m: 256, n: 256, k: 256}"))
        coordinator, address = self.coordinate(file="b.yaml")
        worker = self.work(address, "--memory", "128MiB", "--cores", "1")
        coordinator.wait()
        self.assertEqual(0, worker.wait(), worker.complained())
        naive, blas = self.rows("b.db", "select status, reason from results order by job")
        self.assertEqual(("ok", "out_of_memory"), (naive["status"], blas["status"]), blas["reason"])
        for words in ("OpenBLAS takes 128 MiB", "--memory"):
            self.assertIn(words, blas["reason"])

    def test_tags_are_facts_that_sweeps_require(self):
        self.write("t.yaml", sweep_text("t", "noop", "{a: [6, 7]}", "requires: [host.rack == a]"))
        coordinator, address = self.coordinate("--stay", file="t.yaml")  # either worker may come late
        workers = [self.work(address, "--cores", "1", "--tag", f"rack={rack}") for rack in (6, 7)]
        self.until(lambda: "every job has its outcome" in coordinator.complained(), "both jobs")
        coordinator.signal(signal.SIGINT)
        ends = [one.wait() for one in (coordinator, *workers)]
        self.assertEqual([0, 0, 0], ends, coordinator.complained())
        rows = self.rows("t.db", "select status from t order by job")
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows])

    def test_of_kinds_keep_commands_out(self):
        self.write("c.yaml", "sweep: 1\nname: c\ncommand: touch was_run\naxes: {a: [1]}\n" + BRISK)
        coordinator, address = self.coordinate(file="c.yaml")
        worker = self.work(address, "--allow", "packs", "--cores", "1")
        coordinator.wait()
        self.assertEqual(0, worker.wait(), worker.complained())
        row, = self.rows("c.db", "select status, reason from results")
        self.assertIn(row["status"], ("unplaceable", "unsupported"))
        self.assertIn("command", row["reason"])
        self.assertNotIn("was_run", self.files())


if __name__ == "__main__":
    unittest.main()
