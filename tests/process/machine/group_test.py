"""Limits of a control group: a quota that stops a job, and a memory limit at which the kernel kills."""
import os
import sys
import unittest

from sandbox import SANITIZED, ProcessTest

GROUPS = "/sys/fs/cgroup"
# (folder of the controller, file, value), of version 2 or 1; what is in braces may be missing.
LIMITS = ([("", "cpu.max", "25000 100000"), ("", "memory.max", str(300 << 20)),
           ("", "{memory.swap.max}", "0")],
          [("cpu", "cpu.cfs_quota_us", "25000"), ("memory", "memory.limit_in_bytes", str(300 << 20)),
           ("memory", "{memory.memsw.limit_in_bytes}", str(300 << 20))])
# Four helpers that hold their memory at the same time; the program adds up nothing, and ends well.
HELPERS = """import os, sys
go, release = os.pipe()
said = []
for _ in range(4):
    mine, theirs = os.pipe()
    if os.fork() == 0:
        os.close(release)
        held = b"x" * (int(sys.argv[1]) << 20)
        os.write(theirs, b"1")
        os.read(go, 1)
        os._exit(0)
    os.close(theirs)
    said.append(mine)
for each in said:
    os.read(each, 1)
os.close(release)
for _ in said:
    os.wait()
print("done")
"""


@unittest.skipIf(SANITIZED, "the sanitizer needs more memory than the group has")
class Group(ProcessTest):
    def make_group(self):
        """The files that a process joins by."""
        for limits in LIMITS:
            folders = [os.path.join(GROUPS, part, os.path.basename(self.home)) for part, _, _ in limits]
            try:
                for folder, (_, file, value) in zip(folders, limits):
                    if not os.path.isdir(folder):
                        os.mkdir(folder)
                        self.addCleanup(self.until, lambda gone=folder: self.remove(gone), "its end")
                    path = os.path.join(folder, file.strip("{}"))
                    if "{" in file and not os.path.exists(path):
                        continue
                    with open(path, "r+", encoding="utf-8") as out:
                        out.write(value)
                return sorted({os.path.join(folder, "cgroup.procs") for folder in folders})
            except OSError:
                continue
        self.skipTest("this system has no cgroup v2 or v1 that a test may limit")

    @staticmethod
    def quota_of(joins):
        """The file of the group that has its quota, and what is written there."""
        folders = [os.path.dirname(path) for path in joins]
        return next((os.path.join(folder, file), value) for limits in LIMITS for _, file, value in limits
                    for folder in folders if file.startswith("cpu.") and
                    os.path.exists(os.path.join(folder, file)))

    @staticmethod
    def remove(folder):
        try:
            os.rmdir(folder)
        except OSError:
            return not os.path.exists(folder)
        return True

    def test_what_is_stopped_by_its_quota_or_loses_helpers_never_wins(self):
        joins = self.make_group()

        def join():
            for path in joins:
                with open(path, "w", encoding="utf-8") as out:
                    out.write("0")

        self.write("helpers.py", HELPERS)
        self.write("g.yaml", f"sweep: 1\nname: g\ncommand: '{sys.executable} helpers.py {{mib}}'\n"
                   "axes: {mib: [1, 150]}\nverify: {repeat: 1}\nmeasure: {processes: 1, "
                   "warmup: {min_time: 20ms, max_time: 20ms}, "
                   "samples: {min: 3, min_time: 300ms, max_time: 1s}}\n")
        run = self.call("run", "g.yaml", limits=join)
        self.assertRegex(run.errors, r"to 0\.25 processors' worth of time \(a CPU quota\): 1 core is")
        rows = {row["mib"]: row for row in self.rows(
            "g.db", "select s.*, r.grade_reasons, a.doubt_cause from g s "
            "join result r on r.result = s.result join attempt_row a on a.result = s.result")}
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows.values()])
        self.assertEqual(["C", "C"], [row["grade"] for row in rows.values()])
        self.assertEqual(["quota", None], [rows[mib]["doubt_cause"] for mib in (1, 150)])
        self.assertEqual("the quota of 0.25 processors", rows[1]["grade_reasons"].split(" (")[0])
        self.assertRegex(rows[150]["grade_reasons"], "^the kernel killed [0-9]+ process")
        # Short by its rules, not by its time; and a quota that comes while the job runs.
        path, later = self.quota_of(joins)
        for name, watched_ms, before in ("short", 3, ""), ("late", 20, f"echo {later} > {path}; "):
            none = "-1" if later == "25000" else "max 100000"
            with open(path, "w", encoding="utf-8") as out:
                out.write(none if before else later)
            burn = f"{before}exec {sys.executable} -c 'sum(range(9000000))'"
            self.write(f"{name}.yaml", f"sweep: 1\nname: {name}\ncommand: [sh, -c, \"{burn}\"]\n"
                       "axes: {i: [1]}\nverify: false\nmeasure: {processes: 1, "
                       f"warmup: {{min_time: {watched_ms}ms, max_time: 20ms}}, "
                       f"samples: {{min: 3, min_time: {watched_ms}ms, max_time: 1s}}}}\n")
            self.call("run", f"{name}.yaml", limits=join)
            row, = self.rows(f"{name}.db", f"select s.grade, a.doubt_cause from {name} s "
                             "join attempt_row a using (result)")
            self.assertEqual(("C", "quota"), (row["grade"], row["doubt_cause"]))


if __name__ == "__main__":
    unittest.main()
