"""What verifying a job costs in page faults and system calls: no machine changes it.

verified_calls.json has the calls of a job by kind, of all processes of a run together. A change that needs
more raises the number in its own commit.
"""
import ctypes
import json
import mmap
import os
import resource
import subprocess

import selection
from sandbox import PROGRAM, ProcessTest
from system_calls import VARY, StraceTest, on_one_core

STORED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verified_calls.json")
MORE, MORE_OF_A_JOB = 0.05, 0.3
TIMES = 3  # of kinds that vary
# A slot reads the list of its threads every 20 ms, however long a job takes. One such look makes these calls
# (strace -y shows the paths).
GETDENTS_OF_A_LOOK = 2
MOST_LOOKS = 2  # a job of 40 ms, ten times as long as it takes
OF_A_LOOK = {"getdents64": GETDENTS_OF_A_LOOK, "open": 6.5, "close": 6.5, "fcntl": 4, "stat": 2}
ARRAY_BYTES = 64 << 20
COPY = """sweep: 1
name: copy
kernel: stream
axes: {{op: [copy], variant: [loop], dtype: [f32], n: [{n}], non_temporal: {settings}}}
measure: {{processes: 1, samples: {{min: 3, max: 3}}}}
retry: {{max: 0}}
"""
# Arrays of pages that are touched for the first time: the output, what the reference computes in f64 and its
# shared copy, and a sixteenth of each array that is mapped. 28 before outputs were compared in pieces.
FIRST, LATER = 6.5, 1.1
PR_SET_THP_DISABLE = 41

# Each job has an input and a reference of its own.
VERIFIED = """sweep: 1
name: verified
kernel: stream
axes: {{op: [copy], variant: [loop], dtype: [f32], n: {{range: [1, {jobs}]}}}}
measure: {{processes: 1, alone_on: core, warmup: {{min_runs: 0, min_time: 0ms, max_time: 0ms}},
           samples: {{min: 1, max: 1, min_time: 0ms}}}}
"""
JOBS, FEW = 200, 2
RUNS = 2


def in_small_pages_on_one_core():
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
    on_one_core()


class PageFaults(ProcessTest):
    def least_faults_of(self, elements, settings):
        """Of a few runs: a job that was disturbed is tried again."""
        return min(self.faults_of(elements, settings) for _ in range(RUNS + 1))

    def faults_of(self, elements, settings):
        sweep = self.write("copy.yaml", COPY.format(n=elements, settings=settings))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        database = f"{len(self.files())}.db"
        subprocess.run([PROGRAM, "run", sweep, "--db", database, "--quiet", "--patience", "0"],
                       cwd=self.folder, env=self.environment, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, preexec_fn=in_small_pages_on_one_core)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before

    def test_a_verified_job_touches_few_new_pages(self):
        elements = ARRAY_BYTES // 4
        small = self.least_faults_of(1024, "[false]")
        one = self.least_faults_of(elements, "[false]")
        two = self.least_faults_of(elements, "[false, true]")
        pages = ARRAY_BYTES / mmap.PAGESIZE
        first, later = (one - small) / pages, (two - one) / pages
        selection.note(f"page faults, in arrays of 64 MiB: {first:.2f} of the first job, "
                       f"{later:.2f} of a later one")
        self.assertTrue(1 <= first <= FIRST, first)
        self.assertTrue(0.9 <= later <= LATER, later)


class Calls(StraceTest):
    def test_a_verified_job_makes_no_more_calls_than_are_stored(self):
        kinds, names = self.calls_of_a_job(JOBS, FEW, RUNS, VERIFIED)
        with open(STORED, encoding="utf-8") as file:
            stored = json.load(file)
        by_name = json.dumps({name: round(names[name], 2) for name in sorted(names) if names[name] > 0.02})
        selection.note(f"calls of a verified job: {by_name}")
        looks = max(0, kinds.get("getdents64", 0) - stored["getdents64"]) / GETDENTS_OF_A_LOOK
        self.assertLess(looks, MOST_LOOKS)
        for kind, number in sorted(kinds.items()):
            most = stored.get(kind, 0)
            with self.subTest(kind=kind):
                allowed = max(TIMES * most, 1) if kind in VARY else (
                    most * (1 + MORE) + MORE_OF_A_JOB + looks * OF_A_LOOK.get(kind, 0))
                self.assertLessEqual(number, allowed, f"calls of a job; by name: {by_name}")
