"""`kernsweep compare` and `kernsweep bits` on what the real program measured: statuses, texts, JSON."""
import os
from xml.etree import ElementTree

from sandbox import ProcessTest, sweep_text

# Known lengths: far apart, and much longer than what a busy machine adds to a sleep.
MEASURE = ("measure: {processes: 3, warmup: {min_time: 0ms, max_time: 1ms}, "
           "samples: {min: 2, max: 3, min_time: 0ms, max_time: 2s}}\n")


class Compare(ProcessTest):  # labels: waits
    def measured(self, name="slow", axes="{seconds: [0.02, 0.5]}", kernel="sleep", processes=3):
        self.write(f"{name}.yaml", sweep_text(name, kernel, axes, measure=MEASURE))
        self.call("run", f"{name}.yaml", "--quiet", "--set", f"measure.processes={processes}")
        return f"{name}.db"

    def test_twenty_five_times_as_long_is_slower_and_the_other_way_round_faster(self):
        database = self.measured()
        answer = self.call("compare", database, "seconds=0.02", "seconds=0.5", "--json", status=1).json()
        self.assertEqual("SLOWER", answer["verdict"])
        self.assertGreater(answer["mean_low"], 2)
        self.assertEqual("3/3", answer["rows"][0]["processes"])
        self.call("compare", "seconds=0.5", "seconds=0.02", "--db", database, status=0)

    def test_a_database_against_itself_is_the_same(self):
        database = self.measured()
        answer = self.call("compare", database, database, status=0)
        self.assertIn("SAME: 0 slower, 0 undecided, 0 faster, 2 same\n", answer.out)
        self.assertIn("the same stored measurements", answer.out)

    def test_what_cannot_be_compared_says_why_and_gives_no_number(self):
        first = self.measured()
        other = self.measured("other", "{seconds: [0.003]}")
        answer = self.call("compare", first, other, status=3)
        self.assertIn("not comparable: A and B have no point in common: no value of seconds is in both",
                      answer.out)
        self.assertNotIn("geometric mean", answer.out)
        noop = self.measured("nothing", "{seconds: [0.02]}", kernel="noop")
        answer = self.call("compare", first, noop, "--json", status=3).json()
        self.assertIn("different kernels are different problems", answer["not_comparable"])
        self.assertNotIn("verdict", answer)

    def test_programs_read_the_same_verdict(self):
        database = self.measured(processes=5)
        answer = self.call("compare", database, "seconds=0.02", "seconds=0.5", "--junit", "c.xml",
                           "--annotations", "github", status=1)
        suite = ElementTree.parse(os.path.join(self.folder, "c.xml")).getroot().find("testsuite")
        self.assertEqual(("1", "1", "0"), tuple(suite.get(name) for name in ("tests", "failures", "errors")))
        self.assertTrue(suite.find("testcase/failure").get("message").startswith("SLOWER: "))
        self.assertEqual(["::error title=the only pair"],
                         [line[:27] for line in answer.out.splitlines() if line.startswith("::")])
        # JSON stays JSON. A report that cannot be written is an error; the answer is printed all the same.
        answer = self.call("compare", database, "seconds=0.02", "seconds=0.5", "--json", "--annotations",
                           "github", status=1)
        self.assertEqual("SLOWER", answer.json()["verdict"])
        self.assertTrue(answer.errors.startswith("::error "))
        answer = self.call("compare", database, database, "--junit", "none/c.xml", status=2)
        self.assertTrue(answer.out.splitlines()[-1].startswith("SAME"))

    def test_a_single_process_is_undecided_and_the_same_measurement_the_same(self):
        database = self.measured(processes=1)
        answer = self.call("compare", database, "seconds=0.02", "seconds=0.5", status=4)
        self.assertIn("too few processes: 1 pair", answer.out)
        self.assertIn("measure.processes=N", answer.out)
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
        self.assertIn("one side has no measurements of its own", answer.out)

    def test_the_same_inputs_and_another_variant_are_the_same_problem(self):
        database = self.measured("gemm", "{variant: [naive, blocked], m: [48], n: [48], k: [48], "
                                         "dtype: [f32]}", kernel="gemm")
        answer = self.call("compare", database, "variant=naive", "variant=blocked", "--json", status=None)
        self.assertEqual(1, answer.json()["pairs"], answer.out)
        bits = self.call("bits", database, "--json").json()
        self.assertEqual(["variant"], [row["axis"] for row in bits["axes"] if row["axis"] != "process"])
        self.assertEqual(["naive", "blocked"], [row["variant"] for row in bits["variants"]])
