#!/usr/bin/env python3
"""Runs a GoogleTest program as one test of ctest: run_program.py [OPTIONS] NAME LIMIT_S COMMAND...

It shows each test that failed, with what it said, why tests were skipped, and how many passed; with
KERNSWEEP_SHOW_ALL in the environment all that the program says. The status is 0 if tests passed, 77 if all
were skipped, otherwise 1: a test failed, ended the program or took longer than LIMIT_S, or none ran. --alone
starts each test in a process of its own. selection.py says which tests are to run; $KERNSWEEP_RESULTS names
a folder for NAME.json, the result. With --needs FILE a pass may be kept, and take the place
of running (kept_results.py).
"""
import argparse
import collections
import os
import re
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kept_results  # noqa: E402
import selection  # noqa: E402

SKIPPED = 77  # what ctest takes for "skipped"
KEPT_LINES = 2000  # of one test's output
RUN = re.compile(r"\[ RUN      \] (\S+)$")
END = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+)(?:$|, | \()")
REPORT = re.compile(r"(?:ERROR|WARNING): \w+Sanitizer|: runtime error: ")
END_OF_REPORT = re.compile(r"SUMMARY: \w+Sanitizer")
COUNT = re.compile(r"\[==========\] Running (\d+) tests? from ")


class Outcome:
    """What happened to the tests of one program, from what it says line by line."""

    def __init__(self, show):
        self.show = show
        self.ended = collections.defaultdict(list)  # names, by OK, FAILED and SKIPPED
        self.whys = []  # a skipped test's name, and why
        self.wanted = 0  # tests that were to run
        self.running = None
        self.began = time.monotonic()
        self.said = collections.deque(maxlen=KEPT_LINES)
        self.reports = []  # lines of sanitizers, each after the name of the test that ran
        self.reported = False  # the line before belongs to a report

    def line(self, line):
        begun = RUN.search(line)
        end = END.search(line)
        if count := COUNT.match(line):
            self.wanted += int(count[1])
        if begun:
            self.running, self.began = begun[1], time.monotonic()
            self.said.clear()
        if self.running or not re.match(r"\[|$", line):  # GoogleTest's own lines add nothing
            self.said.append(line)
        if end and end[2] == self.running:
            self.end(end[1])
        else:
            self.report(line)

    def report(self, line):
        """Keeps what a sanitizer reports in a test that may pass; the program's status is bad at its end."""
        if self.running and not self.reported and REPORT.search(line):
            self.reported = True
            self.reports.append(f"reported in {self.running}:")
        if self.reported and len(self.reports) < KEPT_LINES:
            self.reports.append(line)
        self.reported = self.reported and not END_OF_REPORT.match(line)

    def show_end(self):
        """What explains a bad end of the program."""
        self.show([*self.reports, *self.said])

    def end(self, how):
        self.ended[how].append(self.running)
        if how == "FAILED":
            self.show(self.said)
        elif how == "SKIPPED":
            lines = [*self.said, ""]
            at = next((at for at, line in enumerate(lines) if line.endswith(": Skipped")), len(lines) - 2)
            self.whys.append((self.running, lines[at + 1].strip() or "no reason was given"))
        self.running, self.began, self.reported = None, time.monotonic(), False
        self.said.clear()

    def count(self):
        return sum(map(len, self.ended.values()))


def words_for(status):
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"


class Process:
    """The program and what it started, in a process group of its own."""

    def __init__(self, command, environment):
        self.child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, process_group=0)
        self.text = b""

    def kill(self):
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def lines(self, timeout_s):
        """Yields each line until the program ends, and None once `timeout_s()` is not above 0. What it
        started may live on, and may hold its output open."""
        output, ended = self.child.stdout.fileno(), os.pidfd_open(self.child.pid)
        os.set_blocking(output, False)
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(ended, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in poll.poll(max(0.0, timeout_s()) * 1000)]
            if timeout_s() <= 0:
                yield None
            while chunk := self.child.stdout.read(1 << 16):
                *lines, self.text = (self.text + chunk).split(b"\n")
                yield from (line.decode("utf-8", "replace") for line in lines)
            if ended in ready:
                break
            if chunk == b"":
                poll.unregister(output)
        if self.text:
            yield self.text.decode("utf-8", "replace")
        os.close(ended)


def run(name, command, environment, limit_s, outcome):
    """Runs one process; returns None, or what is wrong besides tests that failed."""
    process = Process(command, environment)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: (process.kill(), os._exit(128 + number)))
    before = outcome.count(), outcome.wanted
    failed_before = len(outcome.ended["FAILED"])
    outcome.began = time.monotonic()
    for line in process.lines(lambda: outcome.began + limit_s - time.monotonic()):
        if line is None:
            process.kill()
            outcome.show(outcome.said)
            at = f"{name}.{outcome.running}" if outcome.running else f"{name} outside of its tests"
            return f"{at}: ended after {limit_s} s without a result"
        outcome.line(line)
    status = process.child.wait()
    process.kill()  # what it left
    ran, wanted = outcome.count() - before[0], outcome.wanted - before[1]
    if outcome.running:
        outcome.show(outcome.said)
        return f"{name}.{outcome.running}: ended the program with {words_for(status)}"
    if ran != wanted or (status != 0 and len(outcome.ended["FAILED"]) == failed_before) or status < 0:
        outcome.show_end()
        return f"{name}: ended with {words_for(status)} after {ran} of {wanted} tests"
    return None if wanted else f"{name}: no test ran"


def run_alone(name, command, environment, limit_s, outcome):
    faults = []
    for test in selection.tests_of(command, environment):
        faults.append(run(name, command, {**environment, "GTEST_FILTER": test}, limit_s, outcome))
        outcome.running = None
    return "\n".join(filter(None, faults)) if faults else f"{name}: no test ran"


def shown_by(show_all):
    def show(lines):
        print("\n".join(lines), flush=True)

    outcome = Outcome((lambda lines: None) if show_all else show)
    if show_all:
        outcome.line = lambda line: (show([line]), Outcome.line(outcome, line))
    return outcome


def show_skipped(name, whys):
    for test, why in whys:
        print(f"skipped: {why} ({name}.{test})")


def report(name, outcome, fault):
    """Prints the end, and returns the result."""
    passed, failed = (outcome.ended[how] for how in ("OK", "FAILED"))
    result = {"passed": len(passed), "failed": len(failed), "skipped": outcome.whys,
              "missing": outcome.wanted - outcome.count()}
    show_skipped(name, outcome.whys)
    for test in failed:
        print(f"failed: {name}.{test}")
    print(f"{name}: {len(passed)} passed, {len(failed)} failed, {len(outcome.whys)} skipped" +
          (f", {result['missing']} did not run" if result["missing"] > 0 else ""))
    if fault:
        print(fault)
    return result


def main(arguments):
    name, command = arguments.name, arguments.command
    if not os.path.exists(command[-1]):
        print(f"{name}: {command[-1]} is not built")
        return 1
    command = [*command, "--gtest_color=no", "--gtest_brief=0"]
    environment = selection.environment_of(name)
    kept = kept_results.kept(arguments.needs, command, environment)
    if kept and (result := kept.found()):
        show_skipped(name, result["skipped"])
        print(f"{name}: kept, {result['passed']} passed, {len(result['skipped'])} skipped")
        selection.write_result(name, **result, kept=True)
        return 0
    if kept:
        command, environment = kept.command, kept.environment
    outcome = shown_by("KERNSWEEP_SHOW_ALL" in environment)
    fault = (run_alone if arguments.alone else run)(name, command, environment, arguments.limit, outcome)
    result = report(name, outcome, fault)
    selection.write_result(name, **result)
    if fault or result["failed"]:
        return 1
    if kept and result["passed"]:
        kept.keep(result)
    return 0 if result["passed"] else SKIPPED


def words():
    parser = argparse.ArgumentParser()
    parser.add_argument("--needs")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("name")
    parser.add_argument("limit", type=float)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")
    sys.exit(main(words()))
