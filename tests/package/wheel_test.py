#!/usr/bin/env python3
"""What the wheel promises: wheel_test.py PACKAGE.whl. Installed by pip, offline, into an environment in a
folder with a blank in its name, it gives the command with all that it needs, and nothing is left when it is
removed."""
import glob
import json
import os
import re
import sys
import tempfile
import unittest
import zipfile

from command import run

SIZE_MAX = 60 << 20


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="kernsweep-wheel-")
        cls.addClassCleanup(folder.cleanup)
        cls.home = os.path.join(folder.name, "else where")
        run([sys.executable, "-m", "venv", cls.home])
        cls.pip = [os.path.join(cls.home, "bin", "python"), "-m", "pip", "-q", "--disable-pip-version-check"]
        cls.files = cls.everything()
        run([*cls.pip, "install", "--no-index", WHEEL])
        cls.command = os.path.join(cls.home, "bin", "kernsweep")
        cls.prefix, = glob.glob(cls.home + "/lib/python3*/site-packages/kernsweep/_prefix")

    @classmethod
    def everything(cls):
        return {os.path.join(folder, name) for folder, _, names in os.walk(cls.home) for name in names
                if "__pycache__" not in folder}

    def test_is_small_and_says_which_glibc_it_needs(self):
        self.assertLess(os.path.getsize(WHEEL), SIZE_MAX)
        self.assertRegex(os.path.basename(WHEEL), r"^kernsweep-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$")
        with zipfile.ZipFile(WHEEL) as wheel:
            names = wheel.namelist()
        metadata, = (name for name in names if name.endswith(".dist-info/METADATA"))
        with zipfile.ZipFile(WHEEL) as wheel:
            self.assertRegex(wheel.read(metadata).decode(), r"(?m)^Requires-Python: >=3\.10$")
        self.assertTrue([name for name in names if name.endswith("licenses/libopenblas0-pthread")])
        self.assertIn("kernsweep/py.typed", names)

    def test_gives_the_command_with_its_kernels_and_libraries(self):
        self.assertRegex(run([self.command, "--version"]), r"^kernsweep [\d.]+$")
        kernels = json.loads(run([self.command, "kernels", "gemm", "--json"]))
        text = json.dumps(kernels)
        for variant in ("blocked", "blas", "onednn"):
            self.assertIn(f'"{variant}"', text)
        loaded = run([os.path.join(self.prefix, "libexec", "kernsweep", "kernsweep-slot"), "--runtime",
                      os.path.join(self.prefix, "lib", "kernsweep", "packs", "gemm.so"), "gemm", "blas",
                      "blas.library=libopenblas.so.0", "dtype=f32", "m=8", "n=8", "k=8"])
        self.assertIn(os.path.realpath(self.prefix), loaded)

    def test_the_command_gets_its_words_and_gives_its_status(self):
        self.assertRegex(run([self.command, "check", "no x.yaml"], status=2), "^kernsweep: no x.yaml: ")
        python = os.path.join(self.home, "bin", "python")
        said = run([python, "-c", "from kernsweep._program import program; print(program())"],
                   env={"PATH": "/nowhere"})
        self.assertEqual(os.path.join(self.prefix, "bin", "kernsweep"), said.strip())

    def test_measures_what_comes_along(self):
        with tempfile.TemporaryDirectory(dir=self.home) as folder:
            for name in ("first_look", "sparse_layers"):
                with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
                    file.write(run([self.command, "example", name]))
                run([self.command, "check", name + ".yaml"], cwd=folder)
            run([self.command, "run", "first_look.yaml", "--quick", "--patience", "0", "--sample", "20%"],
                cwd=folder)
            rows = json.loads(run([self.command, "sql", "first-look.db", "--json",
                                   "select status, count(*) as n from results group by 1"], cwd=folder))
            self.assertEqual(["ok"], [row["status"] for row in rows])
            run([self.command, "report", "first-look.db"], cwd=folder)
            self.assertTrue(os.path.exists(os.path.join(folder, "report.html")))

    def test_measures_functions_in_the_environment_that_it_was_installed_into(self):
        with tempfile.TemporaryDirectory(dir=self.home) as folder:
            with open(os.path.join(folder, "look.py"), "w", encoding="utf-8") as file:
                file.write("import kernsweep, sys\ndef f(n):\n    return lambda: sys.prefix.encode()\n")
            with open(os.path.join(folder, "p.yaml"), "w", encoding="utf-8") as file:
                file.write("sweep: 1\nname: p\npython: look:f\naxes: {n: [1]}\n")
            without = {name: value for name, value in os.environ.items()
                       if name not in ("VIRTUAL_ENV", "CONDA_PREFIX", "KERNSWEEP_PYTHON")}
            run([self.command, "run", "p.yaml", "--quick", "--patience", "0"], cwd=folder, env=without)
            question = "select status, runtime from results left join result using (result)"
            row, = json.loads(run([self.command, "sql", "p.db", "--json", question], cwd=folder))
            self.assertEqual("ok", row["status"])
            self.assertIn("CPython %d.%d" % sys.version_info[:2], row["runtime"])

    def test_says_that_it_installs_no_engine_by_itself(self):
        python = os.path.join(self.home, "bin", "python")
        said = run([python, "-m", "kernsweep.engines"], status=1)
        self.assertGreaterEqual(len(said.splitlines()), 6, said)
        for line in said.splitlines():
            self.assertRegex(line, r"not there: .* pip install ")

    def test_xx_nothing_is_left_when_it_is_removed(self):
        run([*self.pip, "uninstall", "-y", "kernsweep"])
        left = {path for path in self.everything() - self.files
                if not re.search(r"/(pip|setuptools)", path)}
        self.assertEqual(set(), left)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.path.isfile(sys.argv[1]):
        sys.exit("wheel_test.py PACKAGE.whl [unittest's options]")
    WHEEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
