"""`hosts: each`: every job is measured by every host, by real workers; two names are two hosts."""
import signal
import unittest

from network_test import JOBS, NAPS, NetworkTest
from sandbox import free_port


class EachHost(NetworkTest):  # labels: waits
    def setUp(self):
        super().setUp()
        self.write("naps.yaml", NAPS + "hosts: each\n")

    def measured(self, host):
        """How many jobs have their result from that host."""
        try:
            return self.value("naps.db", "select count(*) from results where host = ?", host)
        except Exception:  # the view comes with the sweep
            return 0

    def expect_each_job_once_per_host(self, *hosts):
        question = "select host, job, status from results order by host, job"
        self.assertEqual([(host, job, "ok") for host in sorted(hosts) for job in range(JOBS)],
                         [tuple(row.values()) for row in self.rows("naps.db", question)])
        finals = self.rows("naps.db", "select job, job_host from attempt where final = 1 group by 1, 2")
        self.assertEqual(len(hosts) * JOBS, len(finals))

    def expect_end(self, *running):
        self.assertEqual([0] * len(running), [one.wait() for one in running], running[0].complained())
        self.expect_nobody_left()

    def test_measures_every_job(self):
        coordinator, address = self.coordinate("-a", "seconds=0.1")
        workers = [self.work(address, "--name", name) for name in ("left", "right")]
        self.expect_end(coordinator, *workers)
        self.expect_each_job_once_per_host("left", "right")

    def test_that_comes_late_gets_all_of_them(self):
        coordinator, address = self.coordinate("-a", "seconds=0.2")  # so it is there before the others end
        early = self.work(address, "--name", "early")
        self.until(lambda: self.measured("early") >= 2, "the first results")
        self.expect_end(coordinator, early, self.work(address, "--name", "late"))
        self.expect_each_job_once_per_host("early", "late")

    def test_goes_on_with_what_it_lacks_when_the_coordinator_was_killed(self):
        listen = ("coordinator", self.file, "--listen", f"tcp://127.0.0.1:{free_port()}", "--insecure",
                  "-a", "seconds=0.1")
        first = self.start(*listen)
        workers = [self.work(listen[3], "--name", name) for name in ("left", "right")]
        self.until(lambda: min(map(self.measured, ("left", "right"))) >= 3, "results of both")
        first.signal(signal.SIGKILL)
        first.wait()
        before = self.rows("naps.db", "select result from attempt")
        self.expect_end(self.start(*listen), *workers)
        self.expect_each_job_once_per_host("left", "right")
        attempts = self.rows("naps.db", "select result from attempt")
        self.assertEqual(2 * JOBS, len(attempts), "measured again")
        self.assertEqual(before, [row for row in attempts if row in before])


if __name__ == "__main__":
    unittest.main()
