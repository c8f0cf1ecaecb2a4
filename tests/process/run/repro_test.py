"""A stored result is measured again by hand: `kernsweep repro` prints a line, a shell runs it.

The line is run by a shell without the sweep, so it must contain all that the job needs.
"""
import contextlib
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import unittest

from sandbox import BRISK, BUILD, LIMIT_S, SANITIZED, UNHURRIED, ProcessTest, lines_with, sweep_text

SLOT = os.path.join(BUILD, "libexec", "kernsweep", "kernsweep-slot")
CORES = sorted(os.sched_getaffinity(0))


class Done:
    def __init__(self, child):
        self.status, self.out, self.errors = child.returncode, child.stdout, child.stderr


class ReproTest(ProcessTest):
    def shell(self, line, environment=None):
        """What a shell makes of the line, in the folder of the sweep."""
        return Done(subprocess.run(["bash", "-c", line], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   env={**self.environment, **(environment or {})}, capture_output=True,
                                   encoding="utf-8", timeout=LIMIT_S))

    def slot(self, *words):
        return Done(subprocess.run([SLOT, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   env=self.environment, capture_output=True, encoding="utf-8",
                                   timeout=LIMIT_S))

    def run_sweep(self, name, kernel, axes, *more, status=0, measure=BRISK, **surroundings):
        self.write(f"{name}.yaml", sweep_text(name, kernel, axes, *more, measure=measure))
        self.call("run", f"{name}.yaml", "-q", status=status, environment=surroundings)
        return self.rows(f"{name}.db", "select r.result, r.job, o.output_hash, o.status from results r "
                         "join outcome o on o.sweep_id = r.sweep_id and o.job = r.job order by r.point")

    def again(self, database, result):
        """The line of the result, as JSON of `repro`, and what its slot said, as JSON of the slot."""
        told = self.call("repro", database, str(result), "--json").json()
        done = self.shell(told["command"].replace(" --once ", " --once --json ", 1))
        return told, done


class Line(ReproTest):  # labels: sanitized
    def test_gives_the_same_bits(self):
        rows = self.run_sweep("g", "gemm", "{variant: [naive, blas], m: 24, n: [16, 40], k: 8}")
        self.assertEqual(4, len(rows))
        for row in rows:
            text = self.call("repro", "g.db", str(row["result"])).out
            done = self.shell(text)
            self.assertEqual((0, ""), (done.status, done.errors), done.out)
            self.assertIn(f"output    {row['output_hash']}\n", done.out)
            self.assertIn("outcome   ok\n", done.out)
            # The comments have the same hash, so that a person can compare.
            self.assertIn(row["output_hash"], text[:text.index("taskset")])

    def test_is_one_command_behind_comments(self):
        row, = self.run_sweep("n", "noop", "{a: 1}")
        lines = self.call("repro", "n.db", str(row["result"])).out.splitlines()
        self.assertTrue(all(line.startswith("# ") for line in lines[:-1]), lines)
        words = shlex.split(lines[-1])
        self.assertEqual(["taskset", "-c"], words[:2])
        self.assertEqual(["env", "-i"], words[3:5])
        self.assertEqual([os.path.realpath(SLOT), "--once"], words[-3:-1])
        self.assertEqual("noop", json.loads(words[-1])["family"])

    def test_takes_sweep_and_job_as_show_does(self):
        row = self.run_sweep("n", "noop", "{a: [1, 2]}")[1]
        by_job = self.call("repro", "n.db", f"n/{row['job']}").out
        self.assertEqual(self.call("repro", "n.db", str(row["result"])).out, by_job)

    # Which took the points as the file lists them, and kept no word about it.
    def test_finds_the_jobs_of_a_sweep_that_an_earlier_version_has_numbered(self):
        self.write("n.yaml", sweep_text("n", "noop", "{a: {range: [1, 8]}}"))
        self.call("run", "n.yaml", "-q", "--set", "measure.order=interleave")
        for kept, status in (("", 0), ("order shuffle", 2)):
            path = os.path.join(self.folder, "n.db")
            with contextlib.closing(sqlite3.connect(path)) as database, database:
                database.execute("update sweep set replacements = ?", (kept,))
            told = [self.call("repro", "n.db", f"n/{job}", status=None) for job in range(8)]
            self.assertEqual(status, max(answer.status for answer in told), kept)
            if status == 0:
                self.assertEqual([True] * 8, [f": a={job + 1}\n" in told[job].out for job in range(8)])

    def test_has_the_rules_of_its_point(self):
        rows = self.run_sweep("n", "noop", "{a: [1, 2]}", "overrides: [{when: 'a == 2', set: "
                              "{measure.samples.min: 3, verify.repeat: 5}}]", "seed: 77")
        jobs = [self.call("repro", "n.db", str(row["result"]), "--json").json()["job"] for row in rows]
        self.assertEqual([(77, 2, 2), (77, 3, 5)],
                         [(job["seed"], job["measure"]["samples"]["min"], job["verify"]["repeat"])
                          for job in jobs])
        self.assertEqual([{"a": 1}, {"a": 2}], [job["values"] for job in jobs])

    def test_tells_cold_from_hot(self):
        self.run_sweep("n", "noop", "{a: 1}", measure=BRISK.replace("{", "{cache: [hot, cold], ", 1))
        rows = self.rows("n.db", "select result, cache from results")
        self.assertEqual({"hot", "cold"}, {row["cache"] for row in rows})
        for row in rows:
            told = self.call("repro", "n.db", str(row["result"]), "--json").json()
            self.assertEqual(row["cache"], told["job"]["cache"])


class Surroundings(ReproTest):
    """The pack `probe` reports in `runtime` what it finds."""

    def facts(self, done):
        self.assertEqual(0, done.status, done.errors)
        facts, environment = {}, {}
        for line in re.split(r"\n(?=env |cores |threads )", json.loads(done.out)["runtime"]):
            kind, _, rest = line.partition(" ")
            if kind == "env":
                name, _, value = rest.partition("=")
                environment[name] = value
            else:
                facts[kind] = rest
        return facts, environment

    def test_are_those_of_the_job(self):
        note = "it's a \"quoted\" $HOME `date` \\ #!"
        threads = min(2, len(CORES))
        row, = self.run_sweep("p", "probe", f"{{threads: {threads}, env.NOTE: {json.dumps(note)}, "
                              'env.EMPTY: "", env.LINES: "a\\nb", env.HOME: /elsewhere}')
        stored = self.value("p.db", "select runtime from result")
        told, done = self.again("p.db", row["result"])
        facts, environment = self.facts(done)
        self.assertEqual((note, "", "a\nb", "/elsewhere"),
                         tuple(environment[name] for name in ("NOTE", "EMPTY", "LINES", "HOME")))
        self.assertEqual(str(threads), facts["threads"])
        self.assertEqual(str(threads), environment["OMP_NUM_THREADS"])
        self.assertEqual(told["environment"], environment)
        self.assertEqual(told["cores"], [int(core) for core in facts["cores"].split()])
        # Nothing more and nothing less than the worker's slot had, but for its process.
        self.assertEqual(stored.partition("\n")[2], json.loads(done.out)["runtime"].partition("\n")[2])

    def test_do_not_leak_from_the_shell(self):
        row, = self.run_sweep("p", "probe", "{a: 1}")
        told = self.call("repro", "p.db", str(row["result"])).out
        done = self.shell(told, {"OMP_PROC_BIND": "close", "KERNSWEEP_SECRET": "x"})
        self.assertNotIn("KERNSWEEP_SECRET", done.out)
        self.assertNotIn("OMP_PROC_BIND", done.out)

    def test_a_path_of_the_sweep_does_not_hide_the_tools_of_the_line(self):
        row, = self.run_sweep("p", "probe", "{env.PATH: /nowhere}")
        _, done = self.again("p.db", row["result"])
        self.assertEqual("/nowhere", self.facts(done)[1]["PATH"])

    def test_cores_that_are_not_here_are_replaced_and_it_says_so(self):
        row, = self.run_sweep("p", "probe", "{a: 1}")
        self.edit("p.db", "update text set content = '4000' where id = (select affinity from attempt_row)")
        told = self.call("repro", "p.db", str(row["result"]), "--json").json()
        self.assertEqual(1, len(told["cores"]))
        self.assertIn(told["cores"][0], CORES)
        self.assertTrue([note for note in told["notes"] if "4000" in note], told["notes"])

    def edit(self, database, statement):
        connection = sqlite3.connect(os.path.join(self.folder, database))
        with connection:
            connection.execute(statement)
        connection.close()


class Failures(ReproTest):
    def faulty(self, variant, status=1):
        row, = self.run_sweep("f", "faulty", f"{{variant: {variant}, n: 16}}", status=status)
        return row

    @unittest.skipIf(SANITIZED, "a sanitizer reports the access and exits")
    def test_a_crash_is_the_crash_of_the_process(self):
        for variant, number in (("crash_run", signal.SIGSEGV), ("crash_prepare", signal.SIGSEGV)):
            with self.subTest(variant):
                row, = self.run_sweep(variant, "faulty", f"{{variant: {variant}, n: 16}}", status=1)
                told, done = self.again(f"{variant}.db", row["result"])
                self.assertEqual("signal", told["stored"]["status"])
                self.assertIn("SIGSEGV", told["stored"]["reason"])
                self.assertEqual((-number, ""), (done.status, done.out))

    def test_an_abort_is_the_abort_of_the_process(self):
        row = self.faulty("abort")
        text = self.call("repro", "f.db", str(row["result"])).out
        self.assertRegex(text, "(?m)^# signal: .*SIGABRT")
        self.assertRegex(text, "(?m)^# the cores that it ran on are not stored")
        self.assertEqual(-signal.SIGABRT, self.shell(text).status)

    def test_an_exit_is_the_exit_of_the_process(self):
        row = self.faulty("exit")
        self.assertEqual(3, self.again("f.db", row["result"])[1].status)

    def test_a_wrong_result_is_wrong_again(self):
        row = self.faulty("wrong")
        told, done = self.again("f.db", row["result"])
        self.assertEqual(1, done.status, done.errors)
        answer = json.loads(done.out)
        self.assertEqual(("wrong_result", "X"), (answer["outcome"], answer["grade"]))
        self.assertEqual(told["stored"]["reason"], answer["reason"])

    def test_a_refusal_is_told_with_its_reason(self):
        row = self.faulty("refuse")
        done = self.shell(self.call("repro", "f.db", str(row["result"])).out)
        self.assertEqual(1, done.status)
        self.assert_golden("out", lines_with("outcome", done.out))

    def test_what_a_kernel_prints_is_kept_apart_from_the_answer(self):
        row = self.faulty("noisy_stderr")
        done = self.again("f.db", row["result"])[1]
        self.assertEqual((-signal.SIGABRT, ""), (done.status, done.out))
        self.assertTrue(done.errors.endswith("faulty: these are the last words\n"), done.errors[-200:])


class OwnKernels(ReproTest):
    def test_a_command_gets_its_words(self):
        text = ("sweep: 1\nname: c\ncommand: printf '<%s>' {word} 'it''s' \"$HOME {n}\"\n"
                "axes: {word: ['a b', \"it's\", '$(id)'], n: 7}\n" + UNHURRIED)
        self.write("c.yaml", text)
        self.call("run", "c.yaml", "-q")
        rows = self.rows("c.db", "select result, output_hash from outcome order by job")
        self.assertEqual(3, len({row["output_hash"] for row in rows}))
        for row in rows:
            told, done = self.again("c.db", row["result"])
            self.assertEqual(0, done.status, done.out + done.errors)
            self.assertEqual(row["output_hash"], json.loads(done.out)["output_hash"])
            self.assertTrue([note for note in told["notes"] if "folder" in note], told["notes"])

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "lib/kernsweep/packs/python.so")),
                         "built without Python")
    @unittest.skipIf(SANITIZED, "Python leaks at its end")
    def test_a_python_function_gets_its_arguments(self):
        self.write("bench.py", "def make(n, scale, mode, seed, exact):\n"
                   "    return lambda: repr((n, scale, mode, seed, exact)).encode()\n")
        self.write("y.yaml", "sweep: 1\nname: y\npython: bench:make\nseed: 5\n"
                   "axes: {n: [1, 2], scale: [1.0, 2.5], mode: \"'x' y\", exact: 'true'}\n" + UNHURRIED)
        self.call("run", "y.yaml", "-q")
        rows = self.rows("y.db", "select result, output_hash from outcome order by job")
        self.assertEqual(4, len({row["output_hash"] for row in rows}))
        for row in rows:
            _, done = self.again("y.db", row["result"])
            self.assertEqual(0, done.status, done.out + done.errors)
            self.assertEqual(row["output_hash"], json.loads(done.out)["output_hash"])


class BadInput(ReproTest):
    def test_of_repro_is_told_and_nothing_is_printed(self):
        row, = self.run_sweep("n", "noop", "{a: 1}")
        for words in (("none.db", "1"), ("n.db", "99"), ("n.db", "n/99"), ("n.db", "m/0"), ("n.db", "first"),
                      ("n.yaml", "1")):
            answer = self.call("repro", *words, status=2)
            self.assertEqual("", answer.out)
            self.assert_golden(" ".join(words), answer.errors)
        self.call("repro", "n.db", status=2)
        self.assertIn("taskset", self.call("repro", "n.db", str(row["result"])).out)

    def test_a_table_is_kept_with_the_results(self):
        self.write("t.csv", "a,b\n1,2\n3,4\n")
        rows = self.run_sweep("n", "noop", "{row: {table: t.csv}}")
        self.write("t.csv", "a,b\n1,2\n3,5\n")
        self.assertIn('"b":4', self.call("repro", "n.db", str(rows[1]["result"])).out)
        os.remove(os.path.join(self.folder, "t.csv"))
        self.assertIn('"b":2', self.call("repro", "n.db", str(rows[0]["result"])).out)

    def test_a_table_of_an_older_file_that_has_changed_is_found_out(self):
        self.write("t.csv", "a,b\n1,2\n3,4\n")
        rows = self.run_sweep("n", "noop", "{row: {table: t.csv}}")
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "n.db"))) as database, database:
            database.execute("delete from sweep_file")
        self.write("t.csv", "a,b\n1,2\n3,5\n")
        self.assertIn("taskset", self.call("repro", "n.db", str(rows[0]["result"])).out)
        changed = self.call("repro", "n.db", str(rows[1]["result"]), status=2)
        self.assertEqual("", changed.out)
        self.assert_golden("changed", changed.errors, result=r"(?<=result )\d+")
        os.remove(os.path.join(self.folder, "t.csv"))
        gone = self.call("repro", "n.db", str(rows[0]["result"]), status=2)
        self.assertEqual("", gone.out)
        self.assert_golden("gone", gone.errors)

    def test_a_family_that_no_pack_has_any_more_is_told(self):
        row, = self.run_sweep("p", "probe", "{a: 1}")
        gone = self.call("repro", "p.db", str(row["result"]), status=2,
                         environment={"KERNSWEEP_PACKS": ""})
        self.assertEqual("", gone.out)
        self.assert_golden("gone", gone.errors, families="(?<=known: ).*")

    def test_of_the_slot_is_told(self):
        for words in ((), ("--nonce", "{}"), ("--once",), ("--once", "{}", "{}"), ("--once", "{"),
                      ("--once", '{"family":"noop","threds":2}'),
                      ("--once", '{"family":"noop","values":{"a":[1]}}'), ("--once", '{"family":"nop"}'),
                      ("--once", '{"family":"noop","pack":"/nowhere.so"}')):
            done = self.slot(*words)
            self.assertEqual((2, ""), (done.status, done.out), words)
            self.assert_golden(" ".join(words), done.errors, why="(?<=character 2 on: ).*")

    def test_a_variant_that_is_not_there_is_a_failure_of_the_job(self):
        done = self.slot("--once", '{"family":"gemm","values":{"variant":"naiv","m":4,"n":4,"k":4}}')
        self.assertEqual(1, done.status)
        self.assert_golden("out", lines_with("outcome", done.out))


if __name__ == "__main__":
    unittest.main()
