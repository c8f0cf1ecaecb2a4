"""Numbers out of unchanged programs: what `metrics` reads, from where, and what ends a job."""
import os
import re
import shutil
import sys
import unittest

from sandbox import ProcessTest

ONE = ("--set", "measure.processes=1", "--set", "retry.max=0", "--threads", "1")
# Two runs and no warm-up: one of openssl speed takes a second.
TWICE = [word for setting in ("warmup.min_runs=0", "warmup.min_time=0ms", "samples.min=1", "samples.max=2",
                              "samples.min_time=0ms") for word in ("--set", f"measure.{setting}")]
SEQUENTIAL = ("--set", "measure.order=sequential")


class Printed(ProcessTest):
    def run_typed(self, *words, status=0):
        """The rows of one sweep: what each job took, and its reason where it has none."""
        self.call("run", *words, *ONE, *TWICE, "--db", "typed.db", status=status)
        return self.rows("typed.db", "select status, median_s, reason from results "
                         "where sweep_id = (select max(sweep_id) from results) order by job")

    def test_come_from_stdout_stderr_and_a_file(self):
        seconds = "{from: %s, values: {seconds: {regex: 'took (?<value>[0-9.]+) (?<unit>[mu]?s)'}}}"
        for number, (source, command) in enumerate((
                ("stdout", "echo took {n}.5 ms"), ("stderr", "sh -c 'echo took {n}.5 ms >&2'"),
                ("'out_{n}.txt'", "sh -c 'echo took {n}.5 ms > out_{n}.txt'"))):
            rows = self.run_typed("-c", command, "-a", "n=[1, 2]", "--metrics", seconds % source, "--set",
                                  f"name=source{number}", "--set", "measure.order=sequential")
            self.assertEqual([0.0015, 0.0025], [row["median_s"] for row in rows], source)
        self.assertEqual(2, self.value("typed.db", "select count(*) from source2"))

    def test_are_samples_and_metrics(self):
        self.write("report.sh", 'echo \'[{"n": 1, "t": [3, 1, 2], "rate": 5}, {"n": 2, "t": 9}]\'\n')
        self.write("s.yaml", "sweep: 1\nname: s\ncommand: sh report.sh\naxes: {n: [1, 2, 3]}\n"
                   "metrics: {rows: '', row: {n: '{n}'}, values: {seconds: {json: /t, unit: ms}, "
                   "rate: {json: /rate, better: larger, unit: things/s, optional: true}}}\n"
                   "measure: {processes: 1, order: sequential, warmup: {min_runs: 0, min_time: 0ms}, "
                   "samples: {min: 1, max: 3, min_time: 0ms, max_time: 10s}}\n")
        self.call("run", "s.yaml", status=1)
        samples = self.rows("s.db", "select n, median_s, length(seconds) / 8 as count from s "
                            "join sample using (result) order by n")
        self.assertEqual([(1, 0.002, 3), (2, 0.009, 1)],
                         [(row["n"], row["median_s"], row["count"]) for row in samples])
        metrics = self.rows("s.db", "select value, unit from metric where name = 'rate'")
        self.assertEqual([(5, "things/s")], [(metric["value"], metric["unit"]) for metric in metrics])
        reason = self.value("s.db", "select reason from attempt where status = 'failed_run'")
        self.assert_golden("no row", reason)

    def test_of_many_rows_are_points_of_their_own(self):
        self.write("report.sh", "printf 'case,ms\\na,3\\n'; [ $1 = 1 ] || echo b,$1; echo x >> runs\n")
        metrics = "{rows_by: case, values: {seconds: {csv: ms, unit: ms}}}"
        answer = self.call("run", "-c", "sh report.sh {n}", "-a", "n=[4, 5]", "--metrics", metrics, "--db",
                           "r.db", "--save", "saved.yaml", *ONE, *TWICE)
        self.assert_golden("found", answer.errors.split("\n")[0])
        rows = self.rows("r.db", 'select n, "case", median_s from sh order by n, "case"')
        self.assertEqual([(4, "a", 0.003), (4, "b", 0.004), (5, "a", 0.003), (5, "b", 0.005)],
                         [tuple(row.values()) for row in rows])
        self.assertEqual(["case"], self.call("check", "saved.yaml", "--json").json()["problem"])
        self.write("s.yaml", "sweep: 1\nname: s\ncommand: sh report.sh 7\naxes: {n: 1}\n"
                   f"metrics: {metrics}\n")
        self.call("run", "s.yaml", *ONE[:-2], *TWICE)
        self.assertEqual(2, self.count_of("s.db"))
        for name, command in (("fails", "false"), ("prints none", "echo hi")):
            refused = self.call("check", "-c", command, "--metrics", metrics, status=2)
            self.assert_golden(name, refused.errors)

    def test_of_all_rows_come_from_one_run_a_process(self):
        self.write("report.sh", "echo x >> runs; n=$(wc -l < runs); echo case,ms,items\n"
                   "for i in 1 2 3 4 5 6; do echo r$i,$((10 * i + n)),$i; done\n")
        metrics = "{rows_by: case, values: {seconds: {csv: ms, unit: ms}, lines: {csv: items}}}"
        once = [word.replace("max=2", "max=1") for word in TWICE]
        self.call("run", "-c", "sh report.sh", "--metrics", metrics, "--db", "r.db", "--save", "s.yaml",
                  "--processes", "4", "--set", "retry.max=0", *once)
        self.assertEqual(1 + 4, self.count_of_runs(), "one finds the rows")
        rows = self.rows("r.db", "select r.process, r.median_s, m.value as lines, run_s, length(s.seconds) "
                         "as bytes, t.notes from results r join metric m using (result) join sample s using "
                         "(result) join attempt a using (result) join result t using (result) "
                         "where m.name = 'lines' order by r.process")
        self.assertEqual(24, len(rows))
        shared = [row for row in rows if row["notes"]]
        self.assertEqual({"read from the runs of the row case=r?"},
                         {re.sub("[0-9]", "?", row["notes"]) for row in shared})
        self.assertEqual(20, len(shared))
        self.assertEqual({0}, {row["run_s"] for row in shared})
        for process in range(4):
            of = [row for row in rows if row["process"] == rows[6 * process]["process"]]
            self.assertEqual({1, 2, 3, 4, 5, 6}, {row["lines"] for row in of})
            runs = {round(1000 * row["median_s"]) - 10 * int(row["lines"]) for row in of}
            self.assertEqual(1, len(runs), "the run's number is in its times")
            self.assertEqual({8}, {row["bytes"] for row in of})

    def test_of_few_runs_have_as_many_processes_as_few_points(self):
        self.write("report.sh", "echo 'case,ms'; for i in $(seq 9); do echo r$i,$i; done\n")
        metrics = "{rows_by: case, values: {seconds: {csv: ms, unit: ms}}}"
        cases = [f"r{i + 1}" for i in range(9)]
        for more, processes in (("", 10), (" $0 {case}", 3)):
            said = self.call("run", "-c", "sh report.sh" + more, "-a", f"case={cases}", "--metrics", metrics,
                             "--db", f"{processes}.db")
            self.assertEqual(9 * processes, self.count_of(f"{processes}.db"), said.out)

    def test_of_a_run_that_fails_are_missing_in_all_its_rows(self):
        self.write("report.sh", "echo x >> runs; echo case,ms; echo a,3; echo no memory >&2; exit 3\n")
        metrics = "{rows_by: case, values: {seconds: {csv: ms, unit: ms}}}"
        self.call("run", "-c", "sh report.sh", "-a", "case=[a, b, c]", "--metrics", metrics, "--db", "r.db",
                  "--processes", "2", "--set", "retry.max=0", *TWICE, status=1)
        reasons = self.rows("r.db", "select distinct status, reason from attempt")
        why = "the command exited with status 3; its last line on stderr: no memory"
        self.assertEqual([("failed_run", why)], [tuple(row.values()) for row in reasons])
        self.assertEqual(2, self.count_of_runs())

    def test_of_rows_are_points_only_of_the_settings_that_print_them(self):
        self.write("report.sh", "echo 'case,ms'; for i in $(seq $1); do echo r$i,$i; done\n")
        metrics = "{rows_by: case, values: {seconds: {csv: ms, unit: ms}}}"
        self.call("run", "-c", "sh report.sh {n}", "-a", "n=[1, 3]", "--metrics", metrics, "--db", "r.db",
                  *ONE, *TWICE)
        self.assertEqual([(1, "r1"), (3, "r1"), (3, "r2"), (3, "r3")],
                         [tuple(row.values()) for row in self.rows("r.db", 'select n, "case" from sh '
                                                                   'order by n, "case"')])

    def test_of_rows_whose_names_are_one_number_are_two_points(self):
        self.write("report.sh", "echo 007 = 5 ms; echo 7 = 4000 us\n")
        metrics = "{rows_by: k, values: {seconds: {regex: '(?<k>\\S+) = (?<value>\\d+) (?<unit>\\w+)'}}}"
        rows = self.run_typed("-c", "sh report.sh", "--metrics", metrics, *SEQUENTIAL)
        self.assertEqual([0.005, 0.004], [row["median_s"] for row in rows])

    def test_of_a_file_that_the_command_names_belong_to_one_software(self):
        self.write("w.sh", 'echo "took 1$(date +%N) ns" > "${1#--to=}"\n')
        metrics = "{from: out.txt, values: {seconds: {regex: 'took (?<value>[0-9]+) (?<unit>ns)'}}}"
        for name, word in (("word", "out.txt"), ("option", "--to=out.txt")):
            self.call("run", "-c", f"sh w.sh {word}", "--metrics", metrics, "--db", f"{name}.db",
                      "--processes", "3", *TWICE)
            self.assertEqual([(3, 1)], [tuple(row.values()) for row in self.rows(
                f"{name}.db", "select count(*), count(distinct software_id) from result")])
            reasons = self.rows(f"{name}.db", "select grade_reasons from result "
                                              "where grade_reasons like '%changed while%'")
            self.assertEqual([], reasons)

    def test_of_a_presets_row_are_those_of_rows_by(self):
        self.write("report.sh", "echo 'Copy: 10000.0 1.0 1.0 1.0'; echo 'Triad: 80000.0 1.0 1.0 1.0'\n")
        rows = self.run_typed("-c", "sh report.sh", "--metrics", "{preset: stream, rows_by: function}",
                              *SEQUENTIAL)
        self.assertEqual([1e-4, 1.25e-5], [row["median_s"] for row in rows])
        refused = self.call("check", "-c", "sh report.sh", "--metrics", "{preset: stream, rows_by: function,"
                            " row: {function: Copy}}", status=2)
        self.assert_golden("one and all", refused.errors.splitlines()[-1])

    def test_that_are_not_there_have_the_next_step(self):
        metrics = "{values: {seconds: {regex: 'took (?<value>[0-9.e-]+) (?<unit>ms)'}}}"
        for name, text in (("stderr", "sh -c 'echo took 3 ms >&2'"), ("nothing", "echo took 2e-12 ms")):
            row, = self.run_typed("-c", text, "--metrics", metrics, "--set", f"name={name}", status=1)
            self.assert_golden(name, row["reason"])

    def count_of_runs(self):
        with open(os.path.join(self.folder, "runs"), encoding="utf-8") as file:
            return len(file.readlines())

    def test_of_two_points_with_one_row_come_from_two_runs(self):
        self.write("report.sh", "echo x >> runs; n=$(wc -l < runs); echo case,ms; echo a,3$n; echo b,4$n\n")
        self.write("s.yaml", "sweep: 1\nname: s\ncommand: sh report.sh\naxes: {x: [1, 2, 3], threads: "
                   f"[{os.cpu_count()}], case: [a, b]}}\nmetrics: {{row: {{case: '{{case}}'}}, values: "
                   "{seconds: {csv: ms, unit: ms}}}\n")
        once = [word.replace("max=2", "max=1") for word in TWICE]
        self.call("run", "s.yaml", "--processes", "1", "--set", "retry.max=0", *once)
        rows = self.rows("s.db", 'select count(distinct median_s) as runs from s group by "case"')
        self.assertEqual([3, 3], [row["runs"] for row in rows])
        self.assertIn(self.count_of_runs(), range(3, 6))

    def test_of_a_file_that_a_run_has_not_written_are_not_read(self):
        self.write("old.txt", "took 1.5 ms\n")
        seconds = "{from: old.txt, values: {seconds: {regex: 'took (?<value>[0-9.]+)', unit: ms}}}"
        rows = self.run_typed("-c", "true", "--metrics", seconds, status=1)
        self.assertEqual("failed_run", rows[0]["status"])
        self.assert_golden("old", rows[0]["reason"])
        rows = self.run_typed("-c", "sh -c 'echo took 1.5; exit 3'", "--metrics",
                              "{values: {seconds: {regex: 'took (?<value>[0-9.]+)'}}}", status=1)
        self.assertEqual("failed_run", rows[0]["status"])
        self.assert_golden("status", rows[0]["reason"])

    def test_are_those_of_other_peoples_programs(self):
        self.write("data.txt", "".join(f"{i}\n" for i in range(20000)))
        python = sys.executable
        programs = [("gzip -c -1 data.txt", None), ("sort data.txt", None), ("xz -c -0 data.txt", None),
                    ("openssl speed -seconds 1 -bytes 1024 sha256", "openssl-speed"),
                    ("hyperfine -N -r 3 --style none --export-json /dev/stdout true", "hyperfine"),
                    ("zstd -b1 -i0 data.txt", "zstd"),
                    ("fio --name=x --ioengine=null --size=16M --rw=read --output-format=json", "fio"),
                    (f"{python} -m timeit -n 10 pass", "timeit")]
        met = 0
        for number, (command, preset) in enumerate(programs):
            if not shutil.which(command.split()[0]):
                continue
            met += 1
            rows = self.run_typed("-c", command, *(("--metrics", preset) if preset else ()), "--set",
                                  f"name=p{number}", *(() if preset else ("--set", "verify.repeat=1")))
            self.assertEqual("ok", rows[0]["status"], f"{command}: {rows[0]['reason']}")
            self.assertLess(0, rows[0]["median_s"])
        self.assertEqual(len(programs), met, "apt install hyperfine zstd fio openssl xz-utils")


if __name__ == "__main__":
    unittest.main()
