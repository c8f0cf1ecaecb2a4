#!/usr/bin/env python3
"""Compares the medians of short jobs of two builds, in turns: two_builds.py KERNSWEEP OTHER [ROUNDS].
Prints for each job the ratio of the medians (OTHER to KERNSWEEP) with its sign interval of 95 % over the
rounds, for the medians of the jobs and for their smallest samples."""
import math
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

JOBS = {
    "noop": "kernel: noop\naxes: {variant: [noop]}\n",
    "gemm": "kernel: gemm\naxes: {variant: [blocked], m: [64], n: [64], k: [64], dtype: [f32]}\n",
    "python": "python: fills:squares\naxes: {n: [200]}\n",
}
RULES = ("measure: {processes: 1, warmup: {min_time: 20ms}, "
         "samples: {min: 50, max: 200, min_time: 100ms}}\n")
MODULE = '''import array
def squares(n):
    out = array.array("d", bytes(8 * n))
    def kernel():
        for i in range(n):
            out[i] = i * i
        return out
    return kernel
'''


def measured(kernsweep, job):
    """The smallest sample and the median, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/fills.py", "w") as file:
            file.write(MODULE)
        with open(folder + "/job.yaml", "w") as file:
            file.write("sweep: 1\nname: job\n" + JOBS[job] + RULES)
        subprocess.run([kernsweep, "run", "job.yaml", "-q", "--patience", "0", "--db", "job.db"], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
        row = sqlite3.connect(folder + "/job.db").execute(
            "select min_s, median_s from attempt_row where median_s is not null order by result desc")
        return row.fetchone()


def sign_interval(ordered):
    """Order statistics between which the median lies with 95 %; the ends where there are too few."""
    rank, below = 0, 0.0
    while below + math.comb(len(ordered), rank) / 2 ** len(ordered) <= 0.025:
        below += math.comb(len(ordered), rank) / 2 ** len(ordered)
        rank += 1
    at = max(rank - 1, 0)
    return ordered[at], ordered[len(ordered) - 1 - at]


def main():
    builds = [os.path.abspath(build) for build in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    for job in JOBS:
        pairs = []
        for number in range(rounds):
            order = builds if number % 2 == 0 else builds[::-1]
            found = {build: measured(build, job) for build in order}
            pairs.append([found[build] for build in builds])
        for name, at in (("median", 1), ("smallest", 0)):
            ratios = sorted(other[at] / one[at] for one, other in pairs)
            low, high = sign_interval(ratios)
            print(f"{job:8}{name:10}{statistics.median(ratios):.4f} [{low:.4f}, {high:.4f}]")


if __name__ == "__main__":
    main()
