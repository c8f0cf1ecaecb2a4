"""How soon a lost worker's job is with another one: python3 tests/netns/recovery.py [TRIALS].

Three hosts: the coordinator, a worker with the only job, and an idle one. In each trial the first worker is
killed, or its cable cut. What is timed ends when the coordinator sends the job to the other, as the database
has it. Prints medians; needs root, `ip` and /dev/net/tun. Not a test: times on a busy machine say little.
"""
import os
import signal
import statistics
import sys
import time
import unittest

from lan import Lan, LanTest, naps_text, what_is_missing

TRIALS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
KINDS = {"killed": (0.1, lambda lan, worker: worker.signal(signal.SIGKILL)),
         "cut off": (3.0, lambda lan, worker: lan.cut("two"))}


class Recovery(LanTest):
    def trial(self, lose):
        """Seconds from the loss until the job is sent again."""
        self.write("naps.yaml", naps_text(1, 0.2))
        lan = Lan(self, 3)
        coordinator = self.coordinate(lan)
        first = self.work(lan, "two")
        self.busy(first)
        second = self.work(lan, "three")
        self.joined(coordinator, 2)
        at = time.time()
        lose(lan, first)
        self.assertEqual([0, 0], [one.wait() for one in (coordinator, second)], self.told(coordinator))
        rows = self.attempts()
        self.assertEqual(["worker_lost", "ok"], [row["status"] for row in rows])
        self.killed(*[one for one in (first,) if one.child.poll() is None])
        first.wait()
        lan.close()
        for name in self.files():
            os.remove(os.path.join(self.folder, name))
        return rows[1]["sent_unix_s"] - at

    def test(self):
        for what, (goal, lose) in KINDS.items():
            times = sorted(self.trial(lose) for _ in range(TRIALS))
            median, least, most = (1000 * time for time in (statistics.median(times), times[0], times[-1]))
            print(f"worker {what}: its job is sent to another after {median:.1f} ms (median of {TRIALS}; "
                  f"{least:.1f} to {most:.1f}; goal {goal * 1000:.0f})", flush=True)


if __name__ == "__main__":
    if what_is_missing():
        sys.exit(f"cannot be measured here: {what_is_missing()}")
    unittest.main(argv=sys.argv[:1])
