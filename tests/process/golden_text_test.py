"""Golden texts of Python tests: what is kept, what is replaced, and what fails."""
import os
import sys
import tempfile
import types
import unittest
import unittest.mock

import golden_text

WRITING = {"KERNSWEEP_WRITE_GOLDEN": "1"}


class Golden(unittest.TestCase):  # labels: smoke
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "made_test.golden")
        made = types.ModuleType("made_test")
        made.__file__ = os.path.join(folder.name, "made_test.py")
        modules = unittest.mock.patch.dict(sys.modules, made_test=made)
        modules.start()
        self.addCleanup(modules.stop)

    def case(self):
        """A test of a made-up file; another each time, as in another process."""
        class Made(golden_text.GoldenText, unittest.TestCase):
            home, folder, build, source = "/t/1", "/t/1/here", "/s/build", "/s"

            def test_it(self):
                pass
        Made.__module__ = "made_test"
        return Made("test_it")

    def written(self, text, **volatile):
        with unittest.mock.patch.dict(os.environ, WRITING):
            self.case().assert_golden("told", text, **volatile)
        return golden_text.read_texts(self.path)["Made.test_it told"]

    def test_a_text_is_kept_and_another_fails(self):
        self.assertEqual("one\n\n  two", self.written("one\n\n  two\n"))
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("KERNSWEEP_WRITE_GOLDEN", None)
            self.case().assert_golden("told", "one\n\n  two\n")
            for other in ("one\n\n  two!", "one", ""):
                with self.assertRaises(AssertionError):
                    self.case().assert_golden("told", other)
            with self.assertRaises(AssertionError):
                self.case().assert_golden("not written yet", "one")

    def test_writing_leaves_the_other_texts(self):
        self.written("one")
        with unittest.mock.patch.dict(os.environ, WRITING):
            self.case().assert_golden("asked", "two")
        self.assertEqual({"Made.test_it told": "one", "Made.test_it asked": "two"},
                         golden_text.read_texts(self.path))

    def test_what_differs_between_processes_is_replaced(self):
        self.assertEqual(
            "<here>/a, <home>/b, <build>/c, <source>/d (pid <pid>) at <time>, tcp://127.0.0.1:<port>, 7 s",
            self.written("/t/1/here/a, /t/1/b, /s/build/c, /s/d (pid 4711) at 2026-11-24T05:06:07.089Z, "
                         "tcp://127.0.0.1:41234, 7 s"))

    def test_what_is_named_is_replaced(self):
        self.assertEqual("<cores> cores, 3 jobs", self.written("16 cores, 3 jobs", cores=r"\d+(?= cores)"))

    def test_a_name_stands_for_one_text_of_a_test(self):
        one = self.case()
        with unittest.mock.patch.dict(os.environ, WRITING):
            one.assert_golden("told", "one")
            with self.assertRaises(AssertionError):
                one.assert_golden("told", "two")


if __name__ == "__main__":
    unittest.main()
