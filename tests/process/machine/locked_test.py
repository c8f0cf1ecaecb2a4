"""A database in which another program has begun to write, and does not end that for a long time."""
import os
import signal
import sqlite3
import time
import unittest

from clients_test import ClientsTest, naps

LONG_S = 6  # longer than the usual wait of SQLite
LOCKED, FREE = "is locked by another program", "is free again"


class Locked(ClientsTest):  # labels: waits
    def hold(self, database="all.db"):
        """A shell in which `begin immediate` was typed, and nothing since."""
        connection = sqlite3.connect(os.path.join(self.folder, database), isolation_level=None, timeout=60)
        self.addCleanup(connection.close)
        connection.execute("begin immediate")
        return connection

    def until_said(self, running, words):
        self.until(lambda: words in running.complained(), words)

    def expect_holder_told_once(self, running):
        told = [line for line in running.complained().splitlines() if LOCKED in line]
        self.assertEqual(1, len(told), running.complained())
        self.assertIn(f"(pid {os.getpid()})", told[0])

    def test_in_the_middle_of_a_sweep_keeps_the_rows_until_it_is_free(self):
        coordinator, address, worker = self.under_way(30)
        holder = self.hold()
        begun, rows = time.monotonic(), self.accepted("a")
        self.until_said(coordinator, LOCKED)
        self.until(lambda: self.ask(address, "status") and time.monotonic() > begun + LONG_S, "that time")
        self.assertEqual(rows, self.accepted("a"))
        holder.execute("commit")
        self.until(lambda: self.states(address) == {"a": "complete"}, "the end")
        self.assertEqual(30, self.accepted("a"))
        self.assertEqual(30, self.value("all.db", "select count(*) from attempt"), "some were repeated")
        self.assertEqual(["joined"], self.events("all.db"))
        self.expect_holder_told_once(coordinator)
        self.assertEqual(1, coordinator.complained().count(FREE), coordinator.complained())
        self.stop(coordinator, worker)

    def test_is_told_to_a_quiet_run(self):
        self.write("a.yaml", naps("a", 2))
        self.call("run", "a.yaml", "--db", "all.db")
        holder = self.hold()
        running = self.start("run", "a.yaml", "--db", "all.db", "--again", "-q")
        self.until_said(running, LOCKED)
        holder.execute("commit")
        self.assertEqual(0, running.wait())

    def test_is_left_by_the_second_signal_and_the_rows_are_measured_by_the_next(self):
        self.write("a.yaml", naps("a", 30))
        running = self.start("run", "a.yaml", "--db", "all.db")
        self.until(lambda: self.accepted("a") >= 2, "the first results")
        holder = self.hold()
        self.until_said(running, LOCKED)
        running.signal(signal.SIGINT)
        self.until_said(running, "Ctrl-C again")
        running.signal(signal.SIGINT)
        self.assertNotEqual(0, running.wait())
        self.expect_nobody_left()
        holder.execute("commit")
        self.call("resume", "all.db")
        self.assertEqual(30, self.accepted("a"))

    def begin_beside_holder(self):
        self.write("a.yaml", naps("a", 2))
        self.call("run", "a.yaml", "-q", "--db", "all.db")
        holder = self.hold()
        self.write("b.yaml", naps("b", 3))
        running = self.start("run", "b.yaml", "--db", "all.db")
        self.until_said(running, LOCKED)
        return holder, running

    def test_is_waited_for_by_a_sweep_that_is_to_begin(self):
        holder, running = self.begin_beside_holder()
        holder.execute("commit")
        self.assertEqual(0, running.wait(), running.complained())
        self.assertEqual(3, self.accepted("b"))
        self.expect_holder_told_once(running)

    def test_is_not_waited_for_after_ctrl_c_by_a_sweep_that_is_to_begin(self):
        _, running = self.begin_beside_holder()
        running.signal(signal.SIGINT)
        self.assertEqual(2, running.wait(), running.complained())
        self.assertEqual(0, self.accepted("b"))
        self.expect_nobody_left()


if __name__ == "__main__":
    unittest.main()
