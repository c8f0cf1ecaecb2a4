"""With `hosts: any`, all processes of a point are measured on one kind of host: by real workers, one of
which sees another processor than this machine has."""
import ctypes
import os
import re
import signal
import sqlite3
import subprocess
import unittest

from network_test import NetworkTest
from sandbox import sweep_text
from shortage_test import CLONE_NEWNS, CLONE_NEWUSER, MS_BIND, MS_PRIVATE, MS_REC

POINTS, PROCESSES = 4, 3
NAPS = sweep_text("naps", "sleep", f"{{seconds: 0.05, i: {{range: [1, {POINTS}]}}}}",
                  measure=f"measure: {{processes: {PROCESSES}, alone_on: core, warmup: {{min_time: 0ms, "
                          "max_time: 1ms}, samples: {min: 3, max: 3, min_time: 0ms}}")


def on_another_processor(cpuinfo):
    """What a worker calls before it begins, so that it reads this file as its /proc/cpuinfo."""
    libc = ctypes.CDLL(None, use_errno=True)

    def checked(status):
        if status != 0:
            raise OSError(ctypes.get_errno(), "a mount of our own")

    def change():
        checked(libc.unshare(CLONE_NEWNS | (0 if os.geteuid() == 0 else CLONE_NEWUSER)))
        checked(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
        checked(libc.mount(cpuinfo.encode(), b"/proc/cpuinfo", None, MS_BIND, None))
    return change


class BoundPoints(NetworkTest):  # labels: waits
    def setUp(self):
        super().setUp()
        self.file = self.write("naps.yaml", NAPS)
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            other = re.sub(r"(?m)^((stepping|CPU revision)\s*: ).*$", r"\g<1>99", file.read())
        self.cpuinfo = self.write("cpuinfo", other)

    def work_unlike(self, address, *arguments):
        try:
            return self.start("worker", "--connect", address, "--cores", "1", "--name",
                              "other", *arguments, limits=on_another_processor(self.cpuinfo))
        except subprocess.SubprocessError:
            self.skipTest("nobody may mount here")

    def measured(self):
        """{point: {host: processes}}"""
        found = {}
        for row in self.rows("naps.db", "select o.point, h.name, count(*) as n from outcome o join host h "
                             "on h.id = o.host_id where o.status = 'ok' group by 1, 2"):
            found.setdefault(row["point"], {})[row["name"]] = row["n"]
        return found

    def test_two_kinds_of_host_share_the_points_and_no_point(self):
        coordinator, address = self.coordinate()
        workers = [self.work_unlike(address), self.work(address, "--name", "mine")]
        ends = [one.wait() for one in (coordinator, *workers)]
        self.assertEqual([0, 0, 0], ends, coordinator.complained())
        measured = self.measured()
        self.assertEqual(POINTS, len(measured))
        for point, by_host in measured.items():
            self.assertEqual([PROCESSES], list(by_host.values()), f"point {point}: {by_host}")
        self.assertNotIn("did not come back", coordinator.complained())
        self.expect_nobody_left()

    def some_measured(self, most):
        try:
            return 1 <= self.value("naps.db", "select count(*) from outcome where status = 'ok'") <= most
        except (sqlite3.Error, TypeError):
            return False

    def test_a_kind_that_stays_away_leaves_its_points_to_be_restarted(self):
        coordinator, address = self.coordinate("-a", "seconds=0.3")
        unlike = self.work_unlike(address)
        self.until(lambda: self.some_measured(POINTS), "a result of the one kind")
        unlike.signal(signal.SIGKILL)
        unlike.wait()
        mine = self.work(address, "--name", "mine")
        self.assertEqual([0, 0], [one.wait() for one in (coordinator, mine)], coordinator.complained())
        self.assertRegex(coordinator.complained(),
                         r"naps@1: the host that measured .*i=\d.* did not come back; this and similar "
                         r"points will be re-measured on another kind of host")
        anew = 0
        for point, by_host in self.measured().items():
            former = by_host.pop("other", 0)
            self.assertEqual([PROCESSES], list(by_host.values()), f"point {point}")
            anew += former > 0
        self.assertGreater(anew, 0)
        events = self.rows("naps.db", "select job, job_host from event where what = 'restarted'")
        self.assertEqual([-1] * anew, [row["job_host"] for row in events])
        # Both stay, as two rows.
        best = self.call("best", "naps.db", "--by", "i").out
        self.assertIn("other", best)
        # Nothing is left to do, and no point is started again.
        before = self.count_of("naps.db", "attempt")
        self.call("run", self.file, "-a", "seconds=0.3", "--db", "naps.db")
        self.assertEqual(before, self.count_of("naps.db", "attempt"))


if __name__ == "__main__":
    unittest.main()
