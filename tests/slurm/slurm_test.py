"""Sweeps as jobs of a real Slurm: whatever becomes of nodes and jobs, each point is measured once."""
import os
import stat
import unittest

from cluster import NODES, ClusterTest, skip_without

from sandbox import sweep_text

JOBS = 24
# Sleeping needs no processor: two nodes of one machine do not keep each other from work.
BRIEF = ("measure: {processes: 1, alone_on: core, warmup: {min_time: 0ms, max_time: 1ms}, "
         "samples: {min: 3, max: 3, min_time: 0ms}}")
WORKER = ("--worker", "--cores 1")


class SlurmTest(ClusterTest):
    def sweep(self, jobs=JOBS, seconds=0.05):
        axes = f"{{seconds: {seconds}, i: {{range: [1, {jobs}]}}}}"
        return self.write("naps.yaml", sweep_text("naps", "sleep", axes, measure=BRIEF))

    def some_stored(self, database="naps.db", least=3):
        self.until(lambda: self.count_of(database) >= least, "the first results")

    def attempts(self):
        return self.rows("naps.db", "select * from attempt order by result")


class TwoNodes(SlurmTest):  # labels: waits
    def test_share_a_sweep_and_leave_nothing_behind(self):
        number = self.submit(self.sweep(seconds=0.1), "--nodes", "2", "--time", "5", *WORKER)
        join = os.path.join(self.folder, f"naps-{number}.join")
        self.until(lambda: os.path.exists(join), "the join file")
        self.assertEqual(0o600, stat.S_IMODE(os.stat(join).st_mode))
        worked = set()

        def both_worked():
            worked.update(node for node in NODES
                          if set(self.ours("kernsweep-slot --serve")) & self.on_node(node) or
                          {self.parent(pid) for pid in self.slots()} & self.on_node(node))
            return worked == set(NODES)
        self.until(both_worked, "slots on both nodes")
        self.expect_ended(number, "COMPLETED", 0)
        self.expect_each_job_once("naps.db", JOBS)
        self.assertFalse(os.path.exists(join))
        self.expect_no_job_processes()

    def test_end_with_the_status_of_the_coordinator(self):
        self.write("f.yaml", sweep_text("f", "faulty", "{variant: [good, fail_run], n: 1}", measure=BRIEF))
        number = self.submit("f.yaml", "--nodes", "2", "--job-name", "naps", *WORKER)
        self.expect_ended(number, "FAILED", 1)
        self.assertEqual(2, self.count_of("f.db"))

    def test_work_for_a_coordinator_elsewhere(self):
        coordinator = self.start("coordinator", self.sweep(), "--listen", "tcp://127.0.0.1:*",
                                 "--join", "here.join")
        self.until(lambda: os.path.exists(os.path.join(self.folder, "here.join")), "the join file")
        number = self.submit("--join", "here.join", "--nodes", "2", *WORKER)
        self.assertEqual(0, coordinator.wait(), coordinator.complained())
        self.expect_each_job_once("naps.db", JOBS)
        self.expect_ended(number, "COMPLETED", 0)
        self.expect_no_job_processes()


class LostNode(SlurmTest):  # labels: waits
    def test_leaves_its_points_to_the_other(self):
        number = self.submit(self.sweep(jobs=60), "--nodes", "2", "--time", "5", *WORKER)
        self.some_stored()
        self.until(lambda: {self.parent(pid) for pid in self.slots()} & self.on_node("n2"), "a slot on n2")
        self.lose_node("n2")
        # Slurm itself would notice half a minute later.
        self.tell("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=lost", status=0)
        self.assertLess(self.count_of("naps.db"), 60)
        self.expect_ended(number, "COMPLETED", 0)
        self.assertEqual("0", self.job(number)["Restarts"], "the whole job was killed")
        self.expect_each_job_once("naps.db", 60)
        self.expect_no_job_processes()


class TimeLimit(SlurmTest):  # labels: waits
    # Slurm looks at limits every 30 s from its start: that is when the signal comes, whatever the lead.
    def test_queues_the_job_again_until_the_sweep_is_complete(self):
        jobs = 230  # 0.3 s each at least, two at a time: more than the 30 s, less than two runs
        number = self.submit(self.sweep(jobs=jobs, seconds=0.1), "--nodes", "2", "--time", "1",
                             "--lead", "30", *WORKER)
        self.until(lambda: "the time limit is near" in self.log(number), "the signal")
        self.expect_ended(number, "COMPLETED", 0)
        self.assertGreaterEqual(int(self.job(number)["Restarts"]), 1, self.log(number))
        self.expect_each_job_once("naps.db", jobs)  # and none failed: what ran was let finish
        self.assertNotIn("could not be queued", self.log(number))
        self.assertRegex(self.log(number),
                         r"(?m)^\d+ jobs? (have their|has its) outcome from an earlier run")
        self.assertIn("To continue: sbatch naps.sbatch, unless Slurm has queued the job again\n",
                      self.log(number))
        self.expect_no_job_processes()

    def test_does_not_repeat_for_ever_what_stores_nothing(self):
        number = self.submit(self.sweep(jobs=1, seconds=400), "--nodes", "1", "--time", "9",
                             "--lead", "4", *WORKER)
        self.until(self.slots, "a slot")
        self.tell("scancel", "--signal=USR1", "--batch", number, status=0)  # as Slurm does it
        self.expect_ended(number, "FAILED", 3)
        self.assertIn("needs a longer --time", self.log(number))


class Cancelled(SlurmTest):  # labels: waits
    def test_stops_and_goes_on_when_it_is_submitted_again(self):
        number = self.submit(self.sweep(), "--nodes", "2", "--time", "5", *WORKER)
        self.some_stored()
        self.tell("scancel", number, status=0)
        self.assertEqual("CANCELLED", self.ended(number)["JobState"])
        self.expect_no_job_processes()
        before = self.attempts()
        stored = {row["job"] for row in before if row["final"]}
        self.assertTrue(3 <= len(stored) < JOBS, len(stored))
        again = self.tell("sbatch", "--parsable", "naps.sbatch", status=0).strip()
        self.expect_ended(again, "COMPLETED", 0)
        self.expect_each_job_once("naps.db", JOBS)
        after = self.attempts()
        self.assertEqual(before, after[:len(before)])
        self.assertFalse(stored & {row["job"] for row in after[len(before):]}, "measured twice")


class Array(SlurmTest):  # labels: waits
    def test_members_share_neither_database_nor_coordinator(self):
        number = self.submit(self.sweep(), "--array", "1-2", "-a", "seconds=[0.0{task}]", *WORKER)
        for member in (1, 2):
            self.expect_ended(f"{number}_{member}", "COMPLETED", 0)
            database = f"naps-{member}.db"
            self.expect_each_job_once(database, JOBS)
            self.assertEqual([{"seconds": member / 100}],
                             self.rows(database, "select distinct seconds from naps"))
        self.expect_no_job_processes()


if __name__ == "__main__":
    skip_without("munged", "slurmctld", "slurmd", "sbatch", "srun")
    unittest.main()
