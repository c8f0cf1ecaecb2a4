#!/usr/bin/env python3
"""How often `kernsweep compare` is wrong, and what it finds: trials.py BUILD_FOLDER [--pairs N] [...].

Runs sweeps of the pack in this folder and compares, pair by pair as a user would: `plain` with `again`, the
same code, where every FASTER or SLOWER is wrong; and `plain` with `slower`, 3 % more work (with --sizes 2,5
`slower2` and `slower5`, so many per cent), where SLOWER is right. Each side of each pair has processes of
its own: they differ in their environment. With --neighbour another program keeps a core busy for three
seconds out of eight. Prints the rows for docs/internals/comparing.md, and the load of the machine before
and after.
"""
import argparse
import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading

SWEEP = """sweep: 1
name: trials
kernel: planted
axes:
  env.TRIAL: [{trials}]
  work: [{works}]
  env.SIDE: [plain, {other}]
measure:
  order: {order}
  processes: {processes}
  warmup: {{min_time: 5ms, max_time: 20ms}}
  samples: {{min: 5, max: 400, min_time: {sampling}, max_time: 200ms}}
"""


class Neighbour:
    """Another program that keeps a core busy for `busy` seconds, rests for `idle`, and so on."""

    def __init__(self, busy=3, idle=5):
        self.busy, self.idle, self.over = busy, idle, threading.Event()
        self.thread = threading.Thread(target=self.come_and_go)

    def come_and_go(self):
        while not self.over.is_set():
            with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as program:
                self.over.wait(self.busy)
                program.kill()
            self.over.wait(self.idle)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def run(program, arguments, folder, environment):
    return subprocess.run([program, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", check=False)


def compare(program, folder, environment, *arguments):
    command = ["compare", "trials.db", "env.SIDE=plain", *arguments, "--json"]
    answer = run(program, command, folder, environment)
    return json.loads(answer.stdout)


def trials(program, environment, given, other, processes, pairs):
    """For each kind of work: the verdicts on `other`, and the ratios."""
    works = given.works.split(",")
    verdicts = {work: collections.Counter() for work in works}
    ratios = {work: [] for work in works}
    with tempfile.TemporaryDirectory() as folder:
        names = ", ".join(f"t{number}" for number in range(pairs))
        with open(os.path.join(folder, "trials.yaml"), "w", encoding="utf-8") as file:
            file.write(SWEEP.format(works=given.works, trials=names, processes=processes, other=other,
                                    sampling=given.sampling, order=given.order))
        with Neighbour() if given.neighbour else contextlib.nullcontext():
            done = run(program, ["run", "trials.yaml", "--quiet"], folder, environment)
        if done.returncode != 0:
            raise SystemExit(f"the sweep failed:\n{done.stdout}{done.stderr}")
        for number in range(pairs):
            for work in works:
                where = f"\"env.TRIAL\" = 't{number}' and work = '{work}'"
                answer = compare(program, folder, environment, f"env.SIDE={other}", "--where", where)
                if "not_comparable" in answer:  # one side was measured only under disturbance
                    verdicts[work]["none"] += 1
                    continue
                row = answer["rows"][0]
                verdicts[work][row["verdict"]] += 1
                ratios[work].append(row["ratio"])
        return verdicts, ratios


def quantile(numbers, share):
    ordered = sorted(numbers) or [float("nan")]
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--pairs", type=int, default=250, help="of the same code, for each kind of work")
    parser.add_argument("--planted", type=int, default=100, help="of the slower code, for each kind of work")
    parser.add_argument("--sizes", default="", help="per cent of more work, as 3,4,5 (default: 3)")
    parser.add_argument("--processes", default="3")
    parser.add_argument("--works", default="chain,memory")
    parser.add_argument("--order", default="shuffle", help="measure.order; interleave: both sides in a row")
    parser.add_argument("--sampling", default="10ms", help="samples.min_time of each process")
    parser.add_argument("--neighbour", action="store_true", help="a core is busy for 3 s out of 8 s")
    given = parser.parse_args()
    build = os.path.abspath(given.build)
    program = os.path.join(build, "bin", "kernsweep")
    environment = dict(os.environ, KERNSWEEP_PACKS=os.path.join(build, "tests", "bench_packs"))
    print("load before:", *os.getloadavg())
    print("| B | work | processes | pairs | SAME | FASTER | SLOWER | UNDECIDED | none | "
          "middle 90 % of B/A |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
    for processes in given.processes.split(","):
        slower = [f"slower{size}" for size in given.sizes.split(",")]
        for other, pairs in ([(name, given.planted) for name in slower] + [("again", given.pairs)]):
            if pairs == 0:
                continue
            verdicts, ratios = trials(program, environment, given, other, int(processes), pairs)
            for work, count in verdicts.items():
                print(f"| {other} | {work} | {processes} | {pairs} | {count['SAME']} | {count['FASTER']} "
                      f"| {count['SLOWER']} | {count['UNDECIDED']} | {count['none']} "
                      f"| {quantile(ratios[work], 0.05):.4f} to {quantile(ratios[work], 0.95):.4f} |",
                      flush=True)
    print("load after:", *os.getloadavg())


if __name__ == "__main__":
    main()
