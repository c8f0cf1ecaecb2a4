"""`kernsweep replay`: a stored job measured again by the real program; the message if it cannot be."""
import ctypes
import os
import shutil
import sqlite3

from golden_text import HOST
from sandbox import UNHURRIED, ProcessTest, sweep_text

GEMM = "{variant: [naive, blocked], m: [24, 32], n: [16], k: [16], dtype: [f32]}"
# A known length, so far apart that no busy machine hides it.
SLEEP = UNHURRIED.replace("processes: 1", "processes: 3")


def path_of_library(name):
    """Where the loader finds it; None: nowhere."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return None
    with open("/proc/self/maps", encoding="utf-8") as maps:
        places = [line.split(maxsplit=5)[5].strip() for line in maps if line.count("/") > 1]
    return next((place for place in places if name.split(".so")[0] in os.path.basename(place)), None)


class Replay(ProcessTest):  # labels: sanitized
    def measured(self, name, kernel, axes, *more, measure=UNHURRIED):
        self.write(f"{name}.yaml", sweep_text(name, kernel, axes, *more, measure=measure))
        self.call("run", f"{name}.yaml", "--quiet", status=None)
        return f"{name}.db"

    def result_where(self, database, condition):
        return str(self.value(database, f"select result from results where {condition}"))

    def test_measures_that_job_and_no_other_and_finds_the_same_bits(self):
        database = self.measured("g", "gemm", GEMM)
        result = self.result_where(database, "variant = 'blocked' and params->>'m' = 32")
        before = self.rows(database, "select * from outcome")
        answer = self.call("replay", database, result, "--processes", "2", "--all-grades", "--json",
                           status=None).json()
        self.assertEqual("same", answer["bits"])
        self.assertEqual([int(result)], answer["then"]["results"])
        self.assertEqual(2, len(answer["now"]["results"]))
        self.assertIn(answer["verdict"], ("SAME", "FASTER", "SLOWER", "UNDECIDED"))
        # The job itself: its key is that of the stored one, though it is the only one of its sweep.
        keys = [row["key"] for row in self.rows("g-replay.db", "select hex(key) as key from outcome")]
        stored = self.value(database, "select hex(key) from outcome where result = ?", int(result))
        self.assertEqual(stored, keys[0])
        self.assertEqual(2, len(keys))
        self.assertEqual(before, self.rows(database, "select * from outcome"), "nothing is added to it")
        tag = self.value("g-replay.db", "select value from sweep_tag where name = 'replay_of'")
        job = self.value(database, "select job from outcome where result = ?", int(result))
        self.assertEqual(f"g@1/{job}", tag)

    def test_each_replay_measures_anew(self):
        database = self.measured("n", "noop", "{a: [1, 2]}")
        for runs in (1, 2):
            answer = self.call("replay", database, "n/1", "--db", "mine.db", "--all-grades", "--json",
                               status=None).json()
            self.assertEqual([runs], answer["now"]["results"])
            self.assertEqual(runs, self.value("mine.db", "select count(*) from attempt"))

    # Asked for is 2 ms; the stored result is made one of 200 ms by hand.
    def test_the_status_is_the_verdict_on_the_time(self):
        database = self.measured("s", "sleep", "{seconds: [0.002]}", measure=SLEEP)
        self.edit(database, "update attempt_row set median_s = 0.2, mad_s = 0.0001")
        self.edit(database, "update outcome set median_s = 0.2")
        answer = self.call("replay", database, "/0", "--all-grades", status=0)
        self.assertIn("FASTER: takes 0.0", answer.out)
        self.edit(database, "update attempt_row set mad_s = 0")
        self.edit(database, "update outcome set median_s = 0.00002")
        answer = self.call("replay", database, "/0", "--all-grades", "--json", status=1).json()
        self.assertEqual("SLOWER", answer["verdict"])

    # The stored result is made doubtful by hand.
    def test_doubtful_times_give_no_verdict(self):
        database = self.measured("s", "sleep", "{seconds: [0.002]}", measure=SLEEP)
        self.edit(database, "update outcome set grade = 'C'")
        answer = self.call("replay", database, "/0", "--json", status=3).json()
        self.assertEqual([], answer["then"]["results"])
        self.assertEqual("CCC", answer["then"]["left_out_grades"])
        self.assert_golden("not comparable", answer["not_comparable"])
        self.assertNotIn("verdict", answer)
        answer = self.call("replay", database, "/0", "--all-grades", "--json", status=None).json()
        self.assertEqual(3, len(answer["then"]["results"]))

    # The second run takes over the three processes of the first and measures three more.
    def test_a_result_that_was_taken_over_is_replayed_in_the_sweep_that_is_named(self):
        database = self.measured("s", "sleep", "{seconds: [0.002]}", measure=SLEEP)
        self.edit(database, "update outcome set grade = 'A'")
        self.call("run", "s.yaml", "--quiet", "--set", "measure.processes=6")
        for named, processes in (("@1/0", 3), ("@2/0", 6), ("1", 6)):
            answer = self.call("replay", database, named, "--all-grades", "--json", status=None).json()
            self.assertEqual(processes, len(answer["then"]["results"]), named)

    def edit(self, database, statement):
        connection = sqlite3.connect(os.path.join(self.folder, database))
        with connection:
            connection.execute(statement)
        connection.close()

    def test_a_library_that_is_missing_is_named_and_nothing_runs(self):
        database = self.measured("g", "gemm", "{variant: [blas], blas.library: [libnone.so.9], m: [8], "
                                              "n: [8], k: [8], dtype: [f32]}")
        answer = self.call("replay", database, "/0", status=3)
        self.assert_golden("errors", answer.errors)
        self.assertEqual("", answer.out)
        self.assertEqual(["g.db", "g.yaml"], self.files())

    # The library lies where only the job's own LD_LIBRARY_PATH finds it.
    def test_a_library_is_looked_for_with_the_environment_of_the_job(self):
        os.mkdir(os.path.join(self.folder, "lib"))
        place = next(filter(None, map(path_of_library, ("libopenblas.so.0", "libblis.so.4"))), None)
        if place is None:
            self.skipTest("there is no BLAS library here")
        os.symlink(place, os.path.join(self.folder, "lib", "libhidden.so"))
        folder = os.path.join(self.folder, "lib")
        database = self.measured("g", "gemm", "{variant: [blas], blas.library: [libhidden.so], m: [8], "
                                 f"n: [8], k: [8], dtype: [f32], env.LD_LIBRARY_PATH: [{folder}]}}")
        self.assertEqual("ok", self.value(database, "select status from results"))
        self.call("replay", database, "/0", "--all-grades", "--quiet", "--processes", "2", status=4)
        os.remove(os.path.join(folder, "libhidden.so"))
        answer = self.call("replay", database, "/0", "--db", "other.db", status=3)
        self.assertIn("the library libhidden.so of blas.library: libhidden.so: cannot open", answer.errors)
        self.assertNotIn("other.db", self.files())

    def test_a_program_that_is_gone_is_named_and_nothing_runs(self):
        path = os.path.join(self.folder, "bench.sh")
        self.write("bench.sh", "#!/bin/sh\nexit 0\n")
        os.chmod(path, 0o755)
        self.write("c.yaml",
                   "sweep: 1\nname: c\ncommand: ./bench.sh {n}\naxes: {n: [1]}\n" + UNHURRIED)
        self.call("run", "c.yaml", "--quiet")
        os.remove(path)
        answer = self.call("replay", "c.db", "/0", status=3)
        self.assert_golden("errors", answer.errors)
        self.assertEqual(["c.db", "c.yaml"], self.files())

    def test_a_module_that_is_gone_is_named_and_nothing_runs(self):
        self.write("gone.py", "def work(n):\n    return lambda: b'x'\n")
        self.write("p.yaml", "sweep: 1\nname: p\npython: gone:work\naxes: {n: [1]}\n" + UNHURRIED)
        if self.call("run", "p.yaml", "--quiet", status=None).status != 0:
            self.skipTest("there is no pack for Python here")
        shutil.rmtree(os.path.join(self.folder, "__pycache__"), ignore_errors=True)
        os.remove(os.path.join(self.folder, "gone.py"))
        answer = self.call("replay", "p.db", "/0", status=3)
        self.assert_golden("errors", answer.errors)
        self.assertEqual(["p.db", "p.yaml"], self.files())

    def test_another_host_is_named_unless_any_will_do(self):
        database = self.measured("n", "noop", "{a: [1]}")
        self.edit(database, "update host set name = 'node7', cpu = 'Z80', fingerprint = zeroblob(16)")
        answer = self.call("replay", database, "/0", status=3)
        self.assertIn("the host: it was measured on node7 (Z80), and this is ", answer.errors)
        self.assertEqual(["n.db", "n.yaml"], self.files())
        self.call("replay", database, "/0", "--any-host", status=None)
        self.assertIn("n-replay.db", self.files())

    def test_more_cores_than_there_are_and_unmet_requirements_are_named(self):
        database = self.measured("n", "noop", "{threads: [1]}", "requires: host.cores < 4096")
        self.edit(database, "update sweep set text = replace(text, '4096', '0')")
        answer = self.call("replay", database, "/0", status=3)
        self.assertIn("what the sweep requires: host.cores < 0: host.cores is ", answer.errors)
        self.edit(database, "update sweep set text = replace(text, '[1]', '[60000]')")
        self.edit(database, "update outcome set a1 = 60000")
        answer = self.call("replay", database, "/0", status=3)
        self.assertIn("cores: it needs 60000, and there are ", answer.errors)

    # A replay is a sweep of one point: its own result must not be taken for the first of the whole sweep.
    def test_a_replay_can_be_replayed(self):
        database = self.measured("n", "noop", "{a: [1, 2, 3]}")
        wanted = self.value(database, "select a from n where job = 2")
        self.call("replay", database, "n/2", status=None)
        answer = self.call("replay", "n-replay.db", "/0", "--db", "again.db", "--json", status=None).json()
        self.assertEqual([], answer["changes"])
        replays = ("n-replay.db", "again.db")
        self.assertEqual([wanted, wanted], [self.value(path, "select a from n") for path in replays])

    def test_an_input_file_that_is_gone_is_named_and_nothing_runs(self):
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 8, 8)}".ljust(117) + b"\n"
        self.write("a.npy", b"\x93NUMPY\x01\x00v\x00" + header + bytes(256))
        database = self.measured("g", "gemm", "{variant: [naive], m: [8], n: [8], k: [8], dtype: [f32], "
                                              "input.a: [a.npy]}")
        self.assertEqual("ok", self.value(database, "select status from results"))
        os.remove(os.path.join(self.folder, "a.npy"))
        answer = self.call("replay", database, "/0", status=3)
        self.assert_golden("errors", answer.errors)
        self.assertEqual(["g.db", "g.yaml"], self.files())

    # Tables are stored with the sweep.
    def test_a_table_that_has_changed_or_gone_since_is_not_needed(self):
        self.write("shapes.csv", "label,a\nshort,1\nlong,2\n")
        database = self.measured("t", "noop", "{shape: {table: shapes.csv}}")
        result = str(self.value(database, "select result from t where a = 2"))
        self.write("shapes.csv", "label,a\nshort,1\nlong,3\n")
        for runs in (1, 2):
            self.call("replay", database, result, "--quiet", status=None)
            self.assertEqual(2, self.value("t-replay.db", f"select a from t where sweep_id = {runs}"))
            if runs == 1:
                os.remove(os.path.join(self.folder, "shapes.csv"))

    # As an older version left it, without the tables.
    def test_a_table_of_an_older_file_is_missing_when_it_is_gone(self):
        self.write("shapes.csv", "label,a\nshort,1\nlong,2\n")
        database = self.measured("t", "noop", "{shape: {table: shapes.csv}}")
        self.edit(database, "delete from sweep_file")
        short, long = (str(self.value(database, f"select result from t where a = {a}")) for a in (1, 2))
        self.write("shapes.csv", "label,a\nshort,1\nlong,3\n")
        answer = self.call("replay", database, long, status=2)
        self.assert_golden("another point", answer.errors, result=r"(?<=result )\d+")
        self.call("replay", database, short, "--quiet", status=None)
        self.write("shapes.csv", "label,a\nshort,1\n")
        answer = self.call("replay", database, long, status=2)
        self.assert_golden("no such point", answer.errors, result=r"(?<=result )\d+")
        os.remove(os.path.join(self.folder, "shapes.csv"))
        os.remove(os.path.join(self.folder, "t-replay.db"))
        answer = self.call("replay", database, short, status=3)
        self.assert_golden("no table", answer.errors, result=r"(?<=result )\d+")
        self.assertEqual(["t.db", "t.yaml"], self.files())

    def test_a_kernel_that_crashed_crashes_again_and_has_no_verdict(self):
        database = self.measured("f", "faulty", "{variant: [crash_run], n: [16]}")
        answer = self.call("replay", database, "/0", status=3)
        self.assert_golden("out", answer.out, host=HOST)

    def test_a_kernel_that_is_not_here_is_named(self):
        database = self.measured("f", "faulty", "{variant: [good], n: [16]}")
        answer = self.call("replay", database, "/0", status=3, environment={"KERNSWEEP_PACKS": ""})
        self.assert_golden("errors", answer.errors)

    def test_bad_usage_says_what_is_wrong(self):
        database = self.measured("n", "noop", "{a: [1]}")
        for arguments in (("none.db", "1"), (database, "17"), (database, "x/1"),
                          (database, "1", "--margin", "-1"), (database, "1", "--processes", "0")):
            answer = self.call("replay", *arguments, status=2)
            self.assert_golden(" ".join(arguments), answer.errors)
            self.assertEqual("", answer.out)
