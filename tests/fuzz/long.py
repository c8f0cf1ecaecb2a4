"""Fuzzes for long, one target after the other, and says how much was tried.

    python3 tests/fuzz/long.py BUILD SECONDS [NAME ...]

BUILD was configured with the preset `fuzz`; without names: every target. What libFuzzer finds new is kept in
BUILD/long/NAME and is the seed of the next call, beside the corpus of the tests; an input that breaks a
promise lies in BUILD/long, with its kind before its name, and the log NAME.log says which promise. Prints a
row for each target: CPU seconds, inputs tried, inputs kept, edges reached, and what was found. Status 1 if
anything was.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def fuzz(build, name, seconds):
    folder = os.path.join(build, "long")
    kept = os.path.join(folder, name)
    os.makedirs(kept, exist_ok=True)
    log = os.path.join(folder, f"{name}.log")
    command = [os.path.join(build, "tests", f"fuzz_{name}"), f"-max_total_time={seconds}", "-timeout=20",
               "-rss_limit_mb=3000", "-print_final_stats=1", f"-artifact_prefix={folder}/{name}-", kept,
               os.path.join(HERE, "corpus", name)]
    with open(log, "w", encoding="utf-8") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
    with open(log, encoding="utf-8", errors="replace") as said:
        text = said.read()
    tried = last_number(r"stat::number_of_executed_units: (\d+)", text)
    edges = last_number(r"cov: (\d+)", text)
    cpu = used.ru_utime + used.ru_stime
    found = "nothing" if status == 0 else f"status {os.waitstatus_to_exitcode(status)}, see {log}"
    print(f"| {name} | {cpu:.0f} | {tried} | {len(os.listdir(kept))} | {edges} | {found} |", flush=True)
    return status == 0


def main():
    build, seconds, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if not names:
        files = glob.glob(os.path.join(HERE, "*_fuzz.cpp"))
        names = sorted(os.path.basename(file)[:-len("_fuzz.cpp")] for file in files)
    print("| target | CPU seconds | inputs tried | kept | edges | found |\n|---|---|---|---|---|---|")
    return 0 if all([fuzz(build, name, seconds) for name in names]) else 1


if __name__ == "__main__":
    sys.exit(main())
