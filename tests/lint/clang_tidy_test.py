"""That a unit is kept only while nothing changes that clang-tidy's answer depends on. clang_tidy.py, on a
made-up tree."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BROUGHT = ("cmake/kept.py", "tests/lint/clang_tidy.py", "CMakePresets.json")
TREE = {
    ".clang-tidy": "Checks: '-*,bugprone-sizeof-expression,readability-else-after-return'\n"
                   "WarningsAsErrors: '*'\nHeaderFilterRegex: 'shared/.*'\n",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(toy CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(toy shared/one.cpp shared/two.cpp)
set_target_properties(toy PROPERTIES UNITY_BUILD OFF)
target_include_directories(toy PRIVATE . late)
""",
    "shared/one.cpp": '#include "shared/one.hpp"\nint one() { return first(); }\n',
    "shared/one.hpp": '#pragma once\n#include "far/near.hpp"\ninline int first() { return NEAR; }\n',
    "shared/two.cpp": "int two() { return sizeof(3); }  // NOLINT\n",
    "late/far/near.hpp": "#pragma once\n#define NEAR 1\n",
}
FINDING = "inline unsigned long planted() { return sizeof(7); }\n"


@unittest.skipUnless(shutil.which("clang-tidy-14") and shutil.which("clang++-14"), "no clang-tidy-14")
class Units(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A tree whose two units were seen to be clean."""
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.seen = os.path.join(cls.folder, "seen")
        for name in BROUGHT:
            write(cls.seen, name, read(ROOT, name))
        for name, text in TREE.items():
            write(cls.seen, name, text)
        said, status = lint(cls.seen, cls.folder)
        assert (said, status) == ("2 of 2 units clean, 0 of them kept", 0), said

    def setUp(self):
        # A run of CI that uses nothing kept sets it.
        self.enterContext(mock.patch.dict(os.environ, CCACHE_RECACHE=""))
        self.tree = os.path.join(self.folder, self._testMethodName)
        shutil.copytree(self.seen, self.tree, ignore=shutil.ignore_patterns("build"))

    def assert_lint(self, said, status, **environment):
        self.assertEqual((said, status), lint(self.tree, self.folder, **environment))

    def test_unchanged_units_are_kept_in_another_checkout_too(self):
        self.assert_lint("2 of 2 units clean, 2 of them kept", 0)

    def test_so_are_sources_that_are_compiled_as_one(self):
        top, library = TREE["CMakeLists.txt"].split("add_library")
        write(self.tree, "CMakeLists.txt", top + "add_subdirectory(shared)\n")
        library = library.replace("shared/", "").replace("OFF", "ON").replace(" . late", " .. ../late")
        write(self.tree, "shared/CMakeLists.txt", "add_library" + library)
        self.assert_lint("1 of 1 units clean, 0 of them kept", 0)
        self.tree = shutil.copytree(self.tree, self.tree + "_2", ignore=shutil.ignore_patterns("build"))
        self.assert_lint("1 of 1 units clean, 1 of them kept", 0)
        write(self.tree, "shared/two.cpp", FINDING)
        self.assert_lint("0 of 1 units clean, 0 of them kept", 1)

    def test_a_finding_in_a_header_is_found_each_time(self):
        write(self.tree, "shared/one.hpp", TREE["shared/one.hpp"] + FINDING)
        self.assert_lint("1 of 2 units clean, 1 of them kept", 1)
        self.assert_lint("1 of 2 units clean, 1 of them kept", 1)
        write(self.tree, "shared/one.hpp", TREE["shared/one.hpp"])
        self.assert_lint("2 of 2 units clean, 2 of them kept", 0)

    def test_how_many_lines_of_findings_are_left_out_is_shown(self):
        many = "".join(FINDING.replace("planted", f"planted{number}") for number in range(50))
        write(self.tree, "shared/one.hpp", TREE["shared/one.hpp"] + many)
        shown = run_lint(self.tree, self.folder).stdout.splitlines()
        left_out = [line for line in shown if line.startswith("... ")]
        self.assertEqual((["... 70 lines of findings are left out ..."], 82), (left_out, len(shown)))

    def test_a_NOLINT_that_is_removed_is_found(self):
        write(self.tree, "shared/two.cpp", TREE["shared/two.cpp"].replace("  // NOLINT", ""))
        self.assert_lint("1 of 2 units clean, 1 of them kept", 1)

    def test_another_configuration_runs_all(self):
        text = TREE[".clang-tidy"].replace("readability-else-after-return", "misc-redundant-expression")
        write(self.tree, ".clang-tidy", text)
        self.assert_lint("2 of 2 units clean, 0 of them kept", 0)

    def test_a_configuration_in_a_folder_counts(self):
        write(self.tree, "shared/.clang-tidy", "Checks: '-*,misc-redundant-expression'\n")
        self.assert_lint("2 of 2 units clean, 0 of them kept", 0)

    def test_another_flag_runs_what_is_compiled_with_it(self):
        flag = "set_source_files_properties(shared/two.cpp PROPERTIES COMPILE_OPTIONS -O1)\n"
        write(self.tree, "CMakeLists.txt", TREE["CMakeLists.txt"] + flag)
        self.assert_lint("2 of 2 units clean, 1 of them kept", 0)

    def test_a_header_that_is_found_first_from_now_on_is_read(self):
        write(self.tree, "far/near.hpp", '#pragma once\n#define NEAR static_cast<int>(sizeof(7))\n')
        self.assert_lint("1 of 2 units clean, 1 of them kept", 1)

    def test_a_header_of_no_such_name_changes_nothing(self):
        write(self.tree, "far/another.hpp", FINDING)
        self.assert_lint("2 of 2 units clean, 2 of them kept", 0)

    def test_damaged_entries_are_not_used(self):
        store = os.path.join(self.folder, "damaged")
        shutil.copytree(os.path.join(self.folder, "store"), store)
        for folder, _, names in os.walk(store):
            for name in names:
                with open(os.path.join(folder, name), "ab") as file:
                    file.write(b"]")
        self.assert_lint("2 of 2 units clean, 0 of them kept", 0, KERNSWEEP_KEPT=store)
        self.assert_lint("2 of 2 units clean, 2 of them kept", 0, KERNSWEEP_KEPT=store)

    def test_all_runs_where_nothing_is_to_be_kept(self):
        self.assert_lint("2 of 2 units clean, 0 of them kept", 0, KERNSWEEP_KEPT="")
        self.assert_lint("2 of 2 units clean, 0 of them kept", 0, CCACHE_RECACHE="1")

    def test_a_tree_without_units_is_no_clean_one(self):
        os.rename(os.path.join(self.tree, "shared"), os.path.join(self.tree, "elsewhere"))
        write(self.tree, "CMakeLists.txt", TREE["CMakeLists.txt"].replace("shared/", "elsewhere/"))
        self.assert_lint("0 of 0 units clean, 0 of them kept", 1)


def read(top, name):
    with open(os.path.join(top, name), encoding="utf-8") as file:
        return file.read()


def write(top, name, text):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run_lint(tree, folder, **environment):
    store = {"KERNSWEEP_KEPT": os.path.join(folder, "store")}
    return subprocess.run([sys.executable, "-B", "tests/lint/clang_tidy.py"], cwd=tree, capture_output=True,
                          text=True, env={**os.environ, **store, **environment}, check=False)


def lint(tree, folder, **environment):
    """What it counts, and its status."""
    done = run_lint(tree, folder, **environment)
    counted = re.findall("^clang-tidy: (.*)$", done.stdout, re.MULTILINE)
    return counted[0] if counted else done.stdout + done.stderr, done.returncode


if __name__ == "__main__":
    unittest.main()
