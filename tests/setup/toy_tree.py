"""A tree of one tiny program in a folder with a blank in its name, our scripts, and made-up package tools.

dpkg-query, apt-get and sudo are scripts in front of $PATH, with configured answers, which record their
calls: nothing is installed.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_executable(kernsweep cli/main.cpp)
add_custom_target(kernsweep_runtime DEPENDS kernsweep)
add_custom_target(all_tests)
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


class ToyTreeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.join(self.folder.name, "a tree")
        self.tools = os.path.join(self.folder.name, "tools")
        for name in ("kernsweep", "test", "tests/run_ctest.py", "tests/run_program.py", "tests/selection.py",
                     "tests/kept_results.py", "CMakePresets.json", "cmake/bootstrap.sh", "cmake/kept.py"):
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
