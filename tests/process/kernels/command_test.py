"""Sweeps with `command:`: programs of the user's as kernels, from the file to the row."""
import os
import re
import subprocess
import sys
import unittest

from sandbox import PROGRAM, SOURCE, UNHURRIED, UNWATCHED, ProcessTest

TIMED = "timeout: {setup: 300s, run: 300s}"


def command_sweep(name, command, axes, *more):
    """`command` is text as the file shall have it."""
    lines = ["sweep: 1", f"name: {name}", f"command: {command}", f"axes: {axes}",
             UNHURRIED.rstrip("\n"), *more]
    return "\n".join(lines) + "\n"


class CommandTest(ProcessTest):
    def write_program(self, name, text):
        self.write(name, text)
        os.chmod(os.path.join(self.folder, name), 0o755)

    def run_sweep(self, command, axes="{n: [1]}", *more, status=0, name="c"):
        """The rows of one run, in the order of the points."""
        if not any(line.startswith("timeout:") for line in more):
            more = (*more, TIMED)
        self.write(f"{name}.yaml", command_sweep(name, command, axes, *more))
        self.answer = self.call("run", f"{name}.yaml", status=status)
        rows = self.rows(f"{name}.db", f'select c.*, r.grade_reasons, r.runtime from "{name}" c '
                         "left join result r using (result) order by c.point")
        self.expect_nobody_left()
        return rows


class WordsOfNumbers(CommandTest):
    def test_are_numbers_for_every_answer(self):
        """1.50 makes the column text in the database; filters, claims, plots and Python take the numbers."""
        claim = "claims: [{name: big, where: 'n > 5', at_most: {median_s: 60}}]"
        rows = self.run_sweep("true {n}", "{n: [1.50, 10.5, 9.25, 2e3]}", claim)
        self.assertEqual(["1.50", "10.5", "9.25", "2000"], [row["n"] for row in rows])
        judged = self.call("claims", "c.db", "--all-grades", "--json", status=None).json()["claims"][0]
        self.assertEqual(3, judged["points"])
        compared = self.call("compare", "c.db", "c.db", "--where", "n > 5", "--json", "--all-grades",
                             status=None).json()
        self.assertEqual(3, compared["a"]["points"])
        named = self.call("compare", "c.db", "n=1.50", "n=10.5", "--json", "--all-grades",
                          status=None).json()
        self.assertEqual(1, named["pairs"])
        asked = self.call("sql", "c.db", "select count(*) as c from c where n > 5")
        self.assert_golden("columns", asked.errors)
        for statement, is_noted in (("select cast(n as real) as c from c", False),
                                    ("select CAST( \"n\" as real) as c from c", False),
                                    ("select count(*) as c from c where command = 'true n'", False),
                                    ("select max(n) as n from c order by cast(n as real)", True)):
            self.assertEqual(is_noted, bool(self.call("sql", "c.db", statement).errors), statement)
        program = ("import kernsweep; r = kernsweep.Results('c.db'); "
                   "print(sorted(row['n'] for row in r.rows()))")
        environment = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"), KERNSWEEP_PROGRAM=PROGRAM)
        answer = subprocess.run([sys.executable, "-B", "-c", program], cwd=self.folder, env=environment,
                                check=True, capture_output=True, text=True)
        self.assertEqual("[1.5, 9.25, 10.5, 2000.0]", answer.stdout.strip())


class Runs(CommandTest):  # labels: sanitized
    def test_that_print_zero_bytes_are_no_doubt(self):
        row, = self.run_sweep("head -c {n} /dev/zero", "{n: [1000]}")
        self.assertEqual([UNWATCHED, "the output is all zeros"],
                         [row["grade_reasons"], self.value("c.db", "select notes from result")])

    def test_each_point_with_its_values_filled_in(self):
        rows = self.run_sweep("printf '%s|' {n} '-{flag}' \"{{}}\" {absent}",
                              "{n: [1, 2.5], flag: [a b], absent: [null]}")
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows])
        self.assertEqual(["printf '%s|' 1 '-a b' '{}'", "printf '%s|' 2.5 '-a b' '{}'"],
                         [row["command"] for row in rows])
        self.assertEqual("printf '%s|' {n} '-{flag}' \"{{}}\" {absent}", rows[0]["kernel"])
        self.assertEqual([UNWATCHED] * 2, [row["grade_reasons"] for row in rows])
        self.assertTrue(rows[0]["runtime"].endswith("/printf"), rows[0]["runtime"])
        self.assertNotEqual(rows[0]["output_hash"], rows[1]["output_hash"], "other output, other hash")

    def test_a_list_of_words_too(self):
        rows = self.run_sweep("[echo, '{n} {n}', it's]")
        self.assertEqual(("ok", r"echo '1 1' 'it'\''s'"), (rows[0]["status"], rows[0]["command"]))

    def test_relative_to_the_folder_of_the_worker(self):
        self.write_program("mine", "#!/bin/sh\npwd\n")
        self.assertEqual("ok", self.run_sweep("./mine")[0]["status"])

    def test_with_the_usual_end_of_a_program_whose_file_grows_too_large(self):
        """SIGXFSZ, which Kernsweep itself ignores, is the seventh hexadecimal digit from the right."""
        self.write_program("asks", "#!/bin/sh\ncase $(grep SigIgn /proc/self/status) in\n"
                                   "*[13579bdf]??????) exit 1;; esac\n")
        self.assertEqual("ok", self.run_sweep("./asks {n}")[0]["status"])

    def test_in_the_environment_that_the_axes_say(self):
        self.write_program("mine", '#!/bin/sh\n[ "$MARK" = "$1" ] && [ "$OMP_NUM_THREADS" = 1 ]\n')
        rows = self.run_sweep("./mine {env.MARK}", "{env.MARK: [x, y]}")
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows])

    def test_what_prints_much_has_a_large_pipe_from_its_second_run_on(self):
        self.write_program("mine", "#!/usr/bin/python3\nimport fcntl, sys\nF_GETPIPE_SZ = 1032\n"
                           "sys.stdout.write('x' * int(sys.argv[1]))\n"
                           "open('sizes' + sys.argv[1], 'a').write(f'{fcntl.fcntl(1, F_GETPIPE_SZ)} ')\n")
        self.run_sweep("./mine {n}", "{n: [1000, 60000]}", "verify: {repeat: 2}")
        sizes = {}
        for n in (1000, 60000):
            with open(os.path.join(self.folder, f"sizes{n}"), encoding="utf-8") as file:
                sizes[n] = [int(size) for size in file.read().split()]
        self.assertEqual({65536}, set(sizes[1000]))
        self.assertEqual(65536, sizes[60000][0])
        self.assertEqual({1 << 20}, set(sizes[60000][1:]))

    def test_what_it_counts_is_a_metric_with_the_direction_that_it_declares(self):
        self.write_program("mine", "#!/bin/sh\necho kernsweep: metric.score=$1 better.score=larger "
                           "unit.score=points\necho kernsweep: metric.rounds=$1\n"
                           "[ $1 = 1 ] || echo kernsweep: metric.count=9007199254740993\n")
        self.run_sweep("./mine {n}", "{n: [1, 10]}", "verify: {repeat: 1}")
        self.assertEqual([{"name": "rounds", "value": 1.0, "better": None, "unit": None},
                          {"name": "score", "value": 1.0, "better": "larger", "unit": "points"}],
                         self.rows("c.db", "select name, value, better, unit from metric m join c "
                                   "using (result) where c.n = 1 order by name"))
        self.assertEqual([{"n": 10}], self.rows("c.db", "select n from c join result r using (result) "
                                                "where r.notes like '%''count'' has 53 bits%'"))
        rows = self.call("best", "c.db", "--by", "command", "--metric", "score", "--json").json()
        self.assertEqual("larger", rows["better"])
        refused = self.call("best", "c.db", "--metric", "rounds", status=2).errors
        self.assert_golden("a metric that is not known", refused)

    def test_and_the_answers_are_those_of_any_sweep(self):
        self.run_sweep("echo {n}", "{n: [1, 2], algorithm: [x, y]}")
        self.assertIn("Best setting (one problem:", self.answer.out)
        self.assert_golden("run again", self.call("run", "c.yaml").out.split("\n")[0])
        self.assert_golden("resume", self.call("resume", "c.db").out.split("\n")[0])
        self.assertIn("algorithm", self.call("best", "c.db").out)
        self.assertIn("echo 2", self.call("export", "c.db").out)
        self.assert_golden("check", re.sub("about .* on one host", "about <time> on one host",
                                           self.call("check", "c.yaml").out))
        self.assertIn("command=echo 1", self.call("expand", "c.yaml").out)
        self.assert_golden("kernels", self.call("kernels", "command").out)

    def test_and_its_columns_are_settings_of_one_problem_unless_the_sweep_lists_them(self):
        # Level 1 takes 1 ms of a small file and 2 ms of a large one, level 9 nine times as long.
        self.write_program("mine", "#!/bin/sh\nn=$(($1 * $([ $2 = small ] && echo 1 || echo 2)))\n"
                           "echo kernsweep: seconds=$n\"e-3\"\n")
        axes, once = "{level: [9, 1], file: [small, large]}", "verify: {repeat: 1}"
        self.run_sweep("./mine {level} {file}", axes, once)
        best = self.call("best", "c.db", "--grade", "C", "--json").json()
        self.assertEqual([], best["by"])
        self.assertEqual([(1, "small", 0.001)],
                         [(row["level"], row["file"], row["median_s"]) for row in best["rows"]])
        self.run_sweep("./mine {level} {file}", axes, once, "problem: [file]", name="d")
        best = self.call("best", "d.db", "--grade", "C", "--json").json()
        self.assertEqual(["file"], best["by"])
        self.assertEqual([(1, "small", 0.001), (1, "large", 0.002)],
                         [(row["level"], row["file"], row["median_s"]) for row in best["rows"]])
        refused = self.call("best", "d.db", "--by", "level", status=2)
        self.assertIn("mixes problems (file differs)", refused.errors)
        self.assertIn("problem file; the other", self.call("check", "d.yaml").out)
        self.write("e.yaml", command_sweep("e", "./mine {level} {file}", axes, "problem: [fil]"))
        self.assertIn("e.yaml:", self.call("run", "e.yaml", status=2).errors)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "e.db")), "nothing was measured")

    def test_another_command_is_another_measurement(self):
        self.run_sweep("echo {n}")
        self.write("c.yaml", command_sweep("c", "echo -n {n}", "{n: [1]}", TIMED))
        self.assertNotIn("Nothing to do", self.call("run", "c.yaml", "--db", "c.db").out)

    def test_the_example_of_the_tree(self):
        self.call("check", os.path.join(SOURCE, "sweeps", "command_example.yaml"))


class OwnTime(CommandTest):
    def test_of_a_program_that_says_it(self):
        words = "[printf, 'kernsweep: seconds=%s flops=4e9\\nout\\n', '{s}']"
        row = self.run_sweep(words, "{s: ['0.5']}")[0]
        self.assertEqual(("ok", 0.5), (row["status"], row["median_s"]))
        self.assertEqual(8.0, row["gflops"])

    def test_that_is_garbage_is_quoted(self):
        row = self.run_sweep("[echo, 'kernsweep: seconds=soon']", status=1)[0]
        self.assertEqual("failed_run", row["status"])
        self.assert_golden("reason", row["reason"])
        self.assertIsNone(row["median_s"])


class Output(CommandTest):  # labels: smoke
    def test_that_is_never_the_same_lowers_the_grade(self):
        self.write_program("mine", "#!/bin/sh\ncat /proc/sys/kernel/random/uuid\n")
        row = self.run_sweep("./mine")[0]
        self.assertEqual(("ok", "B"), (row["status"], row["grade"]))
        self.assertIn("different bits", row["grade_reasons"])

    def test_is_not_compared_where_nobody_asks(self):
        self.write_program("mine", "#!/bin/sh\ncat /proc/sys/kernel/random/uuid\n")
        once = self.run_sweep("./mine", "{n: [1]}", "verify: {repeat: 1}", name="once")[0]
        self.assertEqual((UNWATCHED, True), (once["grade_reasons"], once["output_hash"] is not None))
        never = self.run_sweep("./mine", "{n: [1]}", "verify: false", name="never")[0]
        self.assertEqual((UNWATCHED, None), (never["grade_reasons"], never["output_hash"]))

    def test_of_megabytes_goes_through(self):
        rows = self.run_sweep("seq 1 {n}", "{n: [400000]}")
        self.assertEqual(("ok", "B", UNWATCHED),
                         (rows[0]["status"], rows[0]["grade"], rows[0]["grade_reasons"]))


class Fails(CommandTest):
    def expect(self, status, reason, command, *more):
        row = self.run_sweep(command, "{n: [1]}", *more, status=1)[0]
        self.assertEqual(status, row["status"], row["reason"])
        self.assertRegex(row["reason"], reason)
        self.assertIsNone(row["median_s"])
        self.assertIn(status, self.answer.out)

    def test_by_its_exit_status(self):
        self.expect("failed_run", "exited with status 3; its last line on stderr: no {}",
                    "sh -c 'echo no {{}} >&2; exit 3'")

    def test_by_a_signal(self):
        self.expect("failed_run", "killed by SIGSEGV", "sh -c 'kill -SEGV $$'")

    def test_on_a_host_that_lacks_it_and_no_other_program(self):
        """Another host may have it: a coordinator refuses nothing."""
        self.write("data", "x")
        self.write("c.yaml", command_sweep("c", "'{program}'",
                                           "{program: [./nowhere, no-such-program, ./data, 'true']}"))
        address = f"ipc://{self.home}/socket"
        coordinator = self.start("coordinator", "c.yaml", "--listen", address, "--insecure")
        worker = self.start("worker", "--connect", address, "--cores", "1")
        self.assertEqual(1, coordinator.wait(), coordinator.complained())
        worker.wait()
        rows = self.rows("c.db", "select status, reason from c order by point")
        self.assertEqual(["failed_setup"] * 3 + ["ok"], [row["status"] for row in rows])
        for row, reason in zip(rows, ("'./nowhere' is not there, seen from .*/here",
                                      "'no-such-program' is in no folder of PATH", r"chmod \+x ./data")):
            self.assertRegex(row["reason"], reason)

    def test_one_point_without_the_others(self):
        rows = self.run_sweep("sh -c 'exit {n}'", "{n: [0, 1, 0.5]}", "constraints: [n != 0.5]", status=1)
        self.assertEqual(2, len(rows))

    def test_in_a_file_before_anything_is_started(self):
        self.write("c.yaml", command_sweep("c", "echo {thraeds}", "{threads: [1]}"))
        for verb in ("run", "check", "expand"):
            answer = self.call(verb, "c.yaml", status=2)
            self.assertRegex(answer.errors, r"c\.yaml:3:10: .*'thraeds'; did you mean 'threads'")
        self.assertEqual(["c.yaml"], self.files())


class Hangs(CommandTest):
    PROGRAM = ("#!/bin/sh\n[ \"$1\" = 2 ] && exec yes flood\n"
               "[ \"$1\" = 3 ] && exec sleep 600\necho part 1\nprintf careful >&2\n"
               "sleep 600 &\nsleep 600\n")

    def test_and_is_killed_with_its_children(self):
        self.write_program("hang", self.PROGRAM)
        rows = self.run_sweep("./hang {n}", "{n: [1, 2, 3]}", "timeout: {setup: 300s, run: 1s}", status=1)
        self.assertEqual(["timeout_run"] * 3, [row["status"] for row in rows], rows[0]["reason"])
        self.assert_golden("reason", rows[0]["reason"])
        self.assertRegex(rows[1]["reason"], "; the program's last line on stdout: .*flood")
        self.assert_golden("nothing printed", rows[2]["reason"])

    def test_because_a_signal_has_stopped_it(self):
        self.write_program("stops", "#!/bin/sh\nsh -c 'kill -$0 $$' \"$1\"\n")
        rows = self.run_sweep("./stops {signal}", "{signal: [STOP, TTIN]}",
                              "timeout: {setup: 300s, run: 1s}", status=1)
        for row, signal in zip(rows, ("SIGSTOP", "SIGTTIN")):  # old kernels do not say which
            self.assertRegex(row["reason"], f"; its process sh was stopped by ({signal}, |a signal)")
        self.write_program("right", "#!/bin/sh\nkill -TTOU $$\n")
        rows = self.run_sweep("echo 1", "{n: [1]}", "verify: {reference: {command: ./right}}",
                              "timeout: {setup: 2s}", status=1)
        self.assertRegex(rows[0]["reason"], "its process right was stopped by (SIGTTOU, |a signal)")

    def test_and_dies_with_coordinator_and_worker(self):
        self.write_program("hang", self.PROGRAM)
        self.write("c.yaml", command_sweep("c", "./hang", "{n: [1]}", "timeout: {run: 300s}"))
        running = self.start("run", "c.yaml")
        self.until(lambda: len(self.ours("sleep 600")) == 2, "the program and its child")
        for pid in [*self.workers(running), running.pid]:
            self.kill(pid)
        running.wait()
        self.expect_nobody_left()


class Leaves(CommandTest):
    """Processes in sessions of their own, which no signal to a group reaches."""

    def test_daemons_that_end_with_its_job_and_not_before(self):
        self.write_program("daemon", "#!/bin/sh\n[ -f pid$1 ] || { setsid sleep 600 & echo $! > pid$1; }\n"
                                     "kill -0 $(cat pid$1) && echo $1\n")
        rows = self.run_sweep("./daemon {n}", "{n: [1, 2, 3]}")
        self.assertEqual(["ok"] * 3, [row["status"] for row in rows], rows[0]["reason"])

    def test_daemons_of_daemons(self):
        inner = "setsid sh -c 'sleep 600; :' & sleep 601"
        self.write_program("daemon", f'#!/bin/sh\nsetsid sh -c "{inner}" &\n')
        self.assertEqual("ok", self.run_sweep("./daemon")[0]["status"])


if __name__ == "__main__":
    unittest.main()
