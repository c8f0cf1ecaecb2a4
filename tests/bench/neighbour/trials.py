#!/usr/bin/env python3
"""Is a neighbour that burns another core noticed?  trials.py BUILD_FOLDER [TRIALS]

Measures one point TRIALS times (20) with the default rules while another process burns a core, and as often
without it, in turns. Prints for both how often the grade says that others kept the host busy, and the median
of the cores that they did. On a machine where others work anyway both say so: the second line is what the
machine itself adds.
"""
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

SWEEP = """sweep: 1
name: t
kernel: stream
axes: {op: triad, n: 4096, variant: loop}
measure: {processes: 1}
"""


def trial(program, folder, number, burning):
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if burning else None
    database = os.path.join(folder, f"{number}.db")
    try:
        subprocess.run([program, "run", "t.yaml", "-q", "--db", database], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
    finally:
        if burner:
            burner.kill()
            burner.wait()
    with sqlite3.connect(database) as connection:
        cores, reasons = connection.execute("select c.foreign_cores, r.grade_reasons from conditions c "
                                            "join result r using (result)").fetchone()
    said = ("of this host busy", "of others on a host of")
    return cores, any(words in (reasons or "") for words in said)


def main():
    program = os.path.abspath(os.path.join(sys.argv[1], "bin", "kernsweep"))
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seen = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "t.yaml"), "w", encoding="utf-8") as file:
            file.write(SWEEP)
        for number in range(2 * trials):
            seen[number % 2 == 0].append(trial(program, folder, number, number % 2 == 0))
    for burning, found in seen.items():
        noticed = sum(told for _, told in found)
        cores = statistics.median(cores for cores, _ in found)
        how = "with" if burning else "without"
        print(f"{how} a neighbour: noticed in {noticed} of {len(found)} trials, "
              f"others kept {cores:.2f} cores busy (median)")


if __name__ == "__main__":
    main()
