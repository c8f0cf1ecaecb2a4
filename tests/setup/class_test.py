"""How a Python class runs as one test of ctest: no skipped method is lost, whatever the others do."""
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

from toy_tree import PROJECT, SOURCE, ToyTreeTest

RUNNER = os.path.join(SOURCE, "tests", "run_class.py")
# Indented, since ctest has a test for each class at the begin of a line.
CLASSES = textwrap.dedent("""\
    import unittest

    class Passes(unittest.TestCase):
        def test_a(self):
            pass

    class SkipsOne(Passes):
        def test_b(self):
            self.skipTest("no such device")

    class SkipsInParts(Passes):
        def test_b(self):
            for number in range(3):
                with self.subTest(number=number):
                    self.skipTest("no such device")

    @unittest.skip("nothing is here")
    class SkipsAll(SkipsOne):
        pass

    class SkipsAtItsBegin(Passes):
        @classmethod
        def setUpClass(cls):
            raise unittest.SkipTest("nothing is here")

    class Fails(SkipsOne):
        def test_c(self):
            self.fail()
    """)
DEVICE, NOTHING = "no such device", "nothing is here"


class Class(unittest.TestCase):
    def run_toy(self, name):
        """Its status, what it printed of skipped tests, and what it wrote of them."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "toy_test.py"), "w", encoding="utf-8") as file:
                file.write(CLASSES)
            done = subprocess.run([sys.executable, "-B", RUNNER, f"toy.toy_test.{name}"], cwd=folder,
                                  env={**os.environ, "KERNSWEEP_RESULTS": folder}, capture_output=True,
                                  text=True, check=False)
            path, written = os.path.join(folder, f"toy.toy_test.{name}.json"), None
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    written = json.load(file)["skipped"]
        return done.returncode, re.findall(r"(?m)^skipped: (.*)$", done.stdout), written

    def test_what_passes_writes_nothing(self):
        self.assertEqual((0, [], None), self.run_toy("Passes"))

    def test_a_skipped_method_of_a_class_that_passes_or_fails_is_reported(self):
        for name, status in (("SkipsOne", 0), ("Fails", 1)):
            self.assertEqual((status, [f"{DEVICE} (toy.toy_test.{name}.test_b)"], [["test_b", DEVICE]]),
                             self.run_toy(name))

    def test_skipped_parts_belong_to_their_method(self):
        status, _, written = self.run_toy("SkipsInParts")
        self.assertEqual((0, [["test_b", DEVICE]] * 3), (status, written))

    def test_a_class_of_skipped_methods_is_skipped(self):
        self.assertEqual((77, [["test_a", NOTHING], ["test_b", NOTHING]]), self.run_toy("SkipsAll")[::2])
        self.assertEqual((77, [["setUpClass", NOTHING]]), self.run_toy("SkipsAtItsBegin")[::2])


class Reported(ToyTreeTest):
    def test_reasons_are_counted_and_each_method_is_in_the_log(self):
        self.write("tests/toy_test.py", CLASSES)
        tests = "".join(f"""
            add_test(NAME toy.toy_test.{name} COMMAND {sys.executable} -B "{RUNNER}" toy.toy_test.{name}
                     WORKING_DIRECTORY "${{PROJECT_SOURCE_DIR}}/tests")
            set_tests_properties(toy.toy_test.{name} PROPERTIES SKIP_RETURN_CODE 77)"""
                        for name in ("SkipsOne", "SkipsAll"))
        self.write("CMakeLists.txt", f"{PROJECT}\nif(KERNSWEEP_TESTS)\nenable_testing(){tests}\nendif()\n")
        status, said, _ = self.call(script=os.path.join(self.root, "test"))
        self.assertEqual((0, [("2", NOTHING), ("1", DEVICE)]),
                         (status, re.findall(r"(?m)^(\d+) skipped: (.*)$", said)), said)
        self.assertNotIn("GoogleTest", said)
        with open(os.path.join(self.root, "build/release/tests.log"), encoding="utf-8") as file:
            self.assertEqual([f"skipped: toy.toy_test.SkipsAll.test_a: {NOTHING}",
                              f"skipped: toy.toy_test.SkipsAll.test_b: {NOTHING}",
                              f"skipped: toy.toy_test.SkipsOne.test_b: {DEVICE}"],
                             file.read().splitlines()[-3:])


if __name__ == "__main__":
    unittest.main()
