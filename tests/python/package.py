"""The package of the source tree, with the program of the build, in a folder of each test's own."""
import glob
import importlib.util
import os
import subprocess
import sys
import unittest

from sandbox import PROGRAM, SOURCE, ProcessTest

PACKAGE = os.path.join(SOURCE, "python")
if PACKAGE not in sys.path:
    sys.path.insert(0, PACKAGE)
# Packages of the environment that KERNSWEEP_PYTHON names, if it has this version of Python.
ENGINES = glob.glob(os.path.join(os.environ.get("KERNSWEEP_PYTHON") or ".none", "lib",
                                 "python%d.%d" % sys.version_info[:2], "site-packages"))
sys.path += ENGINES
# One measurement that is as short as possible, without waiting.
BRISK = {"processes": 1, "order_seed": 1, "warmup": {"min_time": "0ms", "max_time": "1ms"},
         "samples": {"min": 2, "max": 3, "min_time": "0ms", "max_time": "50ms"}}
QUICKLY = {"progress": False, "patience": "0"}


def has(module):
    return importlib.util.find_spec(module) is not None


def needs(module):
    return unittest.skipUnless(has(module), f"{module} is not installed here")


class PackageTest(ProcessTest):
    """The working folder is the test's, so that databases and module files stay there."""

    def setUp(self):
        super().setUp()
        before, variables = os.getcwd(), dict(os.environ)

        def restore():
            os.chdir(before)
            os.environ.clear()
            os.environ.update(variables)

        self.addCleanup(restore)
        os.environ.update(self.environment, KERNSWEEP_PROGRAM=PROGRAM)
        os.chdir(self.folder)

    def python(self, *arguments, **more):
        """Runs Python in the folder, with the package."""
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([PACKAGE, *ENGINES]))
        return subprocess.run([sys.executable, "-B", *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False, timeout=200, **more)

    def small(self, axes=None, **more):
        """The results of a sweep of noop."""
        import kernsweep
        return kernsweep.run({"name": "small", "kernel": "noop", "axes": axes or {"a": [1, 2]},
                              "measure": BRISK, "verify": False, **more}, **QUICKLY)
