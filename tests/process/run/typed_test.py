"""Sweeps of commands on the command line, without a file: what runs, what is saved, what surrounds a job."""
import os
import re
import shlex

from sandbox import ProcessTest

SETTINGS = ("measure.processes=2", "measure.samples.min_time=0ms", "measure.samples.min=1",
            "measure.samples.max=3", "measure.warmup.min_time=0ms", "measure.warmup.max_time=1ms",
            "verify.outputs=ignore")
BRIEF = tuple(word for setting in SETTINGS for word in ("--set", setting))


class TypedSweep(ProcessTest):
    def lines_of(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read().split()

    def test_runs_as_its_saved_file_does(self):
        typed = ("-c", "printf {n}", "-c", "echo {n} {m}", "--name", "p", "-a", "n=[1, 2]", "-a", "m=[07]",
                 "--threads", "1", *BRIEF)
        self.call("run", *typed, "--save", "saved.yaml", "--json")
        rows = self.rows("printf-echo.db", 'select command, n, m, "command.line" as line, status '
                         'from "printf-echo" order by job')
        self.assertEqual({("p", 1, None, "printf 1"), ("p", 2, None, "printf 2"),
                          ("echo {n} {m}", 1, "07", "echo 1 07"), ("echo {n} {m}", 2, "07", "echo 2 07")},
                         {(row["command"], row["n"], row["m"], row["line"]) for row in rows})
        self.assertEqual({"ok"}, {row["status"] for row in rows})
        self.call("run", "saved.yaml", "--json")
        self.assertEqual(8, self.count_of("printf-echo.db"), "the file has the same jobs")
        self.call("run", *typed, "--again", "--json")
        self.assertEqual(1, self.value("printf-echo.db", "select count(distinct name || text) from sweep"))
        self.expect_nobody_left()

    def test_has_a_setup_and_a_cleanup_around_each_job(self):
        self.write("mark.sh", 'echo "$1" >> log\n')
        self.call("run", "-c", "sh mark.sh run{n}", "--setup", "sh mark.sh before{n}", "--cleanup",
                  "sh mark.sh after{n}", "-a", "n=[1, 2]", *BRIEF)
        jobs = " ".join(self.lines_of("log")).split("before")[1:]
        self.assertEqual(4, len(jobs))
        for job in jobs:
            n = job[0]
            words = job.split()
            self.assertEqual((f"{n}", f"after{n}", {f"run{n}"}), (words[0], words[-1], set(words[1:-1])))
        self.call("run", "-c", "true", "--setup", "sh -c 'echo no disk >&2; exit 3'", *BRIEF,
                           "--set", "measure.processes=1", status=1)
        self.assert_golden("setup", self.value("true.db", "select reason from attempt"))
        self.assertEqual("failed_setup", self.value("true.db", "select status from attempt"))

    def test_reports_a_cleanup_that_failed(self):
        answer = self.call("run", "-c", "echo {n}", "-a", "n=[1, 2]", "--cleanup", "sh -c 'test {n} = 1'",
                           *BRIEF)
        notes = self.rows("echo.db", "select n, count(*) as jobs from echo join result using (result) "
                          "where notes like '%the cleanup failed: %' group by n")
        self.assertEqual([{"n": 2, "jobs": 2}], notes)
        self.assert_golden("end", next(line for line in answer.out.split("\n") if "cleanup" in line))
        self.call("run", "-c", "false", "--cleanup", "false", *BRIEF, "--set", "measure.processes=1",
                  status=1)
        self.assert_golden("both", self.value("false.db", "select reason from attempt"))

    def test_of_a_file_is_verified_by_one_of_its_commands(self):
        self.write("right.py", "def right(n):\n    return str(n)\n")
        for name, reference in (("one", "{setting: {command: a}}"), ("two", "{python: 'right:right'}")):
            self.write("s.yaml", f"sweep: 1\nname: {name}\ncommands: {{a: 'cat kept{{n}}', b: 'printf 2', "
                       "c: 'printf {n}'}\nsetup: sh -c 'printf {n} > $$; mv $$ kept{n}'\naxes: {n: [1]}\n"
                       f"verify: {{reference: {reference}}}\nmeasure: {{processes: 1}}\n")
            self.call("run", "s.yaml", status=1)
            rows = self.rows(f"{name}.db", f"select command, status from {name} order by command")
            self.assertEqual([("a", "ok"), ("b", "wrong_result"), ("c", "ok")],
                             [tuple(row.values()) for row in rows], reference)

    def test_is_refused_with_the_argument_that_is_wrong(self):
        self.write("s.yaml", "sweep: 1\n")
        self.write("mine.yaml", "my own\n")
        for words in (("run",), ("run", "s.yaml", "-c", "true"), ("check", "s.yaml", "--threads", "2"),
                      ("run", "-c", "true", "--save", "mine.yaml"), ("check", "-c", "true {n}"),
                      ("expand", "-c", "true", "-a", "n=[1]"), ("run", "-c", "true", "--threads", "0"),
                      ("run", "-c", "true", "--threads", "999999")):
            answer = self.call(*words, status=2)
            said = re.sub(r"may use \d+ cores?", "may use N cores", answer.errors)
            self.assert_golden(" ".join(words), said)
        self.assertEqual(["mine.yaml", "s.yaml"], self.files())


class MissingProgram(ProcessTest):  # labels: smoke
    def setUp(self):
        super().setUp()
        for name in ("bin/gzip", "bin/nice", "bench"):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            self.write(name, "#!/bin/sh\n")
            os.chmod(os.path.join(self.folder, name), 0o755)
        self.write("data", "x")
        self.environment["PATH"] = os.path.join(self.folder, "bin")
        self.at_first = self.files()

    def refused(self, *words):
        answer = self.call("run", *words, "--threads", "1", status=2)
        self.assertEqual(self.at_first, self.files())
        self.assert_golden(" ".join(words), answer.errors)

    def test_is_named_before_anything_is_measured(self):
        self.refused("-c", "gzzip -c x", "-c", "gzip -c x")
        self.refused("-c", "{by} -c x", "-a", "by=[gzip, gzzip, qwertz]")
        self.refused("-c", "gzip -c x", "--setup", "copy x y")
        self.refused("-c", "nice -n 5 gzzip")
        self.refused("-c", "bench")
        self.refused("-c", "cd ..")
        self.refused("-c", "FOO=1 gzip")
        self.refused("-c", "gzip", "-a", "env.PATH=[/nowhere]")

    def test_of_a_path_is_named_with_what_is_there(self):
        for path in ("./bnech", "./data", "./bin", "/dev/null"):
            self.refused("-c", path)

    def test_is_reported_by_check(self):
        answer = self.call("check", "-c", "gzzip -c x", "-c", "gzip -c x", "--threads", "1")
        self.assert_golden("check", answer.errors)
        self.assertEqual("", self.call("check", "-c", "./made", "--setup", "gzip made").errors)


class GuideOfPrograms(ProcessTest):
    def test_has_lines_that_are_sweeps(self):
        with open(os.path.join(self.source, "docs", "guides", "own-programs.md"), encoding="utf-8") as file:
            page = file.read()
        lines = [line.removeprefix("$ kernsweep run ") for line in page.split("\n")
                 if line.startswith("$ kernsweep run -c") and "rows_by" not in line]
        self.assertLessEqual(3, len(lines))
        for line in lines:
            self.call("check", *shlex.split(line), "--save", "same.yaml")
            self.call("check", "same.yaml")
            os.remove(os.path.join(self.folder, "same.yaml"))
        self.call("check", *shlex.split(lines[0]), "--threads", "2", "--save", "saved.yaml")
        with open(os.path.join(self.folder, "saved.yaml"), encoding="utf-8") as file:
            saved = file.read()
        shown = next(block for block in page.split("```yaml\n") if block.startswith("# kernsweep run"))
        self.assertEqual(self.without_notes(shown.split("```")[0]), self.without_notes(saved))

    @staticmethod
    def without_notes(text):
        return [line for line in text.split("\n") if line and not line.startswith("#")]
