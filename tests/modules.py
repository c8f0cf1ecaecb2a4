"""Where Python finds what several suites share: the sandbox, and the kinds of test of tests/process."""
import glob
import os

PROCESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "process")


def folders():
    return [PROCESS, *sorted(folder for folder in glob.glob(os.path.join(PROCESS, "*"))
                             if glob.glob(os.path.join(folder, "*.py")))]
