"""`kernsweep profile`: a time line of a stored job, which Perfetto opens."""
import json
import os
import shutil
import subprocess
import unittest

from sandbox import BUILD, SANITIZED, UNHURRIED, ProcessTest

MODULE = """
import json, threading, time

def inner(n):
    return sorted(range(n), key=lambda i: -i)

def work(n):
    def run():
        thread = threading.Thread(target=inner, args=(n,))
        thread.start()
        thread.join()
        try:
            json.loads("{")
        except ValueError:
            pass
        return float(len(inner(n)))
    return run

def breaks(n):
    calls = []
    def run():
        calls.append(n)
        if n > 1 and len(calls) > 1: raise ValueError("no more")
    return run

def marks(n):
    times = []
    def run():
        times.append(time.perf_counter() * 1e6)
    run.timeline = lambda: [{"ph": "i", "ts": at, "tid": 1, "name": "mark"} for at in times]
    return run
"""


class ProfileTest(ProcessTest):
    def measure(self, kernel, axes, *more):
        self.write("p.yaml", f"sweep: 1\nname: p\n{kernel}\naxes: {axes}\n{UNHURRIED}" + "\n".join(more))
        return self.call("run", "p.yaml", status=None)


@unittest.skipUnless(os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so")),
                     "this build has no pack for Python functions")
class OfAFunction(ProfileTest):
    def setUp(self):
        super().setUp()
        self.write("bench.py", MODULE)

    def test_is_a_time_line_of_nested_spans(self):
        self.measure("python: bench:work", "{n: [30]}")
        self.assert_golden("told", self.call("profile", "p.db", "1").out.splitlines()[0],
                           size=r"[0-9.]+ [KM]iB")
        with open(os.path.join(self.folder, "p.1.trace.json"), encoding="utf-8") as file:
            told = json.load(file)
        open_spans, names, last = {}, [], {}
        for event in told["traceEvents"]:
            thread = event.get("tid")  # none of a counter
            spans = open_spans.setdefault(thread, [])
            self.assertGreaterEqual(event["ts"], last.get(thread, 0))
            last[thread] = event["ts"]
            if event["ph"] == "B":
                spans.append(event["name"])
                names.append("/".join(spans))
            elif event["ph"] == "E":
                spans.pop()
        self.assertFalse(any(open_spans.values()), open_spans)
        calls = told["otherData"]["calls"]
        self.assertEqual(30, names.count("call 1/work.<locals>.run/inner/sorted/inner.<locals>.<lambda>"))
        self.assertEqual(calls, sum(name.startswith("call") and "/" not in name for name in names))
        self.assertTrue(any(name.startswith("Thread.") and name.endswith("<lambda>") for name in names))
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".part")])

    def test_has_the_marks_of_the_function_in_the_calls_that_are_profiled(self):
        self.measure("python: bench:marks", "{n: [1]}")
        self.call("profile", "p.db", "1", "-o", "marks.json")
        with open(os.path.join(self.folder, "marks.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        seen = [event["name"].split()[0] for event in sorted(events, key=lambda event: event["ts"])
                if event["name"] == "mark" or event["name"].startswith("call ")]
        self.assertEqual(["call", "mark"] * (len(seen) // 2), seen)
        self.assertLess(1, len(seen))

    def test_of_a_job_that_fails(self):
        self.measure("python: bench:breaks", "{n: [2]}")
        said = self.call("profile", "p.db", "1", status=2)
        self.assert_golden("fails", said.errors.splitlines()[-1].split(" (")[0])
        there = sorted(name for name in os.listdir(self.folder) if name.startswith("p."))
        self.assertEqual(["p.db", "p.yaml"], there)


class Refused(ProfileTest):
    def test_before_anything_runs(self):
        self.measure("kernel: noop", "{a: [1]}", "verify: false")
        os.mkdir(os.path.join(self.folder, "there"))
        for name, words in (("no-result", ["7"]), ("no-function", ["1", "--by", "python"]),
                            ("no-profiler", ["1", "--by", "gdb"]), ("folder", ["1", "-o", "there"]),
                            ("no-folder", ["1", "-o", "nowhere/x"])):
            self.assert_golden(name, self.call("profile", "p.db", *words, status=2).errors)
        self.environment["PATH"] = self.folder
        self.assert_golden("no-perf", self.call("profile", "p.db", "1", status=2).errors)


def perf_works():
    perf = shutil.which("perf")
    return perf and subprocess.run([perf, "record", "-q", "-o", "/dev/null", "true"], capture_output=True,
                                   check=False).returncode == 0


@unittest.skipUnless(perf_works() and not SANITIZED, "perf is not there, or may not record here")
class ByPerf(ProfileTest):
    def test_is_samples_of_the_stack(self):
        self.measure("kernel: noop", "{a: [1]}", "verify: false")
        self.call("profile", "p.db", "1")
        with open(os.path.join(self.folder, "p.1.perf.txt"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?m)^kernsweep-slot +\d+ +\d+\.\d+: ")


if __name__ == "__main__":
    unittest.main()
