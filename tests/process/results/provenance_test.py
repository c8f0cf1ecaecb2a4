"""Where results come from: the rows of host, software and input, and the order of the attempts."""
import os
import unittest

from sandbox import ProcessTest, sweep_text


class Provenance(ProcessTest):  # labels: smoke
    def test_rows_tell_host_software_inputs_and_order(self):
        self.write("s.yaml", sweep_text("s", "gemm",
                                        "{variant: [naive], m: [8, 16], n: 8, k: 8, dtype: f32}"))
        self.call("run", "s.yaml")
        hosts = self.rows("s.db", "select * from host")
        self.assertEqual(1, len(hosts))
        host = hosts[0]
        self.assertEqual(len(os.sched_getaffinity(0)), host["threads"])
        self.assertIn("cpu.isa = " + host["isa"] + "\n", host["fingerprint_text"])
        self.assertNotIn("\n" + host["name"] + "\n", host["fingerprint_text"])

        software, = self.rows("s.db", "select * from software")
        self.assertEqual("gemm", software["pack"])
        for column in ("version", "git", "compiler", "flags", "pack_build_id"):
            self.assertNotEqual("", software[column], column)
        libraries = {os.path.basename(cells[0]): cells for cells in
                     (line.split("\t") for line in software["libraries"].splitlines())}
        self.assertTrue(all(len(cells) == 6 for cells in libraries.values()))
        self.assertIn("gemm.so", libraries)
        self.assertEqual(software["pack_build_id"], libraries["gemm.so"][5])
        for path, _, _, size, content, _ in libraries.values():
            self.assertEqual(os.path.realpath(path), path)
            self.assertEqual(os.path.getsize(path), int(size))
            self.assertEqual(32, len(content))

        attempts = self.rows("s.db", "select order_index, a.software_id, lease_wait_s, thread_environment "
                             "from attempt a join result using (result) order by order_index")
        self.assertEqual([1, 2], [row["order_index"] for row in attempts])
        for row in attempts:
            self.assertEqual(software["id"], row["software_id"])
            self.assertIn("OMP_NUM_THREADS=1", row["thread_environment"].splitlines())
        for row in self.rows("s.db", "select * from input"):
            self.assertTrue(row["generator"].startswith("philox"), row["generator"])
            self.assertTrue(row["source"].endswith(f"seed {row['seed']}"), row["source"])

    def test_difference_of_two_results_is_what_was_changed(self):
        self.write("s.yaml", sweep_text("s", "noop", "{i: [1, 2], env.OMP_DYNAMIC: ['true']}"))
        self.call("run", "s.yaml")
        said = self.call("show", "s.db", "1", "--diff", "2").out
        changes = [line.split() for line in said.splitlines()[1:]]
        self.assertIn("i", [cells[1] for cells in changes if cells[0] == "point"])
        self.assertEqual(set(), {cells[0] for cells in changes} - {"point", "process"}, said)
        self.assert_golden("no difference", self.call("show", "s.db", "1", "--diff", "1").out)


if __name__ == "__main__":
    unittest.main()
