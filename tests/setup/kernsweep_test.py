#!/usr/bin/env python3
"""What ./kernsweep promises before Kernsweep runs: kernsweep_test.py SOURCE_FOLDER.

A tree of one tiny program is made in a folder with a blank in its name. dpkg-query, apt-get and sudo are
scripts in front of $PATH, which answer as told and write down how they were called.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_executable(kernsweep cli/main.cpp)
add_custom_target(kernsweep_runtime DEPENDS kernsweep)
"""
PROGRAM = """#include <cstdio>
#include <unistd.h>
int main(int argc, char** argv) {
  char folder[4096];
  std::printf("%s|VERSION", getcwd(folder, sizeof folder));
  for (int i = 1; i < argc; ++i) std::printf("|%s", argv[i]);
  return argc > 1 && argv[1][0] == '3' ? 3 : 0;
}
"""
# Knows `there`, and `wanted` once apt-get has installed it.
DPKG_QUERY = """#!/bin/bash
echo there installed
[[ -e $TOOLS/wanted ]] && echo wanted installed
exit 1
"""
APT_GET = """#!/bin/bash
echo "$*" >> "$TOOLS/calls"
case "$*" in
  *install*) [[ -e $TOOLS/refuses || ( -e $TOOLS/stale && ! -e $TOOLS/updated ) ]] && exit 100
             touch "$TOOLS/wanted" ;;
  *update*) touch "$TOOLS/updated" ;;
esac
"""


class Kernsweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.join(self.folder.name, "a tree")
        self.tools = os.path.join(self.folder.name, "tools")
        for name in ("kernsweep", "CMakePresets.json", "cmake/bootstrap.sh"):
            os.makedirs(os.path.dirname(os.path.join(self.root, name)), exist_ok=True)
            shutil.copy2(os.path.join(SOURCE, name), os.path.join(self.root, name))
        self.write("CMakeLists.txt", PROJECT)
        self.write("cmake/packages.txt", "# comment\nbuild | what it is for | there\n")
        self.write("cli/main.cpp", PROGRAM)
        os.makedirs(self.tools)
        self.tool("dpkg-query", DPKG_QUERY)
        self.tool("apt-get", APT_GET)
        self.tool("sudo", '#!/bin/bash\nexec "$@"\n')

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def tool(self, name, text):
        path = os.path.join(self.tools, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def mark(self, name):
        open(os.path.join(self.tools, name), "w", encoding="utf-8").close()

    def start(self, *arguments, script=None):
        environment = dict(os.environ, PATH=self.tools + os.pathsep + os.environ["PATH"], TOOLS=self.tools)
        environment.pop("CXX", None)
        return subprocess.Popen([script or os.path.join(self.root, "kernsweep"), *arguments], text=True,
                                cwd=self.folder.name, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def call(self, *arguments, script=None):
        process = self.start(*arguments, script=script)
        said, complained = process.communicate(timeout=120)
        return process.returncode, said, complained

    def answer(self, *arguments, version="VERSION"):
        return "|".join([os.path.realpath(self.folder.name), version, *arguments])

    def apt_calls(self):
        path = os.path.join(self.tools, "calls")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return ["update" if "update" in line else "install" for line in file]

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
    SOURCE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
