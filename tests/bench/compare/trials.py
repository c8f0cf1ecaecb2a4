#!/usr/bin/env python3
"""How often `kernsweep compare` is wrong, and what it finds: trials.py BUILD_FOLDER [--pairs N] [...].

Runs sweeps of the pack in this folder and compares, pair by pair as a user would: `plain` with `again`, the
same code, where every FASTER or SLOWER is wrong; and `plain` with `slower`, 3 % more work (with --sizes 2,5
`slower2` and `slower5`, so many per cent), where SLOWER is right. Each side of each pair has processes of
its own: they differ in their environment. With --neighbour another program copies memory on a core, for 0.5
to 4 s and then not for as long, drawn by --seed. Prints the rows for docs/internals/comparing.md, each wrong
call in full on stderr, and the load of the machine before and after. --keep FOLDER keeps the databases.
"""
import argparse
import collections
import contextlib
import json
import os
import random
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
    """Another program that copies 64 MiB over and over on one core, rests, and so on, each 0.5 to 4 s."""

    COPY = "a, b = bytearray(1 << 26), memoryview(bytearray(1 << 26))\nwhile True: b[:] = a"

    def __init__(self, seed):
        self.random, self.over = random.Random(seed), threading.Event()
        self.thread = threading.Thread(target=self.come_and_go)

    def come_and_go(self):
        while not self.over.is_set():
            with subprocess.Popen([sys.executable, "-c", self.COPY]) as program:
                self.over.wait(self.random.uniform(0.5, 4))
                program.kill()
            self.over.wait(self.random.uniform(0.5, 4))

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


@contextlib.contextmanager
def kept(parent, name):
    """A new folder `name` in `parent`, which stays; a temporary one without a parent."""
    if parent:
        folder = os.path.join(parent, name)
        os.makedirs(folder)
        yield folder
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield folder


def trials(program, environment, given, other, processes, pairs):
    """For each kind of work: the verdicts on `other`, and the ratios."""
    works = given.works.split(",")
    verdicts = {work: collections.Counter() for work in works}
    ratios = {work: [] for work in works}
    with kept(given.keep, f"{other}-{processes}") as folder:
        names = ", ".join(f"t{number}" for number in range(pairs))
        with open(os.path.join(folder, "trials.yaml"), "w", encoding="utf-8") as file:
            file.write(SWEEP.format(works=given.works, trials=names, processes=processes, other=other,
                                    sampling=given.sampling, order=given.order))
        with Neighbour(given.seed) if given.neighbour else contextlib.nullcontext():
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
                if other == "again" and row["verdict"] in ("FASTER", "SLOWER"):
                    print(f"wrong: {where}: {json.dumps(row)}", file=sys.stderr, flush=True)
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
    parser.add_argument("--neighbour", action="store_true",
                        help="a program that copies memory comes and goes")
    parser.add_argument("--seed", type=int, default=1, help="of the times of the neighbour")
    parser.add_argument("--keep", help="folder for the databases (default: they are removed)")
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
