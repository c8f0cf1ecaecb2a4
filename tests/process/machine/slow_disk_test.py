"""A coordinator whose disk stops: its thread that writes the database is stopped for a while."""
import ctypes
import os
import signal
import time
import unittest

from clients_test import ClientsTest

from sandbox import sweep_text

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_SYSCALL, PTRACE_DETACH = 0x4206, 0x4207, 24, 17
# poll, pread64, pwrite64, fsync, fdatasync, clock_nanosleep, ppoll; not write, which the log calls
WAITS_OR_WRITES = {"7", "17", "18", "74", "75", "230", "271"}
FUTEX, FUTEX_WAITS = "202", {0, 9}  # a thread that wakes others may hold their lock
WAIT_ALL = 0x40000000  # __WALL: threads too
SILENCE_S = 2.5  # after which a silent worker is lost


class HeldThread:
    """One thread of another process, stopped by ptrace while the others go on. It stops in a system call
    that waits or writes the database: elsewhere it may hold a lock of the allocator or the log, which all
    threads need."""

    def __init__(self, thread):
        self.thread, self.held = thread, True
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.ask(PTRACE_SEIZE)
        self.ask(PTRACE_INTERRUPT)
        os.waitpid(thread, WAIT_ALL)
        end = time.monotonic() + 30
        while not self.in_such_a_call():
            if time.monotonic() > end:
                raise AssertionError(f"thread {thread} never waits or writes")
            self.ask(PTRACE_SYSCALL)  # to the next one's begin or end
            os.waitpid(thread, WAIT_ALL)

    def in_such_a_call(self):
        if os.uname().machine != "x86_64":
            return True
        with open(f"/proc/{self.thread}/syscall", encoding="ascii") as file:
            call = file.read().split()
        if call[0] == FUTEX:
            return int(call[2], 16) & 127 in FUTEX_WAITS
        return call[0] in WAITS_OR_WRITES

    def ask(self, request):
        nothing = ctypes.c_void_p(0)
        if self.libc.ptrace(ctypes.c_long(request), ctypes.c_long(self.thread), nothing, nothing) != 0:
            number = ctypes.get_errno()
            if number in (1, 38):  # EPERM, ENOSYS
                raise unittest.SkipTest("no other process may be held here: " + os.strerror(number))
            raise OSError(number, os.strerror(number))

    def let_go(self):
        if self.held:
            self.held = False
            self.ask(PTRACE_DETACH)


class SlowDisk(ClientsTest):
    def hold_disk(self, coordinator):
        """The thread of the store, once it is there."""
        held = HeldThread(self.until(lambda: self.thread_of(coordinator, "kernsweep-store"), "its thread"))
        self.addCleanup(held.let_go)
        return held

    def workers(self, address):
        return [worker["state"] for worker in self.ask(address, "workers", "--json").json()]

    def test_that_stands_still_for_longer_than_a_silence_loses_nobody_and_nothing(self):
        coordinator, address, worker = self.under_way(60)
        disk = self.hold_disk(coordinator)
        rows = self.accepted("a")
        held_until = time.monotonic() + SILENCE_S + 1
        self.until(lambda: self.ask(address, "status") and time.monotonic() > held_until, "that time")
        self.assertEqual(rows, self.accepted("a"))
        disk.let_go()
        self.until(lambda: self.states(address) == {"a": "complete"}, "the end")
        self.assertEqual(60, self.accepted("a"))
        self.assertEqual(60, self.value("all.db", "select count(*) from attempt"), "some were repeated")
        self.assertEqual(["joined"], self.events("all.db"))
        self.stop(coordinator, worker)

    def test_that_stands_still_leaves_nobody_listed_who_has_gone(self):
        coordinator, address = self.coordinate()
        disk = self.hold_disk(coordinator)
        worker = self.work(address)
        self.until(lambda: self.workers(address) == ["joining"], "its hello")
        worker.signal(signal.SIGKILL)
        worker.wait()
        self.until(lambda: self.workers(address) == [], "that it has gone")
        disk.let_go()
        self.write("a.yaml", sweep_text("a", "noop", "{i: {range: [1, 5]}}"))
        self.ask(address, "submit", "a.yaml")
        worker = self.work(address)
        self.until(lambda: self.states(address) == {"a": "complete"}, "the end")
        self.stop(coordinator, worker)


if __name__ == "__main__":
    unittest.main()
