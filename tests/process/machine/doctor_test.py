"""`kernsweep doctor`: what it finds, and that no library can harm it.

fake_blas/ holds a library that believes every processor to be ancient, and one that dies when it is opened.
"""
import os
import re
import unittest

from sandbox import BUILD, SOURCE, ProcessTest, read_bytes

FAKES = os.path.join(BUILD, "tests", "fake_blas")
KEYS = ["id", "group", "verdict", "found", "why", "remedy", "values"]
VERDICTS = {"good", "note", "warning", "bad"}
HAS_AVX = b" avx " in read_bytes("/proc/cpuinfo")


class DoctorTest(ProcessTest):
    def findings(self, **surroundings):
        answer = self.call("doctor", "--json", status=None, environment=surroundings)
        found = answer.json()
        # 0: nothing is bad, 1: something is
        self.assertEqual(int(any(each["verdict"] == "bad" for each in found)), answer.status)
        self.assertEqual("", answer.errors)
        return found

    def library(self, name, **surroundings):
        found = self.findings(LD_LIBRARY_PATH=FAKES, **surroundings)
        one, = [each for each in found if each["values"].get("name") == name]
        return one


class Doctor(DoctorTest):  # labels: sanitized smoke
    def test_json_has_the_keys_that_scripts_read(self):
        for each in self.findings():
            self.assertEqual(KEYS, list(each))
            self.assertIn(each["verdict"], VERDICTS)
            self.assertTrue(each["found"] and each["why"], each)
            self.assertTrue(each["values"] or each["id"].startswith("library."), each)

    def test_every_check_of_the_page_is_made(self):
        with open(os.path.join(SOURCE, "docs", "reference", "doctor.md"), encoding="utf-8") as page:
            documented = set(re.findall(r"(?m)^\| `([a-z]+\.[a-z_]+)` \|", page.read()))
        self.assertEqual(documented, {each["id"] for each in self.findings()})

    def test_text_names_each_check_and_ends_with_the_count(self):
        answer = self.call("doctor", status=None)
        for each in self.findings():
            self.assertRegex(answer.out, rf"(?m)^  (good   |note   |warning|BAD    )  {each['id']}  ")
        self.assertRegex(answer.out, r"\n\d+ findings: \d+ bad, \d+ warnings?, \d+ notes?, \d+ good.*\n\Z")

    def test_changes_nothing_and_leaves_nobody(self):
        self.call("doctor", status=None)
        self.assertEqual([], self.files())
        self.expect_nobody_left()

    def test_words_that_it_does_not_know_are_bad_usage(self):
        for words in (["now"], ["--fix"]):
            self.assert_golden(" ".join(words), self.call("doctor", *words, status=2).errors)


class Libraries(DoctorTest):
    @unittest.skipUnless(HAS_AVX, "the trap is one only where there is more than SSE")
    def test_kernels_for_an_ancient_processor_are_bad_and_the_setting_that_helps_is_told(self):
        trap = self.library("libopenblas_trap.so.0")
        self.assertEqual(("bad", "Prescott"), (trap["verdict"], trap["values"]["chosen"]))
        self.assertTrue(trap["values"]["set"].startswith("OPENBLAS_CORETYPE="), trap)
        self.assertEqual("OPENBLAS_CORETYPE=" + trap["values"]["then"], trap["values"]["set"])
        self.assertIn("set " + trap["values"]["set"], trap["remedy"])

    def test_a_library_is_asked_in_the_environment_of_a_slot(self):
        trap = self.library("libopenblas_trap.so.0", OPENBLAS_CORETYPE="Haswell")
        self.assertEqual("Prescott", trap["values"]["chosen"])

    def test_a_library_that_crashes_costs_its_own_line(self):
        crashed = self.library("libblis_crash.so.4")
        self.assertEqual("warning", crashed["verdict"])
        self.assertIn("SIGABRT", crashed["found"])
        self.assertEqual("OpenBLAS 0.0.1", self.library("libopenblas_trap.so.0")["values"]["make"])


if __name__ == "__main__":
    unittest.main()
