"""Unauthorised peers from another host: no answer, one counted line, and no disturbance of others."""
import json
import os

from lan import PORT, Lan, LanTest, main, naps_text

JOBS = 12
# What libzmq sends to every peer that connects, before it has identified it: its name and version.
GREETING_BYTES = 64
# What CURVE sends, encrypted, to a peer with the coordinator's public key: the key of this connection.
WELCOME_BYTES = 170


class StrangersTest(LanTest):
    def setUp(self):
        super().setUp()
        self.write("naps.yaml", naps_text(JOBS, 0.03))
        self.lan = Lan(self, 3)
        self.coordinator = self.coordinate(self.lan, "--stay")

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return json.load(file)

    def forged(self, name, **members):
        """The worker's join file with other members."""
        text = json.dumps({**self.read("naps.join"), **members})
        with open(os.open(os.path.join(self.folder, name), os.O_CREAT | os.O_WRONLY, 0o600), "w",
                  encoding="utf-8") as file:
            file.write(text)
        return name

    def refused(self, words):
        self.until(lambda: words in self.coordinator.complained(), words)
        lines = [line for line in self.coordinator.complained().splitlines()
                 if "refused" in line or "dropped" in line]
        self.assertEqual(1, len(lines), lines)
        self.assertNotIn("joined", self.coordinator.complained())

    def expect_told_at_most(self, most):
        """Bytes for each connection from host three, without TCP's own; twice as many where a busy machine
        has made TCP repeat them."""
        connections = self.lan.counts("three", "one", "connects")
        self.assertGreater(connections, 0)
        self.assertLessEqual(self.lan.counts("one", "three", "payload_bytes"), 2 * most * connections)

    def expect_work_goes_on(self):
        worker = self.work(self.lan, "two")
        self.stored(JOBS)
        self.coordinator.signal(2)
        self.expect_whole(JOBS, self.coordinator, worker)
        self.assertEqual([], self.rows("naps.db", "select id from event where what = 'joined' and "
                                       "session > 1"))


class Strangers(StrangersTest):  # labels: waits
    def test_with_a_key_of_their_own_get_no_answer(self):
        other = self.coordinate(self.lan, "--stay", "--join", "other.join", "--db", "other.db",
                                listen=["tcp://127.0.0.1:*"], host="three")
        stranger = self.read("other.join")
        self.killed(other)
        name = self.forged("stranger.join", public=stranger["public"], secret=stranger["secret"])
        self.lan.call("three", "worker", "--join", name, "--wait", "2", status=1)
        self.refused("refused 1 connection with an unknown or revoked key")
        self.expect_told_at_most(GREETING_BYTES + WELCOME_BYTES)
        self.expect_work_goes_on()

    def test_without_a_key_learn_the_name_of_the_protocol_at_most(self):
        self.lan.call("three", "worker", "--connect", f"tcp://{self.lan.address('one')}:{PORT}",
                      "--wait", "2", status=1)
        self.refused("dropped 1 connection without this coordinator's key")
        self.expect_told_at_most(GREETING_BYTES)
        self.expect_work_goes_on()

    def test_with_the_key_of_another_coordinator_get_the_same(self):
        other = self.coordinate(self.lan, "--stay", "--join", "other.join", "--db", "other.db",
                                listen=["tcp://127.0.0.1:*"], host="three")
        key = self.read("other.join")["coordinator"]
        self.killed(other)
        self.lan.call("three", "worker", "--join", self.forged("lost.join", coordinator=key),
                      "--wait", "2", status=1)
        self.refused("dropped 1 connection without this coordinator's key")
        self.expect_told_at_most(GREETING_BYTES)
        self.expect_work_goes_on()


class Roles(StrangersTest):  # labels: waits
    def test_of_workers_do_not_include_to_ask_or_to_order(self):
        name = self.forged("king.client.join", role="client")
        asking = [self.lan.start("three", *words, "--join", name)
                  for words in (["status"], ["cancel", "1"], ["drain", "1"])]
        for one in asking:
            self.assertEqual(2, one.wait(), one.complained())
        self.refused("that the role of its key does not allow")
        self.expect_work_goes_on()

    def test_of_clients_do_not_include_to_measure(self):
        client = self.read("naps.client.join")
        name = self.forged("eager.join", public=client["public"], secret=client["secret"])
        self.lan.call("three", "worker", "--join", name, "--cores", "1", "--wait", "2", status=1)
        self.refused("that the role of its key does not allow")
        self.expect_work_goes_on()


if __name__ == "__main__":
    main()
