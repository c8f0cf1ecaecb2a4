#!/usr/bin/env python3
"""Runs ctest and shows what a person wants of it: run_ctest.py FOLDER CTEST [ARGUMENT...].

stderr has how far it is: on a terminal one line in place, otherwise a line now and then. stdout has each
test that failed, with the begin and the end of what it said, then what tests note (selection.py), why tests
were skipped, how many tests GoogleTest programs had, and ctest's own summary. FOLDER/tests.log has every
line of ctest and each skipped test of such a program or of a Python class, FOLDER/tests.xml the results in
JUnit's form. The exit status is ctest's. Where the arguments ask ctest for a text of its own (-N, -V,
--help), it runs as it is.

-R and -E match tests inside GoogleTest programs too, as NAME.Suite.Test (selection.py).
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import selection

# ctest's options whose answer is a text, or that ask for every line.
AS_IT_IS = re.compile(r"-N|-VV?|-Q|-h|-H|/\?|-{1,2}help.*|--version|--show-only.*|--verbose|--extra-verbose"
                      r"|--quiet|--print-labels|--list-presets.*|--progress|--debug")
BEGUN = re.compile(r"\s+Start +\d+: ")
# A test that a signal ended has a word before the asterisks. With `--repeat until-fail:N` only a test's
# last line is counted.
RESULT = re.compile(r"\s*(?:(\d+)/(\d+) )?Test +#\d+: (.+?) \.{3,} *(Passed.*|[^.*]*\*\*\*.*)")
NOT_FAILED = ("***Skipped", "***Not Run (Disabled)")
SUMMARY = re.compile(r"\d+% tests passed, \d+ tests failed out of \d+|No tests were found")
REASON = re.compile(r"^skipped: (.+)$", re.MULTILINE)

EVERY_S = 15.0  # between two lines of progress where there is no terminal
SHOWN_MAX = 20  # tests whose output is shown; of further ones only the names are
FIRST_LINES, LAST_LINES = 30, 50  # of a failed test's output
COLUMNS_MAX = 300


class Failure:
    """One failed test and the bounded text of what it said."""

    def __init__(self, line, before):
        self.line = line
        self.first = []
        self.last = collections.deque(maxlen=LAST_LINES)
        self.left_out = 0
        for earlier in before:
            self.add(earlier)

    def add(self, line):
        if len(line) > COLUMNS_MAX:
            line = line[:COLUMNS_MAX] + " ..."
        if len(self.first) < FIRST_LINES:
            self.first.append(line)
            return
        self.left_out += len(self.last) == LAST_LINES
        self.last.append(line)

    def text(self, log):
        middle = [f"... {self.left_out} lines, which {log} has ..."] if self.left_out else []
        return "\n".join([self.line, *self.first, *middle, *self.last]).rstrip() + "\n\n"


class Shown:
    """What ctest says, line by line; `show` gets what is to be read, `report` how far it is. `now` is in
    seconds, from any start."""

    def __init__(self, log, show, report, now):
        self.log, self.show, self.report = log, show, report
        self.began = now
        self.failures = 0
        self.skipped = []  # names
        self.failure = None  # whose output the next lines are
        self.testing = False
        self.loose = []  # said before a test's result: why it cannot be run
        self.summary = None

    def line(self, line, now):
        result = RESULT.fullmatch(line)
        if self.summary is not None:
            self.summary.append(line)
        elif result:
            self.result(result, line, now)
        elif BEGUN.match(line):
            self.end_failure()
            self.testing, self.loose = True, []
        elif SUMMARY.match(line):
            self.end_failure()
            self.summary = [line]
        elif self.failure:
            self.failure.add(line)
        elif self.testing:
            self.loose = [*self.loose[-LAST_LINES:], line]
        elif line and not line.startswith("Test project "):
            self.show(line + "\n")  # why there will be no tests

    def result(self, result, line, now):
        self.end_failure()
        done, total, name, outcome = result.groups()
        self.testing = True
        if outcome.startswith(NOT_FAILED):
            self.skipped.append(name)
        elif not outcome.startswith("Passed"):
            self.failures += 1
            words = " ".join(outcome.replace("*", " ").split())
            self.failure = Failure(f"{name}: {words}", self.loose)
        self.loose = []
        if done is None:
            return
        counts = f", {self.failures} failed" if self.failures else ""
        counts += f", {len(self.skipped)} skipped" if self.skipped else ""
        self.report(f"{done} of {total} tests{counts}, {now - self.began:.0f} s", done == total)

    def end_failure(self):
        if self.failure and self.failures <= SHOWN_MAX:
            self.show(self.failure.text(self.log))
        elif self.failure:
            self.show(f"{self.failure.line}\n")
        self.failure = None


class Progress:
    """Writes how far it is to a stream, and keeps that from what is shown on the same terminal."""

    def __init__(self, stream, now):
        self.stream = stream
        self.in_place = stream.isatty()
        self.told = now

    def __call__(self, text, now, last):
        text = "kernsweep: " + text
        if self.in_place:
            self.stream.write("\r\033[K" + text[:shutil.get_terminal_size().columns - 1])
        elif last or now - self.told >= EVERY_S:
            self.told = now
            self.stream.write(text + "\n")
        self.stream.flush()

    def clear(self):
        if self.in_place:
            self.stream.write("\r\033[K")
            self.stream.flush()


def skipped(path, names):
    """(name, why) of these tests."""
    try:
        cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):  # ctest was ended, or wrote it elsewhere
        return
    for case in cases:
        if case.get("name") in names:
            said = REASON.search(case.findtext("system-out") or "")
            yield case.get("name"), said[1].strip()[:COLUMNS_MAX] if said else "no reason was said"


def started(words, folder, results):
    """ctest as a child. A signal that ends this process is passed on, and ctest's status is returned."""
    xml_file = os.path.join(folder, "tests.xml")
    if os.path.exists(xml_file):
        os.remove(xml_file)
    if not any(word.startswith("--output-junit") for word in words):
        words = [*words, "--output-junit", xml_file]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, selection.RESULTS: results})
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: child.send_signal(number))
    signal.signal(signal.SIGINT, lambda number, frame: None)  # a terminal sends it to both
    return child, xml_file


def as_it_is(words, selected):
    if any(word in ("-N", "--show-only") for word in words):
        for name, tests in selected.chosen.items():
            print(f"{name} runs only:", *(f"  {name}.{test}" for test in tests), sep="\n", flush=True)
    os.execvpe(words[0], selected.words, {**os.environ, "KERNSWEEP_SHOW_ALL": "1"})


def main(folder, *words):
    selected = selection.Selection(words)
    if any(AS_IT_IS.fullmatch(word) for word in words[1:]):
        as_it_is(words, selected)
    with tempfile.TemporaryDirectory() as results:
        return run(os.path.abspath(folder), selected.words, results)


def run(folder, words, results):
    os.makedirs(folder, exist_ok=True)
    log = os.path.join(folder, "tests.log")
    progress = Progress(sys.stderr, time.monotonic())

    def show(text):
        progress.clear()
        sys.stdout.write(text)
        sys.stdout.flush()

    shown = Shown(log, show, lambda text, last: progress(text, time.monotonic(), last), time.monotonic())
    child, xml_file = started(words, folder, results)
    with open(log, "ab" if "--rerun-failed" in words else "wb") as file:  # its first part is needed
        for line in child.stdout:
            file.write(line)
            shown.line(line.decode("utf-8", "replace").rstrip("\r\n"), time.monotonic())
    status = child.wait()
    shown.end_failure()
    progress.clear()
    inside = selection.Results(results)
    with open(log, "a", encoding="utf-8") as file:
        file.writelines(f"{note}\n" for note in inside.notes)
        file.writelines(f"skipped: {name}: {why}\n" for name, why in inside.skipped())
    show("".join(f"{note}\n" for note in inside.notes))
    others = set(shown.skipped) - set(inside.of)
    for why, count in selection.reasons([*inside.skipped(), *skipped(xml_file, others)]):
        show(f"{count} skipped: {why}\n")
    show(inside.line())
    show("".join(line + "\n" for line in ["", *(shown.summary or [f"ctest ended early; its log: {log}"])]))
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("run_ctest.py FOLDER CTEST [ARGUMENT...]")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    sys.exit(main(*sys.argv[1:]))
