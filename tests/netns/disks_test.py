"""Disks that are full, on the coordinator's host and on a worker's: real ones, though small."""
import os
import subprocess

from lan import Lan, LanTest, main, naps_text, tmpfs

from sandbox import sweep_text

JOBS = 60


class DisksTest(LanTest):
    def disk(self, folder, size):
        path = os.path.join(folder, "disk")
        tmpfs(path, size)
        self.addCleanup(subprocess.run, ["umount", "-l", path], check=True)
        return path

    @staticmethod
    def fill(folder):
        """Leaves no byte."""
        with open(os.path.join(folder, "filler"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass


class OfWorkers(DisksTest):  # labels: waits
    def test_that_are_full_cost_nothing_but_a_warning(self):
        self.write("naps.yaml", naps_text(JOBS, 0.03))
        disk = self.disk(self.home, "64k")
        self.fill(disk)
        lan = Lan(self, 3)
        coordinator = self.coordinate(lan)
        full = self.work(lan, "two", "--spool", os.path.join(disk, "spool"))
        worker = self.work(lan, "three")
        self.expect_whole(JOBS, coordinator, full, worker)
        self.assertRegex(full.complained(), "the spool cannot be written|are in memory only")


class OfCoordinators(DisksTest):  # labels: waits
    def test_that_are_full_end_it_even_while_nothing_runs(self):
        disk = self.disk(self.folder, "1m")
        lan = Lan(self, 2)
        coordinator = self.coordinate(lan, "--db", "disk/naps.db", "--join", "naps.join", file=None)
        self.fill(disk)
        worker = self.work(lan, "two")
        self.assertEqual(3, coordinator.wait(), self.told(coordinator))
        self.assertRegex(coordinator.complained(), "the disk is (almost )?full: tmpfs at")
        self.assertEqual(0, worker.wait(), self.told(worker))

    def test_that_can_have_no_more_files_are_refused(self):
        self.write("naps.yaml", naps_text(1, 0.01))
        self.disk(self.folder, "1m,nr_inodes=3")
        said = self.call("run", "naps.yaml", "--db", "disk/naps.db", status=2).errors
        self.assertRegex(said, "disk/naps.db: tmpfs at .*/disk has 2 inodes free, .* 4 new files")
        self.assertEqual([], os.listdir(os.path.join(self.folder, "disk")))

    def test_that_are_full_end_it_and_lose_nothing(self):
        jobs = 3000
        self.write("naps.yaml", sweep_text("naps", "noop", f"{{i: {{range: [1, {jobs}]}}}}"))
        disk = self.disk(self.folder, "1m")
        lan = Lan(self, 3)
        coordinator = self.coordinate(lan, "--db", "disk/naps.db")
        workers = [self.work(lan, host) for host in ("two", "three")]
        self.assertEqual(3, coordinator.wait(), self.told(coordinator))
        self.assertIn("the disk is almost full: tmpfs at", coordinator.complained())
        self.assertIn("To continue: kernsweep coordinator naps.yaml --listen ", coordinator.said())
        # They are sent home, and keep what was not stored.
        self.assertEqual([0, 0], [worker.wait() for worker in workers], self.told(*workers))
        before = self.attempts("disk/naps.db")
        self.assertGreater(len(before), 200)  # the log does not fill it
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        coordinator = self.coordinate(lan, "--db", "disk/naps.db")
        self.expect_whole(jobs, coordinator, *[self.work(lan, host) for host in ("two", "three")],
                          database="disk/naps.db")
        after = self.attempts("disk/naps.db")
        self.assertEqual(before, after[:len(before)])
        self.assertFalse({row["job"] for row in before} & {row["job"] for row in after[len(before):]})


if __name__ == "__main__":
    main()
