"""What a coordinator says last, to workers that it had lost too: which sweeps are over."""
import signal
import unittest

from network_test import JOBS, NetworkTest
from raw_peer import GOODBYE, HELLO, PROTOCOL_MINOR, WELCOME, RawPeer, fields, message_of, told
from sandbox import LIMIT_S

PROTOCOL = bytes([1 << 3, 1, 2 << 3, PROTOCOL_MINOR])
OVER, DATABASE = 3, 4


class Goodbyes(NetworkTest):  # labels: waits
    def silent(self, address):
        """A worker that joins and then sends nothing, and the database from its welcome."""
        peer = RawPeer(address, LIMIT_S)
        self.addCleanup(peer.close)
        hello = PROTOCOL + told(4, b"0123456789abcdef") + told(6, told(3, b"silent"))
        peer.frame(message_of(0, HELLO, hello))
        return peer, dict(fields(peer.heard_until(WELCOME)[-1][WELCOME]))[5]

    def last_words(self, peer):
        return dict(fields(peer.heard_until(GOODBYE)[-1][GOODBYE]))

    def test_name_a_sweep_of_which_every_job_has_its_row(self):
        coordinator, address = self.coordinate()
        peer, database = self.silent(address)
        worker = self.work(address)
        words = self.last_words(peer)
        peer.close()
        self.assertEqual((bytes([1]), database), (words.get(OVER), words.get(DATABASE)))
        self.assertEqual([0, 0], [coordinator.wait(), worker.wait()])
        self.expect_each_job_once("naps.db", JOBS)

    def test_name_no_sweep_that_somebody_may_go_on_with(self):
        coordinator, address = self.coordinate()
        peer, _ = self.silent(address)
        self.joined(coordinator, 1)
        coordinator.signal(signal.SIGINT)
        self.assertNotIn(OVER, self.last_words(peer))
        peer.close()
        self.assertEqual(3, coordinator.wait(), coordinator.complained())


if __name__ == "__main__":
    unittest.main()
