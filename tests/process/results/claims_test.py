"""`kernsweep claims` on what the real program measured: statuses, texts, JSON, and the end of a run."""
import os
import sqlite3

from sandbox import ProcessTest, sweep_text

# A program that reports how long it took, so that the ratio is near 50 on every machine; claimed is 2.
TIMES = "command: [sh, -c, 'echo kernsweep: seconds={seconds}0$(($$ % 10))']"
MEASURE = ("measure: {processes: 5, warmup: {min_time: 0ms, max_time: 1ms}, "
           "samples: {min: 2, max: 3, min_time: 0ms, max_time: 2s}}\n")
AXES = "{seconds: [0.002, 0.1]}"
HOLDS = "{name: short is faster, faster: {seconds: 0.002}, than: {seconds: 0.1}, by: 2}"
FAILS = "{name: long is faster, faster: {seconds: 0.1}, than: {seconds: 0.002}}"
OPEN = "{name: nothing to see, at_most: {median_s: 1}, where: seconds > 7}"


class Claims(ProcessTest):  # labels: waits
    def measured(self, *claims, status=0):
        text = sweep_text("s", "x", AXES, "claims:", *(f"  - {claim}" for claim in claims), measure=MEASURE)
        self.write("s.yaml", text.replace("kernel: x", TIMES))
        return self.call("run", "s.yaml", status=status)

    def test_the_status_is_that_of_the_worst_verdict(self):
        self.measured(HOLDS)
        answer = self.call("claims", "s.db", status=0)
        self.assertIn("seconds=0.002 is ", answer.out)
        self.assertIn("s@1: 1 confirmed, 0 refuted, 0 undecided\n", answer.out)
        self.measured(HOLDS, OPEN)
        told = self.call("claims", "s.db", "--annotations", "github", status=4).out.splitlines()
        self.assertTrue(told[-1].startswith("::warning title=nothing to see,file="), told[-1])
        self.assertIn(",line=8::", told[-1])
        self.measured(HOLDS, OPEN, FAILS)
        answer = self.call("claims", "s.db", "--json", status=1).json()
        self.assertEqual(["confirmed", "undecided", "refuted"],
                         [claim["verdict"] for claim in answer["claims"]])
        self.assertEqual("no point was measured, where seconds > 7",
                         answer["claims"][1]["says"])
        self.assertLess(answer["claims"][2]["high"], 0.5)
        self.assertEqual(1, len(answer["claims"][2]["disagreements"]))
        # Earlier sweeps of the file keep what they claimed.
        self.call("claims", "s.db", "--sweep", "s@1", status=0)

    def test_a_changed_claim_costs_no_measurement_and_no_other_status_of_the_run(self):
        first = self.measured(FAILS)
        self.assertIn("\nClaims:\n", first.out)
        self.assertIn("long is faster: refuted\n", first.out)
        again = self.measured(HOLDS)
        self.assertIn("short is faster: confirmed\n", again.out)
        rows = self.call("sql", "s.db", "select count(*) as n, sum(reused) as r from outcome",
                         "--json").json()
        self.assertEqual([{"n": 20, "r": 10}], rows)
        answer = self.call("run", "s.yaml", "--json").json()
        self.assertEqual(1, answer["claims"]["confirmed"])

    def test_a_database_alone_is_enough(self):
        self.write("shapes.csv", "label,seconds\nshort,0.002\nlong,0.1\n")
        self.write("t.yaml", sweep_text("t", "sleep", "{shape: {table: shapes.csv}}",
                                        "claims: [{name: c, faster: {label: short}, than: {label: long}, "
                                        "where: seconds < 1}]", measure=MEASURE))
        self.call("run", "t.yaml", "--quiet")
        for name in ("t.yaml", "shapes.csv"):
            os.remove(os.path.join(self.folder, name))
        # label and seconds go together: no two points differ in the label alone.
        answer = self.call("claims", "t.db", status=4)
        self.assertIn("no value of seconds is on both", answer.out)

    def test_bad_usage_says_what_is_wrong(self):
        self.write("n.yaml", sweep_text("n", "noop", "{a: [1]}"))
        self.call("run", "n.yaml", "--quiet")
        answer = self.call("claims", "n.db", status=2)
        self.assertEqual("", answer.out)
        self.assertIn("the sweep claims nothing", answer.errors)
        self.call("claims", "none.db", status=2)
        self.call("claims", "n.db", "--sweep", "other", status=2)
        answer = self.call("run", self.write("b.yaml", sweep_text(
            "b", "noop", "{a: [1]}", "claims: [{name: c, faster: {b: 1}, than: {b: 2}}]")), status=2)
        self.assertIn("claims: no axis is called 'b'", answer.errors)

    # The second point fails: what is left would be confirmed.
    def test_a_job_that_failed_keeps_a_claim_open(self):
        claim = "claims: [{name: quick enough, at_most: {median_s: 30}}]"
        self.write("f.yaml", sweep_text("f", "faulty", "{variant: [good, crash_run], n: 16}", claim,
                                        measure=MEASURE))
        ran = self.call("run", "f.yaml", status=1)
        self.assertIn("quick enough: undecided\n", ran.out)
        answer = self.call("claims", "f.db", "--json", "--all-grades", status=4).json()
        self.assertEqual("1 of 2 points has no result, 5 of 10 jobs failed", answer["claims"][0]["missing"])

    # As if it had been stopped before the second point was measured.
    def test_a_sweep_that_was_stopped_confirms_nothing_about_what_it_did_not_measure(self):
        claim = "claims: [{name: quick enough, at_most: {median_s: 30}}]"
        self.write("p.yaml", sweep_text("p", "sleep", "{seconds: [0.002, 0.004]}", claim, measure=MEASURE))
        self.call("run", "p.yaml")
        self.call("claims", "p.db", "--all-grades", status=0)
        with sqlite3.connect(os.path.join(self.folder, "p.db")) as connection:
            connection.execute("delete from outcome where point = 1")
        connection.close()
        self.call("claims", "p.db", "--all-grades", status=0)  # the sweep says that it has ended
        with sqlite3.connect(os.path.join(self.folder, "p.db")) as connection:
            connection.execute("update sweep set state = 'stopped'")
        connection.close()
        answer = self.call("claims", "p.db", "--all-grades", status=4)
        self.assertIn("but 1 of 2 points has no result; kernsweep resume measures the rest", answer.out)
