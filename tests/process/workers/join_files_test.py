"""The files by which a coordinator lets others in: what they hold, and when they are written."""
import os
import stat
import unittest

from keys_test import KeysTest
from sandbox import free_port


class JoinFiles(KeysTest):  # labels: waits
    def test_are_all_that_a_worker_needs(self):
        coordinator = self.guard()
        self.assertIn("kernsweep worker --join naps.join", coordinator.complained())
        self.expect_all_done(coordinator, self.join(), self.join())

    def test_are_their_owners_alone_and_say_where_and_who(self):
        os.umask(0)
        self.addCleanup(os.umask, 0o022)
        coordinator = self.guard("--stay")
        for name in ("naps.join", "naps.client.join", "naps.keys"):
            self.assertEqual(0o600, stat.S_IMODE(os.stat(self.path(name)).st_mode), name)
        worker, client, keys = (self.read(name) for name in ("naps.join", "naps.client.join", "naps.keys"))
        self.assertEqual(("worker", "client"), (worker["role"], client["role"]))
        self.assertRegex(worker["endpoints"][0], r"^tcp://127\.0\.0\.1:\d+$")
        self.assertEqual(worker["endpoints"], client["endpoints"])
        self.assertNotEqual(worker["secret"], client["secret"])
        self.assertEqual({worker["public"], client["public"]}, {key["public"] for key in keys["keys"]})
        self.assertNotIn(keys["secret"], (worker["coordinator"], worker["secret"], client["secret"]))
        self.stop(coordinator)

    def test_name_the_addresses_of_this_machine_or_those_that_are_advertised(self):
        coordinator = self.guard("--stay", listen="tcp://*:*")
        endpoints = self.read("naps.join")["endpoints"]
        self.assertTrue(endpoints)
        for endpoint in endpoints:
            self.assertRegex(endpoint, r"^tcp://[^*]+:\d+$")
        self.stop(coordinator)
        coordinator = self.guard("--stay", "--advertise", "tcp://gate.example:*",
                                 "--advertise", "tcp://[2001:db8::1]:443", "--again")
        port = coordinator.complained().split("listening on tcp://127.0.0.1:")[1].split()[0]
        self.assertEqual([f"tcp://gate.example:{port}", "tcp://[2001:db8::1]:443"],
                         self.read("naps.join")["endpoints"])
        self.stop(coordinator)

    def test_with_a_dead_address_first_lead_to_the_next(self):
        coordinator = self.guard()
        alive = self.read("naps.join")["endpoints"]
        self.replace("naps.join", endpoints=[f"tcp://127.0.0.1:{free_port()}", *alive])
        self.expect_all_done(coordinator, self.join())

    def test_that_cannot_be_used_are_refused_with_what_to_do(self):
        answer = self.call("worker", "--join", "none.join", status=2)
        self.assert_golden("none", answer.errors)
        self.write("naps.join", "not one")
        os.chmod(self.path("naps.join"), 0o644)  # holds no secret that others could have read
        answer = self.call("worker", "--join", "naps.join", status=2)
        self.assert_golden("not one", answer.errors)
        self.assertNotIn("secret", answer.errors)
        answer = self.call("coordinator", self.file, "--listen", "tcp://127.0.0.1:*", status=2)
        self.assert_golden("no key file", answer.errors)
        os.remove(self.path("naps.join"))
        coordinator = self.guard("--stay")
        answer = self.call("worker", "--join", "naps.client.join", status=2)
        self.assert_golden("of a client", answer.errors)
        os.chmod(self.path("naps.join"), 0o644)
        self.assert_golden("read by all", self.call("worker", "--join", "naps.join", status=2).errors)
        self.stop(coordinator)

    def test_are_needed_or_an_address(self):
        self.call("worker", status=2)
        self.call("worker", "--join", "a", "--connect", "tcp://127.0.0.1:1", status=2)


class Refused(KeysTest):
    """A coordinator that could not begin leaves the files of others as they are, and none of its own."""

    def refuse(self, *arguments):
        self.assert_golden(" ".join(arguments), self.call("coordinator", *arguments, status=2).errors)

    def test_because_another_has_the_database_leaves_that_ones_files_alone(self):
        first = self.start("coordinator", "--db", "all.db", "--listen", "tcp://127.0.0.1:*")
        self.until(lambda: "listening on" in first.complained(), "the address")
        names = ("all.keys", "all.join", "all.client.join")
        before = [self.read(name) for name in names]
        self.refuse("--db", "all.db", "--listen", "tcp://127.0.0.1:*")
        self.assertEqual(before, [self.read(name) for name in names])
        self.assert_golden("status", self.call("status", "--join", "all.client.join").out)
        self.stop(first)

    def test_by_its_database_or_its_metrics_leaves_no_file(self):
        self.write("text.db", "no database " * 1000)
        self.refuse("--db", "text.db", "--listen", "tcp://127.0.0.1:*")
        self.refuse("--db", "new.db", "--listen", "tcp://127.0.0.1:*", "--metrics", "nonsense")
        self.assertEqual(["naps.yaml", "text.db"], self.files())

    def test_by_the_folder_of_its_join_file_leaves_no_database(self):
        self.refuse(self.file, "--listen", "tcp://127.0.0.1:*", "--join", "no/x.join")
        self.assertEqual(["naps.yaml"], self.files())


if __name__ == "__main__":
    unittest.main()
