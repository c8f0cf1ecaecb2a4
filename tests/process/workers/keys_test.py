"""Which workers may join a coordinator, and what happens to others."""
import json
import os
import selectors
import signal
import socket
import stat
import threading
import unittest

from network_test import JOBS, NetworkTest
from sandbox import free_port


class Relay:
    """Carries one TCP connection after the other to a port, and keeps every byte."""

    def __init__(self, case, port):
        self.port = port
        self.seen = bytearray()
        self.listener = socket.create_server(("127.0.0.1", 0))
        case.addCleanup(self.listener.close)
        threading.Thread(target=self.serve, daemon=True).start()

    def address(self):
        return f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(near,), daemon=True).start()

    def carry(self, near):
        with near, socket.create_connection(("127.0.0.1", self.port)) as far, \
                selectors.DefaultSelector() as ready:
            ready.register(near, selectors.EVENT_READ, far)
            ready.register(far, selectors.EVENT_READ, near)
            while True:
                for key, _ in ready.select():
                    try:
                        piece = key.fileobj.recv(65536)
                        self.seen += piece
                        key.data.sendall(piece)
                    except OSError:
                        return
                    if not piece:
                        return


class KeysTest(NetworkTest):
    def guard(self, *arguments, listen="tcp://127.0.0.1:*", file=None):
        """A coordinator with keys, once its join files are there."""
        running = self.start("coordinator", file or self.file, "--listen", listen, *arguments)

        def listens():
            self.assertIsNone(running.child.poll(), running.complained())
            return "listening on" in running.complained()
        self.until(listens, "the address")
        return running

    def join(self, name="naps.join", *arguments):
        return self.start("worker", "--join", name, "--cores", "1", *arguments)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def replace(self, name, **members):
        """Changes members of a JSON file, in place: its mode stays."""
        content = {**self.read(name), **members}
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(content, file)

    def keys(self, *arguments, status=0):
        return self.call("keys", *arguments, status=status)

    def accepted(self):
        listed = self.keys("list", "--json").json()["keys"]
        return sorted(key["name"] for key in listed if key["accepted"])

    def stop(self, *running):
        for one in running:
            one.signal(signal.SIGINT)
            one.wait()


class Restarted(KeysTest):  # labels: waits sanitized
    def test_coordinator_keeps_its_key_so_that_workers_come_back_by_themselves(self):
        address = f"tcp://127.0.0.1:{free_port()}"
        first = self.guard(listen=address)
        written = [self.read(name) for name in ("naps.join", "naps.keys")]
        worker = self.join()
        self.until(lambda: self.count_of("naps.db") >= 3, "the first results")
        first.signal(signal.SIGKILL)
        first.wait()
        self.assertIsNone(worker.child.poll())
        second = self.guard(listen=address)
        self.assertEqual(written, [self.read(name) for name in ("naps.join", "naps.keys")])
        self.expect_all_done(second, worker)

    def test_elsewhere_it_is_found_by_who_watches(self):
        first = self.guard("--stay")
        watch = self.start("status", "--watch", "--json")
        self.until(lambda: "naps.db" in watch.said(), "an answer")
        first.signal(signal.SIGKILL)
        first.wait()
        self.until(lambda: "asking again" in watch.complained(), "that nobody answers")
        answers = watch.said().count("naps.db")
        second = self.guard("--stay")
        self.until(lambda: watch.said().count("naps.db") > answers + 1, "more answers")
        self.assertEqual(1, watch.complained().count("no coordinator answers"), watch.complained())
        self.stop(second)
        self.until(lambda: watch.complained().count("asking again") == 2, "that nobody answers any more")
        watch.signal(signal.SIGINT)
        self.assertEqual(0, watch.wait())
        self.assert_golden("nobody", self.call("status", "--watch", status=2).errors)

    def test_on_another_port_it_is_found_by_the_renewed_file(self):
        first = self.guard()
        worker = self.join()
        self.until(lambda: self.count_of("naps.db") >= 3, "the first results")
        first.signal(signal.SIGKILL)
        first.wait()
        self.expect_all_done(self.guard(), worker)


class Strangers(KeysTest):  # labels: waits
    def refused(self, coordinator, words):
        self.until(lambda: words in coordinator.complained(), words)

    def lines_of_refusals(self, coordinator):
        return [line for line in coordinator.complained().splitlines()
                if "refused" in line or "dropped" in line]

    def test_with_an_unknown_key_get_nothing_but_a_counted_line(self):
        coordinator = self.guard()
        self.write("elsewhere.yaml", "sweep: 1\nname: elsewhere\nkernel: noop\naxes: {i: [1]}\n")
        other = self.guard("--stay", file="elsewhere.yaml")
        stranger = self.read("elsewhere.join")
        self.stop(other)
        self.replace("elsewhere.join", coordinator=self.read("naps.join")["coordinator"],
                     endpoints=self.read("naps.join")["endpoints"])
        self.assertNotEqual(stranger["coordinator"], self.read("elsewhere.join")["coordinator"])
        answer = self.call("worker", "--join", "elsewhere.join", "--wait", "2", status=1)
        self.assert_golden("no answer", answer.errors)
        self.refused(coordinator, "refused 1 connection with an unknown or revoked key")
        self.assertEqual(1, len(self.lines_of_refusals(coordinator)), coordinator.complained())
        self.assertNotIn("joined", coordinator.complained())
        self.expect_all_done(coordinator, self.join())

    def test_without_a_key_get_nothing_but_a_counted_line(self):
        coordinator = self.guard()
        address = self.read("naps.join")["endpoints"][0]
        self.call("worker", "--connect", address, "--wait", "2", status=1)
        self.refused(coordinator, "dropped 1 connection without this coordinator's key")
        self.assertEqual(1, len(self.lines_of_refusals(coordinator)), coordinator.complained())
        self.expect_all_done(coordinator, self.join())

    def test_who_send_garbage_disturb_nobody(self):
        coordinator = self.guard()
        worker = self.join()
        port = int(self.read("naps.join")["endpoints"][0].rpartition(":")[2])
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01CURVE".ljust(55, b"\0")
        hello = b"\x04\xc8\x05HELLO\x01\x00" + bytes(range(192))
        for rubbish in (b"", b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 64, b"\xff" * 100000, greeting,
                        greeting + hello, greeting + b"\x06" + b"\x7f" * 8 + b"x" * 4096):
            with socket.create_connection(("127.0.0.1", port)) as one:
                try:
                    one.sendall(rubbish)
                except OSError:  # it may hang up at once
                    pass
        open_one = socket.create_connection(("127.0.0.1", port))
        self.addCleanup(open_one.close)
        self.expect_all_done(coordinator, worker)
        self.assertEqual(1, len(self.lines_of_refusals(coordinator)), coordinator.complained())


class WrongRoles(KeysTest):  # labels: waits
    """Join files whose role was changed by hand."""

    def expect_counted(self, coordinator):
        self.until(lambda: " that the role of its key does not allow" in coordinator.complained(),
                   "the line")

    def test_a_workers_key_asks_for_nothing_and_is_told_so(self):
        coordinator = self.guard("--stay")
        self.replace("naps.join", role="client")
        for command in (("status",), ("submit", "naps.yaml"), ("drain", "1"), ("cancel", "naps")):
            answer = self.call(*command, "--join", "naps.join", status=2)
            self.assert_golden(" ".join(command), answer.errors)
        self.expect_counted(coordinator)
        self.stop(coordinator)

    def test_a_clients_key_works_for_nobody_and_is_told_so_once(self):
        coordinator = self.guard("--stay")
        self.replace("naps.client.join", role="worker")
        answer = self.call("worker", "--join", "naps.client.join", "--wait", "10", status=1)
        self.assertEqual(1, answer.errors.count("the role of its key does not allow it"), answer.errors)
        self.assertNotIn("keeps looking", answer.errors, "somebody has answered")
        self.expect_counted(coordinator)
        self.assertNotIn("joined", coordinator.complained())
        self.assertEqual([], self.rows("naps.db", "select * from event where what <> 'submitted'"))
        self.stop(coordinator)


class Wire(KeysTest):  # labels: waits smoke
    def test_shows_nothing_that_can_be_read(self):
        coordinator = self.guard()
        address = self.read("naps.join")["endpoints"][0]
        relay = Relay(self, int(address.rpartition(":")[2]))
        self.replace("naps.join", endpoints=[relay.address()])
        self.expect_all_done(coordinator, self.join())
        self.assertGreater(len(relay.seen), 1000)
        for word in (b"CURVE", b"sleep", b"seconds", b"kernsweep"):
            self.assertEqual(word == b"CURVE", word in relay.seen, word)

    # The other test looks for what is there when it can be read.
    def test_shows_it_without_encryption(self):
        coordinator, address = self.coordinate()
        relay = Relay(self, int(address.rpartition(":")[2]))
        self.expect_all_done(coordinator, self.work(relay.address()))
        for word in (b"NULL", b"sleep", b"seconds", b"kernsweep"):
            self.assertIn(word, relay.seen)


class Changes(KeysTest):  # labels: waits
    def test_a_key_that_is_added_is_good_at_once_and_not_after_it_is_revoked(self):
        coordinator = self.guard("--stay")
        added = self.keys("add", "node-7")
        self.assertIn("naps.node-7.join", added.out)
        self.assertEqual(0o600, stat.S_IMODE(os.stat(self.path("naps.node-7.join")).st_mode))
        self.assertEqual(["client", "node-7", "worker"], self.accepted())
        worker = self.join("naps.node-7.join")
        self.joined(coordinator, 1)
        self.keys("revoke", "node-7")
        self.assertEqual(1, worker.wait())
        self.assert_golden("revoked", worker.complained().split("\n")[-2])
        self.call("worker", "--join", "naps.node-7.join", "--wait", "2", status=1)
        line = "refused 1 connection with an unknown or revoked key"
        self.until(lambda: line in coordinator.complained(), line)
        other = self.join()
        self.until(lambda: self.count_of("naps.db") == JOBS, "all results")
        self.stop(coordinator)
        other.wait()
        self.expect_each_job_once("naps.db", JOBS)
        self.expect_nobody_left()

    def test_a_worker_takes_its_rotated_key_from_the_file_while_it_runs(self):
        coordinator = self.guard("--stay")
        worker = self.join()
        self.joined(coordinator, 1)
        before = self.read("naps.join")
        self.keys("rotate", "worker", "--overlap", "0")
        self.assertNotEqual(before["secret"], self.read("naps.join")["secret"])
        self.until(lambda: self.count_of("naps.db") == JOBS, "all results")
        self.assertIsNone(worker.child.poll())
        self.stop(coordinator)
        self.assertEqual(0, worker.wait())

    def test_the_coordinators_own_key_is_rotated_without_an_end_of_anything(self):
        for overlap in ("0", "1h"):
            with self.subTest(overlap=overlap):
                coordinator = self.guard("--stay", "--again")
                worker = self.join()
                self.until(lambda: " joined" in coordinator.complained(), "the worker")
                before = self.read("naps.join")
                self.keys("rotate", "--overlap", overlap)
                self.until(lambda: self.read("naps.join")["coordinator"] != before["coordinator"], "the key")
                late = self.join()
                # Without an overlap the first one has lost its connection, and comes back with the new key.
                joins = 3 if overlap == "0" else 2
                self.until(lambda: coordinator.complained().count(" joined") >= joins, f"{joins} joins")
                self.assertIsNone(worker.child.poll())
                self.stop(coordinator)
                self.assertEqual([0, 0], [worker.wait(), late.wait()])

    def test_what_makes_no_sense_is_refused(self):
        self.assert_golden("no file", self.keys("list", status=2).errors)
        coordinator = self.guard("--stay")
        self.assert_golden("add worker", self.keys("add", "worker", status=2).errors)
        self.assert_golden("add ../x", self.keys("add", "../x", status=2).errors)
        self.assert_golden("revoke nobody", self.keys("revoke", "nobody", status=2).errors)
        self.assert_golden("overlap soon", self.keys("rotate", "--overlap", "soon", status=2).errors)
        self.keys("add", "x", "--role", "king", status=2)
        wrong = self.keys("list", "--keys", "naps.join", status=2).errors
        self.assert_golden("list of a join file", wrong)
        self.assertNotIn("copy", wrong)
        self.assertEqual(["client", "worker"], self.accepted())
        self.assertNotIn(self.read("naps.keys")["secret"], self.keys("list").out)
        self.stop(coordinator)


class Insecure(KeysTest):  # labels: waits
    def test_is_for_this_machine_unless_it_is_said_twice(self):
        for everywhere in ("tcp://0.0.0.0:*", "tcp://*:*", "tcp://[::]:*"):
            answer = self.call("coordinator", self.file, "--listen", everywhere, "--insecure", status=2)
            self.assert_golden(everywhere, answer.errors)
            self.assertEqual(["naps.yaml"], self.files())
        answer = self.call("coordinator", self.file, "--listen", "tcp://127.0.0.1:*", "--insecure=maybe",
                           status=2)
        self.assert_golden("maybe", answer.errors)
        coordinator = self.start("coordinator", self.file, "--listen", "tcp://*:*", "--stay",
                                 "--insecure=yes-on-a-network")
        self.until(lambda: "listening on" in coordinator.complained(), "the address")
        self.assertRegex(coordinator.complained(), r"kernsweep worker --connect tcp://HOST:\d+\n")
        self.assertEqual([], [name for name in self.files() if "join" in name or "keys" in name])
        self.stop(coordinator)


if __name__ == "__main__":
    unittest.main()
