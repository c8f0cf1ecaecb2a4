"""The hot loops take the instructions that are stored, by callgrind.

Twice as many units less once as many: the start of the program is no part of it. instructions.json has a
number for each compiler, libc and architecture; a change that needs more raises it in its own commit.
"""
import json
import os
import re
import shutil
import subprocess
import unittest

from sandbox import BUILD

HERE = os.path.dirname(os.path.abspath(__file__))
STORED = os.path.join(HERE, "instructions.json")
PROGRAM = os.path.join(BUILD, "tests", "hot_loops")
MAY_DIFFER = 0.03
# libc chooses its memcpy by the processor: the same one everywhere.
PLAIN = "glibc.cpu.hwcaps=-AVX2,-AVX512VL,-AVX512F,-ERMS,-FSRM"


def said(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout


def instructions(loop, count):
    words = ["setarch", "-R", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    answer = subprocess.run([*words, PROGRAM, loop, str(count)], capture_output=True, text=True, check=True,
                            env={"GLIBC_TUNABLES": PLAIN, "PATH": os.environ["PATH"]})
    return int(re.search(r"Collected : (\d+)", answer.stderr)[1])


def of_a_unit(loop, count):
    return (instructions(loop, 2 * count) - instructions(loop, count)) / count


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Instructions(unittest.TestCase):
    def test_no_hot_loop_takes_more_or_fewer_than_is_stored(self):
        with open(STORED, encoding="utf-8") as file:
            stored = json.load(file)
        built_by = said("--built-by").strip()
        counts = dict(line.split() for line in said().splitlines())
        now = {loop: round(of_a_unit(loop, int(count)), 1) for loop, count in counts.items()}
        line = f"{json.dumps(built_by)}: {json.dumps(now)}"
        print(line)
        if built_by not in stored:
            self.skipTest(f"no number for {built_by}; the line for tests/gates/instructions.json is {line}")
        for loop, number in now.items():
            with self.subTest(loop=loop):
                self.assertAlmostEqual(number / stored[built_by].get(loop, 0.1), 1, delta=MAY_DIFFER,
                                       msg=f"{number} instructions; if that is right, store the line {line}")
        self.assertEqual(sorted(stored[built_by]), sorted(now))
