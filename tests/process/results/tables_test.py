"""`pivot`, `plot`, `total` and `trace` of a database that a real run has written: what a terminal and a file
get, and that the time line has every second of the table."""
import fcntl
import json
import os
import pty
import sqlite3
import struct
import subprocess
import termios
import unittest
from xml.etree import ElementTree

from sandbox import BRISK, PROGRAM, ProcessTest, sweep_text

PARTS = "coalesce(inputs_s, 0) + coalesce(reference_s, 0) + coalesce(verify_s, 0)"
PHASES = {"start": "start_s", "inputs": "inputs_s", "prepare": f"setup_s - ({PARTS})",
          "reference": "reference_s", "verify": "verify_s", "wait": "lease_wait_s",
          "warm up": "min(warmup_s, run_s)", "measure": "run_s - min(warmup_s, run_s)", "check": "check_s"}
# Two attempts of a slot, each of more than 10 ms.
COPY = sweep_text("copy", "stream",
                  "{op: [copy], variant: [loop], n: [2000000], non_temporal: [false, true]}",
                  measure="measure: {processes: 1, order_seed: 1, samples: {min: 5, max: 5}}")
NAMES = json.dumps(["\x1b[2J\x07\u202e<script>", "y" * 10000, "\u05d0"])
LAYERS = "layer: [{label: one, a: 1, count: 2}, {label: two, a: 2, count: 3}]"


class Tables(ProcessTest):  # labels: sanitized
    def setUp(self):
        super().setUp()
        text = sweep_text("net", "noop", f"{{{LAYERS}, b: {NAMES}}}", "problem: [label, a]",
                          measure=BRISK.replace("processes: 1", "processes: 2"))
        self.call("run", self.write("net.yaml", text), "-q")

    def on_terminal(self, *arguments, columns=60, **environment):
        """What the command writes to a terminal of that width."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        kept = {name: value for name, value in self.environment.items() if name not in ("NO_COLOR", "TERM")}
        child = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env={**kept, **environment},
                                 stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(0, child.wait(60))
        return said.decode("utf-8")

    def test_a_terminal_gets_colours_and_its_width_and_a_pipe_neither(self):
        question = ("pivot", "net.db", "--rows", "variant", "--columns", "b")
        seen = self.on_terminal(*question, TERM="xterm")
        self.assertRegex(seen, "\x1b\\[38;5;[0-9]+m")
        self.assertNotRegex(seen, "\x1b\\[2J|\x07|\u202e")
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            plain = self.on_terminal(*question, **{name: value})
            self.assertNotIn("\x1b", plain)
            table = plain.split("a column for each value of b")[1].splitlines()[2:7]
            self.assertLessEqual(max(map(len, table)), 60)
        self.assertNotIn("\x1b", self.call(*question).out)
        told = self.call(*question, "--json").json()
        self.assertEqual(json.loads(NAMES), told["values"])
        self.assertEqual([2, 3], [row["cells"][0]["processes"] + index for index, row in
                                  enumerate(told["table"])])

    def test_a_picture_has_the_width_of_a_terminal_and_ascii_where_there_is_nothing_else(self):
        question = ("plot", "net.db", "--x", "a", "--by", "b")
        utf8 = {"LC_ALL": "C.UTF-8"}
        seen = self.on_terminal(*question, TERM="xterm", **utf8)
        self.assertRegex(seen, "\x1b\\[38;5;[0-9]+m")
        self.assertNotRegex(seen, "\x1b\\[2J|\x07|\u202e")
        plain = self.on_terminal(*question, TERM="xterm", NO_COLOR="1", **utf8)
        self.assertRegex(plain, "[\u2801-\u28ff]")
        self.assertLessEqual(max(map(len, plain.splitlines())), 60)
        self.assertNotRegex(self.call(*question, environment=utf8).out, "\x1b")
        for terminal, locale in (("xterm", "C"), ("dumb", "C.UTF-8")):
            narrow = self.on_terminal(*question, "--where", "b <> '\u05d0'", TERM=terminal, LC_ALL=locale,
                                      NO_COLOR="1")
            self.assertTrue(narrow.isascii(), narrow)

    def test_a_picture_is_a_whole_svg_file_in_which_names_are_text(self):
        question = ("plot", "net.db", "--x", "a", "--by", "b")
        told = self.call(*question, "-o", "p.svg", "--json").json()
        pivot = self.call("pivot", "net.db", "--rows", "a", "--columns", "b", "--json").json()
        self.assertEqual(pivot, told)
        self.call(*question, "-o", "again.svg")
        with open(os.path.join(self.folder, "p.svg"), "rb") as first, \
                open(os.path.join(self.folder, "again.svg"), "rb") as second:
            content = first.read()
            self.assertEqual(content, second.read())
        names = {element.tag.split("}")[1] for element in ElementTree.fromstring(content).iter()}
        self.assertEqual({"svg", "title", "rect", "text", "path", "polyline"}, names)
        os.mkdir(os.path.join(self.folder, "folder"))
        for name, path in (("folder", "folder"), ("missing", "no/p.svg"), ("ending", "p.png")):
            self.assert_golden(name, self.call(*question, "-o", path, status=2).errors)
        nothing = self.call(*question, "--metric", "p99_s", "-o", "none.svg", status=2)
        self.assert_golden("nothing", nothing.errors)
        self.assertEqual({"p.svg", "again.svg"}, {name for name in self.files() if "svg" in name})

    def test_a_table_is_a_whole_svg_file_too(self):
        question = ("pivot", "net.db", "--columns", "b")
        told = self.call(*question, "-o", "t.svg", "--json").json()
        self.assertEqual(self.call(*question, "--json").json(), told)
        with open(os.path.join(self.folder, "t.svg"), "rb") as file:
            names = {element.tag.split("}")[1] for element in ElementTree.fromstring(file.read()).iter()}
        self.assertEqual({"svg", "title", "rect", "text"}, names)
        self.assert_golden("written", self.call(*question, "-o", "t.svg").out)
        for name, words in (("directory", ["folder"]), ("picture", ["t.png"]),
                            ("no number", ["t.svg", "--metric", "p99_s"])):
            os.makedirs(os.path.join(self.folder, "folder"), exist_ok=True)
            self.assert_golden(name, self.call(*question, "-o", *words, status=2).errors)

    def test_a_total_finds_the_layers_in_the_stored_sweep(self):
        told = self.call("total", "net.db", "--same", "b", "--json").json()
        self.assertEqual((["label", "a"], 2), (told["layer"], told["layers"]))
        network, = told["networks"]
        self.assertEqual([2, 3], [layer["count"] for layer in network["layers"]])
        by_hand = sum(layer["count"] * layer["best"]["median_s"] for layer in network["layers"])
        self.assertAlmostEqual(by_hand, network["best"]["seconds"])
        self.assertEqual(3, len(network["choices"]))
        self.assert_golden("no count", self.call("total", "net.db", "--where", "a = 9", status=2).errors)

    def test_the_spans_of_a_trace_are_the_seconds_of_the_table(self):
        told = self.call("trace", "net.db", "net", "-o", "t.json", "--json").json()
        with open(os.path.join(self.folder, "t.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        spans = [event for event in events if event["ph"] == "X"]
        with sqlite3.connect(os.path.join(self.folder, "net.db")) as database:
            for phase, column in PHASES.items():
                stored, = database.execute(f"select total({column}) from attempt_row").fetchone()
                drawn = sum(span["dur"] for span in spans if span["name"] == phase) * 1e-6
                self.assertAlmostEqual(stored, drawn, 6)
                self.assertAlmostEqual(stored, told[phase.replace(" ", "_") + "_s"], 6)
        database.close()
        self.assertEqual(12, told["attempts"])
        # Within a thread a span is inside another one or disjoint: Perfetto drops overlapping spans.
        for thread in {span["tid"] for span in spans}:
            ends = []
            for span in sorted((span for span in spans if span["tid"] == thread),
                               key=lambda span: (span["ts"], -span["dur"])):
                while ends and ends[-1] <= span["ts"] + 1e-4:
                    ends.pop()
                self.assertTrue(not ends or span["ts"] + span["dur"] <= ends[-1] + 1e-4, span)
                ends.append(span["ts"] + span["dur"])
        self.assertLess(abs(min(span["ts"] for span in spans)), 1)
        self.assertTrue(any(name.startswith("host ") for name in
                            (event["args"]["name"] for event in events if event["ph"] == "M")))
        self.assertEqual([], [name for name in self.files() if "part" in name])

    def test_what_a_slot_did_is_stored_and_adds_up(self):
        all_cores = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, all_cores)
        os.sched_setaffinity(0, {min(all_cores)})  # one slot
        self.call("run", self.write("copy.yaml", COPY), "-q", "--patience", "0")
        told = self.call("trace", "copy.db", "-o", "t.json", "--json").json()
        with sqlite3.connect(os.path.join(self.folder, "copy.db")) as database:
            rows = database.execute(
                f"select slot, start_s, {PARTS}, setup_s, setup_s + lease_wait_s + run_s + check_s, "
                "finished_unix_s, check_s, reference_s from attempt order by finished_unix_s").fetchall()
        database.close()
        self.assertGreaterEqual(len(rows), 2)  # one that was throttled is tried again
        self.assertEqual(1, len({row[0] for row in rows}))
        self.assertGreater(rows[0][1], 0, "the start of the slot's process")
        self.assertEqual({0}, {row[1] for row in rows[1:]})
        for _, _, parts, setup, _, _, check, _ in rows:
            self.assertGreater(parts, 0)
            self.assertLessEqual(parts, setup)
            self.assertGreater(check, 0)
        self.assertGreater(rows[0][7], rows[-1][7], "the others have the reference of the first")
        began = rows[0][5] - rows[0][4] - rows[0][1]
        for before, after in zip(rows, rows[1:]):
            self.assertGreater(after[5] - after[4], before[5] - 5e-3, "attempts of a slot do not overlap")
        self.assertAlmostEqual(rows[-1][5] - began, told["all_s"] + told["idle_s"], delta=0.01)

    def test_a_trace_is_written_whole_or_not_at_all(self):
        os.mkdir(os.path.join(self.folder, "folder"))
        self.write("old.json", "old")
        for name, arguments in (("folder", ("net", "-o", "folder")), ("missing", ("net", "-o", "no/t.json")),
                                ("sweep", ("nt", "-o", "old.json"))):
            self.assert_golden(name, self.call("trace", "net.db", *arguments, status=2).errors)
        before = self.files()
        self.assertLess(0, self.call("trace", "net.db", "--json").json()["all_s"])
        self.assertEqual(before, self.files())
        with open(os.path.join(self.folder, "old.json"), encoding="utf-8") as file:
            self.assertEqual("old", file.read())
        if os.path.exists("/dev/full"):
            self.assert_golden("full", self.call("trace", "net.db", "-o", "/dev/full", status=2).errors)


if __name__ == "__main__":
    unittest.main()
