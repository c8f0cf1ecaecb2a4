#!/usr/bin/env python3
"""Runs one test class of the working folder as a test of ctest: run_class.py MODULE CLASS.

As `python3 -m unittest MODULE.CLASS`, but where every test of the class was skipped it says why and ends
with status 77: nothing that did not run counts as passed.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import modules  # noqa: E402

SKIPPED = 77  # what ctest takes for "skipped"


def main(module, name):
    sys.path[:0] = [os.getcwd(), *modules.folders()]
    result = unittest.main(module=None, argv=["unittest", f"{module}.{name}"], exit=False).result
    if result.skipped and result.testsRun <= len(result.skipped) and result.wasSuccessful():
        print(f"skipped: {result.skipped[0][1]}")
        return SKIPPED
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("run_class.py MODULE CLASS")
    sys.exit(main(*sys.argv[1:]))
