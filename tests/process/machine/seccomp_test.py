"""A container whose seccomp profile does not know pidfd_open: no process has a descriptor."""
import ctypes
import struct
import unittest

from sandbox import SANITIZED, ProcessTest, sweep_text

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
PIDFD_OPEN, EPERM, ALLOW, REFUSE = 434, 1, 0x7fff0000, 0x00050000


def without_pidfd():
    """What a program calls before it begins: pidfd_open is EPERM for it and all that it starts."""
    rules = b"".join(struct.pack("HBBI", *rule) for rule in (
        (0x20, 0, 0, 0),           # the number of the call
        (0x15, 0, 1, PIDFD_OPEN),  # is it this one?
        (0x06, 0, 0, REFUSE | EPERM),
        (0x06, 0, 0, ALLOW)))
    kept = ctypes.create_string_buffer(rules)
    program = struct.pack("HxxxxxxP", len(rules) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "a filter of our own")


@unittest.skipIf(SANITIZED, "the sanitizer calls more than we know of")
class WithoutPidfd(ProcessTest):
    def test_slots_are_seen_to_end_and_no_pack_is_missing(self):
        axes = "{variant: [good, crash_run, exit], n: [16, 32, 5000]}"
        self.write("a.yaml", sweep_text("a", "faulty", axes))
        self.call("run", "a.yaml", status=1, limits=without_pidfd)
        self.expect_nobody_left()
        rows = self.rows("a.db", "select status, count(*) as n from a group by status order by status")
        self.assertEqual([("ok", 3), ("signal", 6)], [(row["status"], row["n"]) for row in rows])
        for _ in range(5):
            self.assertEqual(self.call("kernels").out, self.call("kernels", limits=without_pidfd).out)

    def test_a_command_is_refused_with_what_to_do(self):
        self.write("c.yaml", "sweep: 1\nname: c\ncommand: 'true {i}'\naxes: {i: [1]}\n")
        self.call("run", "c.yaml", status=1, limits=without_pidfd)
        reason = self.value("c.db", "select reason from results")
        self.assert_golden("reason", reason)


if __name__ == "__main__":
    unittest.main()
