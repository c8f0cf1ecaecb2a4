"""Fuzzes for a long time, one target after the other, and prints how much was tried.

    python3 tests/fuzz/long.py BUILD SECONDS [NAME ...]

BUILD was configured with the preset `fuzz`; without names: every target. Each target is fuzzed until it has
had SECONDS of CPU time, so an hour can be had in parts: BUILD/long/NAME.json counts what earlier calls had,
and what libFuzzer found new is kept in BUILD/long/NAME, the seed of the next call in addition to the corpus
of the tests. An input that breaks a promise lies in BUILD/long, with its target before its name, and
NAME.log says which promise. Prints a row for each target: CPU seconds, inputs tried, inputs kept, edges
reached, and what was found. Status 1 if anything was, or if it was interrupted (Ctrl-C, SIGTERM).
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INTERRUPTED = 72  # libFuzzer's status
SLICE = 120  # seconds by the clock, after which the totals are written
# A conversation reaches so much code that libFuzzer's counting of rare features takes longer than the input.
OPTIONS = {"conversation": ["-entropic=0"]}


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def totals_of(folder, name):
    path = os.path.join(folder, f"{name}.json")
    if not os.path.exists(path):
        return {"cpu": 0, "inputs": 0, "edges": 0}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def fuzz_slice(build, folder, name, seconds, totals):
    """Runs the target once, adds what it did to `totals`, returns its status as os.wait4 has it."""
    log = os.path.join(folder, f"{name}.log")
    command = [os.path.join(build, "tests", f"fuzz_{name}"), f"-max_total_time={seconds}", "-timeout=120",
               "-rss_limit_mb=3000", "-print_final_stats=1", f"-artifact_prefix={folder}/{name}-",
               *OPTIONS.get(name, []),
               os.path.join(folder, name), os.path.join(HERE, "corpus", name)]
    with open(log, "w", encoding="utf-8") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            _, status, used = os.wait4(child.pid, 0)
        except KeyboardInterrupt:  # what was done counts
            child.send_signal(signal.SIGINT)
            _, status, used = os.wait4(child.pid, 0)
    with open(log, encoding="utf-8", errors="replace") as said:
        text = said.read()
    totals["cpu"] += used.ru_utime + used.ru_stime
    totals["inputs"] += last_number(r"stat::number_of_executed_units: (\d+)", text)
    totals["edges"] = max(totals["edges"], last_number(r"cov: (\d+)", text))
    with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump(totals, file)
    return status


def fuzz(build, name, seconds):
    folder = os.path.join(build, "long")
    kept = os.path.join(folder, name)
    os.makedirs(kept, exist_ok=True)
    totals = totals_of(folder, name)
    status = 0
    while status == 0 and totals["cpu"] < seconds:
        left = max(1, int(seconds - totals["cpu"]))
        status = fuzz_slice(build, folder, name, min(SLICE, left), totals)
    interrupted = os.waitstatus_to_exitcode(status) == INTERRUPTED
    found = "nothing yet, interrupted" if interrupted else "nothing"
    if status != 0 and not interrupted:
        found = f"status {os.waitstatus_to_exitcode(status)}, see {os.path.join(folder, name)}.log"
    row = [name, round(totals["cpu"]), totals["inputs"], len(os.listdir(kept)), totals["edges"], found]
    print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
    if interrupted:
        sys.exit(1)
    return status == 0


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    build, seconds, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if not names:
        files = glob.glob(os.path.join(HERE, "*_fuzz.cpp"))
        names = sorted(os.path.basename(file)[:-len("_fuzz.cpp")] for file in files)
    print("| target | CPU seconds | inputs tried | kept | edges | found |\n|---|---|---|---|---|---|")
    return 0 if all([fuzz(build, name, seconds) for name in names]) else 1


if __name__ == "__main__":
    sys.exit(main())
