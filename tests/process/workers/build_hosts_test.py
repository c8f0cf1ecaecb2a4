"""`build` with a coordinator and workers apart."""
import glob
import os
import shutil
import signal
import unittest

from network_test import NetworkTest
from sandbox import UNHURRIED, lines_with

# Builds are slow enough to be interrupted.
SWEEP = """sweep: 1
name: built
build: sh -c 'sleep 0.4; gcc -DVALUE={value} main.c -o {out}'
command: '{build}'
axes: {value: [1, 2, 3, 4, 5, 6]}
problem: [value]
"""


@unittest.skipUnless(shutil.which("gcc"), "this host has no gcc")
class BuildHosts(NetworkTest):
    def setUp(self):
        super().setUp()
        self.write("main.c", '#include <stdio.h>\nint main(void) { printf("%d\\n", VALUE); return 0; }\n')
        self.write("built.yaml", SWEEP + UNHURRIED)

    def entries(self, of="*"):
        return glob.glob(os.path.join(self.home, "cache", "kernsweep", "builds", "*", of))

    def statuses(self):
        return self.rows("built.db", "select value, status from built order by value")

    def test_survive_a_coordinator_that_is_killed_while_they_build(self):
        coordinator, address = self.coordinate("--stay", file="built.yaml")
        worker = self.work(address, "--allow", "command,build")
        self.until(lambda: len(self.entries("built")) >= 2, "the second build")
        coordinator.signal(signal.SIGKILL)
        coordinator.wait()
        again = self.start("coordinator", "built.yaml", "--listen", address, "--insecure")
        self.assertEqual([0, 0], [one.wait() for one in (again, worker)], again.complained())
        self.assertEqual([(value, "ok") for value in range(1, 7)],
                         [(row["value"], row["status"]) for row in self.statuses()])
        self.assertEqual(6, len(self.entries("built")))
        self.expect_nobody_left()

    def test_end_with_a_worker_that_is_killed_while_they_run(self):
        coordinator, address = self.coordinate(file="built.yaml")
        killed = self.work(address)
        self.until(lambda: len(self.entries("built")) >= 1, "the first build")
        killed.signal(signal.SIGKILL)
        killed.wait()
        self.until(lambda: not self.ours("sh"), "the end of its builds")
        self.assertEqual([0, 0], [one.wait() for one in (self.work(address), coordinator)],
                         coordinator.complained())
        self.assertEqual(["ok"] * 6, [row["status"] for row in self.statuses()])
        self.expect_nobody_left()

    def test_fail_where_the_compiler_is_not_there(self):
        self.write("built.yaml", SWEEP.replace("sh -c 'sleep 0.4; gcc", "sh-none -c 'gcc") + UNHURRIED)
        coordinator, address = self.coordinate(file="built.yaml")
        self.assertEqual([0, 1], [one.wait() for one in (self.work(address), coordinator)],
                         coordinator.complained())
        rows = self.rows("built.db", "select status, reason from built")
        self.assertEqual({"failed_build"}, {row["status"] for row in rows})
        self.assert_golden("reason", rows[0]["reason"], path=r"(?<=PATH is ).*(?=\); install)")

    def test_are_not_made_where_the_list_lacks_them(self):
        coordinator, address = self.coordinate("-a", "value=[1]", "--stay", file="built.yaml")
        worker = self.work(address, "--allow", "packs,command")
        self.joined(coordinator, 1)
        said = self.call("explain", "0", "--connect", address).out
        self.assert_golden("why", lines_with("allow", said), host=r"(?<=the worker on )\S+")
        for each in (coordinator, worker):
            each.signal(signal.SIGINT)
            each.wait()
        self.assertEqual([], self.entries())


if __name__ == "__main__":
    unittest.main()
