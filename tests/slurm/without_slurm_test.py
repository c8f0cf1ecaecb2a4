"""`kernsweep slurm` where there is no Slurm, or one that refuses: no daemon is needed for these."""
import os
import unittest

from cluster import ProcessTest

from sandbox import read_bytes, sweep_text

NAPS = sweep_text("naps", "sleep", "{seconds: 0.01, i: {range: [1, 3]}}")


class WithoutSlurmTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.home, "bin")  # all that $PATH has
        os.mkdir(self.bin)
        self.environment["PATH"] = self.bin
        self.write("naps.yaml", NAPS)

    def sbatch(self, script):
        path = os.path.join(self.bin, "sbatch")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)

    def slurm(self, *words, status=2):
        return self.call("slurm", "naps.yaml", *words, status=status)


class NoSbatch(WithoutSlurmTest):  # labels: waits smoke
    def test_is_said_together_with_what_can_be_done(self):
        answer = self.slurm("--nodes", "2")
        self.assert_golden("errors", answer.errors)
        self.assertEqual(["naps.yaml"], self.files())

    def test_is_no_matter_when_nothing_is_submitted(self):
        printed = self.slurm("--dry-run", status=0).out
        self.assertIn("#SBATCH --nodes=1\n", printed)
        self.assertEqual(["naps.yaml"], self.files())
        self.slurm("--dry-run", "--output", "mine.sh", status=0)
        written = read_bytes(os.path.join(self.folder, "mine.sh")).decode()
        self.assertIn("--to-go-on 'sbatch mine.sh, unless Slurm has", written)
        self.assertEqual(printed, written.replace("'sbatch mine.sh,", "'sbatch this script,"))


class Refused(WithoutSlurmTest):  # labels: waits
    def setUp(self):
        super().setUp()
        self.sbatch(f"echo called > {self.home}/called\n")

    def expect_not_submitted(self):
        self.assertFalse(os.path.exists(os.path.join(self.home, "called")))
        self.assertEqual(["naps.yaml"], [name for name in self.files() if not name.startswith("given")])

    def test_before_submission_is_what_check_refuses_and_in_its_words(self):
        self.write("given.yaml", NAPS.replace("seconds", "secnods"))
        for file, *more in (["given.yaml"], ["no-such.yaml"], ["naps.yaml", "-a", "nothing=[1]"]):
            asked = self.call("check", file, *more, status=2)
            self.assertEqual(asked.errors, self.call("slurm", file, *more, status=2).errors)
            self.assertNotEqual("", asked.errors)
        self.expect_not_submitted()

    def test_before_submission_are_options_that_cannot_be(self):
        for words in (["--nodes", "0"], ["--time", "soon"], ["--partition", "a b"], ["--db", "a\nb"],
                      ["--set", "seed={task}"], ["--join", "far.join"]):
            self.assert_golden(" ".join(words), self.slurm(*words).errors)
        self.assert_golden("no join file", self.call("slurm", "--join", "far.join", status=2).errors)
        self.assert_golden("no sweep file", self.call("slurm", status=2).errors)
        self.expect_not_submitted()

    def test_before_submission_is_a_join_file_that_workers_would_refuse(self):
        coordinator = self.start("coordinator", "--db", "given.db", "--listen", "tcp://127.0.0.1:*")
        self.until(lambda: "listening on" in coordinator.complained(), "the join files")
        answer = self.call("slurm", "--join", "given.client.join", "--dry-run", status=2)
        self.assert_golden("of a client", answer.errors)
        answer = self.call("slurm", "--join", "naps.yaml", "--dry-run", status=2)
        self.assert_golden("not one", answer.errors)
        self.assertIn("given.join", self.call("slurm", "--join", "given.join", "--dry-run").out)
        self.expect_not_submitted()

    def test_before_submission_are_addresses_and_arrays_that_cannot_be(self):
        for words in (("--listen", "foo"), ("--array", "9-1")):
            self.assert_golden(" ".join(words), self.slurm(*words, "--dry-run").errors)
        self.expect_not_submitted()

    def test_is_a_file_of_somebody_else_as_the_place_for_the_script(self):
        self.write("given.sh", "#!/bin/sh\necho mine\n")
        self.assert_golden("errors", self.slurm("--output", "given.sh").errors)
        self.assertEqual(b"#!/bin/sh\necho mine\n", read_bytes(os.path.join(self.folder, "given.sh")))
        self.expect_not_submitted()


class Sbatch(WithoutSlurmTest):  # labels: waits
    def test_that_refuses_is_quoted_and_the_script_is_kept(self):
        self.sbatch("echo 'sbatch: error: invalid partition' >&2\nexit 1\n")
        answer = self.slurm("--partition", "none", status=1)
        self.assert_golden("errors", answer.errors)
        self.assertIn("naps.sbatch", self.files())

    def test_gets_the_script_and_its_number_is_told(self):
        self.sbatch(f"printf '%s|' \"$@\" > {self.home}/words\necho '77;cluster'\n")
        answer = self.slurm("--output", "-odd name", status=0)
        self.assertEqual(b"--parsable|--|-odd name|", read_bytes(os.path.join(self.home, "words")))
        self.assertRegex(answer.out, r"^Submitted job 77 by ")
        for word in ("squeue -j 77", "naps-77.log", "scancel 77"):
            self.assertIn(word, answer.out)


if __name__ == "__main__":
    unittest.main()
