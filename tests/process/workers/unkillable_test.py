"""A slot that cannot be killed, as one that waits in the kernel for a disk: held at its exit, by ptrace."""
import ctypes
import os
import unittest

from sandbox import ProcessTest, sweep_text

PTRACE_SEIZE, PTRACE_O_TRACEEXIT = 0x4206, 1 << 6
GIVEN_UP_AFTER_S = 61.0


def hold_at_exit(pid):
    """It does not go before this thread lets it, or ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(PTRACE_SEIZE, pid, None, PTRACE_O_TRACEEXIT) != 0:
        raise unittest.SkipTest(f"nobody may trace here: {os.strerror(ctypes.get_errno())}")


@unittest.skipUnless(os.cpu_count() > 1, "one core is all that the host has")
class Unkillable(ProcessTest):  # labels: waits
    def test_costs_its_core_and_its_job_and_nothing_else(self):
        self.write("a.yaml", sweep_text("a", "faulty", "{variant: [hang_run], n: [16, 32]}",
                                        "timeout: {setup: 2s, run: 2s}"))
        running = self.start("run", "a.yaml")
        slot = self.until(lambda: self.slots(running), "a slot that hangs")[0]
        hold_at_exit(slot)
        self.assertEqual(1, running.child.wait(4 * GIVEN_UP_AFTER_S), running.complained())
        rows = self.rows("a.db", "select status, reason from a")
        self.assertEqual(["timeout_setup"] * 2, [row["status"] for row in rows])
        not_gone = "its process was killed, and is not gone after 60 s"
        stuck = [row for row in rows if not_gone in row["reason"]]
        self.assertEqual(1, len(stuck), "the other one had its turn, and its own end")
        self.assertRegex(running.complained(), r"core \d+ of this host will not be used again: .*; "
                                               r"\d+ cores? (is|are) left")


if __name__ == "__main__":
    unittest.main()
