"""How a GoogleTest program runs as one test of ctest, and how -R and -E choose among its tests."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from toy_tree import PROJECT, SOURCE, ToyTreeTest

TOY = os.path.join(os.environ["KERNSWEEP_BUILD"], "tests", "toy_tests")
SAID = "said by a test that passes"
RUNNER = os.path.join(SOURCE, "tests", "run_program.py")


class Program(unittest.TestCase):
    """Runs toy_tests with a filter; `result` is what the runner wrote of it."""

    def run_toy(self, chosen, *words, limit=60, program=TOY, **environment):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-B", RUNNER, *words, "toy", str(limit), program]
            done = subprocess.run(command, text=True, check=False,
                                  env={**os.environ, "GTEST_FILTER": chosen, "KERNSWEEP_RESULTS": folder,
                                       **environment},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            path = os.path.join(folder, "toy.json")
            self.result = None
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    self.result = json.load(file)
        return done.returncode, done.stdout

    def counts(self):
        skipped = len(self.result["skipped"])
        return self.result["passed"], self.result["failed"], skipped, self.result["missing"]

    def test_what_passes_is_counted_and_says_nothing(self):
        status, said = self.run_toy("Toy.Passes*:*Each*:*NeverRuns")
        self.assertEqual((0, (4, 0, 0, 0)), (status, self.counts()), said)
        self.assertEqual(1, len(said.splitlines()), said)

    def test_all_that_is_said_is_shown_on_request(self):
        said = self.run_toy("Toy.Passes*", KERNSWEEP_SHOW_ALL="1")[1].splitlines()
        shown = [line for line in said if line == SAID or "[       OK ] Toy.PassesWithoutANewline (" in line]
        self.assertEqual(2, len(shown), said)

    def test_what_failed_is_shown_with_what_it_said(self):
        for words in ([], ["--alone"]):
            status, said = self.run_toy("Toy.Passes:Toy.Fails", *words)
            self.assertEqual((1, (1, 1, 0, 0)), (status, self.counts()), said)
            self.assertRegex(said, r"\nsaid before it failed\n.*toy_tests\.cpp:\d+: Failure\n")
            self.assertNotIn(SAID, said)
            self.assertRegex(said, r"(?m)^failed: toy\.Toy\.Fails$")

    def test_why_tests_were_skipped_is_kept_though_others_passed(self):
        status, said = self.run_toy("Toy.Passes:Toy.IsSkipped")
        self.assertEqual((0, [["Toy.IsSkipped", "no such device"]]), (status, self.result["skipped"]), said)

    def test_a_program_without_a_test_that_was_not_skipped_is_skipped(self):
        for words in ([], ["--alone"]):
            status, said = self.run_toy("Toy.IsSkipped", *words)
            self.assertEqual((77, (0, 0, 1, 0)), (status, self.counts()), said)
            self.assertRegex(said, "(?m)^skipped: no such device")

    def test_the_test_that_ended_the_program_is_named(self):
        for test, how in (("IsEnded", "signal SIGSEGV"), ("Exits", "status 0")):
            status, said = self.run_toy(f"Toy.Passes:Toy.{test}:Each.*:*Each*")
            self.assertEqual(1, status, said)
            self.assertRegex(said, rf"(?m)^toy\.Toy\.{test}: ended the program with {how}$")
            self.assertGreater(self.result["missing"], 0)
            self.assertEqual(test == "IsEnded", "said before the end" in said.splitlines())

    def test_alone_the_other_tests_run_though_one_ends_its_process(self):
        status, said = self.run_toy("Toy.IsEnded:Toy.Passes:*Each*", "--alone")
        self.assertEqual((1, (3, 0, 0, 1)), (status, self.counts()), said)
        self.assertRegex(said, r"(?m)^toy\.Toy\.IsEnded: ended the program with signal SIGSEGV$")

    def test_the_test_that_hangs_is_named_and_ended(self):
        status, said = self.run_toy("Toy.Passes:Toy.Hangs", limit=1)
        self.assertEqual((1, (1, 0, 0, 1)), (status, self.counts()), said)
        self.assertRegex(said, r"(?m)^said before it hung\ntoy: .*\ntoy\.Toy\.Hangs: ended after 1\.0 s ")

    def test_a_child_that_keeps_the_output_open_delays_nothing(self):
        status, said = self.run_toy("Toy.LeavesAChild")
        self.assertEqual((0, (1, 0, 0, 0)), (status, self.counts()), said)

    def test_what_comes_after_the_last_test_fails_the_program(self):
        status, said = self.run_toy("Toy.Passes:AtTheEnd.*")
        self.assertEqual((1, (2, 0, 0, 0)), (status, self.counts()), said)
        self.assertRegex(said, r"(?m)^said at the end$")
        self.assertRegex(said, r"(?m)^toy: ended with status 23 after 2 of 2 tests$")

    def test_a_report_of_a_sanitizer_in_a_test_that_passes_is_shown(self):
        status, said = self.run_toy("Toy.Passes:Reports.*")
        self.assertEqual((1, (3, 0, 0, 0)), (status, self.counts()), said)
        lines = said.splitlines()
        at = lines.index("reported in Reports.InATest:")
        self.assertEqual(["==7==WARNING: ThreadSanitizer: data race (pid=7)", "  Write of size 8",
                          "SUMMARY: ThreadSanitizer: data race toy.cpp:1 in write"], lines[at + 1:at + 4])
        self.assertEqual("toy: ended with status 66 after 3 of 3 tests", lines[-1])
        self.assertFalse([line for line in lines if line.startswith("said ")], said)

    def test_a_program_that_runs_nothing_or_is_not_built_fails(self):
        for words in ([], ["--alone"]):
            status, said = self.run_toy("NoSuch.Test", *words)
            self.assertEqual((1, True), (status, "toy: no test ran" in said), said)
        status, said = self.run_toy("*", program=TOY + "_gone")
        self.assertEqual((1, True), (status, "toy_gone" not in said and "is not built" in said), said)


class Selected(ToyTreeTest):
    """./test on a tree with two such programs, and a test of another kind."""

    def asked(self, *arguments):
        tests = "".join(f"""
            add_test(NAME {name} COMMAND {sys.executable} -B
                     "${{PROJECT_SOURCE_DIR}}/tests/run_program.py" {name} 60 "{TOY}")
            set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)""" for name in ("first", "second"))
        self.write("CMakeLists.txt", f"{PROJECT}\nif(KERNSWEEP_TESTS)\nenable_testing(){tests}\n"
                                     "add_test(NAME other.Toy.Passes COMMAND true)\nendif()\n")
        return self.call(*arguments, script=os.path.join(self.root, "test"))

    def assert_ran(self, arguments, programs, counts):
        """`programs`: how many of ctest's tests there were; `counts`: (passed, skipped) inside."""
        status, said, complained = self.asked(*arguments)
        self.assertEqual(0, status, said + complained)
        self.assertRegex(said, rf"\n100% tests passed, 0 tests failed out of {programs}\n")
        inside = re.findall(r"(?m)^in \d GoogleTest programs: (\d+) passed, 0 failed, (\d+) skipped$", said)
        self.assertEqual([counts] if counts else [], [tuple(map(int, each)) for each in inside], said)

    def test_a_regex_chooses_tests_inside_the_programs(self):
        self.assert_ran(["-R", r"Toy\.Passes$"], 3, (2, 0))
        self.assert_ran(["-R", r"^second\.Toy\.(Passes|IsSkipped)$"], 1, (1, 1))
        self.assert_ran(["-R", r"^second\.Numbers/"], 1, (2, 0))
        self.assert_ran(["--tests-regex", "Passes", "--exclude-regex", r"second\.|Without"], 2, (3, 0))
        self.assert_ran(["-E", r"first|\.(Fails|IsEnded|Exits|Hangs)$|AtTheEnd|Reports"], 2, (5, 1))
        self.assert_ran(["-R", "^other"], 1, None)

    def test_the_name_of_a_program_means_all_of_it(self):
        status, said, _ = self.asked("-R", "^first$", "-E", "Hangs")
        self.assertEqual(8, status, said)
        self.assertRegex(said, r"(?m)^failed: first\.Toy\.Fails$")
        self.assertRegex(said, r"(?m)^first\.Toy\.IsEnded: ended the program with signal SIGSEGV$")

    def test_a_regex_that_matches_nothing_inside_fails(self):
        status, said, _ = self.asked("-R", r"Toy\.NeverRuns")
        self.assertEqual((8, True), (status, "No tests were found" in said), said)

    def test_the_reasons_of_what_was_skipped_inside_are_counted_and_in_the_log(self):
        _, said, _ = self.asked("-R", r"Toy\.(Passes|IsSkipped)$")
        self.assertEqual(["2 skipped: no such device"], re.findall(r"(?m)^\d+ skipped: .*", said))
        with open(os.path.join(self.root, "build/release/tests.log"), encoding="utf-8") as file:
            last = file.read().splitlines()[-2:]
        self.assertEqual([f"skipped: {name}.Toy.IsSkipped: no such device" for name in ("first", "second")],
                         last)

    def test_a_program_that_was_skipped_as_a_whole_has_its_reason_once(self):
        _, said, complained = self.asked("-R", r"^first\.Toy\.IsSkipped$")
        self.assertEqual(["1 skipped: no such device"], re.findall(r"(?m)^\d+ skipped: .*", said))
        self.assertRegex(complained.splitlines()[-1], ", 1 skipped, ")

    def test_a_list_names_the_tests_that_are_meant(self):
        status, said, _ = self.asked("-N", "-R", r"first\.Toy\.Pass")
        self.assertEqual(0, status, said)
        self.assertRegex(said, "(?m)^first runs only:\n  first.Toy.Passes\n  first.Toy.PassesWithoutANew")
        self.assertEqual(["first"], re.findall(r"(?m)^ +Test +#\d+: (.+)$", said))

    def test_all_that_tests_say_is_shown_with_V(self):
        status, said, _ = self.asked("-V", "-R", r"first\.Toy\.Passes$")
        self.assertEqual((0, 1), (status, said.count(SAID)), said)


if __name__ == "__main__":
    unittest.main()
