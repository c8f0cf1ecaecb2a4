"""`import`: results of other programs are asked as our own, and a file that is wrong changes nothing."""
import json
import os
import unittest

from sandbox import SOURCE, ProcessTest


def hyperfine(*commands):
    return json.dumps({"results": [{"command": command, "times": times, "exit_codes": [0] * len(times)}
                                   for command, times in commands]})


class Import(ProcessTest):  # labels: waits sanitized smoke
    def test_what_hyperfine_timed_is_compared_as_processes(self):
        quick = [0.100 + 0.0001 * (i % 3) for i in range(10)]
        self.write("two.json", hyperfine(("./a \x1b[2J", quick), ("./b", [3 * time for time in quick])))
        said = self.call("import", "two.json", "--db", "old.db")
        self.assert_golden("said", said.out)
        row, = self.call("best", "old.db", "--json").json()["rows"]
        self.assertEqual(("./a \x1b[2J", "wins", 10), (row["variant"], row["verdict"], row["processes"]))
        self.assertEqual(2, len(self.call("pivot", "old.db", "--json").json()["values"]))
        drawn = self.call("plot", "old.db", "--x", "variant", environment={"LC_ALL": "C.UTF-8"})
        self.assert_golden("drawn", drawn.out)
        self.call("compare", "old.db", "variant=./b", "variant=./a \x1b[2J")
        # The same file once more is no second sweep; another one is.
        self.assert_golden("again", self.call("import", "two.json", "--db", "old.db").out)
        self.assertEqual(20, self.count_of("old.db", "attempt"))
        self.call("import", "two.json", "--db", "old.db", "--name", "later")
        self.assertEqual(40, self.count_of("old.db", "attempt"))

    def test_what_we_export_for_google_benchmark_comes_back(self):
        self.write("first.json", hyperfine(("./a", [0.25, 0.5]), ("./b", [1.0, 2.0])))
        self.call("import", "first.json", "--db", "first.db")
        self.write("google.json", self.call("export", "first.db", "--google-benchmark").out)
        said = self.call("import", "google.json", "--db", "second.db")
        self.assert_golden("said", said.out)
        rows = self.rows("second.db", "select arguments, median_s from google order by arguments")
        self.assertEqual([("variant=./a", 0.375), ("variant=./b", 1.5)],
                         [(row["arguments"], row["median_s"]) for row in rows])
        self.assertEqual([None, None],
                         [row["verdict"] for row in self.call("best", "second.db", "--json").json()["rows"]])

    def test_files_that_the_programs_themselves_have_written(self):
        folder = os.path.join(SOURCE, "tests", "process", "results", "foreign")
        for name in ("hyperfine_1_15", "google_benchmark_1_9_5", "kernel_tuner_1_5",
                     "t4_of_kernel_tuner_1_5", "kernel_tuner_1_0_stopped"):
            said = self.call("import", os.path.join(folder, name + ".json"), "--db", "r.db").out
            self.assert_golden(name, said)
            question = f'select variant, process, status, reason, host from "{name}" order by job'
            self.assert_golden(name + " results", self.call("sql", "r.db", question).out)

    def test_a_scan_of_hyperfine_is_asked_by_its_parameters(self):
        file = os.path.join(SOURCE, "tests", "process", "results", "foreign", "hyperfine_scan_1_15.json")
        self.assert_golden("said", self.call("import", file, "--db", "scan.db").out)
        question = "select distinct variant, workers, typeof(workers) as kind, how from hyperfine_scan_1_15"
        self.assert_golden("points", self.call("sql", "scan.db", question).out)
        row, = self.call("best", "scan.db", "--json").json()["rows"]
        self.assertEqual(12, row["workers"])
        self.assert_golden("table", self.call("pivot", "scan.db", "--rows", "workers").out)
        words = ["scaling", "scan.db", "--axis", "workers", "-o", "s.svg"]
        scaling = self.call(*words, "--json").json()
        self.assertIn("s.svg", self.files())
        self.assert_golden("written", self.call(*words).out)
        self.assert_golden("ending", self.call(*words[:-1], "s.png", status=2).errors)
        self.assertEqual([4, 12], [point["threads"] for point in scaling["series"][0]["points"]])

    def test_what_we_export_as_t4_comes_back(self):
        self.write("first.json", hyperfine(("./a", [0.25, 0.5]), ("./b \x1b", [1.0, 2.0])))
        self.call("import", "first.json", "--db", "first.db")
        self.write("t4.json", self.call("export", "first.db", "--t4").out)
        self.assert_golden("said", self.call("import", "t4.json", "--db", "second.db").out)
        rows = self.rows("second.db", "select variant, median_s from t4 order by job")
        self.assertEqual([("./a", 0.375), ("./b \x1b", 1.5)],
                         [(row["variant"], row["median_s"]) for row in rows])
        self.assert_golden("two forms", self.call("export", "first.db", "--t4", "--csv", status=2).errors)
        self.assert_golden("all sweeps", self.call("export", "first.db", "--t4", "--all", status=2).errors)

    def test_what_a_tuner_measured_beside_the_time_is_a_metric(self):
        file = os.path.join(SOURCE, "tests", "process", "results", "foreign", "kernel_tuner_1_5.json")
        self.call("import", file, "--db", "tuned.db")
        best = self.call("best", "tuned.db", "--metric", "energy", "--better", "smaller", "--json")
        row, = best.json()["rows"]
        self.assertEqual((65536, "scale", 1, 0.25),
                         tuple(row[name] for name in ("problem_size", "variant", "unroll", "energy")))

    def test_truths_are_typed_back_as_the_tuner_wrote_them(self):
        entries = {str(on): {"on": on, "time": 1.0 + on} for on in (True, False)}
        self.write("flags.json", json.dumps({"tune_params_keys": ["on"], "cache": entries}))
        self.call("import", "flags.json", "--db", "flags.db")
        for spelled in (("True", "False"), ("true", "false"), ("1", "0")):
            sides = [f"on={value}" for value in spelled]
            said = self.call("compare", "flags.db", *sides, "--json", status=None)
            self.assertEqual(0.5, said.json()["rows"][0]["ratio"])
        self.call("compare", "flags.db", "on=TRUE", "on=0", status=2)

    def test_rates_that_a_tuner_told_are_those_that_are_asked(self):
        entries = {str(n): {"tile_s": n, "time": 2.0 * n, "GFLOP/s": 8.0 / n, "GB/s": 4.0 / n}
                   for n in (1, 2)}
        self.write("rates.json", json.dumps({"tune_params_keys": ["tile_s"], "cache": entries}))
        self.call("import", "rates.json", "--db", "rates.db")
        self.assert_golden("best by gflops", self.call("best", "rates.db", "--metric", "gflops").out)
        self.assertEqual([(8.0, 4.0), (4.0, 2.0)], [(row["gflops"], row["gbps"]) for row in self.rows(
            "rates.db", "select gflops, gbps from rates order by tile_s")])
        # As reported next to a time of its own, not next to the samples.
        t4 = {"configuration": {"n": 1}, "invalidity": "correct", "times": {"runtimes": [1.0, 1.0]},
              "measurements": [{"name": "time", "value": 2.0, "unit": "ms"},
                               {"name": "gflops", "value": 3.0, "unit": "GFLOP/s"}]}
        self.write("t4.json", json.dumps({"schema_version": "1.0.0", "results": [t4]}))
        self.call("import", "t4.json", "--db", "t4.db")
        row, = self.rows("t4.db", "select gflops, flops from t4 join result using (result)")
        self.assertEqual((6.0, 6e6), (row["gflops"], row["flops"]))
        # A configuration that failed, and then ran; units that are said.
        entry = {"configuration": {"n": 1}, "times": {"runtimes": [1.0]}}
        told = [{**entry, "invalidity": "correctness", "measurements": [{"name": "gflops", "value": 5}]},
                {**entry, "invalidity": "correct",
                 "measurements": [{"name": "gflops", "value": 2, "unit": "TFLOP/s"},
                                  {"name": "gbps", "value": 80, "unit": "Gbit/s"}]},
                {**entry, "invalidity": "correct", "configuration": {"n": 2},
                 "measurements": [{"name": "gflops", "value": 1, "unit": "parsecs"}]}]
        self.write("again.json", json.dumps({"schema_version": "1.0.0", "results": told}))
        self.call("import", "again.json", "--db", "again.db")
        self.assertEqual([(2000.0, 10.0), (None, None)], [(row["gflops"], row["gbps"]) for row in self.rows(
            "again.db", "select gflops, gbps from again order by n")])

    def test_advice_about_what_was_imported_can_be_followed(self):
        self.write("two.json", hyperfine(("./a", [0.1, 0.11, 0.3]), ("./b", [0.1, 0.12, 0.2])))
        self.call("import", "two.json", "--db", "old.db")
        self.assert_golden("best", self.call("best", "old.db").out)
        for words in (["total", "old.db"], ["repro", "old.db", "1"], ["claims", "old.db"]):
            self.assert_golden(words[0], self.call(*words, status=2).errors)
        compared = self.call("compare", "old.db", "variant=./b", "variant=./a", status=4).out
        self.assert_golden("compared", compared)

    def test_names_of_parameters_may_be_those_of_our_own_columns(self):
        names = ["variant", "status", "MEDIAN_S", "median_s", "result", "", 'a"b]\x1b',
                 "drop table sweep; --"]
        entry = {**{name: number for number, name in enumerate(names)}, "times": [1.5, 2.5]}
        self.write("names.json", json.dumps({"tune_params_keys": names, "cache": {"x": entry}}))
        self.assert_golden("said", self.call("import", "names.json", "--db", "names.db").out)
        self.assert_golden("row", self.call("sql", "names.db", "select * from names").out)
        row, = self.call("best", "names.db", "--json").json()["rows"]
        self.assertEqual((0.002, "0"), (row["median_s"], row["variant"]))

    def test_a_row_that_is_odd_is_a_failed_run_beside_the_others(self):
        self.write("odd.json", '{"benchmarks": [{"name": "a", "real_time": 5, "time_unit": "s"},\n'
                   '{"name": "b", "real_time": -nan(ind)},\n'
                   '{"name": "c", "real_time": 7, "time_unit": "s"},\n'
                   '{"name": "d", "re')
        self.assert_golden("said", self.call("import", "odd.json", "--db", "odd.db").out)
        rows = self.rows("odd.db", "select variant, status, median_s from odd order by job")
        self.assertEqual([("a", "ok", 5), ("b", "failed_run", None), ("c", "ok", 7)],
                         [tuple(row[name] for name in ("variant", "status", "median_s")) for row in rows])

    def test_a_file_that_is_wrong_changes_nothing(self):
        self.write("wrong.json", '{"results": [{"command": "x", "times": ["1", "2"]}]}')
        self.write("torn.json", '{"results": [\n{"command": "x", ')
        self.write("cache.json", '{"tune_params_keys": ["n"], "cache": {\n"1": {"n": 1, "time"')
        self.write("other.json", '{"machine_info": {}, "benchmarks": [{"stats": {"min": 1}}]}')
        self.write("t4.json", '{"results": [{"configuration": {}, "times": {}, "invalidity": "gone"}]}')
        many = {"command": "x 1", "times": [1.0], "parameters": {f"p{i}": "1" for i in range(300)}}
        self.write("many.json", json.dumps({"results": [many]}))
        self.write("wide.json", json.dumps({"results": [
            {"configuration": {f"p{i}": 1 for i in range(1001)}, "invalidity": "timeout"}]}))
        for name in ("wrong.json", "other.json", "torn.json", "cache.json", "t4.json", "none.json", ".",
                     "many.json", "wide.json"):
            self.assert_golden(name, self.call("import", name, "--db", "new.db", status=2).errors)
        self.assertNotIn("new.db", self.files())


if __name__ == "__main__":
    unittest.main()
