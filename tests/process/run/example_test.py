"""`kernsweep example`: what comes along is listed with its question, and a printed sweep is whole wherever
it lies."""
import glob
import os
import re
import unittest

from sandbox import SOURCE, ProcessTest


def shipped():
    folder = os.path.join(SOURCE, "sweeps")
    return sorted(os.path.relpath(path, folder)[:-len(".yaml")]
                  for path in glob.glob(folder + "/**/*.yaml", recursive=True))


class Example(ProcessTest):
    def test_all_that_come_along_are_listed_with_their_question(self):
        listed = self.call("example").out.split("\n\n")[0].splitlines()
        self.assertEqual(shipped(), sorted(line.split()[0] for line in listed))
        for line in listed:
            self.assertRegex(line, r"^\S+ +[A-Z].*\?$")

    def test_a_printed_one_is_whole_in_another_folder(self):
        for name in ("first_look", "sparse_layers", "transformer_softmax", "claims/C1", "C4-data"):
            with self.subTest(name):
                self.write("it.yaml", self.call("example", name).out)
                self.call("check", "it.yaml")
        said = self.call("example", "python_example.yaml").out
        self.assertRegex(said, r'(?m)^  env\.PYTHONPATH: "/.*/sweeps" ')

    def test_an_unknown_name_gets_the_nearest(self):
        self.assert_golden("unknown", self.call("example", "first-look", status=2).errors)


if __name__ == "__main__":
    unittest.main()
