"""The line to a terminal breaks: SIGHUP stops what SIGTERM stops, and nothing that nohup has started."""
import os
import signal
import unittest

from network_test import NetworkTest
from sandbox import BRISK, ProcessTest, lines_with


def ignoring_hangups():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


class Run(ProcessTest):  # labels: waits
    def sweep(self):
        self.write("naps.sh", "sleep 0.05\n")
        self.write("a.yaml", f"sweep: 1\nname: a\ncommand: sh {self.folder}/naps.sh {{i}}\n"
                             f"axes: {{i: {{range: [1, 40]}}}}\n{BRISK}")

    def test_is_stopped_and_says_how_to_go_on(self):
        self.sweep()
        running = self.start("run", "a.yaml")
        self.until(lambda: self.count_of("a.db") > 2, "the first results")
        for _ in range(2):  # from the shell and from the system
            running.signal(signal.SIGHUP)
        self.assertEqual(3, running.wait(), running.complained())
        self.assert_golden("to go on", lines_with("kernsweep resume", running.said()))
        self.expect_nobody_left()
        ended = {row["status"] for row in self.rows("a.db", "select status from attempt")}
        self.assertNotIn("signal", ended)
        self.call("resume", "a.db")
        self.expect_each_job_once("a.db", 40)

    def test_under_nohup_goes_on_with_its_slots_and_commands(self):
        self.sweep()
        running = self.start("run", "a.yaml", limits=ignoring_hangups)
        self.until(lambda: self.count_of("a.db") > 2, "the first results")
        for pid in self.ours():
            try:
                os.kill(pid, signal.SIGHUP)
            except ProcessLookupError:  # it has just ended
                pass
        self.assertEqual(0, running.wait(), running.complained())
        self.expect_each_job_once("a.db", 40)
        rows = self.rows("a.db", "select count(*) as n from attempt where status != 'ok'")
        self.assertEqual(0, rows[0]["n"], "a command was ended by it")


class Others(NetworkTest):  # labels: waits
    def test_a_worker_drains_and_a_coordinator_says_how_to_go_on(self):
        coordinator, address = self.coordinate("-a", "seconds=0.05")
        worker = self.work(address)
        self.joined(coordinator, 1)
        self.until(lambda: self.count_of("naps.db") > 0, "a result")
        worker.signal(signal.SIGHUP)
        self.assertEqual(0, worker.wait(), worker.complained())
        coordinator.signal(signal.SIGHUP)
        self.assertEqual(3, coordinator.wait(), coordinator.complained())
        self.assertIn("To continue:", coordinator.said())

    def test_watching_ends(self):
        coordinator, address = self.coordinate("-a", "seconds=0.05")
        watch = self.start("status", "--watch", "--connect", address)
        self.until(watch.said, "its first answer")
        watch.signal(signal.SIGHUP)
        self.assertEqual(0, watch.wait(), watch.complained())
        coordinator.signal(signal.SIGTERM)
        coordinator.wait()


if __name__ == "__main__":
    unittest.main()
