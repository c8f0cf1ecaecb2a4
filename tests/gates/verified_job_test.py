"""What verifying a job costs in page faults and system calls: no machine changes it.

verified_calls.json has the calls of a job by kind, of all processes of a run together. A change that needs
more raises the number in its own commit.
"""
import ctypes
import mmap
import os
import resource
import subprocess

import selection
from sandbox import PROGRAM, ProcessTest
from system_calls import StraceTest, on_one_core

STORED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verified_calls.json")
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
        self.hold_calls("a verified job", VERIFIED, STORED)
