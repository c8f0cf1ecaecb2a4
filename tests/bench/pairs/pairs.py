#!/usr/bin/env python3
"""Does a run name the faster of two programs, and how long does that take?

pairs.py BUILD_FOLDER [ROUNDS] [--neighbour] [--equal N]

Twenty pairs of programs of Debian, whose first setting is at least 1.5 times as fast, are measured ROUNDS
times (1) by `kernsweep run` with the default rules, and by hyperfine where it is installed. Prints a row
for each and how many were right. A pair whose program is not installed is left out, with a line.
--neighbour: while another program computes on one core half of the time. --equal N: in place of these, N
pairs of equal programs, with the verdicts counted.
"""
import argparse
import collections
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Name, command, axis with the faster value first, what prepares the folder.
DATA = "seq 1 60000 > data.txt"
TREE = "mkdir -p few many; touch few/a; for i in $(seq 2000); do touch many/$i; done"
TABLE = ("sqlite3 t.db 'create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 "
         "from n limit 60000) insert into t select i, i % 97 from n;'")
PAIRS = [
    ("gzip", "gzip -{x} -c data.txt", [1, 9], DATA),
    ("zstd", "zstd -{x} -q -c data.txt", [1, 15], DATA),
    ("xz", "xz -{x} -c data.txt", [0, 6], DATA),
    ("bzip2 of a half", "bzip2 -c {x}", ["half.txt", "data.txt"],
     DATA + "; head -c 150000 data.txt > half.txt"),
    ("sort", "sort {x} data.txt", ["-n", "-R"], DATA),
    ("grep", "grep -c {x} data.txt", ["12345", "\\(.\\)1\\1"], DATA),
    ("sed", "sed -n {x} data.txt", ["1p", "s/\\(.*\\)9/\\1/p"], DATA),
    ("awk", "awk 'BEGIN {{for (i = 0; i < {x}; ++i) s += i}}'", [50000, 100000], ":"),
    ("perl", "perl -e 'for ($i = 0; $i < {x}; ++$i) {{$s += $i}}'", [100000, 180000], ":"),
    ("python3", "python3 -c 'sum(i for i in range({x}))'", [1000, 1000000], ":"),
    ("python3 that imports", "python3 -c 'import {x}'", ["sys", "asyncio"], ":"),
    ("seq", "seq {x}", [200000, 400000], ":"),
    ("sqlite3 with an index", "sqlite3 {x} 'select count(*) from t where a = 7'", ["i.db", "t.db"],
     TABLE + "; cp t.db i.db; sqlite3 i.db 'create index i on t(a)'"),
    ("checksum", "{x} big", ["cksum", "sha512sum"], "head -c 8000000 /dev/zero > big"),
    ("openssl", "openssl dgst -{x} big", ["md5", "sha3-512"], "head -c 8000000 /dev/zero > big"),
    ("dd", "dd if=/dev/zero of=/dev/null bs=64k count={x}", [1000, 2500], ":"),
    ("find", "find {x}", ["few", "many"], TREE),
    ("tar", "tar cf - {x}", ["few", "many"], TREE),
    ("bc", "sh -c 'echo \"scale={x}; a(1)\" | bc -l'", [300, 600], ":"),
    ("head", "head -c {x} /dev/urandom", [1000000, 3000000], ":"),
]


def sweep_text(name, command, values):
    listed = ", ".join(json.dumps(value) for value in values)
    return (f"sweep: 1\nname: {name}\ncommand: {json.dumps(command)}\n"
            f"axes: {{x: [{listed}]}}\nverify: false\n")


def by_kernsweep(program, folder, number, command, values):
    with open(os.path.join(folder, "pair.yaml"), "w", encoding="utf-8") as file:
        file.write(sweep_text(f"pair-{number}", command, values))
    begun = time.monotonic()
    subprocess.run([program, "run", "pair.yaml", "-q", "--db", f"{number}.db"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = time.monotonic() - begun
    said = subprocess.run([program, "best", f"{number}.db", "--json"], cwd=folder, check=True,
                          capture_output=True)
    row = json.loads(said.stdout)["rows"][0]
    return row["verdict"], row["x"] == values[0], row["times_better"], row["times_better_low"] or 0, took


def by_hyperfine(folder, command, values):
    quoted = "'" not in command  # in quotes of the command a value is as it is
    words = [shlex.quote(str(value)) if quoted else str(value) for value in values]
    commands = [command.replace("{x}", word).replace("{{", "{").replace("}}", "}") for word in words]
    begun = time.monotonic()
    subprocess.run(["hyperfine", "--export-json", "h.json", *commands], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = time.monotonic() - begun
    with open(os.path.join(folder, "h.json"), encoding="utf-8") as file:
        first, second = json.load(file)["results"]
    return second["mean"] / first["mean"], took


# Equal commands: {x} is in a variable that they do not read.
EQUAL = ["awk 'BEGIN {{for (i = 0; i < 60000; ++i) s += i}}'",
         "perl -e 'for ($i = 0; $i < 80000; ++$i) {{$s += $i}}'", "seq 200000",
         "python3 -c 'sum(i for i in range(50000))'"]


def neighbour():
    """Computes on one core half of the time."""
    code = ("import select, time\nwhile True:\n  end = time.perf_counter() + 0.1\n"
            "  while time.perf_counter() < end: pass\n  select.select([], [], [], 0.1)")
    return subprocess.Popen([sys.executable, "-c", code])


def differing(program, rounds):
    has_hyperfine = shutil.which("hyperfine") is not None
    right = false = runs = 0
    times = []
    print("| pair | verdict | ratio | at least | took | hyperfine's ratio | took |")
    print("|---|---|---|---|---|---|---|")
    for number, (name, command, values, prepare) in enumerate(PAIRS):
        needed = str(values[0]) if command.startswith("{x}") else command.split()[0]
        if shutil.which(needed) is None:
            print(f"| {name} | left out: there is no {needed} here |")
            continue
        for seed in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(["bash", "-c", prepare], cwd=folder, check=True)
                verdict, first, ratio, least, took = by_kernsweep(program, folder, number, command, values)
                compares = has_hyperfine and seed == 0
                other = by_hyperfine(folder, command, values) if compares else None
            runs += 1
            right += verdict == "wins" and first
            false += verdict == "wins" and not first
            times.append(took)
            said = f"{other[0]:.2f}x | {other[1]:.1f} s" if other else "- | -"
            slower = "" if first else " (the slower one)"
            print(f"| {name} | {verdict}{slower} | {ratio:.2f}x | {least:.2f}x | {took:.1f} s | {said} |",
                  flush=True)
    print(f"\n{right} of {runs} right, {false} false; {statistics.median(times):.1f} s in the middle")


def equal(program, count):
    found = collections.Counter()
    times = []
    for number in range(count):
        with tempfile.TemporaryDirectory() as folder:
            command = "env N={x} " + EQUAL[number % len(EQUAL)]
            verdict, _, _, _, took = by_kernsweep(program, folder, number, command, [1, 2])
        found[verdict] += 1
        times.append(took)
    print(f"{count} pairs of equal programs: {dict(found)}; {statistics.median(times):.1f} s in the middle")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("rounds", type=int, nargs="?", default=1)
    parser.add_argument("--neighbour", action="store_true")
    parser.add_argument("--equal", type=int)
    given = parser.parse_args()
    program = os.path.abspath(os.path.join(given.build, "bin", "kernsweep"))
    beside = neighbour() if given.neighbour else None
    try:
        if given.equal:
            equal(program, given.equal)
        else:
            differing(program, given.rounds)
    finally:
        if beside:
            beside.kill()
            beside.wait()


if __name__ == "__main__":
    main()
