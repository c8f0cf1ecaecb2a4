"""`kernsweep try PACK`: each variant of one pack is verified and measured once, without a database."""
import os
import re
import unittest

from sandbox import BUILD, SANITIZED, TEST_PACKS, ProcessTest

BROKEN_PACKS = os.path.join(BUILD, "tests", "broken_packs")
NUMBER = r"\d[\d.e+-]*(?: (?:ns|µs|ms|s|GFLOP/s|GB/s))"


class TryTest(ProcessTest):
    def attempt(self, pack, *words, status=0):
        """What `try` answers of a pack of the tests, by variant."""
        told = self.call("try", self.pack(pack), "--quick", "--json", *words, status=status).json()
        return {each["variant"]: each for each in told["variants"]}

    @staticmethod
    def pack(name):
        return os.path.join(TEST_PACKS, name + ".so")


class Variants(TryTest):  # labels: sanitized smoke
    def test_are_all_verified_and_measured(self):
        told = self.attempt("axpy", "-a", "n=1000")
        self.assertEqual(["loop", "reference"], sorted(told))
        for each in told.values():
            self.assertEqual("ok", each["outcome"])
            self.assertLessEqual(0, each["error"])
            self.assertLess(0, each["q1_s"])
            self.assertLessEqual(each["q1_s"], each["median_s"])
            self.assertLessEqual(each["median_s"], each["q3_s"])
            self.assertLess(0, each["gflops"])
            self.assertLess(0, each["gbps"])
        self.assertEqual(told["loop"]["inputs"], told["reference"]["inputs"])

    def test_are_one_line_each_and_leave_nothing_behind(self):
        answer = self.call("try", self.pack("axpy"), "-a", "n=1000", "--quick")
        lines = re.sub(r"; grade C: .*", "", answer.out)  # where others are busy
        self.assert_golden("out", lines, number=NUMBER)
        self.assertEqual([], self.files())
        self.expect_nobody_left()

    def test_may_be_one_alone(self):
        told = self.attempt("axpy", "-a", "n=10", "--variant", "loop")
        self.assertEqual(["loop"], list(told))
        self.assertLess(0, told["loop"]["tolerance"])  # still held to the reference

    def test_get_what_is_set_and_defaults(self):
        told = self.attempt("everything", "--family", "every", "-a", "block=16", "-a", "op=scale")
        self.assertEqual("block=16 threads=1", told["kernel"]["runtime"])
        self.assertEqual([4], [each["bytes"] // 4 for each in told["kernel"]["inputs"]])

    def test_get_threads_and_environment(self):
        threads = min(2, len(os.sched_getaffinity(0)))
        told = self.attempt("probe", "--family", "probe", "-a", f"threads={threads}",
                            "-a", "env.NOTE=here")
        lines = set(next(iter(told.values()))["runtime"].split("\n"))
        self.assertLess({f"threads {threads}", f"env OMP_NUM_THREADS={threads}", "env NOTE=here"}, lines)

    def test_need_no_reference_but_are_told_so(self):
        noop = os.path.join(BUILD, "lib", "kernsweep", "packs", "noop.so")
        answer = self.call("try", noop, "--quick")
        self.assertEqual(1, answer.out.count("\nThe family has no reference"), answer.out)

    def test_that_refuse_a_point_do_not_fail_the_others(self):
        told = self.attempt("everything", "--family", "every", "-a", "block=100", status=1)
        self.assertEqual("unsupported", told["kernel"]["outcome"])


class Faults(TryTest):
    def fault(self, variant, *words):
        return self.attempt("faulty", "-a", "n=16", "--variant", variant, *words, status=1)[variant]

    def test_a_wrong_result_is_told(self):
        for variant in ("wrong", "nan", "flaky"):
            told = self.fault(variant)
            self.assertEqual("wrong_result", told["outcome"], variant)
            self.assertTrue(told["reason"])

    def test_a_failure_and_a_refusal_are_told(self):
        self.assertEqual("failed_run", self.fault("fail_run")["outcome"])
        self.assertEqual("unsupported", self.fault("refuse")["outcome"])

    def test_an_end_of_its_process_is_told(self):
        for variant in ("abort", "exit"):
            told = self.fault(variant)
            self.assertEqual(("signal", "faulty"), (told["outcome"], told["family"]))
            self.assert_golden(variant, told["reason"])

    @unittest.skipIf(SANITIZED, "a sanitizer reports the access and exits")
    def test_a_crash_is_told(self):
        for variant in ("crash_run", "crash_prepare", "overrun", "write_input"):
            told = self.fault(variant)
            self.assertEqual("signal", told["outcome"], variant)
            self.assertIn("SIGSEGV", told["reason"])

    def test_a_hang_is_ended(self):
        for variant in ("hang_run", "hang_prepare"):
            self.assertEqual("timeout", self.fault(variant, "--timeout", "1")["outcome"])
        self.expect_nobody_left()

    def test_what_it_prints_is_kept_apart(self):
        answer = self.call("try", self.pack("faulty"), "-a", "n=16", "--variant", "noisy_stderr", "--json",
                           status=1)
        self.assertEqual("signal", answer.json()["variants"][0]["outcome"])
        self.assertEqual("faulty: these are the last words", answer.errors.splitlines()[-1])

    def test_a_line_says_why(self):
        answer = self.call("try", self.pack("faulty"), "-a", "n=16", "--variant", "wrong", status=1)
        self.assert_golden("out", answer.out)


class Refusals(TryTest):
    def refuse(self, name, *words):
        answer = self.call("try", *words, status=2)
        self.assertEqual("", answer.out)
        self.assert_golden(name, answer.errors)

    def test_of_files_that_are_no_packs(self):
        self.refuse("missing", "nowhere.so")
        self.refuse("folder", ".")
        self.refuse("text", self.write("text.so", "I am no pack.\n" * 9))
        self.refuse("empty", self.write("empty.so", ""))
        self.refuse("library", os.path.join(BUILD, "tests", "gone", "libgone.so"))

    def test_of_packs_that_cannot_be_used(self):
        for fault in ("other_version", "undefined", "missing_library"):
            self.refuse(fault, os.path.join(BROKEN_PACKS, fault + ".so"))

    def test_of_a_pack_that_crashes_when_it_is_asked_what_it_has(self):
        answer = self.call("try", os.path.join(BROKEN_PACKS, "crashes.so"), status=2)
        self.assert_golden("crashes", answer.errors, signal=r"SIG[A-Z]+ \([^)]*\)")

    def test_of_parameters(self):
        axpy = self.pack("axpy")
        for name, words in (("unknown", ("-a", "nn=4")), ("not given", ()), ("kind", ("-a", "n=many")),
                            ("range", ("-a", "n=-4")), ("several", ("-a", "n=[1,2]")),
                            ("twice", ("-a", "n=1", "-a", "n=2")), ("no value", ("-a", "n")),
                            ("empty", ("-a", "n=")), ("variant", ("-a", "variant=loop")),
                            ("threads", ("-a", "n=4", "-a", "threads=100000"))):
            self.refuse(name, axpy, *words) if name != "threads" else self.refuse_threads(axpy, *words)
        every = (self.pack("everything"), "--family", "every")
        self.refuse("choice", *every, "-a", "op=divide")
        self.refuse("own range", *every, "-a", "block=0")

    def refuse_threads(self, *words):
        answer = self.call("try", *words, status=2)
        self.assert_golden("threads", answer.errors, cores=r"\d+ cores?$")

    def test_of_names(self):
        axpy = self.pack("axpy")
        self.refuse("variant", axpy, "-a", "n=4", "--variant", "lop")
        self.refuse("family", axpy, "-a", "n=4", "--family", "axpi")
        self.refuse("which family", self.pack("everything"))
        self.refuse("timeout", axpy, "-a", "n=4", "--timeout", "0")
