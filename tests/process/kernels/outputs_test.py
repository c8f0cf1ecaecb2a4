"""Outputs of settings that compute the same, without a reference: differing ones are reported."""
import os
import unittest

from sandbox import BUILD, UNHURRIED, ProcessTest

PYTHON = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
TIMED = "timeout: {setup: 300s, run: 300s}"

# Prints what the algorithm says: primes below n, or what its author took for them.
PRIMES = """#!/bin/sh
case "$1" in
  silent) ;;
  stored) echo 25 ;;
  clock) date +%N ;;
  level) echo "level $2" ;;
  *) if [ "$2" = 100 ]; then echo 25; else echo 168.0; fi ;;
esac
"""

# f32 has 24 bits: 1 / 3 is off by 1e-8 there.
MODULE = '''
import array

def thirds(n, how):
    if how == "zeros":
        return lambda: array.array("d", [1 / 3] * (n // 2) + [0.0] * (n // 2))
    kind = "f" if how == "single" else "d"
    return lambda: array.array(kind, [1 / 3] * n)

def whole(how, kind, n):
    import os
    values, large, last = array.array("d", [2e8, 3e8]), 200_000_001, 7 + (how == "wrong")
    process = os.getpid() if how == "wrong" else 0
    return {"list": lambda: [large, 5, last], "tuple": lambda: (values[:], array.array("q", [17, last])),
            "mixed": lambda: (last, 0.5), "text": lambda: "sum %d" % last,
            "process": lambda: "sum %d" % process}[kind]

def none_of(how):
    return (lambda: None) if how == "none" else (lambda: array.array("d", [1.0, 2.0]))
'''


class OutputsTest(ProcessTest):
    def run_sweep(self, what, axes, *more, processes=1):
        self.write("primes", PRIMES)
        os.chmod(os.path.join(self.folder, "primes"), 0o755)
        self.write("kernels.py", MODULE)
        measure = UNHURRIED.rstrip("\n").replace("processes: 1", f"processes: {processes}")
        self.write("s.yaml", "\n".join(["sweep: 1", "name: s", what, f"axes: {axes}", measure, TIMED, *more])
                   + "\n")
        self.call("run", "s.yaml")
        rows = self.rows("s.db", "select s.*, r.output_sample, r.grade_reasons from s join result r "
                         "using (result) order by s.point, s.process")
        self.expect_nobody_left()
        return rows

    def reasons(self, row):
        """What `show` has of a result: the grade's reasons, and what is known of its output otherwise."""
        shown = self.call("show", "s.db", str(row["result"]), "--json").json()
        return (shown["measured"].get("grade_reasons", ""),
                shown.get("outputs", {}).get("compared", ""))

    def is_warned(self, row):
        """Of the jobs of these tests everything else that is said was said when they were measured."""
        return len(self.reasons(row)[0].split("\n")) > len((row["grade_reasons"] or "").split("\n"))

    def warned(self, rows, key):
        """The values of `key` whose results are warned of, those of the row of `best` at last."""
        best = self.call("best", "s.db", "--grade", "C", "--json").json()
        told = [row[key] for row in rows if self.is_warned(row)]
        return told, [row.get("outputs") for row in best["rows"]]


class OfCommands(OutputsTest):
    def test_the_one_that_prints_something_else_is_told_from_the_majority(self):
        rows = self.run_sweep("command: ./primes {algorithm} {n}",
                              "{algorithm: [trial, sieve, stored], n: [100, 1000]}", "problem: [n]")
        told = [(row["algorithm"], row["n"]) for row in rows if self.is_warned(row)]
        self.assertEqual([("stored", 1000)], told)
        honest = next(row for row in rows if (row["algorithm"], row["n"]) == ("trial", 1000))
        self.assertEqual("the same as in 1 of 2 other settings", self.reasons(honest)[1])
        # 168.0 is the whole number 168, of whatever digits.
        self.assertEqual(["runs=2", "type=whole"], honest["output_sample"].split(" ")[:2])
        best = self.call("best", "s.db", "--grade", "C", "--json").json()
        of_1000 = next(row for row in best["rows"] if row["n"] == 1000)
        self.assertEqual("differs from 2 of 3" if of_1000["algorithm"] == "stored" else None,
                         of_1000.get("outputs"))

    def test_one_that_prints_nothing_is_no_winner_without_a_word(self):
        rows = self.run_sweep("command: ./primes {algorithm} 100", "{algorithm: [trial, sieve, silent]}")
        self.assertEqual(["silent"], self.warned(rows, "algorithm")[0])

    def test_two_groups_are_two_groups_and_the_setting_that_tells_them_apart_is_named(self):
        rows = self.run_sweep("command: ./primes {algorithm} {n}",
                              "{algorithm: [trial, sieve], n: [100, 1000]}")
        told, in_rows = self.warned(rows, "n")
        self.assertEqual([100, 1000, 100, 1000], told)
        self.assertEqual(["2 of 4 agree"], in_rows)
        self.assert_golden("two groups", self.reasons(rows[0])[0].split("\n")[-1])

    def test_text_that_is_another_one_for_each_setting_is_no_reason(self):
        rows = self.run_sweep("command: ./primes level {level}", "{level: [1, 6, 9]}")
        self.assertEqual(([], ["all differ"]), self.warned(rows, "level"))

    def test_what_each_process_prints_anew_is_no_reason(self):
        rows = self.run_sweep("command: ./primes clock {n}", "{n: [1, 2]}", "verify: {repeat: 1}",
                              processes=2)
        self.assertEqual(([], [None]), self.warned(rows, "n"))
        self.assert_golden("between processes", self.reasons(rows[0])[1])

    def test_what_each_run_prints_anew_is_no_reason_either(self):
        rows = self.run_sweep("command: ./primes clock {n}", "{n: [1, 2]}")
        self.assertEqual(([], [None]), self.warned(rows, "n"))
        self.assertEqual(["runs=0"] * 2, [row["output_sample"] for row in rows])

    def test_of_one_run_alone_nothing_is_known(self):
        rows = self.run_sweep("command: ./primes {algorithm} 1000", "{algorithm: [trial, stored]}",
                              "verify: {repeat: 1}")
        self.assertEqual(([], [None]), self.warned(rows, "algorithm"))

    def test_ignored_outputs_are_not_compared_and_nothing_is_measured_anew(self):
        what, axes = "command: ./primes {algorithm} 100", "{algorithm: [trial, level]}"
        told, in_rows = self.warned(self.run_sweep(what, axes), "algorithm")
        self.assertEqual((["trial", "level"], ["no other agrees"]), (told, in_rows))
        rows = self.run_sweep(what, axes, "verify: {outputs: ignore}")
        self.assertEqual([1, 1], [row["reused"] for row in rows])
        self.assertEqual(([], [None]), self.warned(rows, "algorithm"))

    def test_verified_outputs_are_not_kept(self):
        for verify in ("false", "{reference: {algorithm: trial}}"):
            rows = self.run_sweep("command: ./primes {algorithm} 100", "{algorithm: [trial, stored]}",
                                  f"verify: {verify}")
            self.assertEqual([None, None], [row["output_sample"] for row in rows], verify)

    def test_a_rule_that_is_misspelt_is_refused(self):
        self.write("s.yaml", "sweep: 1\nname: s\ncommand: echo\nverify: {outputs: ignored}\n")
        self.assert_golden("misspelt", self.call("check", "s.yaml", status=2).errors)


@unittest.skipUnless(PYTHON, "built without Python's development files")
class OfFunctions(OutputsTest):
    def test_arrays_are_compared_within_the_tolerance_of_their_types(self):
        rows = self.run_sweep("python: kernels:thirds", "{how: [double, single, other, zeros], n: 1000}",
                              "problem: [n]")
        self.assertEqual(["zeros"], self.warned(rows, "how")[0])
        of = {row["how"]: str(row["result"]) for row in rows}
        for how, differs in (("other", False), ("single", False), ("zeros", True)):
            changes = self.call("show", "s.db", of["double"], "--diff", of[how], "--json").json()
            outputs = [change for change in changes if change["field"] == "output_hash"]
            self.assertEqual(differs, len(outputs) == 1, changes)

    def test_whole_numbers_and_text_are_compared_exactly_in_whatever_they_are_returned(self):
        rows = self.run_sweep("python: kernels:whole", "{how: [right, same, wrong], "
                              "kind: [list, tuple, mixed, text, process], n: 9}", "problem: [kind, n]",
                              processes=2)
        for row in rows:
            self.assertEqual(row["how"] == "wrong", self.is_warned(row), row)

    def test_one_that_returns_nothing_is_told(self):
        rows = self.run_sweep("python: kernels:none_of", "{how: [none, a, b]}")
        self.assertEqual(["none"], self.warned(rows, "how")[0])


if __name__ == "__main__":
    unittest.main()
