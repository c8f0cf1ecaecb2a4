"""`kernsweep compare` and `kernsweep bits` on what the real program measured: statuses, texts, JSON."""
import os
import sqlite3

from sandbox import ProcessTest, sweep_text

# A known length, so far apart that no busy machine hides it.
MEASURE = ("measure: {processes: 3, warmup: {min_time: 0ms, max_time: 1ms}, "
           "samples: {min: 2, max: 3, min_time: 0ms, max_time: 2s}}\n")


class Compare(ProcessTest):
    def measured(self, name="slow", axes="{seconds: [0.002, 0.1]}", kernel="sleep", processes=3):
        self.write(f"{name}.yaml", sweep_text(name, kernel, axes, measure=MEASURE))
        self.call("run", f"{name}.yaml", "--quiet", "--set", f"measure.processes={processes}")
        return f"{name}.db"

    def test_fifty_times_as_long_is_slower_and_the_other_way_round_faster(self):
        database = self.measured()
        answer = self.call("compare", database, "seconds=0.002", "seconds=0.1", "--json", status=1).json()
        self.assertEqual("SLOWER", answer["verdict"])
        self.assertGreater(answer["mean_low"], 2)
        self.assertEqual("3/3", answer["rows"][0]["processes"])
        self.call("compare", "seconds=0.1", "seconds=0.002", "--db", database, status=0)

    def test_a_database_against_itself_is_the_same(self):
        database = self.measured()
        answer = self.call("compare", database, database, status=0)
        self.assertIn("SAME: 0 slower, 0 ambiguous, 0 faster, 2 same\n", answer.out)
        self.assertIn("the same stored measurements", answer.out)

    def test_what_cannot_be_compared_says_why_and_gives_no_number(self):
        first = self.measured()
        other = self.measured("other", "{seconds: [0.003]}")
        answer = self.call("compare", first, other, status=3)
        self.assertIn("not comparable: A and B have no point in common: no value of seconds is in both",
                      answer.out)
        self.assertNotIn("geometric mean", answer.out)
        noop = self.measured("nothing", "{seconds: [0.002]}", kernel="noop")
        answer = self.call("compare", first, noop, "--json", status=3).json()
        self.assertIn("other kernels are other problems", answer["not_comparable"])
        self.assertNotIn("verdict", answer)

    def test_halves_of_a_sweep_are_compared_with_each_other(self):
        answer = self.call("compare", self.measured(processes=4), "--aa", "--rounds", "50", "--json",
                           status=None)
        self.assertIn(answer.status, (0, 1))  # 1 where the machine makes processes differ
        told = answer.json()
        self.assertEqual((2, 4, 100), (told["points"], told["processes_least"], told["pairs"]))
        too_often = told["different"] > 1 or told["rounds_different"] > 0  # 1 % of 100 pairs, of 50 rounds
        self.assertEqual(too_often, answer.status == 1)

    def test_processes_of_two_kinds_fail_the_test_of_the_test(self):
        database = self.measured(processes=6)
        with sqlite3.connect(os.path.join(self.folder, database)) as connection:
            connection.execute("update outcome set median_s = 0.001 * (1 + process % 2)")
            connection.execute("update attempt_row set mad_s = 0")
        connection.close()
        answer = self.call("compare", database, "--aa", status=1)
        self.assertIn("that is more than chance may do (1 %)", answer.out)

    def test_a_single_process_is_ambiguous_and_the_same_measurement_the_same(self):
        database = self.measured(processes=1)
        answer = self.call("compare", database, "seconds=0.002", "seconds=0.1", status=2)
        self.assertIn("AMBIGUOUS for want of processes: 1 pair", answer.out)
        self.assertIn("measure.processes=5", answer.out)
        self.call("compare", database, database, status=0)

    # The second sweep takes the three processes of the first, and measures three more.
    def test_what_a_sweep_took_from_the_other_is_no_evidence(self):
        database = self.measured()
        self.measured(processes=6)
        rows = self.call("sql", database, "select count(*) as n from outcome where sweep_id = 2 and reused",
                         "--json").json()
        if rows[0]["n"] != 6:
            self.skipTest("this machine was too busy: doubtful results are not used again")
        answer = self.call("compare", database, "@1", "@2", status=3)
        self.assertIn("one side has no measurement that the other one does not have too", answer.out)

    def test_the_same_inputs_and_another_variant_are_the_same_problem(self):
        database = self.measured("gemm", "{variant: [naive, blocked], m: [48], n: [48], k: [48], "
                                         "dtype: [f32]}", kernel="gemm")
        answer = self.call("compare", database, "variant=naive", "variant=blocked", "--json", status=None)
        self.assertEqual(1, answer.json()["pairs"], answer.out)
        bits = self.call("bits", database, "--json").json()
        self.assertEqual(["variant"], [row["axis"] for row in bits["axes"] if row["axis"] != "process"])
        self.assertEqual(["naive", "blocked"], [row["variant"] for row in bits["variants"]])
