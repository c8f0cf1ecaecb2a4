"""A folder of its own for each test, and Kernsweep's real binaries run in it.

$KERNSWEEP_BUILD names the build folder. Every process that a test starts, and all that those start, carry
the test's folder as $TMPDIR (slots get it through the pass list): that is how a test finds its own
coordinator, worker and slots among those of others, and how it sees that none is left.
"""
import glob
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from golden_text import GoldenText

BUILD = os.path.abspath(os.environ.get("KERNSWEEP_BUILD", "build/release"))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(BUILD, "bin", "kernsweep")
TEST_PACKS = os.path.join(BUILD, "tests", "packs")
SANITIZED = bool(os.environ.get("KERNSWEEP_SANITIZE"))
# Nothing is waited for longer than this; no test that passes comes near it.
LIMIT_S = 600.0 if SANITIZED else 300.0

# The least that a measurement can be: sweeps here are about jobs, not about numbers.
BRISK = ("measure: {processes: 1, order_seed: 1, warmup: {min_time: 0ms, max_time: 1ms}, "
         "samples: {min: 2, max: 3, min_time: 0ms, max_time: 50ms}}\n")
# The same with all its samples, however slow the machine: fewer than asked for would lower the grade.
UNHURRIED = BRISK.replace("max_time: 50ms", "max_time: 20s")
# Why such a job has a B when there is nothing else to say against it.
UNWATCHED = "too short to be watched: measure asks for less than 20 ms"


def sweep_text(name, kernel, axes, *more, measure=BRISK):
    """A whole sweep file; `axes` is the text of a flow mapping, `more` are further lines."""
    lines = ["sweep: 1", f"name: {name}", f"kernel: {kernel}", f"axes: {axes}", measure.rstrip("\n"), *more]
    return "\n".join(lines) + "\n"


def lines_with(word, text):
    """Those lines of the text; a run's other lines have times in them."""
    return "\n".join(line for line in text.split("\n") if word in line)


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # the process has just ended
        return b""


class Running:
    """A program under way; what it says goes to files, so that no pipe can fill up."""

    def __init__(self, case, arguments, environment, limits):
        self.case = case
        self.paths = [os.path.join(case.logs, f"{len(case.runs) + 1}.{kind}") for kind in ("out", "err")]
        with open(self.paths[0], "wb") as out, open(self.paths[1], "wb") as errors:
            self.child = subprocess.Popen([PROGRAM, *arguments], cwd=case.folder, env=environment,
                                          stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                          start_new_session=True, preexec_fn=limits)
        case.runs.append(self)
        self.pid = self.child.pid
        self.arguments = arguments

    def said(self):
        return read_bytes(self.paths[0]).decode("utf-8")

    def complained(self):
        return read_bytes(self.paths[1]).decode("utf-8")

    def wait(self):
        """The exit status; negative: the signal that ended it."""
        try:
            return self.child.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.case.fail(f"{self.arguments} did not end in {LIMIT_S} s\n"
                           f"{self.said()}\n{self.complained()}")

    def signal(self, number):
        self.child.send_signal(number)


class Answer:
    def __init__(self, status, out, errors):
        self.status, self.out, self.errors = status, out, errors

    def json(self):
        return json.loads(self.out)


class ProcessTest(GoldenText, unittest.TestCase):
    maxDiff = None
    build, source = BUILD, SOURCE

    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="kernsweep-test-")
        self.addCleanup(home.cleanup)
        self.home = os.path.realpath(home.name)
        self.folder = os.path.join(self.home, "here")
        self.logs = os.path.join(self.home, "logs")
        os.mkdir(self.folder)
        os.mkdir(self.logs)
        self.runs = []
        self.environment = dict(os.environ, TMPDIR=self.home, KERNSWEEP_PACKS=TEST_PACKS,
                                XDG_CACHE_HOME=os.path.join(self.home, "cache"),
                                XDG_STATE_HOME=os.path.join(self.home, "state"))
        self.addCleanup(self.kill_what_is_left)

    # Running.

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode("utf-8"))
        return name

    def start(self, *arguments, environment=None, limits=None):
        # Other work on the machine of the tests does not count, unless a test says otherwise.
        if arguments[:1] in (("run",), ("resume",), ("worker",)) and "--patience" not in arguments:
            arguments += ("--patience", "0")
        return Running(self, arguments, {**self.environment, **(environment or {})}, limits)

    def call(self, *arguments, status=0, environment=None, limits=None):
        """Runs to the end; `status` is the exit status that is expected, None: any."""
        running = self.start(*arguments, environment=environment, limits=limits)
        answer = Answer(running.wait(), running.said(), running.complained())
        if status is not None:
            self.assertEqual(status, answer.status, f"{arguments}\n{answer.out}\n{answer.errors}")
        return answer

    def until(self, condition, what):
        """Waits until the condition holds, and returns what it gave."""
        end = time.monotonic() + LIMIT_S
        pause = threading.Event()
        while True:
            asked = time.monotonic()
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                self.fail(f"waited {LIMIT_S} s in vain for {what}")
            # To ask costs a third of a core at most, and delays an answer by no more than 0.1 s.
            pause.wait(max(0.005, min(0.1, 2 * (time.monotonic() - asked))))

    # Processes of this test.

    def ours(self, word="", running=None):
        """Pids of this test's processes with `word` in their command line, or of those of one run."""
        mark = b"TMPDIR=" + self.home.encode()
        found = []
        for folder in glob.glob("/proc/[0-9]*"):
            variables = read_bytes(folder + "/environ").split(b"\0")
            if not any(each.startswith(mark) for each in variables):  # a build has a folder of its own below
                continue
            if word.encode() not in read_bytes(folder + "/cmdline").replace(b"\0", b" "):
                continue
            pid = int(os.path.basename(folder))
            if pid != os.getpid() and (running is None or self.descends(pid, running.pid)):
                found.append(pid)
        return sorted(found)

    @staticmethod
    def parent(pid):
        text = read_bytes(f"/proc/{pid}/stat").decode("utf-8", "replace")
        return int(text.rpartition(")")[2].split()[1]) if text else 0

    @staticmethod
    def thread_of(running, name):
        """The number of the thread of this name; nothing while there is none."""
        for folder in glob.glob(f"/proc/{running.pid}/task/*"):
            if read_bytes(folder + "/comm") == name.encode() + b"\n":
                return int(os.path.basename(folder))
        return None

    @staticmethod
    def program_of(pid):
        try:
            return os.readlink(f"/proc/{pid}/exe")
        except OSError:  # it has just ended
            return ""

    def descends(self, pid, ancestor):
        while pid > 1:
            pid = self.parent(pid)
            if pid == ancestor:
                return True
        return False

    def workers(self, running=None):
        found = self.ours("worker --local", running)
        return [pid for pid in found if self.parent(pid) not in found]  # not a slot before its exec

    def slots(self, running=None):
        return self.ours("--serve", running)

    @staticmethod
    def kill(pid, number=signal.SIGKILL):
        try:
            os.kill(pid, number)
        except ProcessLookupError:  # it has just ended
            pass

    def kill_what_is_left(self):
        for pid in self.ours():
            self.kill(pid)
        for running in self.runs:
            running.wait()

    def expect_nobody_left(self):
        self.until(lambda: not self.ours(), "the end of all processes")

    # Databases.

    def rows(self, database, question, *parameters):
        """A list of dictionaries."""
        path = os.path.join(self.folder, database)
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=LIMIT_S)
        try:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(question, parameters)]
        finally:
            connection.close()

    def value(self, database, question, *parameters):
        return next(iter(self.rows(database, question, *parameters)[0].values()))

    def count_of(self, database, table="results"):
        """Rows so far; 0 while there is no such database yet."""
        try:
            return self.value(database, f"select count(*) from {table}")
        except sqlite3.OperationalError:
            return 0

    def events(self, database, of="worker"):
        """What happened, in order, to: the attempts, the workers or the sweeps."""
        such = {"attempt": "job is not null", "worker": "sweep_id is null",
                "sweep": "job is null and sweep_id is not null"}[of]
        question = f"select what from event where {such} order by id"
        return [row["what"] for row in self.rows(database, question)]

    def files(self):
        return sorted(os.listdir(self.folder))

    def expect_each_job_once(self, database, jobs):
        """Every job of the newest sweep has one outcome, accepted, and one final attempt."""
        rows = self.rows(database, "select job, status from results order by job")
        self.assertEqual([(job, "ok") for job in range(jobs)], [(row["job"], row["status"]) for row in rows])
        finals = self.rows(database, "select job, count(*) as n from attempt where final = 1 group by job")
        self.assertEqual([(job, 1) for job in range(jobs)], [(row["job"], row["n"]) for row in finals])


def free_port():
    """A port that the system does not assign automatically: another connection cannot take it meanwhile."""
    while True:
        port = random.randrange(10000, 32768)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
