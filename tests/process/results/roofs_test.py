"""`kernsweep roofs`: measured, stored like any result, compared with results. The numbers are not checked
here."""
import os
import sqlite3

from sandbox import ProcessTest, read_bytes, sweep_text

GEMM = sweep_text("little", "gemm", "{variant: [naive, blocked], dtype: [f32, f16], m: 32, n: 32, k: 32, "
                  "threads: 1}", "constraints: ['variant == \"naive\" or dtype == \"f32\"']")
STREAM = sweep_text("copy", "stream", "{variant: loop, op: copy, n: 1000, threads: 1}")


class Roofs(ProcessTest):
    def test_roofs_are_measured_once_and_results_have_their_share_of_them(self):
        told = self.call("roofs", "--quick", "--threads", "1", "--db", "r.db", "--json").json()
        by_roof = {row["roof"]: row for row in told}
        # Every processor multiplies f64 and f32, and has a memory; the rest depends on it.
        self.assertLessEqual({"f64", "f32", "memory"}, set(by_roof))
        self.assertTrue(all(row["rate"] > 0 and row["threads"] == 1 for row in told))
        self.assertEqual(("GFLOP/s", None), (by_roof["f32"]["unit"], by_roof["f32"]["bytes"]))
        self.assertEqual("GB/s", by_roof["memory"]["unit"])
        # A result that is there is not measured again; the table says what is stored.
        before = self.count_of("r.db", "attempt")
        again = self.call("roofs", "--quick", "--threads", "1", "--db", "r.db")
        self.assertEqual(before, self.count_of("r.db", "attempt"))
        self.assertRegex(again.out, r"(?m)^ *1 +f32 +\S+ +GFLOP/s +(avx512|avx2|plain)")
        # The same database takes other sweeps, and shows their share.
        self.call("run", self.write("little.yaml", GEMM), "--db", "r.db", "-q")
        shares = {row["dtype"]: row for row in self.call("roofs", "--db", "r.db", "--of", "little",
                                                         "--json").json()["rows"]}
        self.assertGreater(shares["f32"]["share"], 0)
        self.assertIn(shares["f32"]["bound"], ("compute", "memory", "overhead"))
        self.assertIsNone(shares["f16"]["share"])
        drawn = self.call("roofs", "--db", "r.db", "--of", "little", "--plot").out
        self.assertLess(drawn.index("operations per byte"), drawn.index("memory bandwidth"))
        self.call("roofs", "--db", "r.db", "--of", "little", "-o", "roofline.svg")
        written = self.call("report", "r.db", "--sweep", "little", "--svg", "charts").out.splitlines()
        names = [line.split(":")[0] for line in written]
        self.assertEqual(["charts/best.svg", "charts/heat.svg", "charts/roofline.svg", "charts/samples.svg"],
                         names)
        same = [read_bytes(os.path.join(self.folder, name))
                for name in ("roofline.svg", "charts/roofline.svg")]
        self.assertEqual(same[0], same[1])
        self.assert_golden("why", shares["f16"]["why"])
        result = str(shares["f32"]["result"])
        self.assertRegex(self.call("show", "r.db", result).out, r"(?m)^roof +\S+ % of the ")
        shown = self.call("show", "r.db", result, "--json").json()["roof"]
        self.assertAlmostEqual(shares["f32"]["share"], shown["share"], delta=shares["f32"]["share"] / 2)
        # Roofs may also come from another database, and a copy needs no data type.
        self.call("run", self.write("copy.yaml", STREAM), "-q")
        copied = self.call("roofs", "--db", "copy.db", "--of", "copy", "--roofs", "r.db", "--json").json()
        self.assertIn("bandwidth", copied["rows"][0]["roof"])
        # Without any, those of this host are measured first, into the same database.
        answer = self.call("roofs", "--db", "copy.db", "--of", "copy", "--quick", "--threads", "1",
                           "--only", 'label == "memory" and variant == "stream"', "--json")
        self.assert_golden("measured first", answer.errors.split("\n")[0])
        self.assertIn("bandwidth", answer.json()["rows"][0]["roof"])
        # Another host's are not made up here.
        with sqlite3.connect(os.path.join(self.folder, "little.db")) as connection:
            self.call("run", "little.yaml", "-q", "--db", "little.db")
            connection.execute("update host set fingerprint = zeroblob(16)")
        connection.close()
        without = self.call("roofs", "--db", "little.db", "--of", "little", "--plot")
        self.assert_golden("nothing to draw", without.out.splitlines()[-1] + "\n")
        self.assertIn("kernsweep roofs --db little.db --threads 1", without.out)
        self.expect_nobody_left()

    def test_the_sweep_is_printed_as_a_file_that_can_be_checked_and_run(self):
        said = self.call("roofs", "--print-sweep", "--quick", "-a", "op=[copy]", status=2).errors
        self.assert_golden("printed alone", said)
        text = self.call("roofs", "--print-sweep", "--threads", "1").out
        self.write("roofs.yaml", text)
        self.assertRegex(self.call("check", "roofs.yaml").out, r"(?m)^jobs ")
        self.call("run", "roofs.yaml", "-q", "--quick", "--only",
                  'variant == "plain" and dtype == "f32"', status=0)
        self.assertEqual(1, self.count_of("roofs.db"))

    def test_those_of_a_gpu_are_a_sweep_of_their_own(self):
        self.assertIn("device: [gpu]", self.call("roofs", "--gpu", "--print-sweep").out)
        answer = self.call("roofs", "--gpu", "--threads", "1", status=2)
        self.assert_golden("with threads", answer.errors)
        if not os.path.exists("/dev/nvidiactl"):
            answer = self.call("roofs", "--gpu", status=2)
            self.assert_golden("no GPU", answer.errors)
            self.assertEqual([], [name for name in self.files() if name.endswith(".db")])

    def test_what_cannot_be_measured_is_refused_before_anything_is_written(self):
        answer = self.call("roofs", "--threads", "100000", status=2)
        self.assertRegex(answer.errors, r"--threads 100000: this process may use \d+ cores?")
        self.assertEqual([], [name for name in self.files() if name.endswith(".db")])
