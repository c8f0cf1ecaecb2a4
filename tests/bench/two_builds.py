#!/usr/bin/env python3
"""Whether two builds measure the same: two_builds.py OLD NEW ROUNDS SWEEP...

OLD and NEW are the programs `kernsweep`. Each round runs every sweep file with both, in random order; a
point's ratio of medians, NEW to OLD, is formed within a round. Printed for each point: the median of its
ratios, and the 95 % interval of that median by order statistics (of 20 rounds the 6th and the 15th). Leave
the machine alone meanwhile."""
import math
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile


def medians(program, sweep, folder):
    """{point: its median in seconds}; a point without a result is left out."""
    database = os.path.join(folder, "now.db")
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(database + suffix):
            os.remove(database + suffix)
    subprocess.run([program, "run", sweep, "--db", database, "-q", "--patience", "0"], check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return dict(connection.execute("select params, median_s from results where median_s > 0"))
    finally:
        connection.close()


def interval(ratios):
    """The order statistics that hold the median with 95 %: normal approximation of the sign test."""
    ordered = sorted(ratios)
    reach = 0.98 * math.sqrt(len(ordered))
    first = max(0, round(len(ordered) / 2 - reach) - 1)
    return ordered[first], ordered[len(ordered) - 1 - first]


def main(old, new, rounds, *sweeps):
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(int(rounds)):
            for sweep in sweeps:
                found = {}
                for side in random.sample((0, 1), 2):
                    found[side] = medians((old, new)[side], sweep, folder)
                for point in found[0].keys() & found[1].keys():
                    key = (os.path.basename(sweep), point)
                    ratios.setdefault(key, []).append(found[1][point] / found[0][point])
    for (sweep, point), all_ratios in sorted(ratios.items()):
        low, high = interval(all_ratios)
        print(f"{sweep} {point}: {statistics.median(all_ratios):.4f} [{low:.4f}, {high:.4f}], "
              f"{len(all_ratios)} rounds")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
