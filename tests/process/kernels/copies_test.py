"""The axis `copies`: several processes of one job that call together, each on cores of its own. A fault of
one of them ends the job, with the reason; nothing else does, and no process is left."""
import os
import unittest

from sandbox import BUILD, ProcessTest, lines_with, sweep_text

PYTHON = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
CORES = len(os.sched_getaffinity(0))
CALM = ("measure: {processes: 1, warmup: {min_time: 20ms, max_time: 60ms}, "
        "samples: {min: 5, max: 10, min_time: 10ms, max_time: 20s}}\n")
MODULE = '''
import array, os, signal

LAST = {last}

def work(n, how="good"):
    """The copy on the core LAST misbehaves."""
    bad = how != "good" and max(os.sched_getaffinity(0)) == LAST
    def run():
        if bad:
            if how == "raise":
                raise ValueError("not today")
            if how == "exit":
                os._exit(3)
            if how == "kill":
                os.kill(os.getpid(), signal.SIGUSR1)
            if how in ("wrong", "other"):
                return array.array("d", [2.0] * n)
        return array.array("d", [sum(range(1000))] * n)
    return run
'''


@unittest.skipIf(CORES < 2, "two copies need two cores")
class Copies(ProcessTest):
    def measured(self, name, kernel, axes, *more, measure=CALM):
        self.write(f"{name}.yaml", sweep_text(name, kernel, axes, *more, measure=measure))
        self.call("run", f"{name}.yaml", "--patience", "0", status=None)
        self.expect_nobody_left()
        return self.rows(f"{name}.db", f'select s.*, r.flops, r.affinity, r.min_s from "{name}" s '
                         "left join result r using (result) order by s.point")

    def metrics(self, database, result):
        return {row["name"]: row["value"] for row in
                self.rows(database, "select name, value from metric where result = ? and name like 'copy%'",
                          result)}

    def test_each_copy_is_told_and_all_together_are_the_time(self):
        rows = self.measured("copies", "gemm",
                             "{copies: [1, 2, null], variant: blocked, m: 96, n: 96, k: 96}")
        self.assertEqual(["ok"] * 3, [row["status"] for row in rows], rows)
        one, two, none = rows
        self.assertEqual({one["output_hash"]}, {row["output_hash"] for row in rows})
        self.assertEqual({one["flops"]}, {row["flops"] for row in rows})
        self.assertEqual(2, len(two["affinity"].replace("-", ",").split(",")))
        self.assertEqual({"copy_1_s", "copy_2_s", "copy_median_s", "copy_slowest_s"},
                         set(self.metrics("copies.db", two["result"])))
        self.assertEqual({"copy_1_s", "copy_median_s", "copy_slowest_s"},
                         set(self.metrics("copies.db", one["result"])))
        self.assertEqual({}, self.metrics("copies.db", none["result"]))
        told = self.metrics("copies.db", two["result"])
        self.assertEqual(told["copy_slowest_s"], max(told["copy_1_s"], told["copy_2_s"]))
        # A round of two calls lasts at least as long as each of them, and is reported as the time of one.
        self.assertGreater(two["median_s"], 0.4 * told["copy_median_s"])

    def test_a_latency_is_that_of_the_slowest_copy(self):
        rows = self.measured("slow", "sleep", "{copies: 2, seconds: 0.05}",
                             measure=CALM.replace("measure: {", "measure: {metric: latency, "))
        self.assertEqual(["ok"], [row["status"] for row in rows], rows)
        self.assertGreater(rows[0]["median_s"], 0.05)
        together = self.measured("together", "sleep", "{copies: 2, seconds: 0.05}")
        self.assertLess(together[0]["min_s"], 0.05)  # a busy machine leaves the fastest as it is
        self.assertGreater(together[0]["min_s"], 0.025)

    def test_cold_copies_empty_their_caches(self):
        rows = self.measured("cold", "gemm", "{copies: 2, variant: naive, m: 20, n: 20, k: 20}",
                             measure=CALM.replace("measure: {", "measure: {cache: [cold, hot], "))
        self.assertEqual(["ok"] * 2, [row["status"] for row in rows], rows)
        cold, hot = sorted(rows, key=lambda row: row["cache"])
        self.assertGreater(cold["median_s"], hot["median_s"])

    def test_commands_run_side_by_side(self):
        self.write("command.yaml", "sweep: 1\nname: command\ncommand: sh -c 'echo $KERNSWEEP_SEED'\n"
                                   "axes: {copies: [1, 2]}\n" + CALM)
        self.call("run", "command.yaml", "--patience", "0")
        self.expect_nobody_left()
        rows = self.rows("command.db", "select * from command order by copies")
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows])
        self.assertEqual(1, len({row["output_hash"] for row in rows}))

    @unittest.skipUnless(PYTHON, "built without Python")
    def test_one_that_fails_ends_the_job_with_its_reason(self):
        if CORES != 2:
            self.skipTest("which cores a job gets is known on two cores only")
        self.write("work.py", MODULE.replace("{last}", str(max(os.sched_getaffinity(0)))))
        self.write("bad.yaml", "sweep: 1\nname: bad\npython: work:work\n"
                               "axes: {copies: 2, n: 10, how: [good, raise, exit, kill, wrong]}\n"
                               "verify: {reference: {setting: {how: good}}}\n" + CALM)
        self.call("run", "bad.yaml", "--patience", "0", status=None)
        self.expect_nobody_left()
        rows = self.rows("bad.db", "select s.how, s.status, a.reason from bad s "
                                   "join attempt a using (result) order by s.point")
        self.assert_golden("bad", "".join(f"{row['how']}: {row['status']}: {row['reason'] or ''}\n"
                                          for row in rows))

    @unittest.skipUnless(PYTHON and CORES == 2, "needs Python, and two cores to know which a job gets")
    def test_copies_that_give_other_outputs_are_graded_without_a_reference_too(self):
        self.write("work.py", MODULE.replace("{last}", str(max(os.sched_getaffinity(0)))))
        self.write("other.yaml", "sweep: 1\nname: other\npython: work:work\n"
                                 "axes: {copies: 2, n: 10, how: [good, other]}\n" + CALM)
        self.call("run", "other.yaml", "--patience", "0", status=None)
        rows = {row["how"]: row for row in self.rows(
            "other.db", "select s.how, r.repeatable, r.grade_reasons as why from other s "
            "join result r using (result)")}
        self.assertEqual((1, 0), (rows["good"]["repeatable"], rows["other"]["repeatable"]))
        self.assertRegex(rows["other"]["why"], "(?m)^the copies gave different bits$")

    def test_a_kernel_that_tells_its_own_seconds_tells_those_of_each_copy(self):
        self.write("own.yaml", "sweep: 1\nname: own\n"
                               "command: \"sh -c 'echo kernsweep: seconds=0.25'\"\n"
                               "axes: {copies: 2}\n" + CALM)
        self.call("run", "own.yaml", "--patience", "0")
        row, = self.rows("own.db", "select result, median_s from own")
        self.assertEqual(0.125, row["median_s"])
        self.assertEqual({0.25}, set(self.metrics("own.db", row["result"]).values()))

    def test_a_copy_that_dies_costs_its_job_alone(self):
        rows = self.measured("faulty", "faulty", "{copies: 2, variant: [good, crash_run, exit], n: 16}")
        self.assertEqual({"good": "ok", "crash_run": "signal", "exit": "signal"},
                         {row["variant"]: row["status"] for row in rows})

    def test_a_host_with_too_few_cores_is_told(self):
        self.write("many.yaml", sweep_text("many", "noop", f"{{copies: {CORES + 1}}}"))
        self.assert_golden("many", lines_with(
            "offers", self.call("run", "many.yaml", status=None).out).replace(str(CORES + 1), "<n>"))

    def test_by_hand(self):
        pack = os.path.join(BUILD, "lib", "kernsweep", "packs", "noop.so")
        said = self.call("try", pack, "-a", "copies=2", "--quick", "--json").json()
        self.assertEqual("ok", said["variants"][0]["outcome"])
        self.measured("again", "gemm", "{copies: 2, variant: blocked, m: 64, n: 64, k: 64}")
        line = self.call("repro", "again.db", "1").out.strip().split("\n")[-1]
        self.assertRegex(line, '"threads":1,"copies":2,')
        self.call("replay", "again.db", "1", "--processes", "2", "--all-grades", status=None)
        self.assertEqual(["ok", "ok"], [row["status"] for row in
                                        self.rows("again-replay.db", "select status from results")])


if __name__ == "__main__":
    unittest.main()
