"""`kernsweep report`: one file that is whole or not there, also of odd databases."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

from sandbox import BUILD, PROGRAM, ProcessTest, sweep_text

PAGE = os.path.join(BUILD, "share", "kernsweep", "report", "page.html")


@unittest.skipUnless(os.path.exists(PAGE), "this build has no page for reports: D3 was missing")
class Report(ProcessTest):  # labels: sanitized smoke
    def setUp(self):
        super().setUp()
        self.write("r.yaml", sweep_text("r", "noop", "{n: [1, 2]}"))
        self.call("run", "r.yaml", "-q")

    def test_is_one_file_that_names_no_other(self):
        self.assert_golden("said", self.call("report", "r.db").out, size=r"(?<=, )\d+ KiB")
        with open(os.path.join(self.folder, "report.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual([], re.findall(r"<(?:script|link|img)[^>]* (?:src|href)=[\"'](?!data:)", text))
        self.assertEqual(1, text.count("Content-Security-Policy\" content=\"default-src 'none'"))

    def test_its_charts_are_written_as_files_of_their_own(self):
        names = ["variant", "n", "threads", "../a", ".. a", "word"]
        entries = {str(i): {**dict(zip(names, ["v", i, i, i, i, "w"])), "times": [1.0 + i, 2.0 + i]}
                   for i in (1, 2, 4)}
        self.write("c.json", json.dumps({"tune_params_keys": names, "cache": entries}))
        self.call("import", "c.json", "--db", "c.db")
        self.assert_golden("charts", self.call("report", "c.db", "--svg", "in/charts").out)
        self.assertNotIn("report.html", self.files())
        self.call("report", "c.db", "--svg", "in/charts", "-o", "c.html")
        self.assertIn("c.html", self.files())
        self.write("file", "")
        self.assert_golden("charts in a file", self.call("report", "c.db", "--svg", "file", status=2).errors)

    def test_an_output_that_cannot_be_is_refused_and_leaves_nothing(self):
        os.mkdir(os.path.join(self.folder, "folder"))
        self.write("old.html", "old")
        before = self.files()
        for name, output in (("folder", "folder"), ("no folder", "none/r.html"), ("device", "/dev/full")):
            self.assert_golden(name, self.call("report", "r.db", "-o", output, status=2).errors)
        for name, words in (("no database", ["none.db"]), ("no sweep", ["r.db", "--sweep", "q"]),
                            ("against", ["r.db", "--against", "tag:a=b"])):
            self.assert_golden(name, self.call("report", *words, "-o", "old.html", status=2).errors)
        self.assertEqual(before, self.files())
        with open(os.path.join(self.folder, "old.html"), encoding="utf-8") as file:
            self.assertEqual("old", file.read())

    def test_a_database_without_sweeps_or_of_a_newer_version_is_told(self):
        with sqlite3.connect(os.path.join(self.folder, "r.db")) as store:
            store.execute("delete from sweep")
        store.close()
        self.assert_golden("empty", self.call("report", "r.db", status=2).errors)
        with sqlite3.connect(os.path.join(self.folder, "r.db")) as store:
            store.execute("pragma user_version = 1000")
        store.close()
        self.assert_golden("newer", self.call("report", "r.db", status=2).errors)
        self.assertEqual([], [name for name in self.files() if "html" in name])

    def test_numbers_and_names_that_are_missing_everywhere_are_no_fault(self):
        with sqlite3.connect(os.path.join(self.folder, "r.db")) as store:
            store.execute("update outcome set median_s = null, gflops = null, host_id = null, grade = null,"
                          " software_id = null, variant = null")
            store.execute("delete from attempt_row")
        store.close()
        self.call("report", "r.db")

    def test_a_build_without_the_page_says_what_to_install(self):
        os.makedirs(os.path.join(self.home, "bare", "bin"))
        bare = os.path.join(self.home, "bare", "bin", "kernsweep")
        shutil.copy2(PROGRAM, bare)
        done = subprocess.run([bare, "report", "r.db"], cwd=self.folder, capture_output=True,
                              encoding="utf-8", check=False)
        self.assertEqual(2, done.returncode)
        self.assert_golden("bare", done.stderr)


if __name__ == "__main__":
    unittest.main()
