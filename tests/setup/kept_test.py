"""When a GoogleTest program's result is taken from those that are kept, and what a program can see then."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests"))

import kept_results  # noqa: E402

RUNNER = os.path.join(SOURCE, "tests", "run_program.py")
# Says what GoogleTest would, after it has read its files.
PROGRAM = """#!/bin/sh
echo "[==========] Running 1 test from 1 test suite."
{more}
echo "[ RUN      ] Toy.Reads"
if cat {files} > /dev/null && test -w /tmp && ! test -e {hidden} && ! touch {data}/new; then
  echo "[       OK ] Toy.Reads (0 ms)"
else
  echo "[  FAILED  ] Toy.Reads (0 ms)"
  exit 1
fi
"""


@unittest.skipUnless(kept_results.can_hide(), "no mount namespace of one's own")
class Kept(unittest.TestCase):
    def setUp(self):
        # A run of CI that uses nothing kept sets it.
        self.enterContext(mock.patch.dict(os.environ, CCACHE_RECACHE=""))
        # Not in /tmp, which every program gets empty.
        holder = tempfile.TemporaryDirectory(dir=os.environ["KERNSWEEP_BUILD"])
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for name in ("data", "store"):
            os.mkdir(self.path(name))
        for name in ("data/golden", "pack.so", "other"):
            self.write(name, "first")
        self.write("needs", f"opens {self.path('pack.so')}\nreads {self.path('data')}\n")
        self.program("data/golden", "pack.so")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def program(self, *names, more="", hidden="other"):
        self.text = PROGRAM.format(files=" ".join(map(self.path, names)), data=self.path("data"), more=more,
                                   hidden=self.path(hidden))
        self.write("program", self.text)
        os.chmod(self.path("program"), 0o755)

    def outcome(self, **environment):
        done = subprocess.run([sys.executable, "-B", RUNNER, "--needs", self.path("needs"), "toy", "60",
                               self.path("program")], text=True, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.STDOUT, cwd=self.folder,
                              env={**os.environ, "KERNSWEEP_KEPT": self.path("store"), **environment})
        self.said = done.stdout
        return (done.returncode, "kept" if "toy: kept, 1 passed" in done.stdout else "run")

    def assert_outcomes(self, *expected, **environment):
        self.assertEqual(list(expected), [self.outcome(**environment) for _ in expected], self.said)

    def test_the_same_bytes_run_once(self):
        self.assert_outcomes((0, "run"), (0, "kept"))

    def test_a_changed_byte_runs_again(self):
        for name in ("data/golden", "pack.so", "data/added"):
            self.outcome()
            self.write(name, "other")
            self.assert_outcomes((0, "run"), (0, "kept"))
        self.write("program", self.text + "\n")
        self.assert_outcomes((0, "run"), (0, "kept"))
        self.write("data/golden", "first")
        self.assert_outcomes((0, "run"), (0, "kept"))

    def test_another_environment_or_command_runs_again(self):
        self.outcome()
        self.assert_outcomes((0, "run"), (0, "kept"), GTEST_FILTER="Toy.*")
        self.assert_outcomes((0, "run"), (0, "kept"), ASAN_OPTIONS="a=1")
        self.assert_outcomes((0, "kept"), UNRELATED="1")
        self.assert_outcomes((0, "run"), (0, "run"), CCACHE_RECACHE="1")

    def test_a_file_that_is_not_named_makes_it_fail(self):
        self.program("data/golden", "pack.so", "needs")
        self.assert_outcomes((1, "run"), (1, "run"))

    def test_what_no_package_has_is_hidden_unless_it_is_named(self):
        self.program("data/golden", hidden="/usr/local/lib")
        self.assert_outcomes((0, "run"), (0, "kept"))
        self.program("data/golden", hidden="/usr/local/games")
        self.assert_outcomes((0, "run"), (0, "kept"))
        self.write("needs", f"opens {self.path('pack.so')}\nreads {self.path('data')}\n"
                            "reads /usr/local/games\n")
        self.assert_outcomes((1, "run"), (1, "run"))

    def test_a_result_with_a_skipped_test_is_kept_if_the_processor_is_why(self):
        for why, second in (("there is no device", "run"),
                            ("isa avx512_fp16: this processor does not have it", "kept")):
            self.program("data/golden", more=f"""
                echo "[ RUN      ] Toy.Skips"
                echo "toy.cpp:1: Skipped"
                echo "{why}"
                echo "[  SKIPPED ] Toy.Skips (0 ms)" """)
            self.write("program", self.text.replace("Running 1 test", "Running 2 tests"))
            self.assert_outcomes((0, "run"), (0, second))
            skipped = [line for line in self.said.splitlines() if line.startswith("skipped")]
            self.assertEqual([f"skipped: {why} (toy.Toy.Skips)"], skipped)

    def kept(self):
        """What would be looked for now; without mounts."""
        with mock.patch.dict(os.environ, KERNSWEEP_KEPT=self.path("store")):
            kept = kept_results.kept(self.path("needs"), [self.path("program")], {})
        if kept:
            self.addCleanup(kept.root.cleanup)
        return kept

    def test_what_changes_while_the_program_runs_is_not_kept(self):
        for name in ("data/golden", "program", "data/added"):
            kept = self.kept()
            before = self.text if name == "program" else "first"
            self.write(name, before + "\n")
            kept.keep({"passed": name, "skipped": []})
            for each in (kept, self.kept()):
                self.assertNotEqual({"passed": name, "skipped": []}, each.found())
            self.kept().keep({"passed": name, "skipped": []})
            self.assertEqual({"passed": name, "skipped": []}, self.kept().found())

    def test_every_checkout_has_the_same_key(self):
        keys = []
        elsewhere = tempfile.TemporaryDirectory()  # its path sorts before those of the system
        self.addCleanup(elsewhere.cleanup)
        for tree in ("tree", elsewhere.name):
            os.makedirs(self.path(f"{tree}/data"))
            for name, text in (("program", "bytes"), ("pack.so", "pack"), ("data/golden", "text")):
                self.write(f"{tree}/{name}", text)
            os.symlink(self.path(f"{tree}/pack.so"), self.path(f"{tree}/data/link"))
            os.symlink("golden", self.path(f"{tree}/data/trusted"))
            os.utime(self.path(f"{tree}/data/trusted"), (len(keys), len(keys)), follow_symlinks=False)
            self.write(f"{tree}/needs", f"opens {self.path(tree)}/pack.so\nreads {self.path(tree)}/data\n"
                                        f"trusts {self.path(tree)}/data/trusted\n")
            with mock.patch.object(kept_results.contents, "TOP", re.compile(re.escape(self.path(tree)))):
                kept = kept_results.kept(self.path(f"{tree}/needs"),
                                         ["/usr/bin/env", self.path(f"{tree}/program")],
                                         {"KERNSWEEP_SOURCE_DIR": self.path(tree)})
            self.addCleanup(kept.root.cleanup)
            keys.append(kept.key)
        self.assertEqual(keys[0], keys[1])

    def test_the_program_counts_wherever_it_is(self):
        with mock.patch.object(kept_results, "SYSTEM", (self.folder,)), \
                mock.patch.object(kept_results, "places", lambda needs: []):
            key = self.kept().key
            self.write("program", self.text + "\n")
            self.assertNotEqual(key, self.kept().key)

    def test_nothing_is_kept_in_a_tree_among_the_folders_of_the_system(self):
        for folder in (self.folder, SOURCE):
            with mock.patch.object(kept_results, "SYSTEM", (folder,)):
                self.assertIsNone(self.kept())
        self.assertIsNotNone(self.kept())

    def test_another_alternative_of_a_program_runs_again(self):
        with mock.patch.object(kept_results, "ALTERNATIVES", self.path("chosen")):
            os.mkdir(self.path("chosen"))
            keys = [self.kept().key]
            for name, target in (("cc", "one"), ("cc", "two"), ("c++", "two")):
                if os.path.lexists(self.path(f"chosen/{name}")):
                    os.remove(self.path(f"chosen/{name}"))
                os.symlink(target, self.path(f"chosen/{name}"))
                keys.append(self.kept().key)
        self.assertEqual(4, len(set(keys)), keys)

    def test_without_a_folder_or_while_texts_are_written_all_runs(self):
        os.remove(self.path("other"))  # it is not hidden now
        self.write("program", self.text.replace("! touch", "touch"))
        self.assert_outcomes((0, "run"), (0, "run"), KERNSWEEP_KEPT="")
        self.assert_outcomes((0, "run"), (0, "run"), KERNSWEEP_WRITE_GOLDEN="1")


if __name__ == "__main__":
    unittest.main()
