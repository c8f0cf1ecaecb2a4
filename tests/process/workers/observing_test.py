"""The log file and the metrics report what happens, under the names that docs/guides/observing.md has."""
import json
import os
import re
import signal
import unittest
import urllib.request

from clients_test import ClientsTest, naps
from sandbox import SOURCE, free_port, sweep_text

DOCS = os.path.join(SOURCE, "docs", "guides", "observing.md")
SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')


def documented():
    with open(DOCS, encoding="utf-8") as file:
        return dict(re.findall(r"^\| `(kernsweep_\w+)` \| (\w+) \|", file.read(), re.MULTILINE))


class LogFile(ClientsTest):  # labels: waits
    def lines(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_has_each_step_of_each_attempt(self):
        self.write("a.yaml", sweep_text("a", "noop", "{i: {range: [1, 5]}}"))
        self.call("--log", "a.log", "run", "a.yaml")
        lines = self.lines("a.log")
        for line in lines:
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertTrue("event" in line or {"level", "text"} <= set(line), line)
        for job in range(5):
            steps = {line["event"] for line in lines if line.get("job") == job and line["attempt"] == 1}
            self.assertEqual({"sent", "received", "started", "measured", "finished"}, steps)
        ended = [line for line in lines if line.get("event") == "finished"]
        self.assertEqual([("ok", 1)] * 5, [(line["outcome"], line["worker"]) for line in ended])
        self.assertEqual(["joined"], [line["event"] for line in lines if line.get("event") == "joined"])

    def test_is_appended_to_and_told_when_it_cannot_be(self):
        self.write("a.yaml", sweep_text("a", "noop", "{i: [1]}"))
        self.call("--log", "a.log", "run", "a.yaml")
        before = len(self.lines("a.log"))
        self.call("--log", "a.log", "run", "a.yaml", "--again")
        self.assertGreater(len(self.lines("a.log")), before)
        self.assertNotIn("loses lines", self.call("--log", "a.log", "best", "a.db").errors)
        answer = self.call("--log", "/dev/full", "run", "a.yaml", "--again")
        told = answer.errors.count("the log file loses lines")
        self.assertEqual(2, told, f"once by the coordinator, once by its worker:\n{answer.errors}")
        self.call("--log", "b.log", "worker", "--connect", f"tcp://127.0.0.1:{free_port()}", "--wait", "1",
                  status=1)
        last = self.lines("b.log")[-1]
        self.assertEqual("error", last["level"])
        self.assert_golden("last line", last["text"])
        answer = self.call("--log", "a.yaml/x.log", "run", "a.yaml", status=2)
        self.assert_golden("no log file", answer.errors)


class Events(ClientsTest):  # labels: waits
    def test_are_kept_though_nothing_is_measured(self):
        coordinator, address = self.coordinate()
        worker = self.work(address)
        self.until(lambda: "worker 1 joined" in coordinator.complained(), "the worker")
        self.until(lambda: self.events("all.db") == ["joined"], "the event")
        self.ask(address, "drain", "1")
        self.assertEqual(0, worker.wait(), worker.complained())
        self.until(lambda: self.events("all.db") == ["joined", "draining", "drained"], "that it has left")
        coordinator.signal(signal.SIGKILL)
        coordinator.wait()
        again, address = self.coordinate()
        worker = self.work(address)
        self.until(lambda: len(self.events("all.db")) == 4, "that it has joined again")
        self.assertEqual([1, 1, 1, 2], [row["session"] for row in self.rows(
            "all.db", "select session from event order by id")])
        self.stop(again, worker)


class MetricsTest(ClientsTest):
    def observed(self, *arguments):
        coordinator, address = self.coordinate("--metrics", "0", *arguments)
        return coordinator, address, re.search(r"metrics at (http://\S+)", coordinator.complained()).group(1)

    def read(self, url):
        with urllib.request.urlopen(url, timeout=10) as answer:
            text = answer.read().decode()
        kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
        samples = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels, value = SAMPLE.match(line).groups()
                samples[name, tuple(sorted(re.findall(r'(\w+)="([^"]*)"', labels or "")))] = float(value)
        return kinds, samples

    def until_value(self, url, expected, name, **labels):
        wanted = (name, tuple(sorted(labels.items())))
        self.until(lambda: self.read(url)[1].get(wanted) == expected, f"{wanted} to be {expected}")


class Metrics(MetricsTest):  # labels: waits sanitized
    def test_are_those_of_the_documentation(self):
        coordinator, _, url = self.observed()
        self.until_value(url, 0, "kernsweep_sweeps", state="over")
        self.until_value(url, 0, "kernsweep_workers", state="idle")
        ours = {name: kind for name, kind in self.read(url)[0].items() if not name.startswith("exposer_")}
        self.assertEqual(documented(), ours)
        self.stop(coordinator)

    def test_count_what_happens(self):
        coordinator, address, url = self.observed()
        self.write("a.yaml", naps("a", 6))
        self.ask(address, "submit", "a.yaml")
        self.until_value(url, 6, "kernsweep_sweep_jobs", sweep="a@1", state="open")
        worker = self.work(address)
        self.until_value(url, 6, "kernsweep_attempts_total", outcome="ok")
        self.until_value(url, 6, "kernsweep_rows_committed_total")
        self.until_value(url, 1, "kernsweep_sweeps", state="over")
        self.until_value(url, 1, "kernsweep_workers", state="idle")
        samples = self.read(url)[1]
        self.assertEqual(6, samples["kernsweep_attempts_sent_total", ()])
        self.assertEqual(1, samples["kernsweep_events_total", (("what", "joined"),)])
        self.assertGreaterEqual(samples["kernsweep_commit_seconds_bucket", (("le", "+Inf"),)], 1)
        names = [name for name, _ in samples]
        self.assertEqual(1, names.count("kernsweep_worker_heard_ago_seconds"))
        self.stop(coordinator, worker)

    def test_a_port_that_cannot_be_had_is_said_before_anything_is_done(self):
        coordinator, _, url = self.observed()
        port = re.search(r":(\d+)/", url).group(1)
        for asked, told in ((port, "is the port in use"), ("no port", "is not an address for --metrics"),
                            ("", "--metrics: is empty"), ("[::1]:0", "is not an address for --metrics"),
                            ("127.0.0.1:70000", "is not an address for --metrics")):
            answer = self.call("coordinator", "--db", "other.db", "--listen", "tcp://127.0.0.1:*",
                               "--insecure", "--metrics", asked, status=2)
            self.assertIn(told, answer.errors)
        self.assertNotIn("other.db", self.files())
        self.stop(coordinator)

    def test_go_away_with_the_coordinator(self):
        coordinator, _, url = self.observed()
        coordinator.signal(signal.SIGKILL)
        coordinator.wait()
        self.assertRaises(OSError, lambda: self.read(url))


if __name__ == "__main__":
    unittest.main()
