"""An authorised peer with invalid messages: they are dropped and counted, and it is notified once."""
import unittest

from observing_test import MetricsTest
from raw_peer import (ANSWER, DROP_NOTICE, HEARTBEAT, HELLO, MORE, REJOIN, REQUEST, RawPeer, fields,
                      message_of)
from sandbox import LIMIT_S, sweep_text

LIMIT_BYTES = 256 << 20
END_BYTES = 320 << 20
ASK_STATUS = b"\x1a\x00"  # a request that the coordinator answers, last: all before it was read


class BadPeers(MetricsTest):  # labels: waits sanitized
    def setUp(self):
        super().setUp()
        self.coordinator, self.address, self.url = self.observed()

    def peer(self):
        peer = RawPeer(self.address, LIMIT_S)
        self.addCleanup(peer.close)
        return peer

    def told(self, peer):
        """The notices that it got for its messages so far, by field."""
        peer.frame(message_of(0, REQUEST, ASK_STATUS))
        told = peer.heard_until(ANSWER)
        self.assertIn(ANSWER, told[-1] if told else (), "it has hung up")
        return told[:-1]

    def expect_counted(self, why, number, line):
        self.until_value(self.url, number, "kernsweep_refused_total", why=why)
        lines = [told for told in self.coordinator.complained().splitlines() if line in told]
        self.assertEqual(1, len(lines), self.coordinator.complained())

    def expect_fine(self):
        """Everything continues, and the core has seen none of it."""
        self.assertEqual([], self.rows("all.db", "select * from event"))
        self.write("a.yaml", sweep_text("a", "noop", "{i: {range: [1, 5]}}"))
        self.ask(self.address, "submit", "a.yaml")
        worker = self.work(self.address)
        self.until_value(self.url, 5, "kernsweep_attempts_total", outcome="ok")
        self.stop(self.coordinator, worker)

    def test_with_garbage_are_told_once(self):
        peer = self.peer()
        for rubbish in (b"\xff" * 9, message_of(1, HELLO, b"garbage\xff")[:-3], b"\x0a\xff\xff\xff\x7f"):
            peer.frame(rubbish)
        told = self.told(peer)
        self.assertEqual([{DROP_NOTICE}], [set(message) for message in told])
        self.assert_golden("unreadable", dict(fields(told[0][DROP_NOTICE]))[1])
        peer.frame(b"\xff")
        self.assertEqual([], self.told(peer))
        self.assertEqual(1, len(self.told_of_garbage(self.peer())), "another connection")
        self.expect_counted("unreadable", 5, "that cannot be read")
        self.expect_fine()

    def told_of_garbage(self, peer):
        peer.frame(b"\xff")
        return self.told(peer)

    def test_with_messages_of_several_frames_are_told_once(self):
        peer = self.peer()
        for _ in range(3):
            peer.frame(message_of(1, HEARTBEAT), MORE)
            peer.frame(message_of(1, HEARTBEAT))
        self.assertEqual([{DROP_NOTICE}], [set(message) for message in self.told(peer)])
        self.expect_counted("unreadable", 3, "that cannot be read")
        self.expect_fine()

    def test_with_messages_above_the_limit_are_told_once_and_beyond_it_cut_off(self):
        peer = self.peer()
        peer.zeros(LIMIT_BYTES)  # may be: it is read, and is no message
        for _ in range(2):
            peer.zeros(LIMIT_BYTES + 1)
        told = self.told(peer)
        self.assertEqual([{DROP_NOTICE}] * 2, [set(message) for message in told])
        self.assert_golden("unreadable", dict(fields(told[0][DROP_NOTICE]))[1])
        self.assert_golden("too large", dict(fields(told[1][DROP_NOTICE]))[1])
        peer.link.sendall(b"\x02" + (END_BYTES + 1).to_bytes(8, "big"))
        self.assertIsNone(peer.heard())
        self.expect_counted("unreadable", 1, "that cannot be read")
        self.expect_counted("too_large", 2, "above 256 MiB")
        self.expect_fine()

    def test_with_sessions_that_are_not_theirs_are_told_once_to_join(self):
        peer = self.peer()
        for epoch in (0, 1, 2, 7, 2**32 - 1):
            for what in (HEARTBEAT, 4, 5, 6, 8):  # outcomes, returned, goodbye, draining
                peer.frame(message_of(epoch, what))
        self.assertEqual([{1, REJOIN}, ], [{1} | set(message) for message in self.told(peer)])
        self.expect_counted("wrong_session", 25, "of a session that is over, or another's")
        self.expect_fine()

    def test_that_go_on_are_told_again_when_the_answer_may_have_been_lost(self):
        peer = self.peer()

        def told_again():
            peer.frame(message_of(3, HEARTBEAT))
            told.extend(self.told(peer))
            return len(told) >= 2
        told = []
        self.until(told_again, "to be told again")
        self.assertEqual([{1: 3, REJOIN: b""}] * 2, told)

    def test_do_not_speak_for_the_session_of_another(self):
        worker = self.work(self.address)
        self.until_value(self.url, 1, "kernsweep_workers", state="idle")
        forger = self.peer()
        forger.frame(message_of(1, 6))  # its goodbye
        forger.frame(message_of(1, 8))
        self.assertEqual([{1: 1, REJOIN: b""}], self.told(forger))
        self.expect_counted("wrong_session", 2, "of a session that is over, or another's")
        self.assertEqual(["joined"], self.events("all.db"))
        self.stop(self.coordinator, worker)


if __name__ == "__main__":
    unittest.main()
