"""Processes and whole hosts are killed, frozen and started again, with a network between them."""
import os
import signal

from lan import Lan, LanTest, main, naps_text

from sandbox import read_bytes
from spool_test import unreleased

JOBS = 60


class KillsTest(LanTest):
    def begin(self, *arguments, at_work=("two", "three"), seconds=0.03):
        """A sweep under way on some of four hosts."""
        self.write("naps.yaml", naps_text(JOBS, seconds))
        self.lan = Lan(self)
        self.extra = arguments
        self.coordinator = self.coordinate(self.lan, *arguments)
        self.workers = {host: self.work(self.lan, host) for host in at_work}
        self.busy(*self.workers.values())
        self.stored(2)

    def again(self, host, on=None):
        """Starts again what that host ran."""
        if host == "one":
            self.coordinator = self.coordinate(self.lan, *self.extra, host=on or host)
        else:
            self.workers[host] = self.work(self.lan, host)

    def on(self, host):
        """Pids of all that runs there."""
        namespace = os.fstat(self.lan.namespaces[host][0]).st_ino
        found = []
        for pid in self.ours():
            try:
                if os.stat(f"/proc/{pid}/ns/net").st_ino == namespace:
                    found.append(pid)
            except FileNotFoundError:  # it has just ended
                pass
        return found

    def unplug(self, host):
        """A loss of power: no message is sent. The host that starts afterwards has no state."""
        running = self.workers[host] if host in self.workers else self.coordinator
        self.lan.cut(host)
        for pid in self.on(host):
            self.kill(pid)
        running.wait()
        self.until(lambda: not self.on(host), "the end of all there")
        self.lan.boot(host)

    def missed(self, why):
        self.until(lambda: f"(two) is gone: {why}" in self.coordinator.complained(), why)

    def expect_whole_now(self):
        self.expect_whole(JOBS, self.coordinator, *self.workers.values())

    def losses(self):
        """Attempts that did not end well: their workers were lost, and nothing else."""
        lost = [row for row in self.attempts() if row["status"] != "ok"]
        self.assertLessEqual({(row["status"], row["final"]) for row in lost}, {("worker_lost", 0)})
        return len(lost)


class Workers(KillsTest):  # labels: waits
    # A worker that returns is the only one: others could end the sweep before.
    def test_that_are_killed_leave_their_jobs_and_deliver_when_they_are_back(self):
        self.begin(at_work=("two",))
        self.killed(self.workers["two"])
        self.missed("its connection was closed")
        self.again("two")
        self.joined(self.coordinator, 2)
        self.expect_whole_now()

    def test_that_lose_power_are_missed_and_welcomed_again(self):
        self.begin(at_work=("two",))
        self.unplug("two")
        self.missed("not heard of")
        self.lan.heal("two")
        self.again("two")
        self.joined(self.coordinator, 2)
        self.expect_whole_now()

    def test_that_are_back_before_anybody_missed_them_lose_nothing(self):
        # The coordinator still has a connection that the host has lost.
        self.begin(at_work=("two",))
        self.unplug("two")
        self.lan.heal("two")
        self.again("two")
        self.joined(self.coordinator, 2)
        self.expect_whole_now()

    def test_that_freeze_with_all_their_slots_are_answered_and_rejected(self):
        self.begin(seconds=0.06)
        frozen = self.on("two")
        self.assertGreaterEqual(len(frozen), 2)
        for pid in frozen:
            self.kill(pid, signal.SIGSTOP)
        self.missed("not heard of")
        self.stored(self.count_of("naps.db") + 3)
        for pid in frozen:
            self.kill(pid, signal.SIGCONT)
        self.joined(self.coordinator, 3)
        self.expect_whole_now()
        self.assertGreater(self.losses(), 0)


class Slots(KillsTest):  # labels: waits
    def test_that_are_killed_cost_their_jobs_a_new_attempt(self):
        self.begin("--set", "retry.for=[signal, out_of_memory, worker_lost]")
        # Once: a job that is hit twice counts as one that ends its process.
        slots = self.slots()
        for pid in slots:
            self.kill(pid)
        self.until(lambda: not set(slots) & set(self.slots()), "their end")
        self.expect_whole_now()
        lost = [row["status"] for row in self.attempts() if row["status"] != "ok"]
        self.assertLessEqual(set(lost), {"signal", "out_of_memory"})
        self.assertLessEqual(len(lost), len(slots))


class Coordinators(KillsTest):  # labels: waits
    def measured_meanwhile(self):
        """Waits until a worker has what the dead coordinator has not; what that one has."""
        rows = self.attempts()
        stored = {row["job"] for row in rows}
        self.until(lambda: {attempt[1] for path in self.spools() for attempt in unreleased(read_bytes(path))}
                   - stored, "a new result")
        return rows

    def expect_no_repetition(self, before):
        after = self.attempts()
        self.assertEqual(before, after[:len(before)])
        self.assertFalse({row["job"] for row in before} & {row["job"] for row in after[len(before):]})
        self.assertEqual(0, self.losses())

    def test_that_are_killed_get_what_was_measured_meanwhile(self):
        self.begin()
        self.killed(self.coordinator)
        before = self.measured_meanwhile()
        self.again("one")
        self.expect_whole_now()
        self.expect_no_repetition(before)

    def test_that_lose_power_are_found_again(self):
        self.begin()
        self.unplug("one")
        before = self.measured_meanwhile()
        self.lan.heal("one")
        self.again("one")
        self.expect_whole_now()
        self.expect_no_repetition(before)

    def test_that_move_to_another_host_are_found_by_the_renewed_file(self):
        self.begin()
        self.unplug("one")
        self.again("one", on="four")
        self.expect_whole_now()

    def test_that_freeze_blame_nobody(self):
        self.begin()
        self.coordinator.signal(signal.SIGSTOP)
        calls = {host: self.lan.counts(host, "one", "payload_bytes") for host in ("two", "three")}
        # A worker that has lost patience says more than its heartbeat: hello, with what it holds.
        self.until(lambda: all(self.lan.counts(host, "one", "payload_bytes") > sent + 4000
                               for host, sent in calls.items()), "hellos of both workers")
        self.coordinator.signal(signal.SIGCONT)
        self.expect_whole_now()
        self.assertEqual(0, self.losses())


class Everybody(KillsTest):  # labels: waits
    def test_at_once_and_again_costs_no_job(self):
        self.begin("--set", "retry.max=20", at_work=("two", "three", "four"))
        for _ in range(2):
            stored = self.count_of("naps.db")
            self.killed(self.coordinator, *self.workers.values())
            self.until(lambda: not self.ours("kernsweep-slot"), "the end of all slots")
            for host in self.lan.hosts:
                self.again(host)
            self.stored(min(stored + 4, JOBS))
        self.expect_whole_now()


if __name__ == "__main__":
    main()
