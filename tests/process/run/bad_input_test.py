"""An error of the input is reported in one or two lines: file, line, remedy; nothing is written."""
import os
import unittest

from sandbox import BUILD, ProcessTest, lines_with, sweep_text


def noop(axes, *more, **measure):
    return sweep_text("x", "noop", axes, *more, **measure)


def gemm(axes):
    return sweep_text("x", "gemm", axes)


# name: (line that the message names, None: no line is to blame; words in it; file)
FILES = {
    "unknown key": (6, ["axis", "axes"], noop("{a: [1]}", "axis: {b: [1]}")),
    "unknown key below": (5, ["proceses", "processes"], noop("{a: 1}",
                                                                   measure="measure: {proceses: 3}")),
    "duplicate key": (5, ["name"], "sweep: 1\nname: x\nkernel: noop\naxes: {a: [1]}\nname: y\n"),
    "duplicate axis": (6, ["a"], "sweep: 1\nname: x\nkernel: noop\naxes:\n  a: [1]\n  a: [2]\n"),
    "wrong kind": (5, ["measure.processes"], noop("{a: 1}",
                                                        measure="measure: {processes: many}")),
    "a list for a mapping": (4, ["axes"], "sweep: 1\nname: x\nkernel: noop\naxes: [1, 2]\n"),
    "empty axis": (4, ["a"], noop("{a: []}")),
    "unequal zip": (6, ["2", "3"], noop("{a: [1, 2], b: [1, 2, 3]}", "zip: {ab: [a, b]}")),
    "circular derive": (6, ["c", "d"], noop("{a: 1}", "derive: {c: d + a, d: c + a}")),
    "circular when": (4, ["a", "b"], noop(
        "{a: {values: [1], when: b == 1}, b: {values: [1], when: a == 1}}")),
    "overflow": (6, ["64 bits"], noop("{a: [9223372036854775807]}", "derive: {b: a + 1}")),
    "division by zero": (6, ["zero"], noop("{a: [1, 2]}", "derive: {b: a // 0}")),
    "an expression that does not parse": (6, ["a >"], noop("{a: [1]}", "constraints: ['a >']")),
    "an unknown name": (6, ["threds", "threads"], noop("{threads: [1]}",
                                                             "constraints: ['threds > 1']")),
    "too large a space": (None, ["points", str(10**27), str(2**62)], noop("{" + ", ".join(
        f"a{i}: {{range: [1, 1000000000]}}" for i in range(3)) + "}")),
    "a missing table": (4, ["nowhere.csv"], noop("{a: {table: nowhere.csv}}")),
    "a tab": (5, ["tab"], "sweep: 1\nname: x\nkernel: noop\naxes:\n\ta: [1]\n"),
    "no YAML": (3, ["not YAML"], "sweep: 1\nname: [x\nkernel: noop\n"),
    "another version": (1, ["2"], "sweep: 2\nname: x\nkernel: noop\naxes: {a: 1}\n"),
    "an include without an axis": (6, ["b"], noop("{a: [1], b: [1, 2]}", "include: [{a: 1}]")),
    "a point twice": (6, ["a"], noop("{a: [1, 2]}", "include: [{a: 2}]")),
    "a bad duration": (5, ["timeout.run"], noop("{a: 1}", measure="timeout: {run: 5 parsecs}")),
}


class BadInputTest(ProcessTest):
    def refused(self, *arguments, words=(), limits=None):
        """Runs, expects status 2, the words in a short message on stderr, and no new file."""
        before = self.files()
        answer = self.call(*arguments, status=2, limits=limits)
        self.assertEqual("", answer.out)
        self.assertTrue(answer.errors.startswith("kernsweep: "), answer.errors)
        self.assertLessEqual(len(answer.errors.splitlines()), 4, answer.errors)
        for word in words:
            self.assertIn(word, answer.errors)
        self.assertEqual(before, self.files())
        return answer.errors


class SweepFiles(BadInputTest):  # labels: sanitized smoke
    def test_each_mistake_is_found_at_its_line_by_run_and_check_alike(self):
        for name, (line, words, text) in FILES.items():
            with self.subTest(name):
                self.write("bad.yaml", text)
                place = f"bad.yaml:{line}:" if line else "bad.yaml:"
                said = self.refused("run", "bad.yaml", words=[place, *words])
                self.assertEqual(said, self.refused("check", "bad.yaml"))

    def test_a_missing_file_a_folder_an_empty_one_and_what_is_no_text(self):
        self.refused("run", "nowhere.yaml", words=["nowhere.yaml: there is no such file"])
        self.refused("run", ".", words=["directory"])
        self.write("empty.yaml", "")
        self.refused("run", "empty.yaml", words=["empty.yaml", "empty"])
        self.write("latin.yaml", b"sweep: 1\nname: caf\xe9\n")
        self.refused("run", "latin.yaml", words=["latin.yaml:2", "UTF-8"])
        self.write("zero.yaml", bytes(1000))
        self.refused("run", "zero.yaml", words=["zero.yaml"])

    def test_a_table_without_its_columns_or_with_a_slip(self):
        self.write("t.yaml", sweep_text("t", "noop", "{shape: {table: t.csv}}", "derive: {c: m * nn}"))
        self.write("t.csv", "m,n\n1,2\n")
        self.refused("run", "t.yaml", words=["t.yaml:6", "nn", "'n'"])
        for text, line in (("m,n\n1,2\n3\n", 3), ("m,n\n1,2\n3,four\n", 3), ("m,m\n1,2\n", 1), ("", 0),
                           ("m,n\n", 0)):
            with self.subTest(text):
                self.write("t.csv", text)
                self.refused("run", "t.yaml", words=[f"t.csv:{line}" if line else "t.csv"])

    def test_an_included_point_that_lacks_columns_of_its_table(self):
        self.write("t.yaml", sweep_text("t", "noop", "{shape: {table: t.csv}}", "include: [{m: 7}]"))
        self.write("t.csv", "m,n\n1,2\n")
        self.refused("run", "t.yaml", words=["t.yaml:6", "n"])


class Kernels(BadInputTest):
    def test_unknown_families_variants_and_parameters_are_named_with_what_was_meant(self):
        for text, words in (
                (sweep_text("x", "gem", "{m: 1, n: 1, k: 1}"), ["bad.yaml:3", "gem", "'gemm'"]),
                (gemm("{variant: [nave], m: 1, n: 1, k: 1}"), ["bad.yaml:4", "nave", "'naive'"]),
                (gemm("{variant: naive, m: 1, n: 1, k: 1, dtyp: f32}"),
                 ["bad.yaml:4", "dtyp", "'dtype'"]),
                (gemm("{variant: naive, m: 1, n: 1}"), ["bad.yaml", "'k'"]),
                (gemm("{variant: naive, m: 1, n: 1, k: 1, dtype: f33}"), ["bad.yaml:4", "f33"])):
            with self.subTest(text):
                self.write("bad.yaml", text)
                said = self.refused("check", "bad.yaml", words=words)
                self.assertEqual(said, self.refused("run", "bad.yaml"))

    def test_a_library_that_cannot_be_opened_costs_its_points_a_row(self):
        self.write("l.yaml", sweep_text(
            "l", "gemm", "{variant: [naive, blas], m: 4, n: 4, k: 4, blas.library: "
            "{values: [libnowhere.so.7], when: 'variant == \"blas\"'}}"))
        self.call("run", "l.yaml", status=1)
        rows = self.rows("l.db", "select variant, status, reason from l order by point")
        self.assertEqual([("naive", "ok"), ("blas", "failed_setup")],
                         [(row["variant"], row["status"]) for row in rows])
        self.assertIn("libnowhere.so.7", rows[1]["reason"])

    def test_a_pack_that_cannot_be_loaded_is_told_and_hurts_no_other(self):
        os.mkdir(os.path.join(self.folder, "packs"))
        self.write("packs/broken.so", "this is no library")
        os.mkfifo(os.path.join(self.folder, "packs", "waits.so"))
        surroundings = {"KERNSWEEP_PACKS": os.path.join(self.folder, "packs")}
        listed = lines_with("broken pack: ", self.call("kernels", environment=surroundings).out)
        self.assertEqual(["broken.so", "waits.so"],
                         [os.path.basename(line.split(": ")[1]) for line in listed.splitlines()])
        self.write("x.yaml", noop("{a: 1}"))
        self.call("run", "x.yaml", environment=surroundings)

    def test_a_broken_pack_hides_no_good_one_of_its_family(self):
        os.mkdir(os.path.join(self.folder, "packs"))
        with open(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"), "rb") as file:
            whole = file.read()
        with open(os.path.join(self.folder, "packs", "python.so"), "wb") as file:
            file.write(whole[:len(whole) // 2])  # its index is in it
        self.write("p.yaml", "sweep: 1\nname: p\npython: nowhere:f\naxes: {n: [1]}\n")
        said = [lines_with("cannot be measured", self.call("check", "p.yaml", environment=each).errors)
                for each in ({}, {"KERNSWEEP_PACKS": os.path.join(self.folder, "packs")})]
        self.assertEqual(said[0], said[1])
        self.assertTrue(said[0])


class Usage(BadInputTest):
    def test_of_the_command_line_is_2_with_a_hint(self):
        self.write("x.yaml", noop("{a: [1, 2]}"))
        for arguments, word in (
                ((), "--help"), (("walk",), "walk"), (("rnu",), "'run'"), (("run",), "file"),
                (("run", "x.yaml", "--bogus"), "--bogus"),
                (("run", "x.yaml", "y.yaml"), "y.yaml"), (("worker",), "--connect"),
                (("coordinator", "x.yaml"), "--listen"), (("run", "x.yaml", "-a", "b=[1]"), "b"),
                (("run", "x.yaml", "-a", "a"), "a"), (("run", "x.yaml", "-a", "a[pow3]=[0:2]"), "pow3"),
                (("run", "x.yaml", "--set", "measure.proceses=2"), "processes"),
                (("run", "x.yaml", "--set", "measure.processes=x"), "measure.processes"),
                (("run", "x.yaml", "--only", "a >"), "a >"), (("run", "x.yaml", "--only", "b > 1"), "b"),
                (("run", "x.yaml", "--sample", "200%"), "200%"),
                (("run", "x.yaml", "--sample", "some"), "some"),
                (("kernels", "gem"), "gemm"), (("export", "x.db", "--csv", "--jsonl"), "x.db")):
            with self.subTest(arguments):
                answer = self.call(*arguments, status=2)
                self.assertEqual("", answer.out)
                self.assertIn(word, answer.errors)
                self.assertEqual(["x.yaml"], self.files())

    def test_help_and_version_are_answers(self):
        for arguments in (("--help",), ("run", "--help"), ("--version",)):
            answer = self.call(*arguments)
            self.assertTrue(answer.out)
            self.assertEqual("", answer.errors)


if __name__ == "__main__":
    unittest.main()
