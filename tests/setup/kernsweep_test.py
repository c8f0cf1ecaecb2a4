"""What ./kernsweep promises before Kernsweep runs."""
import os
import unittest

from toy_tree import PROGRAM, ToyTreeTest


class Kernsweep(ToyTreeTest):
    def test_the_first_call_builds_and_hands_over_arguments_folder_and_status(self):
        status, said, complained = self.call("3", "a b.yaml", "")
        self.assertEqual((3, self.answer("3", "a b.yaml", "")), (status, said), complained)
        self.assertIn("building a release", complained)
        self.assertEqual([], self.apt_calls())

    def test_the_second_call_starts_no_build_and_says_nothing(self):
        self.call()
        for name in ("cmake", "ninja"):
            self.tool(name, "#!/bin/bash\nexit 1\n")
        self.assertEqual((0, self.answer("x"), ""), self.call("x"))
        link = os.path.join(self.folder.name, "link")
        os.symlink(os.path.join(self.root, "kernsweep"), link)
        self.assertEqual((0, self.answer("x"), ""), self.call("x", script=link))

    def test_a_change_is_built_without_a_word(self):
        self.call()
        self.write("cli/main.cpp", PROGRAM.replace("VERSION", "changed"))
        self.assertEqual((0, self.answer(version="changed"), ""), self.call())

    def test_a_build_that_fails_says_why_and_where_and_is_tried_again(self):
        self.call()
        self.write("cli/main.cpp", "int main() { return wrong; }\n")
        for _ in range(2):
            status, said, complained = self.call()
            self.assertEqual((125, ""), (status, said))
            self.assertIn("wrong", complained)
            self.assertIn(os.path.join(self.root, "build/release/build.log"), complained)
        self.write("cli/main.cpp", PROGRAM)
        self.assertEqual((0, self.answer(), ""), self.call())

    def test_two_at_once_both_run_and_one_builds(self):
        both = [self.start(str(number)) for number in (1, 2)]
        answers = [process.communicate(timeout=120) for process in both]
        self.assertEqual([self.answer("1"), self.answer("2")], [said for said, _ in answers], answers)
        self.assertEqual(1, sum("building a release" in complained for _, complained in answers), answers)

    def test_missing_packages_are_named_with_their_reason_and_installed_once(self):
        self.write("cmake/packages.txt", "build | what it is for | there wanted\ntest | not asked | other\n")
        status, _, complained = self.call()
        self.assertEqual((0, ["install"]), (status, self.apt_calls()), complained)
        self.assertRegex(complained, "what it is for +wanted\n")
        self.assertNotIn("other", complained)

    def test_stale_package_lists_are_fetched_anew(self):
        self.write("cmake/packages.txt", "run | what it is for | wanted\n")
        self.mark("stale")
        self.assertEqual(0, self.call()[0])
        self.assertEqual(["install", "update", "install"], self.apt_calls())

    def test_packages_that_cannot_be_had_end_with_the_line_to_type(self):
        self.write("cmake/packages.txt", "build | what it is for | wanted\n")
        self.mark("refuses")
        status, said, complained = self.call()
        self.assertEqual((125, ""), (status, said))
        self.assertIn("apt-get install --no-install-recommends wanted", complained)


if __name__ == "__main__":
    unittest.main()
