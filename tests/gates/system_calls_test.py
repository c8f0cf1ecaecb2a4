"""What a noop job and the start of a run ask of the kernel: no machine changes it.

system_calls.json has the calls of a job by kind, of all processes of a run together. A change that needs
more raises the number in its own commit.
"""
import json
import os
import sys
import unittest

import selection
from system_calls import NOOP, VARY, StraceTest

HERE = os.path.dirname(os.path.abspath(__file__))
STORED = os.path.join(HERE, "system_calls.json")
JOBS, FEW = 2000, 2
RUNS = 3
MORE_OF_A_JOB = 0.1
SMALL = 0.005  # not shown
EXPECTED = 0.1  # as many as this of a job are counted on every machine
TIMES = 3  # of kinds that vary
EXECS_OF_A_RUN = (3, 6)  # kernsweep, and at least two that it starts
# pyenv's: a script that starts others before it becomes the interpreter.
COMMAND = NOOP.replace("kernel: noop", "command: /bin/true")
SHIM = """#!/bin/sh
program=$(basename "$0")
version=$(sed -n 1p "$(dirname "$0")/version")
[ "$version" ] && exec sh -c 'exec "$0" "$@"' {python} "$@"
"""


def allowed(kind, stored):
    number = stored.get(kind, 0)
    return max(TIMES * number, number + MORE_OF_A_JOB) if kind in VARY else number + MORE_OF_A_JOB


def uncounted(kinds, stored):
    """What strace has not seen, though each job asks for it."""
    return [kind for kind, number in stored.items() if number >= EXPECTED and kinds.get(kind, 0) <= 0]


class Counts(unittest.TestCase):
    def test_of_nothing_are_noticed(self):
        stored = {"open": 0.06, "signal": 2.0, "poll": 0.32}
        self.assertEqual(["signal", "poll"], uncounted({}, stored))
        self.assertEqual(["poll"], uncounted({"signal": 2.0, "poll": 0.0}, stored))
        self.assertEqual([], uncounted({"signal": 1.0, "poll": 0.01}, stored))


class OfAJob(StraceTest):
    def test_a_noop_job_makes_no_more_calls_than_are_stored(self):
        kinds, names = self.calls_of_a_job(JOBS, FEW, RUNS)
        with open(STORED, encoding="utf-8") as file:
            stored = json.load(file)
        by_name = json.dumps({name: round(names[name], 2) for name in sorted(names) if names[name] > SMALL})
        selection.note(f"calls of a job: {by_name}")
        self.assertEqual([], uncounted(kinds, stored), f"kinds that were not counted; by name: {by_name}")
        for kind, number in sorted(kinds.items()):
            with self.subTest(kind=kind):
                self.assertLessEqual(number, allowed(kind, stored),
                                     f"calls of a job; stored: {stored.get(kind, 0)}; by name: {by_name}")


class OfACommand(StraceTest):
    def test_a_run_of_a_program_makes_no_more_calls_than_are_stored(self):
        """Those of /bin/true itself are among them."""
        self.hold_calls("a command", COMMAND, os.path.join(HERE, "command_calls.json"))


class OfAStart(StraceTest):
    def test_one_noop_job_takes_few_programs_whatever_is_installed(self):
        shims = os.path.join(self.home, "shims")
        os.mkdir(shims)
        for name, text in (("python3", SHIM.format(python=sys.executable)), ("version", "any\n")):
            with open(os.path.join(shims, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(os.path.join(shims, "python3"), 0o755)
        self.environment["PATH"] = shims + os.pathsep + self.environment["PATH"]
        calls = self.traced(["-e", "trace=execve,execveat"], 1)
        programs = [line for line in calls if line.endswith(" = 0")]
        least, most = EXECS_OF_A_RUN
        self.assertTrue(least <= len(programs) <= most, "\n".join(programs))
