"""What ./test promises: how it sets up, what it shows of ctest, which arguments and status it passes on."""
import io
import os
import pty
import re
import select
import signal
import sys
import threading
import time
import unittest

from toy_tree import PROJECT, SOURCE, ToyTreeTest

sys.path.insert(0, os.path.join(SOURCE, "tests"))

from run_ctest import EVERY_S, Progress  # noqa: E402

LONG = "of_a_name_that_is_wider_than_any_terminal" * 5
GOOD = 150
TESTS = f"""
if(KERNSWEEP_TESTS)
  enable_testing()
  foreach(number RANGE 1 {GOOD})
    add_test(NAME good.${{number}}.{LONG} COMMAND true)
  endforeach()
endif()
"""


def added(name, script):
    return f'add_test(NAME {name} COMMAND sh -c "{script}")\n'


BAD = added("bad", "seq 1 5000; exit 1")
SKIPPED = (added("without_daemon", "echo skipped: no daemon; exit 77") + added("alone", "exit 77") +
           "set_tests_properties(without_daemon alone PROPERTIES SKIP_RETURN_CODE 77)\n")


class Tested(ToyTreeTest):
    def asked(self, *arguments, tests=""):
        self.write("CMakeLists.txt", PROJECT + TESTS + tests)
        return self.call(*arguments, script=os.path.join(self.root, "test"))

    def log(self):
        with open(os.path.join(self.root, "build/release/tests.log"), encoding="utf-8") as file:
            return file.read()

    def test_what_passes_is_counted_and_not_listed(self):
        status, said, complained = self.asked()
        self.assertEqual(0, status, said + complained)
        self.assertEqual(f"100% tests passed, 0 tests failed out of {GOOD}", said.split("\n")[1])
        self.assertNotIn(LONG, said + complained)
        self.assertLess(len((said + complained).splitlines()), 12)
        self.assertIn(f"kernsweep: {GOOD} of {GOOD} tests, ", complained.splitlines()[-1])
        self.assertEqual(GOOD, self.log().count(" Passed "))

    def test_what_failed_is_shown_with_begin_and_end_of_what_it_said(self):
        status, said, _ = self.asked(tests=BAD)
        self.assertEqual(8, status)  # ctest's
        shown = said[:said.index("99% tests passed")].splitlines()
        self.assertRegex(shown[0], r"^bad: Failed +[\d.]+ sec$")
        numbers = [line for line in shown if line.isdigit()]
        self.assertEqual(("1", "5000"), (numbers[0], numbers[-1]))
        self.assertLess(len(shown), 100)
        left_out = int(re.search(r"(?m)^\.\.\. (\d+) lines, which .*/tests\.log has \.\.\.$", said)[1])
        self.assertEqual(5000, len(numbers) + left_out)
        self.assertIn("\n2500\n", self.log())
        self.assertRegex(said, r"(?m)^\t *\d+ - bad \(Failed\)$")

    def test_what_a_test_notes_is_shown_though_it_passes(self):
        script = "import selection; selection.note('as fast as before')"
        noting = (f'add_test(NAME noting COMMAND {sys.executable} -B -c "{script}"\n'
                  f'         WORKING_DIRECTORY "{SOURCE}/tests")\n')
        status, said, _ = self.asked("-R", "^(good.7|noting)", tests=noting)
        self.assertEqual((0, 1, 1), (status, said.splitlines().count("as fast as before"),
                                     self.log().splitlines().count("as fast as before")), said)

    def test_what_a_signal_ended_is_shown_with_what_it_said(self):
        ends = "".join(added(f"ended_by_{name}", f"echo said before {name}; kill -{name} $$")
                       for name in ("ABRT", "KILL", "SEGV"))
        status, said, complained = self.asked("-R", "^ended_by", tests=ends)
        self.assertEqual(8, status)
        for name in ("ABRT", "KILL", "SEGV"):
            self.assertRegex(said, rf"(?m)^ended_by_{name}: .+\nsaid before {name}$")
        self.assertIn(", 3 failed, ", complained.splitlines()[-1])

    def test_what_fails_when_it_is_repeated_is_shown(self):
        shaky = added("shaky", "test -e shaky || exec touch shaky; echo no luck; exit 1")
        status, said, _ = self.asked("--repeat", "until-fail:3", "-R", "^(good.7|shaky)", tests=shaky)
        self.assertEqual(8, status, said)
        self.assertRegex(said, r"(?m)^shaky: Failed .+\nno luck$")

    def test_of_many_failures_only_the_first_are_shown_with_what_they_said(self):
        many = "".join(added(f"bad{number}", f"echo said {number}; exit 1") for number in range(100))
        _, said, _ = self.asked("-R", "^bad", tests=many)
        self.assertTrue(10 <= len(re.findall("(?m)^said ", said)) < 50, said)
        self.assertEqual(100, len(re.findall(r"(?m)^bad\d+: Failed ", said)))

    def test_what_was_skipped_is_told_with_the_reasons(self):
        status, said, complained = self.asked(tests=SKIPPED)
        self.assertEqual(0, status)
        self.assertIn("1 skipped: no daemon\n", said)
        self.assertIn("1 skipped: no reason was said\n", said)
        self.assertIn(", 2 skipped, ", complained.splitlines()[-1])

    def test_a_test_that_cannot_be_run_is_told_with_the_reason(self):
        status, said, _ = self.asked(tests="add_test(NAME lost COMMAND ./lost)\n")
        self.assertEqual(8, status)
        self.assertRegex(said, r"(?m)^lost: Not Run .*\nCould not find executable \./lost$")

    def test_arguments_are_ctests(self):
        status, said, _ = self.asked("-R", r"^good\.7\.", tests=BAD)
        self.assertEqual((0, True), (status, "0 tests failed out of 1\n" in said), said)
        self.assertEqual(8, self.asked("-R", "no_such_test", tests=BAD)[0])
        status, said, _ = self.asked("-N", tests=BAD)
        self.assertEqual((0, GOOD + 1), (status, len(re.findall(r"(?m)^ +Test +#\d+: ", said))))
        status, said, _ = self.asked("-V", "-R", "^bad$", tests=BAD)
        self.assertEqual((8, 5000), (status, len(re.findall(r"(?m)^\d+: \d+$", said))))

    def test_the_packages_for_tests_are_installed_and_no_daemons(self):
        self.write("cmake/packages.txt", "test | what tests need | wanted\ncluster | daemons | slurmd\n")
        self.assertEqual(0, self.asked("-N")[0])
        with open(os.path.join(self.tools, "calls"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"^-qq .*install .* wanted\n$")

    def test_who_ends_it_ends_ctest(self):
        self.write("CMakeLists.txt", PROJECT + TESTS +
                   added("long", "touch '${PROJECT_SOURCE_DIR}/began'; tail --pid=$PPID -f /dev/null"))
        running = self.start("-R", "^long$", script=os.path.join(self.root, "test"))
        pause = threading.Event()
        while not os.path.exists(os.path.join(self.root, "began")):
            self.assertIsNone(running.poll(), "it has ended")
            pause.wait(0.01)
        running.terminate()
        said, _ = running.communicate(timeout=60)
        self.assertEqual(128 + signal.SIGTERM, running.returncode)
        self.assertIn("tests.log", said)


class Progressing(unittest.TestCase):
    def test_without_a_terminal_is_a_line_now_and_then_and_one_at_the_end(self):
        stream = io.StringIO()
        progress = Progress(stream, 0.0)
        for second in range(int(2.5 * EVERY_S)):
            progress(f"{second} of 99", float(second), False)
        progress("99 of 99", 2.6 * EVERY_S, True)
        expected = [f"{int(EVERY_S)} of 99", f"{int(2 * EVERY_S)} of 99", "99 of 99"]
        self.assertEqual([f"kernsweep: {text}" for text in expected], stream.getvalue().splitlines())

    def test_on_a_terminal_is_one_line_in_place(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        with os.fdopen(theirs, "w", encoding="utf-8") as stream:
            progress = Progress(stream, time.monotonic())
            for number in range(3):
                progress(f"{number} of 3 " + LONG, 0.0, number == 2)
            progress.clear()
            said = ""
            while not said.endswith("\r\033[K") or said.count("\r") < 4:
                self.assertTrue(select.select([ours], [], [], 60)[0], said)
                said += os.read(ours, 65536).decode()
        shown = said.split("\r\033[K")
        self.assertEqual(["", "kernsweep: 0 of 3", "kernsweep: 1 of 3", "kernsweep: 2 of 3", ""],
                         [text[:17] for text in shown])
        self.assertNotIn("\n", said)
        self.assertLess(max(map(len, shown)), 80)


if __name__ == "__main__":
    unittest.main()
