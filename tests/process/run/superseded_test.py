"""A sweep that is restarted because a program has changed, while a worker still holds jobs of it."""
import os
import signal
import unittest

from clients_test import ClientsTest
from sandbox import UNHURRIED, free_port, read_bytes, sweep_text
from slow_disk_test import HeldThread

TIMED = "timeout: {setup: 300s, run: 300s}"


class Superseded(ClientsTest):
    def setUp(self):
        super().setUp()
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.write_program("false")
        for name, jobs in (("quick", 2), ("held", 20)):
            text = sweep_text(name, "none", f"{{i: {{range: [1, {jobs}]}}}}", TIMED, measure=UNHURRIED)
            self.write(name + ".yaml", text.replace("kernel: none", "command: './wait.sh {i}'"))

    def write_program(self, last):
        """A program that, after some runs, waits while there is a file `hold`; a new file each time."""
        waits = "while test -e hold && test $(wc -l < runs) -gt 15; do sleep 0.02; done"
        name = self.write("new.sh", f"#!/bin/sh\necho >> runs\n{waits}\n: {last}\n")
        os.chmod(os.path.join(self.folder, name), 0o755)
        os.replace(os.path.join(self.folder, name), os.path.join(self.folder, "wait.sh"))

    def coordinate_here(self):
        running = self.start("coordinator", "--db", "all.db", "--listen", self.address, "--insecure")
        self.until(lambda: "listening on" in running.complained(), "that it listens")
        return running

    def left_with_jobs(self):
        """A worker that has jobs of a sweep; their coordinator is dead, and the program has changed."""
        coordinator, worker = self.coordinate_here(), self.work(self.address)
        for _ in range(2):  # the second time the worker looks whether it still holds, by a thread of its own
            self.ask(self.address, "submit", "quick.yaml")
            self.until(lambda: self.states(self.address) == {"quick": "complete"}, "the end of that")
        self.write("runs", "")
        self.write("hold", "")
        self.ask(self.address, "submit", "held.yaml")
        self.until(lambda: self.accepted("held") >= 1, "the first result")
        self.until(lambda: self.ours("sleep 0.02"), "a job that waits")
        coordinator.signal(signal.SIGKILL)
        coordinator.wait()
        self.write_program("true")
        return worker

    def hold_thread(self, running, name):
        held = HeldThread(self.until(lambda: self.thread_of(running, name), name))
        self.addCleanup(held.let_go)
        return held

    def worker_here(self):
        return (self.ask(self.address, "workers", "--json").json() or [{"ok": 0}])[0]

    def with_jobs_that_do_not_end(self):
        """
        The next coordinator, whose worker has brought an outcome that is not stored yet, so that the sweep
        does not end; and has not said yet whether the earlier ones hold. With what holds both.
        """
        worker = self.left_with_jobs()
        check = self.hold_thread(worker, "kernsweep-check")
        coordinator = self.coordinate_here()
        self.until(lambda: "adopted" in self.events("all.db", "attempt"), "the jobs that it holds")
        disk = self.hold_thread(coordinator, "kernsweep-store")
        before = self.worker_here()["ok"]  # one may have waited in its spool, and be stored
        os.remove(os.path.join(self.folder, "hold"))
        self.until(lambda: self.worker_here()["ok"] > before, "an outcome")
        return coordinator, worker, check, disk

    def sweeps(self):
        return [(row["name"], row["state"]) for row in
                self.rows("all.db", "select name, state from sweep order by id")]

    def test_it_is_restarted_once(self):
        coordinator, worker, check, disk = self.with_jobs_that_do_not_end()
        check.let_go()
        self.until(lambda: self.states(self.address)["held"] == "stopping", "that it is superseded")
        self.until(lambda: self.worker_here()["heard_ago_s"] > 0.2, "two turns of the coordinator")
        disk.let_go()
        self.until(lambda: ("held", "finished") in self.sweeps(), "the end of the new one")
        self.assertEqual([("held", "superseded"), ("held", "finished")], self.sweeps()[1:])
        self.assertIn("./wait.sh", coordinator.complained())
        self.assertEqual(20, self.accepted("held"))
        self.stop(coordinator, worker)

    def test_but_not_when_it_is_being_cancelled(self):
        coordinator, worker, check, disk = self.with_jobs_that_do_not_end()
        self.ask(self.address, "cancel", "held")
        looked = self.switches(worker, check.thread)
        check.let_go()  # now it finds that the program has changed
        self.until(lambda: self.switches(worker, check.thread) > looked, "that it has told so")
        self.until(lambda: self.worker_here()["heard_ago_s"] > 0.2, "two turns of the coordinator")
        disk.let_go()
        self.until(lambda: self.sweeps()[1] == ("held", "cancelled"), "its end")
        self.assertEqual([("quick", "finished"), ("held", "cancelled")], self.sweeps())
        self.stop(coordinator, worker, status=3)

    @staticmethod
    def switches(running, thread):
        """How often the thread has waited so far."""
        status = read_bytes(f"/proc/{running.pid}/task/{thread}/status").decode()
        return int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])


if __name__ == "__main__":
    unittest.main()
