"""A coordinator or a worker that runs out of something: descriptors, memory, a disk that may be written."""
import ctypes
import os
import resource
import signal
import socket
import subprocess
import time
import unittest

from network_test import NetworkTest
from sandbox import SANITIZED, free_port, lines_with, sweep_text
from slow_disk_test import SILENCE_S, HeldThread

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18


def few(number):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


def read_only(folder):
    """Called before a program begins, so that only this program finds the folder read-only."""
    libc = ctypes.CDLL(None, use_errno=True)
    path, root = folder.encode(), os.geteuid() == 0

    def checked(status):
        if status != 0:
            raise OSError(ctypes.get_errno(), "a mount of our own")

    def seal():
        checked(libc.unshare(CLONE_NEWNS | (0 if root else CLONE_NEWUSER)))
        checked(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
        checked(libc.mount(path, path, None, MS_BIND, None))
        checked(libc.mount(None, path, None, MS_BIND | MS_REMOUNT | MS_RDONLY, None))
    return seal


class ShortageTest(NetworkTest):
    def start_sealed(self, folder, *arguments):
        try:
            return self.start(*arguments, limits=read_only(folder))
        except subprocess.SubprocessError:
            self.skipTest("nobody may mount here")

    def call_sealed(self, folder, *arguments, status):
        running = self.start_sealed(folder, *arguments)
        self.assertEqual(status, running.wait(), running.complained())
        return running.complained()


@unittest.skipIf(SANITIZED, "the sanitizer has files of its own")
class Descriptors(ShortageTest):  # labels: waits
    def test_that_are_too_few_for_a_coordinator_are_said_before_anything_is_opened(self):
        for number in (8, 12, 16, 24, 31):
            for file in ((), (self.file,)):
                answer = self.call("coordinator", *file, "--db", "fd.db", "--listen", "tcp://127.0.0.1:*",
                                   status=2, limits=few(number))
                self.assert_golden(f"{number} {len(file)}", answer.errors)
                self.assertEqual(["naps.yaml"], self.files())

    def test_that_run_out_are_told_once_and_cost_nobody_who_is_there(self):
        coordinator = self.start("coordinator", self.file, "-a", "seconds=0.2", "--listen",
                                 "tcp://127.0.0.1:*", "--insecure", limits=few(64))
        self.until(lambda: "listening on" in coordinator.complained(), "the address")
        address = coordinator.complained().split("listening on ")[1].split()[0]
        self.assert_golden("told", lines_with("32 workers", coordinator.complained()))
        worker = self.work(address)
        self.joined(coordinator, 1)
        place = ("127.0.0.1", int(address.rpartition(":")[2]))
        strangers = [socket.create_connection(place) for _ in range(120)]  # and 100 may wait
        self.until(lambda: "out of file descriptors" in coordinator.complained(), "the line")
        self.assertEqual(1, coordinator.complained().count("out of file descriptors"))
        before = self.count_of("naps.db")
        self.until(lambda: self.count_of("naps.db") >= before + 2, "results meanwhile")
        for stranger in strangers:
            stranger.close()
        self.call("status", "--connect", address)
        self.expect_all_done(coordinator, worker)
        self.assertEqual(1, coordinator.complained().count("out of file descriptors"))


@unittest.skipIf(SANITIZED, "the sanitizer needs memory of its own")
class Memory(ShortageTest):
    MANY = 5000

    def setUp(self):
        super().setUp()
        self.write("naps.yaml", sweep_text("naps", "noop", f"{{i: {{range: [1, {self.MANY}]}}}}"))

    def take_memory_from(self, running):
        """It gets no more from the system than it has. True: that has ended it."""
        self.until(lambda: self.count_of("naps.db") >= 50, "the first results")
        with open(f"/proc/{running.pid}/status", encoding="utf-8") as file:
            held, = (int(line.split()[1]) << 10 for line in file if line.startswith("VmData:"))
        resource.prlimit(running.pid, resource.RLIMIT_DATA, (held, held))
        self.until(lambda: running.child.poll() is not None or
                   self.count_of("naps.db") == self.MANY, "its end, or that of the sweep")
        if running.wait() == 0:
            return False  # what it had was enough
        self.assertIn(running.wait(), (3, -signal.SIGABRT), running.complained())
        self.assertIn("out of memory", running.complained().lower())
        return True

    def end_worker(self, worker):
        """It ends by itself, unless the coordinator ended before it joined."""
        said = "no coordinator answers"
        self.until(lambda: worker.child.poll() is not None or said in worker.complained(),
                   "its end, or that nothing answers")
        if worker.child.poll() is None:
            worker.signal(signal.SIGTERM)
            worker.wait()

    def expect_whole(self, *running):
        for one in running:
            self.assertEqual(0, one.wait(), one.complained())
        self.expect_each_job_once("naps.db", self.MANY)
        self.expect_nobody_left()

    def test_of_a_coordinator_ends_it_and_the_next_one_goes_on(self):
        listen = ("coordinator", self.file, "--listen", f"tcp://127.0.0.1:{free_port()}", "--insecure")
        first, worker = self.start(*listen), self.work(listen[3])
        if not self.take_memory_from(first) or self.count_of("naps.db") == self.MANY:
            self.end_worker(worker)
            return self.expect_whole()
        stored = {row["job"] for row in self.rows("naps.db", "select job from attempt")}
        another = self.work(listen[3])  # the first one may still have got a goodbye
        self.expect_whole(self.start(*listen), worker, another)
        again = self.rows("naps.db", "select job from attempt group by job having count(*) > 1")
        self.assertFalse(stored & {row["job"] for row in again}, "measured again")

    def test_of_a_worker_ends_it_and_its_jobs_go_elsewhere(self):
        coordinator, address = self.coordinate()
        first = self.work(address, "--name", "small")
        other = self.work(address, "--name", "large") if self.take_memory_from(first) else first
        self.assertEqual(0, coordinator.wait(), coordinator.complained())
        self.end_worker(other)
        self.expect_whole()


class Disks(ShortageTest):  # labels: waits
    def test_of_a_coordinator_that_are_read_only_are_told_at_once(self):
        told = self.call_sealed(self.folder, "coordinator", self.file, "--listen", "tcp://127.0.0.1:*",
                                "--insecure", status=2)
        self.assert_golden("told", told)
        self.assertEqual(["naps.yaml"], self.files())
        coordinator, address = self.coordinate()
        self.expect_all_done(coordinator, self.work(address))
        before = self.rows("naps.db", "select * from attempt")
        told = self.call_sealed(self.folder, "coordinator", self.file, "--listen", "tcp://127.0.0.1:*",
                                "--insecure", "--again", status=2)
        self.assertRegex(told, "naps.db: .*Read-only file system.*; choose another file")
        self.assertEqual(before, self.rows("naps.db", "select * from attempt"))

    def test_of_a_worker_that_are_read_only_cost_nothing_but_a_warning(self):
        coordinator, address = self.coordinate()
        disk = os.path.join(self.home, "disk")
        os.mkdir(disk)
        worker = self.start_sealed(disk, "worker", "--connect", address, "--cores", "1", "--spool",
                                   os.path.join(disk, "spool"))
        self.expect_all_done(coordinator, worker)
        self.assertEqual(1, worker.complained().count("in memory only"), worker.complained())
        self.assertIn("Read-only file system", worker.complained())

    def test_of_a_worker_that_stand_still_delay_no_heartbeat_and_no_job(self):
        coordinator, address = self.coordinate("-a", "seconds=0.05")
        worker = self.work(address, "--spool", os.path.join(self.home, "spool"))
        self.joined(coordinator, 1)
        disk = HeldThread(self.until(lambda: self.thread_of(worker, "kernsweep-spool"), "its thread"))
        self.addCleanup(disk.let_go)
        end, before = time.monotonic() + SILENCE_S + 1, self.count_of("naps.db")
        self.until(lambda: time.monotonic() > end and self.count_of("naps.db") >= before + 2,
                   "jobs meanwhile")
        disk.let_go()
        self.expect_all_done(coordinator, worker)
        self.assertEqual(["joined"], self.events("naps.db")[:1])
        self.assertNotIn("lost", self.events("naps.db"))


if __name__ == "__main__":
    unittest.main()
