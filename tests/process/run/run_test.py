"""`kernsweep run` and the questions that its database answers."""
import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

from golden_text import HOST
from sandbox import BRISK, BUILD, LIMIT_S, PROGRAM, ProcessTest, lines_with, sweep_text

GEMM = sweep_text("little", "gemm", "{variant: [naive, blocked], dtype: [f32], m: [8, 16], n: 8, k: 8, "
                  "threads: 1, env.MARK: [null, x]}", "seed: 5")
RESULT_COLUMNS = {"sweep", "point", "job", "attempt", "kernel", "variant", "host", "status", "grade",
                  "median_s", "gflops", "output_hash"}


class RunTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("little.yaml", GEMM)


class First(RunTest):  # labels: sanitized smoke
    def test_a_run_ends_with_0_findings_and_the_database_named_after_the_sweep(self):
        answer = self.call("run", self.file)
        # 2 variants x 2 m x 2 env.MARK
        self.expect_each_job_once("little.db", 8)
        self.assertIn("Best setting for each problem:", answer.out)
        self.assertRegex(answer.out, r"(?m)^8 jobs .*results: little\.db$")
        self.expect_nobody_left()

    def test_what_check_notes_of_a_single_process_is_told_at_the_start(self):
        notes = self.call("check", self.file, "--quick", "--json").json()["notes"]
        self.assertEqual(1, len(notes))
        self.assertIn(notes[0], self.call("run", self.file, "--quick").errors.splitlines())
        more = self.call("check", self.file, "--set", "measure.processes=2", "--json").json()
        self.assertEqual([], more["notes"])

    def test_quiet_says_the_answer_and_no_progress(self):
        answer = self.call("run", self.file, "--quiet")
        self.assertEqual("", answer.errors)
        self.assertRegex(answer.out, r"(?s)\A\s*Best setting.*\n8 jobs .*results: little\.db\n\Z")

    def test_db_names_the_database(self):
        self.call("run", self.file, "--db", "other place.sqlite")
        self.expect_each_job_once("other place.sqlite", 8)
        self.assertNotIn("little.db", self.files())

    def test_json_has_the_keys_that_scripts_read_and_nothing_else_on_stdout(self):
        answer = self.call("run", self.file, "--json")
        told = answer.json()
        expected = {"sweep": "little", "database": "little.db", "status": 0, "ending": "complete", "ok": 8,
                    "failed": 0, "earlier": 0, "reused": 0, "retried": 0, "done": 8}
        self.assertEqual(expected, {key: told[key] for key in expected})
        self.assertGreater(told["seconds"], 0)
        # m, n, k and dtype make a problem: m has two values, so two problems
        self.assertEqual(2, len(told["findings"]["best"]["rows"]))
        self.assertEqual("", answer.errors)

    def test_a_sweep_in_json_is_a_sweep(self):
        measure = {"processes": 1, "samples": {"max_time": "20ms", "min_time": "1ms"}}
        self.write("a.json", json.dumps({"sweep": 1, "name": "as-json", "kernel": "noop",
                                         "axes": {"a": [1, 2]}, "measure": measure}))
        self.call("run", "a.json", "-q")
        self.expect_each_job_once("as-json.db", 2)


class Again(RunTest):  # labels: smoke
    def setUp(self):
        super().setUp()
        self.call("run", self.file, "-q")
        self.before = self.rows("little.db", "select * from attempt order by result")

    def test_a_finished_sweep_is_not_measured_again_and_says_so(self):
        answer = self.call("run", self.file)
        self.assert_golden("nothing to do", answer.out.split("\n")[0])
        self.assertEqual(self.before, self.rows("little.db", "select * from attempt order by result"))
        self.assertEqual(1, self.count_of("little.db", "sweep"))
        told = self.call("run", self.file, "--json").json()
        self.assertEqual((0, 8, 8), (told["ok"], told["earlier"], told["done"]))

    def test_again_measures_anew_and_keeps_the_old_rows(self):
        self.call("run", self.file, "-q", "--again")
        after = self.rows("little.db", "select * from attempt order by result")
        self.assertEqual(self.before, after[:8])
        self.assertEqual(16, len(after))

    def test_an_overlapping_sweep_measures_only_what_is_missing(self):
        answer = self.call("run", self.file, "--db", "little.db", "-a", "m=[8,24]", "--json").json()
        # m = 8 is there: 2 variants x 2 env.MARK; m = 24 is new
        self.assertEqual((4, 4, 8), (answer["ok"], answer["reused"], answer["done"]))
        self.assert_golden("taken_over", answer["taken_over"])
        rows = "select distinct m, attempt, reused_from from \"little\" where reused = 1"
        self.assertEqual([{"m": 8, "attempt": 0, "reused_from": "little@1"}], self.rows("little.db", rows))
        self.assertEqual([{"m": 24, "reused_from": None}],
                         self.rows("little.db", rows.replace("attempt, ", "").replace("= 1", "= 0")))

    def test_what_another_host_or_other_software_measured_is_measured_anew(self):
        path = os.path.join(self.folder, "little.db")
        for statement in (
                "update host set fingerprint = zeroblob(16)",
                "update software set libraries = replace(libraries, '/libc.so', '/libother.so')",
                "update software set version = '0.0.9'"):
            shutil.copy(path, path + ".kept")
            with sqlite3.connect(path) as connection:
                connection.execute(statement)
            connection.close()
            answer = self.call("run", self.file, "-a", "m=[8,24]")
            self.assert_golden(statement, lines_with("4 jobs", answer.errors), host=HOST,
                               folder=r"/\S+(?=/lib)", version="(?<=this is ).*")
            self.assertEqual(0, self.value("little.db", "select sum(reused) from outcome"), statement)
            shutil.move(path + ".kept", path)
        self.assertNotIn("measured again", self.call("run", self.file, "-a", "m=[8,24]").errors)

    def test_same_inputs_and_variant_give_the_same_output_hash_in_another_process(self):
        self.call("run", self.file, "-q", "--again")
        hashes = self.rows("little.db", "select variant, json_extract(params, '$.m') as m, "
                           "count(distinct output_hash) as n from results group by 1, 2")
        self.assertEqual([1, 1, 1, 1], [row["n"] for row in hashes])


class Replacements(RunTest):
    def points(self, *arguments):
        self.call("run", self.file, "-q", *arguments)
        return self.rows("little.db", "select * from little order by job")

    def test_an_axis_is_replaced_or_added(self):
        rows = self.points("-a", "m=[4]", "-a", "variant=[naive]", "-a", "env.MARK=[z]",
                           "-a", "+env.MORE=[y]")
        self.assertEqual([("naive", 4, "z", "y")],
                         [(row["variant"], row["m"], row["env.MARK"], row["env.MORE"]) for row in rows])

    def test_set_changes_a_setting(self):
        rows = self.points("--set", "measure.processes=2", "-a", "m=[4]", "-a", "env.MARK=[x]")
        self.assertEqual([("blocked", 0), ("blocked", 1), ("naive", 0), ("naive", 1)],
                         sorted((row["variant"], row["process"]) for row in rows))

    def test_only_keeps_the_points_for_which_it_holds(self):
        rows = self.points("--only", "m == 16 and variant == 'blocked'")
        self.assertEqual([("blocked", 16)] * 2, [(row["variant"], row["m"]) for row in rows])

    def test_sample_keeps_the_same_share_every_time(self):
        self.write("wide.yaml", sweep_text("wide", "noop", "{a: {range: [1, 400]}}"))
        counts = [self.call("check", "wide.yaml", "--sample", "25%", "--json").json()["points"]
                  for _ in range(2)]
        self.assertEqual(counts[0], counts[1])
        # 400 draws with p = 1/4: mean 100, deviation 8.7; six deviations on each side
        self.assertTrue(48 < counts[0] < 152, counts)

    def test_quick_marks_its_results(self):
        self.write("slow.yaml", sweep_text("slow", "noop", "{a: [1, 2]}", measure="measure: {processes: 3}"))
        self.call("run", "slow.yaml", "-q", "--quick")
        self.assertEqual([{"job": 0, "quick": 1}, {"job": 1, "quick": 1}],
                         self.rows("slow.db", "select job, quick from results order by job"))


class Check(RunTest):  # labels: sanitized
    def test_json_counts_points_jobs_and_rejected(self):
        self.write("counted.yaml", sweep_text(
            "counted", "noop", "{a: [1, 2, 3, 4], b: [1, 2, 3]}", "exclude: [{a: 4}]",
            "constraints: [{expr: a >= b, why: lower half}]",
            measure=BRISK.replace("processes: 1", "processes: 2")))
        told = self.call("check", "counted.yaml", "--json").json()
        # of 12, 3 have a = 4; of the other 9, a < b for (1,2) (1,3) (2,3)
        self.assertEqual((6, 12, 6, True), (told["points"], told["jobs"], told["rejected"], told["exact"]))
        self.assertEqual(["counted.yaml", "little.yaml"], self.files())

    def test_expand_lists_what_check_counts_and_explains_the_rest(self):
        listed = self.call("expand", self.file, "--list", "--only", "m == 8").out.splitlines()
        told = self.call("check", self.file, "--json", "--only", "m == 8").json()
        self.assertEqual(told["points"], len(listed))
        explained = self.call("expand", self.file, "--explain", "--json", "--only", "m == 8").out
        parsed = [json.loads(line) for line in explained.splitlines()]
        self.assertEqual(told["points"] + told["rejected"], len(parsed))

    def test_ten_to_the_nine_points_are_counted_at_once(self):
        axes = "{a: {range: [1, 1000]}, b: {range: [1, 1000]}, c: {range: [1, 1000]}}"
        self.write("vast.yaml", sweep_text("vast", "noop", axes))
        self.assertEqual(10**9, self.call("check", "vast.yaml", "--json").json()["points"])


class Questions(RunTest):  # labels: sanitized
    def setUp(self):
        super().setUp()
        self.call("run", self.file, "-q")

    def test_the_views_have_the_columns_that_people_script_against(self):
        result = self.rows("little.db", "select * from results limit 1")[0]
        self.assertLessEqual(RESULT_COLUMNS, set(result))
        view = self.rows("little.db", "select * from \"little\" limit 1")[0]
        axes = {"variant", "dtype", "m", "n", "k", "threads", "env.MARK"}
        self.assertLessEqual(RESULT_COLUMNS | axes, set(view))

    def test_gflops_is_the_work_over_the_median(self):
        for row in self.rows("little.db", "select m, n, k, median_s, gflops from little"):
            expected = 2e-9 * row["m"] * row["n"] * row["k"] / row["median_s"]
            self.assertAlmostEqual(1, row["gflops"] / expected, 9)

    def test_a_column_for_a_library_is_named_as_the_axis(self):
        self.write("lib.yaml", sweep_text("lib", "noop", "{blas.library: [libnone.so.1], variant: noop}"))
        self.call("run", "lib.yaml", "-q")
        self.assertEqual("libnone.so.1", self.value("lib.db", 'select "blas.library" from lib'))

    def test_export_can_be_read_back(self):
        rows = self.rows("little.db", "select * from little order by job")
        read = list(csv.DictReader(io.StringIO(self.call("export", "little.db", "--csv").out)))
        self.assertEqual([[str(row["job"]), row["variant"], row["env.MARK"] or ""] for row in rows],
                         [[row["job"], row["variant"], row["env.MARK"]] for row in read])
        self.assertEqual([row["median_s"] for row in rows], [float(row["median_s"]) for row in read])
        lines = self.call("export", "little.db", "--jsonl").out.splitlines()
        parsed = [json.loads(line) for line in lines]
        self.assertEqual([{key: row[key] for key in parsed[0]} for row in rows], parsed)

    def test_sql_answers_and_changes_nothing(self):
        counted = "select count(*) as n from results"
        self.assertEqual([{"n": 8}], self.call("sql", "little.db", counted, "--json").json())
        self.assertEqual(["n", "8"], self.call("sql", "little.db", counted, "--csv").out.splitlines())
        for statement in ("delete from sweep", "update sweep set name = 'x'", "drop view results", "vacuum",
                          "pragma user_version = 9", "insert into text(content) values ('x')",
                          "with a as (select 1) delete from sweep", "select 1; delete from sweep",
                          "attach 'other.db' as other"):
            with self.subTest(statement):
                answer = self.call("sql", "little.db", statement, status=2)
                self.assertTrue(answer.errors.startswith("kernsweep: "), answer.errors)
        self.assertEqual([{"n": 8}], self.call("sql", "little.db", counted, "--json").json())
        self.assertNotIn("other.db", self.files())

    def test_best_gives_the_fastest_setting_of_each_problem(self):
        told = self.call("best", "little.db", "--by", "m", "--grade", "C", "--json").json()
        fastest = {row["m"]: row["least"] for row in
                   self.rows("little.db", "select m, min(median_s) as least from little group by m")}
        self.assertEqual(fastest, {row["m"]: row["median_s"] for row in told["rows"]})
        self.assertTrue(all(row["times_better"] >= 1 for row in told["rows"]))
        self.assertIn("times_better", self.call("best", "little.db").out)

    def test_show_tells_all_about_one_result(self):
        number = str(self.value("little.db", "select result from results where job = 2"))
        first = self.call("show", "little.db", number).out.splitlines()
        self.assertEqual(["result", "point", "status", "time", "rate", "roof", "output", "checked", "where",
                          "more"],
                         [line.split()[0] for line in first if not line.startswith(" ") and
                          not line.startswith("runtime")])
        answer = self.call("show", "little.db", number, "-v")
        self.assertEqual(first[:-1], answer.out.splitlines()[:len(first) - 1])
        for section in ("result", "point", "measured", "process", "host", "software"):
            self.assertRegex(answer.out, rf"(?m)^{section}$")
        self.assertEqual(answer.out, self.call("show", "little.db", "little/2", "-v").out)
        self.call("show", "little.db", number, "--json").json()
        self.assert_golden("no such result", self.call("show", "little.db", "99", status=2).errors)

    def test_kernels_lists_families_with_reasons(self):
        told = self.call("kernels", "--json").json()
        families = {family["name"]: family for family in told["families"]}
        self.assertLessEqual({"noop", "sleep", "gemm", "faulty"}, set(families))
        built = {name for name in os.listdir(os.path.join(BUILD, "lib", "kernsweep", "packs"))
                 if name.endswith(".so")}
        self.assertLessEqual(built, {os.path.basename(family["pack"]) for family in families.values()})
        self.assertEqual([], told["broken"])
        for family in families.values():
            for variant in family["variants"]:
                self.assertEqual(variant["available"], variant["reason"] == "", variant)
        self.assertLessEqual({"naive", "blocked", "blas", "onednn"},
                             {variant["name"] for variant in families["gemm"]["variants"]})
        rows = [line.split() for line in self.call("kernels").out.split("\n\n")[0].split("\n")]
        self.assertEqual(["family", *sorted(families)], [row[0] for row in rows])
        self.assertEqual(["noop", "1", "nothing:", "measures", "what", "a", "job", "costs"],
                         next(row for row in rows if row[0] == "noop"))
        runs = sum(variant["available"] for variant in families["gemm"]["variants"])
        self.assertEqual(str(runs), next(row for row in rows if row[0] == "gemm")[1])


class Grades(ProcessTest):
    """What the end of a run and other answers do with rows graded C."""

    def setUp(self):
        super().setUp()
        self.write("g.yaml", sweep_text("g", "sleep", "{seconds: [0.001, 0.002]}"))
        self.call("run", "g.yaml", "-q")
        self.grade("B", "true")
        self.grade("C", "point = 1")

    def grade(self, grade, where):
        with sqlite3.connect(os.path.join(self.folder, "g.db")) as connection:
            connection.execute(f"update outcome set grade = '{grade}' where {where}")
        connection.close()

    def test_those_graded_c_are_left_out_at_the_end_of_a_run_and_counted(self):
        ended = self.call("run", "g.yaml")  # everything is there
        self.assert_golden("left out", lines_with("graded below B", ended.out))
        told = self.call("run", "g.yaml", "--json").json()["findings"]["best"]
        self.assertEqual((1, 1, 1), (len(told["rows"]), told["left_out"]["grade"], told["problems_lost"]))
        self.assertEqual(1, self.call("best", "g.db", "--json").json()["left_out"]["grade"])
        self.assertEqual(2, len(self.call("best", "g.db", "--grade", "C", "--json").json()["rows"]))
        self.assertEqual(2, len(self.call("export", "g.db", "--jsonl").out.splitlines()))

    def test_a_run_with_nothing_else_says_so(self):
        self.grade("C", "true")
        self.assert_golden("nothing", lines_with("graded below B", self.call("run", "g.yaml").out))

    def test_the_cause_that_is_stored_is_told_with_what_helps(self):
        self.grade("C", "true")
        with sqlite3.connect(os.path.join(self.folder, "g.db")) as connection:
            connection.execute("insert into text values (1000, '1 thread and 1.02 cores of others on a host "
                               "of 2 cores')")
            connection.execute("update attempt_row set grade_reasons = 1000, doubt_cause = 'others'")
        connection.close()
        for words in (("run", "g.yaml"), ("best", "g.db")):
            told = self.call(*words).out
            self.assertIn("2 jobs were measured under disturbance; they count", told)
            self.assert_golden(words[0], lines_with("main cause", told))


class Rejected(ProcessTest):
    """Points that the sweep's own rules reject."""

    def setUp(self):
        super().setUp()
        self.write("r.yaml", sweep_text("r", "noop", "{a: {range: [1, 6]}}",
                                        "constraints: [{expr: a % 2 == 0, why: odd ones are slow}]"))

    def test_are_counted_at_the_start_and_at_the_end(self):
        answer = self.call("run", "r.yaml")
        self.assert_golden("before", lines_with("points", answer.errors))
        self.assert_golden("after", lines_with("points", answer.out))
        told = self.call("run", "r.yaml", "--json").json()["rejected"]
        self.assertEqual({"points": 3, "of": 6, "exact": True,
                          "rules": [{"rule": "a % 2 == 0", "points": 3, "why": "odd ones are slow"}]},
                         told)

    def test_are_counted_exactly_at_the_end_where_they_were_not_at_the_start(self):
        self.write("many.yaml", sweep_text("many", "noop", "{a: {range: [1, 3000000]}}",
                                           "constraints: [a % 1000000 == 0]"))
        answer = self.call("run", "many.yaml")
        self.assertRegex(answer.errors, "(?m)^at least [0-9,]+ of 3,000,000 points are rejected: at least")
        self.assert_golden("after", lines_with("points", answer.out))

    def test_a_sweep_of_which_nothing_is_left_stores_nothing_and_names_what_left_nothing(self):
        self.call("run", "r.yaml", "-q")
        rows = self.rows("r.db", "select * from sweep")
        for option in (("--only", "a > 6"), ("--only", "a == 3")):
            answer = self.call("run", "r.yaml", *option, status=2)
            self.assert_golden(" ".join(option), answer.errors)
            self.assertEqual("", answer.out)
        self.assertEqual(rows, self.rows("r.db", "select * from sweep"))
        best = self.call("best", "r.db", "--by", "a", "--grade", "C", "--json").json()
        self.assertEqual(3, len(best["rows"]))
        self.call("run", "r.yaml", "--only", "a > 6", "--db", "other.db", status=2)
        self.call("coordinator", "r.yaml", "--only", "a > 6", "--db", "other.db", "--insecure",
                  "--listen", "tcp://127.0.0.1:*", status=2)
        self.assertNotIn("other.db", self.files())


class Unwritten(ProcessTest):
    """Answers that find no room on stdout."""

    def test_every_command_notices_and_says_it_once(self):
        self.write("w.yaml", sweep_text("w", "noop", "{a: [1, 2]}"))
        self.call("run", "w.yaml", "-q")
        for words in (["kernels"], ["kernels", "--json"], ["check", "w.yaml"], ["expand", "w.yaml"],
                      ["schema"], ["--help"], ["run", "--help"], ["--version"], ["run", "w.yaml"],
                      ["best", "w.db"], ["show", "w.db", "1"], ["sql", "w.db", "select 1"],
                      ["sql", "w.db", "select 1", "--csv"], ["export", "w.db", "--csv"],
                      ["repro", "w.db", "1"], ["doctor"]):
            with open("/dev/full", "w") as full:
                ended = subprocess.run([PROGRAM, *words], cwd=self.folder, env=self.environment, stdout=full,
                                       stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT_S)
            self.assertIn(ended.returncode, {1, 2} if words == ["doctor"] else {2}, words)
            self.assertEqual(1, ended.stderr.count("the output could not be written"), (words, ended.stderr))


class Asked(ProcessTest):
    def test_sql_says_where_a_column_is_that_it_does_not_find(self):
        self.write("q.yaml", sweep_text("q", "noop", "{a: [1, 2], env.MARK: [x]}"))
        self.call("run", "q.yaml", "-q")
        told = self.call("sql", "q.db", "select a from results", status=2).errors
        self.assert_golden("of another table", told)
        told = self.call("sql", "q.db", "select env.MARK from q", status=2).errors
        self.assert_golden("a column with a point", told)
        self.assertNotIn("did you mean 'env.MARK'", told)
        told = self.call("sql", "q.db", "select medain_s from q", status=2).errors
        self.assert_golden("a typing error", told)


if __name__ == "__main__":
    unittest.main()
