"""What nvcc made is taken again only where it would make the same. cmake/kept_fatbin.py, with a made-up nvcc
that copies its source and the headers that it reads."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "cmake"))

import kept  # noqa: E402

NVCC = """#!/bin/sh
set -e
blank() { echo "$1" | sed 's/ /\\\\ /g'; }
echo run >> "$(dirname "$0")/../runs"
while [ $# -gt 1 ]; do
  case $1 in -MF) depfile=$2 ;; -o) output=$2 ;; esac
  shift
done
header=$(dirname "$1")/header.hpp
cat "$1" "$header" > "$output"
printf '%s: %s \\\\\\n  %s\\n' "$output" "$(blank "$1")" "$(blank "$header")" > "$depfile"
"""


class Fatbin(unittest.TestCase):
    def setUp(self):
        # A run of CI that uses nothing kept sets it.
        self.enterContext(mock.patch.dict(os.environ, CCACHE_RECACHE=""))
        self.folder = os.path.realpath(self.enterContext(tempfile.TemporaryDirectory()))
        self.nvcc = os.path.join(self.folder, "cuda", "bin", "nvcc")
        self.write(self.nvcc, NVCC)
        os.chmod(self.nvcc, 0o755)
        self.tree = self.checkout("tree")

    def checkout(self, name):
        """A source with its header, in a tree that has the scripts."""
        tree = os.path.join(self.folder, name)
        for script in ("kept.py", "kept_fatbin.py"):
            os.makedirs(os.path.join(tree, "cmake"), exist_ok=True)
            shutil.copy(os.path.join(ROOT, "cmake", script), os.path.join(tree, "cmake"))
        self.write(os.path.join(tree, "source.cu"), "source\n")
        self.write(os.path.join(tree, "header.hpp"), "header\n")
        self.settle(os.path.join(tree, "header.hpp"))
        return tree

    @staticmethod
    def write(path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    @staticmethod
    def settle(path):
        """Waits until the clock has left the moment at which the file was changed, as files have it."""
        while time.time() <= os.stat(path).st_ctime + 0.03:
            pass

    def compile(self, tree, *flags, **environment):
        """(what is in the output, what is in its depfile, how often nvcc ran)"""
        output = os.path.join(tree, "build", "out.fatbin")
        shutil.rmtree(os.path.dirname(output), ignore_errors=True)
        os.makedirs(os.path.dirname(output))
        runs = os.path.join(self.folder, "cuda", "runs")
        self.write(runs, "")
        store = {"KERNSWEEP_KEPT": os.path.join(self.folder, "store")}
        script, source = os.path.join(tree, "cmake", "kept_fatbin.py"), os.path.join(tree, "source.cu")
        subprocess.run([sys.executable, "-B", script, output, output + ".d", self.nvcc, *flags,
                        "-MF", output + ".d", "-o", output, source],
                       env={**os.environ, **store, **environment}, capture_output=True, check=True)
        rule = self.read(output + ".d").replace("\\\n", " ").split()
        return self.read(output), rule, self.read(runs).count("run")

    def assert_ran(self, times, tree, *flags, **environment):
        made, _, ran = self.compile(tree, *flags, **environment)
        self.assertEqual(("source\n" + self.read(os.path.join(tree, "header.hpp")), times), (made, ran))

    def test_the_same_bytes_are_compiled_once_wherever_they_are(self):
        _, first, ran = self.compile(self.tree)
        self.assertEqual(1, ran)
        other = self.checkout("other")
        made, again, ran = self.compile(other)
        self.assertEqual(("source\nheader\n", 0), (made, ran))
        self.assertCountEqual([word.replace(self.tree, other) for word in first], again)
        self.assertEqual(first[0].replace(self.tree, other), again[0])

    def test_the_rule_of_a_folder_with_a_blank_is_one_of_make(self):
        tree = self.checkout("a clone")
        self.assert_ran(1, tree)
        _, rule, ran = self.compile(tree)
        self.assertEqual(0, ran)
        place = self.folder + "/a\\ clone"
        words = " ".join(rule).replace("\\ ", "\0").split()
        names = ("build/out.fatbin:", "header.hpp", "source.cu")
        self.assertEqual([f"{place}/{name}".replace("\\ ", "\0") for name in names], words)

    def test_a_changed_header_is_compiled_and_both_are_kept(self):
        header = os.path.join(self.tree, "header.hpp")
        self.assert_ran(1, self.tree)
        self.write(header, "changed\n")
        self.settle(header)
        self.assert_ran(1, self.tree)
        self.assert_ran(0, self.tree)
        self.write(header, "header\n")
        self.assert_ran(0, self.tree)

    def test_a_flag_and_another_nvcc_make_a_difference(self):
        self.assert_ran(1, self.tree)
        self.assert_ran(1, self.tree, "-O1")
        self.write(self.nvcc, NVCC + "# a later version\n")
        self.assert_ran(1, self.tree)
        self.assert_ran(0, self.tree)

    def test_a_file_that_may_be_found_in_place_of_a_header_is_a_miss(self):
        self.assert_ran(1, self.tree)
        self.write(os.path.join(self.tree, "earlier", "header.hpp"), "other\n")
        self.assert_ran(1, self.tree)

    def test_a_name_that_was_asked_for_and_appears_is_a_miss(self):
        header = os.path.join(self.tree, "header.hpp")
        self.write(header, "#if __has_include(<extra/late.hpp>)\n")
        self.settle(header)
        self.assert_ran(1, self.tree)
        self.assert_ran(0, self.tree)
        self.write(os.path.join(self.tree, "extra", "late.hpp"), "")
        self.assert_ran(1, self.tree)

    def test_a_file_changed_while_it_was_compiled_is_not_kept(self):
        header = os.path.join(self.tree, "header.hpp")
        os.utime(header, (time.time() + 3600, time.time() + 3600))
        self.assert_ran(1, self.tree)
        self.assert_ran(1, self.tree)

    def test_what_fails_is_not_kept(self):
        os.remove(os.path.join(self.tree, "header.hpp"))
        for _ in range(2):
            with self.assertRaises(subprocess.CalledProcessError):
                self.compile(self.tree)

    def test_a_damaged_result_is_made_again(self):
        self.assert_ran(1, self.tree)
        for folder, _, names in os.walk(os.path.join(self.folder, "store")):
            for name in names:
                with open(os.path.join(folder, name), "ab") as file:
                    file.write(b"more")
        self.assert_ran(1, self.tree)
        self.assert_ran(0, self.tree)

    def test_what_was_not_used_for_long_goes_once_a_day(self):
        store, month = os.path.join(self.folder, "store"), time.time() - 31 * 24 * 3600
        self.assert_ran(1, self.tree)
        for folder, _, names in os.walk(store):
            for name in names:
                os.utime(os.path.join(folder, name), (month, month))
        self.assert_ran(1, self.tree, "-O1")  # writes, and looks what is old
        self.assert_ran(1, self.tree)

    def test_nothing_is_kept_where_the_folder_cannot_be_written(self):
        self.write(os.path.join(self.folder, "a file"), "")
        for where in ("", os.path.join(self.folder, "a file", "store")):
            self.assert_ran(1, self.tree, KERNSWEEP_KEPT=where)
            self.assert_ran(1, self.tree, KERNSWEEP_KEPT=where)


class Store(unittest.TestCase):
    def setUp(self):
        self.store = kept.Store(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.dict(os.environ, CCACHE_RECACHE=""))

    def test_an_entry_of_another_user_is_found(self):
        self.store.put("a key", b"data")
        with mock.patch("os.utime", side_effect=PermissionError):
            self.assertEqual(b"data", self.store.get("a key"))

    def test_an_entry_that_another_program_removes_keeps_no_old_one(self):
        month = time.time() - 31 * 24 * 3600
        for gone, call in (("AA", "stat"), ("AA", "unlink"), ("ZZ", "unlink")):
            for key in ("AAgone", "MMold", "ZZgone"):
                self.store.put(key, b"data")
                os.utime(self.store.path(key), (month, month))
            os.remove(os.path.join(self.store.folder, "trimmed"))
            real = getattr(os, call)

            def first_removed(path, *more):
                if f"/{gone}/" in str(path):
                    os.rename(path, self.store.folder + "/gone")
                return real(path, *more)

            with mock.patch(f"os.{call}", first_removed):
                self.store.trim()
            self.assertFalse(os.path.exists(self.store.path("MMold")), (gone, call))
            os.remove(self.store.folder + "/gone")


if __name__ == "__main__":
    unittest.main()
