"""`kernsweep new-pack` writes a project, and the printed commands work unchanged."""
import ctypes
import os
import re
import shlex
import shutil
import subprocess
import unittest

from sandbox import BUILD, LIMIT_S, SANITIZED, ProcessTest

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # of <linux/prctl.h> and <linux/capability.h>


def of_cache(name):
    """A value of the build's CMake cache; None: it has none of that name."""
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        found = re.search(rf"(?m)^{name}:[A-Z]+=(.*)$", file.read())
    return found and found[1]


def cannot_build():
    """Why no pack can be built here as its user would build it; None: it can."""
    if SANITIZED:
        return "a pack that is built plainly has other flags than this build"
    if of_cache("CMAKE_TOOLCHAIN_FILE"):
        return "this build is for another processor"
    return None if shutil.which("cmake") else "cmake is not here"


def as_no_root():
    """Takes from root what lets it write into each folder."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() == 0 and libc.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the capability could not be dropped")


class PackTest(ProcessTest):
    """With a shell that knows the compiler and the generator of the build."""

    def setUp(self):
        super().setUp()
        if cannot_build():
            self.skipTest(cannot_build())
        self.environment.update(CXX=of_cache("CMAKE_CXX_COMPILER"), CMAKE_GENERATOR="Ninja")
        del self.environment["KERNSWEEP_PACKS"]

    def shell(self, line, status=0, **environment):
        """What a shell says to the line, in the folder of the test."""
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, stdin=subprocess.DEVNULL,
                              env={**self.environment, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", timeout=LIMIT_S, check=False)
        self.assertEqual(status, done.returncode, f"{line}\n{done.stdout}")
        return done.stdout


class Project(PackTest):
    def new_pack(self, *words):
        """The lines to type, without their prompt: cd, cmake, try, run."""
        lines = self.call("new-pack", *words).out.splitlines()
        return lines[lines.index("") + 2:]

    def test_is_built_without_a_warning_tried_and_swept_by_what_is_printed(self):
        enter, build, attempt, sweep = self.new_pack("scale")
        # g++ 12 takes what a designated initialiser leaves out for forgotten.
        flags = "-Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -Werror"
        self.shell(f"{enter} && {build}", CXXFLAGS=flags)
        lines = self.shell(f"{enter} && {attempt}").splitlines()
        self.assertEqual([["loop", "ok"], ["reference", "ok"]], [line.split()[:2] for line in lines])
        self.shell(f"{enter} && {sweep} -q --quick --patience 0")
        rows = self.rows("scale/scale.db", "select status, count(*) as jobs from results group by status")
        self.assertEqual([{"status": "ok", "jobs": 6}], rows)

    def test_says_in_its_readme_what_was_printed(self):
        lines = self.new_pack("scale", "--folder", "a folder/of mine")
        self.assertEqual(["cd", "a folder/of mine"], shlex.split(lines[0]))
        with open(os.path.join(self.folder, "a folder/of mine/README.md"), encoding="utf-8") as file:
            self.assertEqual(lines[1:], file.read().split("```\n")[1].splitlines())
        self.assertEqual(["CMakeLists.txt", "README.md", "scale.cpp", "scale.yaml"],
                         sorted(os.listdir(os.path.join(self.folder, "a folder/of mine"))))

    def test_may_have_the_name_of_anything_of_the_language(self):
        for name in ("double", "exp", "std"):
            enter, build, attempt, _ = self.new_pack(name)
            self.shell(f"{enter} && {build}")
            self.shell(f"{enter} && {attempt} --quick")

    def test_calls_kernsweep_by_its_name_where_a_shell_finds_it(self):
        folders = os.pathsep.join([os.path.join(BUILD, "bin"), self.environment["PATH"]])
        lines = self.call("new-pack", "scale", environment={"PATH": folders}).out.splitlines()
        self.assertEqual("kernsweep", lines[-2].split()[0])
        os.mkdir(os.path.join(self.folder, "other"))
        shutil.copy(shutil.which("true"), os.path.join(self.folder, "other", "kernsweep"))
        folders = os.pathsep.join([os.path.join(self.folder, "other"), folders])
        lines = self.call("new-pack", "again", environment={"PATH": folders}).out.splitlines()
        self.assertEqual(os.path.join(BUILD, "bin", "kernsweep"), lines[-2].split()[0])

    def test_says_where_it_looks_for_kernsweep(self):
        self.new_pack("scale")
        said = self.shell("cd scale && cmake -B build -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "
                          "-D CMAKE_IGNORE_PREFIX_PATH='/usr;/usr/local'", status=1)
        self.assertRegex(said, "KernsweepConfig.cmake")

    def test_warns_of_a_build_without_optimisation(self):
        self.new_pack("scale")
        path = os.path.join(self.folder, "scale", "CMakeLists.txt")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r"(?s)if\(NOT CMAKE_BUILD_TYPE\).*?endif\(\)\n", "", text))
        said = self.shell(f"cd scale && cmake -B build -D CMAKE_PREFIX_PATH={shlex.quote(BUILD)}")
        self.assertEqual(1, said.count("CMAKE_BUILD_TYPE is empty"), said)


class OwnProject(PackTest):
    """The CMake of a user: of an older standard, with a library, and with prefixes of its own."""

    TEXT = """cmake_minimum_required(VERSION 3.16)
project(mine LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_SHARED_MODULE_PREFIX our)
find_package(Kernsweep 0.1 REQUIRED)
find_package(Kernsweep REQUIRED)
add_library(helper STATIC helper.cpp)
set_target_properties(helper PROPERTIES POSITION_INDEPENDENT_CODE ON)
kernsweep_add_pack(scale scale/scale.cpp use.cpp)
target_link_libraries(scale PRIVATE helper)
add_library(by_hand MODULE scale/scale.cpp)
target_link_libraries(by_hand PRIVATE Kernsweep::pack)
"""

    def configured(self, text=TEXT, **shell):
        self.call("new-pack", "scale")
        self.write("CMakeLists.txt", text)
        self.write("helper.cpp", "int help() { return 1; }\n")
        self.write("use.cpp", "int help();\nint use() { return help(); }\n")
        return self.shell("cmake -B build -D CMAKE_BUILD_TYPE=Release", CMAKE_PREFIX_PATH=BUILD, **shell)

    def test_gets_packs_that_show_their_entry_alone_and_is_told_at_the_link_what_is_missing(self):
        self.configured()
        self.shell("cmake --build build")
        shown = set(self.shell("nm -D --defined-only build/scale.so").split())
        self.assertEqual({"kernsweep_pack"}, shown & {"kernsweep_pack", "_Z3usev"})
        for pack in ("build/scale.so", "build/ourby_hand.so"):
            self.call("try", pack, "-a", "n=10", "--quick")
        self.write("helper.cpp", "int nothing() { return 1; }\n")
        said = self.shell("cmake --build build 2>&1 || echo failed")
        self.assertRegex(said, "undefined (reference|symbol).*help")

    def test_names_only_families_that_an_index_can_hold(self):
        for family in ('a"b', "a\\b", "a b", "a\nb"):
            text = self.TEXT.replace("use.cpp)", f"use.cpp FAMILIES scale [[{family}]])")
            self.assertIn(f"FAMILIES of scale: '{family}'".split("\n")[0], self.configured(text, status=1))
            shutil.rmtree(os.path.join(self.folder, "scale"))
        self.configured(self.TEXT.replace("use.cpp)", "use.cpp FAMILIES scale two-2_x.Y)"))

    def test_cannot_ask_for_a_version_that_is_not_this_one(self):
        self.call("new-pack", "scale")
        self.write("CMakeLists.txt", self.TEXT.replace("0.1", "99.1"))
        said = self.shell("cmake -B build", status=1, CMAKE_PREFIX_PATH=BUILD)
        self.assertRegex(said, "99.1")


class Installed(PackTest):
    def test_tree_is_enough_wherever_it_lies(self):
        root = os.path.join(self.home, "else where")
        self.shell(f"cmake --install {shlex.quote(BUILD)} --prefix {shlex.quote(root)}")
        program = os.path.join(root, "bin", "kernsweep")
        lines = self.shell(f"{shlex.quote(program)} new-pack scale").splitlines()
        enter, build, attempt, _ = lines[lines.index("") + 2:]
        self.shell(f"{enter} && {build} && {attempt} --quick")
        with open(os.path.join(self.folder, "scale/build/CMakeCache.txt"), encoding="utf-8") as file:
            found = re.search(r"(?m)^Kernsweep_DIR:PATH=(.*)$", file.read())[1]
        self.assertEqual(os.path.join(root, "lib", "cmake", "Kernsweep"), found)


class Refusals(ProcessTest):
    def refuse(self, name, *words, limits=None):
        answer = self.call("new-pack", *words, status=2, limits=limits)
        self.assertEqual("", answer.out)
        self.assert_golden(name, answer.errors)

    def test_of_names_that_none_can_be(self):
        for name in ("my-pack", "1st", "_x", "a b", "a/b", "..", "é", "x" * 41, "test", "command"):
            self.refuse(name, name)
        self.refuse("none")
        self.assertEqual([], self.files())

    def test_of_a_folder_that_has_something(self):
        os.mkdir(os.path.join(self.folder, "scale"))
        self.call("new-pack", "scale")  # an empty one is taken
        self.refuse("again", "scale")
        self.write("file", "")
        self.refuse("file", "scale", "--folder", "file")
        self.refuse("below a file", "scale", "--folder", "file/below")

    def test_of_a_folder_that_cannot_be_written(self):
        os.mkdir(os.path.join(self.folder, "closed"), 0o500)
        self.refuse("closed", "scale", "--folder", "closed", limits=as_no_root)
