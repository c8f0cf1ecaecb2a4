#!/usr/bin/env python3
"""Runs one test class of the working folder as a test of ctest: run_class.py LABEL.MODULE.CLASS.

As `python3 -m unittest MODULE.CLASS`, but it prints why each skipped test was skipped, and writes them into
the folder that $KERNSWEEP_RESULTS names, as run_program.py does. The status is 77 if all tests were skipped.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import modules  # noqa: E402
import selection  # noqa: E402

SKIPPED = 77  # what ctest takes for "skipped"


def method_of(test):
    """A subtest is part of its method; a class that is skipped at its begin has no method."""
    return getattr(getattr(test, "test_case", test), "_testMethodName", "setUpClass")


def main(name):
    sys.path[:0] = [os.getcwd(), *modules.folders()]
    result = unittest.main(module=None, argv=["unittest", name.split(".", 1)[1]], exit=False).result
    skipped = [(method_of(test), why) for test, why in result.skipped]
    for method, why in skipped:
        print(f"skipped: {why} ({name}.{method})")
    if skipped:
        selection.write_result(name, skipped=skipped)
    if not result.wasSuccessful():
        return 1
    return SKIPPED if skipped and result.testsRun <= len({method for method, _ in skipped}) else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("run_class.py LABEL.MODULE.CLASS")
    sys.exit(main(sys.argv[1]))
