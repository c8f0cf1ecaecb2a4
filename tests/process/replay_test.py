"""`kernsweep replay`: a stored job measured again by the real program; what is said when it cannot be."""
import os
import sqlite3

from sandbox import UNHURRIED, ProcessTest, sweep_text

GEMM = "{variant: [naive, blocked], m: [24, 32], n: [16], k: [16], dtype: [f32]}"
# A known length, so far apart that no busy machine hides it.
SLEEP = UNHURRIED.replace("processes: 1", "processes: 3")


class Replay(ProcessTest):
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
        answer = self.call("replay", database, result, "--processes", "2", "--json", status=None).json()
        self.assertEqual("same", answer["bits"])
        self.assertEqual([int(result)], answer["then"]["results"])
        self.assertEqual(2, len(answer["now"]["results"]))
        self.assertIn(answer["verdict"], ("SAME", "FASTER", "SLOWER", "AMBIGUOUS"))
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
            answer = self.call("replay", database, "n/1", "--db", "mine.db", "--json", status=None).json()
            self.assertEqual([runs], answer["now"]["results"])
            self.assertEqual(runs, self.value("mine.db", "select count(*) from attempt"))

    # Asked for is 2 ms; the stored result is made one of 200 ms by hand.
    def test_the_status_is_the_verdict_on_the_time(self):
        database = self.measured("s", "sleep", "{seconds: [0.002]}", measure=SLEEP)
        self.edit(database, "update attempt_row set median_s = 0.2, mad_s = 0.0001")
        self.edit(database, "update outcome set median_s = 0.2")
        answer = self.call("replay", database, "/0", status=0)
        self.assertIn("FASTER: takes 0.0", answer.out)
        self.edit(database, "update attempt_row set mad_s = 0")
        self.edit(database, "update outcome set median_s = 0.00002")
        answer = self.call("replay", database, "/0", "--json", status=1).json()
        self.assertEqual("SLOWER", answer["verdict"])

    def edit(self, database, statement):
        connection = sqlite3.connect(os.path.join(self.folder, database))
        with connection:
            connection.execute(statement)
        connection.close()

    def test_a_library_that_is_missing_is_named_and_nothing_runs(self):
        database = self.measured("g", "gemm", "{variant: [blas], blas.library: [libnone.so.9], m: [8], "
                                              "n: [8], k: [8], dtype: [f32]}")
        answer = self.call("replay", database, "/0", status=3)
        self.assertIn("nothing was run. Missing:\n", answer.errors)
        self.assertIn("the library libnone.so.9 of blas.library: libnone.so.9: cannot open", answer.errors)
        self.assertEqual("", answer.out)
        self.assertEqual(["g.db", "g.yaml"], self.files())

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
        self.call("replay", database, "n/2", status=None)
        answer = self.call("replay", "n-replay.db", "/0", "--db", "again.db", "--json", status=None).json()
        self.assertEqual([], answer["changes"])
        replays = ("n-replay.db", "again.db")
        self.assertEqual([3, 3], [self.value(path, "select a from n") for path in replays])

    def test_an_input_file_that_is_gone_is_named_and_nothing_runs(self):
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 8, 8)}".ljust(117) + b"\n"
        self.write("a.npy", b"\x93NUMPY\x01\x00v\x00" + header + bytes(256))
        database = self.measured("g", "gemm", "{variant: [naive], m: [8], n: [8], k: [8], dtype: [f32], "
                                              "input.a: [a.npy]}")
        self.assertEqual("ok", self.value(database, "select status from results"))
        os.remove(os.path.join(self.folder, "a.npy"))
        answer = self.call("replay", database, "/0", status=3)
        self.assertIn("the file a.npy of input.a", answer.errors)
        self.assertEqual(["g.db", "g.yaml"], self.files())

    def test_a_file_that_has_changed_or_gone_since_is_named(self):
        self.write("shapes.csv", "label,a\nshort,1\nlong,2\n")
        database = self.measured("t", "noop", "{shape: {table: shapes.csv}}")
        self.write("shapes.csv", "label,a\nshort,1\nlong,3\n")
        answer = self.call("replay", database, "/1", status=2)
        self.assertIn("cannot be had again: its point is another one now, a was 2 and is 3 now",
                      answer.errors)
        self.call("replay", database, "/0", "--quiet", status=None)
        self.write("shapes.csv", "label,a\nshort,1\n")
        answer = self.call("replay", database, "/1", status=2)
        self.assertIn("the sweep has 1 points and this was number 1", answer.errors)
        os.remove(os.path.join(self.folder, "shapes.csv"))
        answer = self.call("replay", database, "/0", status=2)
        self.assertIn("the stored sweep 't' cannot be read again: ", answer.errors)
        self.assertIn("shapes.csv", answer.errors)

    def test_a_kernel_that_crashed_crashes_again_and_has_no_verdict(self):
        database = self.measured("f", "faulty", "{variant: [crash_run], n: [16]}")
        answer = self.call("replay", database, "/0", status=3)
        self.assertIn("then  signal: the slot's process was killed by SIGSEGV", answer.out)
        self.assertIn("now   signal: the slot's process was killed by SIGSEGV", answer.out)
        self.assertIn("NOT COMPARABLE: there is no time on one side\n", answer.out)

    def test_a_kernel_that_is_not_here_is_named(self):
        database = self.measured("f", "faulty", "{variant: [good], n: [16]}")
        answer = self.call("replay", database, "/0", status=3, environment={"KERNSWEEP_PACKS": ""})
        self.assertIn("the kernel 'faulty': no pack here has it", answer.errors)

    def test_bad_usage_says_what_is_wrong(self):
        database = self.measured("n", "noop", "{a: [1]}")
        for arguments, words in ((("none.db", "1"), "none.db: no such file"),
                                 ((database, "17"), "there is no result 17"),
                                 ((database, "x/1"), "no sweep"),
                                 ((database, "1", "--threshold", "-1"), "--threshold is a share above 0"),
                                 ((database, "1", "--processes", "0"), "--processes")):
            answer = self.call("replay", *arguments, status=2)
            self.assertIn(words, answer.errors)
            self.assertEqual("", answer.out)
