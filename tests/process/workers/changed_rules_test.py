"""A worker with --allow whose coordinator tries to run programs by rules: they are read by hand here."""
import os
import struct
import unittest

from raw_peer import HELLO, WELCOME, RawPeer, fields, message_of, told, varint
from sandbox import LIMIT_S, ProcessTest, free_port

# Numbers of fields and values (shared/wire/protocol.proto).
JOBS, OUTCOMES = 5, 4
VARIANT, COMMAND = 1, 3
OK, UNSUPPORTED = 1, 2


def number(field, value):
    return varint(field << 3) + varint(value)


def value(of):
    """A Value: true or false, a whole number from 0, a share, or text."""
    if isinstance(of, bool):
        return number(1, of)
    if isinstance(of, int):
        return number(2, 2 * of)
    return varint(3 << 3 | 1) + struct.pack("<d", of) if isinstance(of, float) else told(4, of.encode())


SECOND = 10 ** 9
FIELDS = {"measure.warmup.min_runs": 1, "measure.warmup.min_time": 0, "measure.warmup.max_time": 0,
          "measure.samples.min": 1, "measure.samples.max": 1, "measure.samples.min_time": 0,
          "measure.samples.max_time": SECOND, "measure.stop.noise": 0.0, "measure.stop.or_stable": False,
          "measure.alone_on": "host", "measure.metric": "throughput", "measure.discard.clock": 0.0,
          "measure.discard.share": 0.0, "measure.interference": 0.0, "verify.enabled": True,
          "verify.repeat": 2, "verify.asked": "grade", "verify.distrust": False,
          "timeout.setup": 60 * SECOND, "timeout.run": 60 * SECOND}


def rules(which, kind=VARIANT, text=""):
    """Short, and verified by what is named."""
    out = number(1, 1) + number(2, which)
    for path, content in FIELDS.items():
        out += told(4, told(1, path.encode()) + told(2, value(content)))
    return told(2, out + told(5, number(1, kind) + told(2, text.encode())))


PLAN = told(1, number(1, 1) + told(3, b"noop") + number(4, 42))
KEY = told(3, number(1, 1) + told(2, b"noop") + number(4, 1))


def job(index, by_rules):
    return told(4, number(1, 1) + number(2, index) + number(4, 1) + number(5, 1) + number(6, by_rules) +
                number(7, 1) + told(8, number(1, 1)) + number(9, index + 1))


class RulesAnew(ProcessTest):  # labels: waits
    def setUp(self):
        super().setUp()
        address = f"tcp://127.0.0.1:{free_port()}"
        self.worker = self.start("worker", "--connect", address, "--cores", "1", "--allow", "packs",
                                 "--spool", os.path.join(self.home, "spool"))
        self.peer = RawPeer.listening(address, LIMIT_S)
        self.addCleanup(self.peer.close)
        self.peer.heard_until(HELLO)
        self.peer.frame(message_of(1, WELCOME, number(1, 1) + told(2, b"1") + number(3, SECOND) +
                                   number(4, 600 * SECOND) + told(5, bytes(range(16)))))

    def outcome(self):
        """Of the next job that ends."""
        outcomes = dict(fields(self.peer.heard_until(OUTCOMES)[-1][OUTCOMES]))
        return dict(fields(outcomes[1]))[2]

    def was_run(self):
        return os.path.exists(os.path.join(self.folder, "was-run"))

    def test_a_job_that_was_taken_does_not_run_by_rules_that_allow_forbids(self):
        self.peer.frame(message_of(1, JOBS, PLAN + rules(0) + KEY + job(0, 0)))
        self.peer.frame(message_of(1, JOBS, rules(0, COMMAND, "touch was-run")))
        self.assertEqual(OK, self.outcome())
        self.assertFalse(self.was_run())

    def test_one_that_comes_with_such_rules_is_refused(self):
        self.peer.frame(message_of(1, JOBS, PLAN + rules(0, COMMAND, "touch was-run") + KEY + job(0, 0)))
        self.assertEqual(UNSUPPORTED, self.outcome())
        self.assertFalse(self.was_run())


if __name__ == "__main__":
    unittest.main()
