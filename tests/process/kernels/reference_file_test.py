"""`verify.reference: {file: ...}`: files of the points that are there, or not, on this host or another."""
import os
import unittest

from reference_test import ReferenceTest
from sandbox import free_port


class OfAFile(ReferenceTest):  # labels: sanitized smoke
    def test_by_a_file_that_each_point_names(self):
        self.write("two.txt", "2\n")
        self.write("three.txt", "4\n")
        os.mkdir(os.path.join(self.folder, "four.txt"))  # a file that the slot finds it cannot read
        rows = self.run_sweep("command: echo {n}", "{all: [{n: 2, name: two}, {n: 3, name: three}, "
                              "{n: 4, name: four}]}", "{reference: {file: '{name}.txt'}}")
        self.assertEqual(["ok", "wrong_result", "failed_setup"], [row["status"] for row in rows])
        self.assertEqual("file two.txt", rows[0]["verified_by"])
        self.assert_golden("no such file", rows[2]["reason"])

    def test_a_file_that_is_not_there_is_told_before_anything_runs(self):
        self.write("two.txt", "2\n")
        self.assert_golden("not there", self.refused("command: echo {n}", "{n: [2], name: [two, three]}",
                                                     "{reference: {file: '{name}.txt'}}"))
        # A rejected point needs none.
        self.write("s.yaml", "sweep: 1\nname: s\ncommand: echo {n}\naxes: {n: [2], name: [two, three]}\n"
                   "constraints: [name == 'two']\nverify: {reference: {file: '{name}.txt'}}\n")
        self.call("check", "s.yaml")

    def test_a_file_that_is_not_on_a_host_costs_its_point_a_row(self):
        self.sweep("s", "command: echo 2", "{n: [2]}", "{reference: {file: two.txt}}")
        address = f"tcp://127.0.0.1:{free_port()}"
        coordinator = self.start("coordinator", "s.yaml", "--listen", address, "--insecure")
        worker = self.start("worker", "--connect", address, "--cores", "1")
        self.assertEqual((1, 0), (coordinator.wait(), worker.wait()), coordinator.complained())
        row = self.rows("s.db", "select status, reason from results")[0]
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("not on the host", row["reason"])


if __name__ == "__main__":
    unittest.main()
