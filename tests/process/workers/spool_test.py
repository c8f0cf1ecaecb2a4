"""What was measured is delivered, whatever happens to the worker, its disk or the coordinator."""
import collections
import glob
import os
import random
import resource
import signal
import time
import unittest

from network_test import JOBS, NAPS, NetworkTest
from raw_peer import GOODBYE, HELLO, RawPeer, fields, message_of, told
from sandbox import LIMIT_S, SANITIZED, free_port, read_bytes, sweep_text

MARKER = b"KSr1"
HEAD_BYTES = 16
OUTCOME, RELEASED = 3, 4


def attempt_of(message):
    found = dict(fields(message))
    return found.get(1, 0), found.get(2, 0), found.get(3, 0), found.get(4, 0)


def unreleased(data):
    """The attempts of a whole spool file."""
    held, at = set(), 0
    while at + HEAD_BYTES < len(data) and data[at:at + 4] == MARKER:
        size = int.from_bytes(data[at + 4:at + 8], "little")
        payload = data[at + HEAD_BYTES:at + HEAD_BYTES + size]
        if len(payload) < size:
            break
        if payload[0] == OUTCOME:
            held.add(attempt_of(dict(fields(payload[1:]))[1]))
        elif payload[0] == RELEASED:
            held -= {attempt_of(value) for number, value in fields(payload[1:]) if number == 1}
        at += HEAD_BYTES + size
    return held


class SpoolTest(NetworkTest):
    def setUp(self):
        super().setUp()
        self.spool = os.path.join(self.home, "spool")
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"

    def coordinate_here(self, *arguments, file=None):
        return self.start("coordinator", file or self.file, "--listen", self.address, "--insecure",
                          *arguments)

    def work_here(self, *arguments, **others):
        return self.start("worker", "--connect", self.address, "--cores", "1", "--spool", self.spool, "-v",
                          *arguments, **others)

    def held(self):
        """Job numbers that wait in the spool."""
        files = glob.glob(os.path.join(self.spool, "*.spool"))
        return {attempt[1] for file in files for attempt in unreleased(read_bytes(file))}

    def some_stored(self, least=3):
        self.until(lambda: self.count_of("naps.db") >= least, "the first results")

    def killed(self, running):
        running.signal(signal.SIGKILL)
        self.assertEqual(-signal.SIGKILL, running.wait())


class KilledWorkers(SpoolTest):  # labels: waits sanitized
    def left_by_both(self):
        """Jobs that were measured while no coordinator listened, by a worker that is killed too."""
        coordinator, worker = self.coordinate_here(), self.work_here()
        self.some_stored()
        self.killed(coordinator)
        stored = {row["job"] for row in self.rows("naps.db", "select job from attempt")}
        left = self.until(lambda: self.held() - stored, "something measured that nobody stored")
        self.killed(worker)
        left |= self.held() - stored
        return left

    def rename(self, old, new):
        """A database, with what belongs to it while its coordinator is dead."""
        for name in self.files():
            if name == old or name.startswith(old + "-"):
                os.rename(os.path.join(self.folder, name), os.path.join(self.folder, new + name[len(old):]))

    def expect_delivered(self, left):
        rows = self.rows("naps.db", "select * from attempt")
        for job in left:
            self.assertEqual(["ok"], [row["status"] for row in rows if row["job"] == job],
                             "measured twice, or never delivered")

    def test_started_again_deliver_what_they_measured(self):
        left = self.left_by_both()
        self.expect_all_done(self.coordinate_here(), self.work_here())
        self.expect_delivered(left)
        self.assertEqual([], os.listdir(self.spool), "a spool that nobody needs")

    def test_forget_what_is_over_in_their_database_alone(self):
        self.left_by_both()
        left = self.held()
        over = told(3, bytes([1])) + told(4, b"another database")
        for goodbye, stays in ((over, left), (None, set())):
            worker = self.work_here()
            peer = RawPeer.listening(self.address, LIMIT_S)
            self.addCleanup(peer.close)
            database = dict(fields(peer.heard()[HELLO]))[9]
            peer.frame(message_of(0, GOODBYE, goodbye or told(3, bytes([1])) + told(4, database)))
            self.assertEqual(0, worker.wait(), worker.complained())
            self.assertEqual(stays, self.held())

    def test_deliver_to_a_coordinator_that_has_moved(self):
        left = self.left_by_both()
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.expect_all_done(self.coordinate_here(), self.work_here())
        self.expect_delivered(left)
        self.assertEqual([], os.listdir(self.spool))

    def test_deliver_nothing_to_a_coordinator_with_another_database(self):
        left = self.left_by_both()
        held = self.held()  # of `left`, and what was stored without an answer to the worker
        self.rename("naps.db", "former.db")
        before = self.value("former.db", "select max(finished_unix_s) from attempt")
        self.expect_all_done(self.coordinate_here(), self.work_here())
        self.assertGreater(self.value("naps.db", "select min(finished_unix_s) from attempt"), before)
        self.assertEqual(held, self.held(), "what waits for the former database")
        self.rename("naps.db", "latter.db")
        self.rename("former.db", "naps.db")
        self.expect_all_done(self.coordinate_here(), self.work_here())
        self.expect_delivered(left)

    def test_again_and_again_while_the_coordinator_lives_lose_nothing(self):
        coordinator = self.coordinate_here("--set", "retry.max=100")
        for stored in (1, 4, 8):
            worker = self.work_here()
            self.some_stored(stored)
            self.killed(worker)
        self.expect_all_done(coordinator, self.work_here())
        self.assertEqual([], os.listdir(self.spool))

    def test_leave_a_file_that_is_damaged_and_still_deliver_the_rest(self):
        self.left_by_both()
        file, = glob.glob(os.path.join(self.spool, "*.spool"))
        content = bytearray(read_bytes(file))
        content[-3] ^= 0x10
        with open(file, "wb") as out:
            out.write(content)
        worker = self.work_here()
        self.expect_all_done(self.coordinate_here(), worker)
        self.assertEqual(1, worker.complained().count("is damaged"))
        aside, = os.listdir(self.spool)
        self.assertRegex(aside, r"\.spool\.damaged$")
        self.assertEqual(bytes(content), read_bytes(os.path.join(self.spool, aside)))


class KilledCoordinators(SpoolTest):  # labels: waits sanitized
    def test_get_what_was_measured_while_they_were_dead(self):
        coordinator, worker = self.coordinate_here(), self.work_here()
        self.some_stored()
        self.killed(coordinator)
        stored = {row["job"] for row in self.rows("naps.db", "select job from attempt")}
        measured = self.until(lambda: self.held() - stored, "something measured meanwhile")
        back = time.time()
        self.expect_all_done(self.coordinate_here(), worker)
        rows = self.rows("naps.db", "select job, finished_unix_s from attempt")
        for job in measured:
            ends = [row["finished_unix_s"] for row in rows if row["job"] == job]
            self.assertEqual(1, len(ends))
            self.assertLess(ends[0], back, "measured after the coordinator was back")
        self.assertIn("adopted", self.events("naps.db", "attempt"))


class FrozenWorkers(SpoolTest):  # labels: waits
    """Their jobs end when the test removes a file, so that each is frozen in the middle of one."""

    def setUp(self):
        super().setUp()
        self.write("wait.sh", "while test -e hold; do sleep 0.02; done\n")
        self.write("naps.yaml", NAPS.replace("seconds: 0.03, ", "").replace(
            "kernel: sleep", "command: 'sh wait.sh {i}'"))
        self.write("hold", "")

    def expect_waiting(self, *workers):
        self.until(lambda: all(self.ours("sh wait.sh", worker) for worker in workers), "a job that waits")

    def go_on(self):
        os.remove(os.path.join(self.folder, "hold"))

    def test_that_thaw_are_answered_and_rejected(self):
        coordinator = self.coordinate_here()
        frozen = self.work_here()
        self.expect_waiting(frozen)
        frozen.signal(signal.SIGSTOP)
        self.until(lambda: "is gone: not heard of" in coordinator.complained(), "the end of patience")
        others = self.work_here()
        self.expect_waiting(others)
        frozen.signal(signal.SIGCONT)
        self.until(lambda: self.events("naps.db").count("joined") == 3, "that it is back")
        self.go_on()
        self.expect_all_done(coordinator, frozen, others)
        lost = self.rows("naps.db", "select * from attempt where status <> 'ok'")
        self.assertTrue(lost)
        self.assertEqual({("worker_lost", 0)}, {(row["status"], row["final"]) for row in lost})
        self.assertEqual([], os.listdir(self.spool))
        self.assertEqual(["joined", "lost", "joined", "joined"], self.events("naps.db"))

    def test_that_thaw_at_the_end_leave_nothing_behind(self):
        frozen, others = self.work_here(), self.work_here()  # soon over: a silence of 10 s ends connections
        coordinator = self.coordinate_here()
        self.expect_waiting(frozen, others)
        frozen.signal(signal.SIGSTOP)
        self.go_on()  # its job ends too, but is not reported
        self.until(lambda: self.rows("naps.db", "select 1 from sweep where state = 'finished'"),
                   "the end of the sweep")
        frozen.signal(signal.SIGCONT)  # with an outcome that is no longer needed
        self.expect_all_done(coordinator, frozen, others)
        self.assertTrue(self.rows("naps.db", "select 1 from attempt where status = 'worker_lost'"))
        self.assertEqual([], os.listdir(self.spool))


class KilledSlots(SpoolTest):  # labels: waits
    ROUNDS = 20

    def test_cost_their_jobs_at_most_and_the_sweep_ends_whole(self):
        jobs = 60
        self.write("naps.yaml", NAPS.replace(f"[1, {JOBS}]", f"[1, {jobs}]"))
        coordinator, worker = self.coordinate_here("-a", "seconds=0.01"), self.work_here()
        dice = random.Random(4)
        killed = set()
        stored = 0

        # Not before a job was stored since the last kill: a slot that can never be started is given up.
        def kill_one():
            nonlocal stored
            alive = [pid for pid in self.slots() if pid not in killed]
            now_stored = self.count_of("naps.db", "attempt")
            if alive and len(killed) < self.ROUNDS and now_stored > stored:
                stored = now_stored
                if dice.random() < 0.5:
                    self.kill(alive[0])
                    killed.add(alive[0])
            return coordinator.child.poll() is not None
        self.until(kill_one, "the end of the sweep")
        self.assertEqual(0, worker.wait(), worker.complained())
        self.assertGreaterEqual(len(killed), 3, "too few to tell")
        rows = self.rows("naps.db", "select job, status from results order by job")
        self.assertEqual(list(range(jobs)), [row["job"] for row in rows])
        counted = collections.Counter(row["status"] for row in rows)
        self.assertLessEqual(set(counted), {"ok", "out_of_memory", "signal"})
        self.assertLessEqual(jobs - counted["ok"], len(killed))
        finals = self.rows("naps.db", "select job, count(*) as n from attempt where final = 1 group by job")
        self.assertEqual([1] * jobs, [row["n"] for row in finals])
        self.expect_nobody_left()


class ShortOf(SpoolTest):  # labels: waits
    def expect_one_warning(self, worker):
        self.assertEqual(1, worker.complained().count("the spool cannot be written"), worker.complained())

    def test_disk_warn_once_and_go_on(self):
        # No file may have more than one page, as if the disk were full.
        page = (4096, 4096)
        coordinator = self.coordinate_here()
        worker = self.work_here(limits=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, page))
        self.expect_all_done(coordinator, worker)
        self.expect_one_warning(worker)

    def test_a_folder_warn_once_and_go_on(self):
        with open(self.spool, "w", encoding="utf-8"):
            pass
        coordinator, worker = self.coordinate_here(), self.work_here()
        self.expect_all_done(coordinator, worker)
        self.assertEqual(1, worker.complained().count("in memory only"), worker.complained())
        self.assertIn("--spool", worker.complained())

    def test_descriptors_work_or_say_so(self):
        few = (64, 64)
        self.write("u.yaml", sweep_text("u", "noop", "{env.A: {range: [1, 40]}}"))
        coordinator = self.coordinate_here(file="u.yaml")
        worker = self.work_here(limits=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few))
        self.assertEqual(0, coordinator.wait(), coordinator.complained() + worker.complained())
        self.assertEqual(0, worker.wait(), worker.complained())
        rows = self.rows("u.db", "select status, reason from attempt")
        self.assertEqual([("ok", None)] * 40, [(row["status"], row["reason"]) for row in rows])

    @unittest.skipIf(SANITIZED, "the sanitizer reads files of its own")
    def test_very_few_descriptors_end_with_the_reason(self):
        for number in (8, 12, 16, 24, 32):
            few = (number, number)
            worker = self.work_here("--wait", "1",
                                    limits=lambda few=few: resource.setrlimit(resource.RLIMIT_NOFILE, few))
            self.assertIn(worker.wait(), (1, 2), worker.complained())
            self.assertIn("kernsweep worker: ", worker.complained())


if __name__ == "__main__":
    unittest.main()
