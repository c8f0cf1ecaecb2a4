"""The planted faults still apply to this tree, and each names a test that may exist. run.py runs them."""
import os
import re
import shutil
import subprocess
import unittest

import run

TOUCHED = re.compile(r"^\+\+\+ b/(\S+)$", re.MULTILINE)


class Patches(unittest.TestCase):
    def test_each_applies(self):
        if not shutil.which("git"):
            self.skipTest("git is not installed here")
        # A repository above the tree is not asked: git would leave out what that does not have.
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(run.ROOT)}
        for path in run.patches([]):
            with self.subTest(os.path.basename(path)):
                done = subprocess.run(["git", "apply", "--check", path], cwd=run.ROOT, env=environment,
                                      stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_each_changes_the_product_and_names_what_catches_it(self):
        for path in run.patches([]):
            with self.subTest(os.path.basename(path)):
                self.assertRegex(os.path.basename(path), r"^\d\d-\w+-\w+\.patch$")
                self.assertTrue(run.caught_by(path))
                with open(path, encoding="utf-8") as file:
                    touched = TOUCHED.findall(file.read())
                self.assertTrue(touched)
                self.assertFalse([name for name in touched if name.startswith("tests/")])


if __name__ == "__main__":
    unittest.main()
