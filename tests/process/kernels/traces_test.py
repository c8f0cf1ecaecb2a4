"""What a job leaves behind: work that continues, a changed process, data that are used up.

A busy machine may add reasons of its own, so these tests look for one reason among others.
"""
import json
import os
import subprocess
import sys
import unittest

from sandbox import BUILD, UNHURRIED, ProcessTest

HERE = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))

MODULE = '''
import array, concurrent.futures, functools, multiprocessing, os, random, re, resource, signal
import subprocess, threading, time, zlib

os.chdir("..")  # of the module: stays
os.environ["OF_THE_MODULE"] = "1"
DATA = bytes(range(256)) * 4000

def lines(count):
    return ["sh", "-c", f"seq 1 {count} | tail -1 >/dev/null"]

def waits(): return zlib.crc32(DATA)

def queues():
    pool = concurrent.futures.ThreadPoolExecutor(1)
    def call():
        pool.submit(sum, range(200000))
        return 1
    return call

def starts_timers():
    def call():
        threading.Timer(60, waits).start()
        return 1
    return call

def starts_short_timers():
    def call():
        threading.Timer(0.4, waits).start()
        return 1
    return call

def merges_requests():
    asked = threading.Event()
    def work():
        while asked.wait():
            asked.clear()
            zlib.crc32(DATA)
    threading.Thread(target=work, daemon=True).start()
    def call():
        asked.set()
        return 1
    return call

def fills_a_pool():
    pool = concurrent.futures.ThreadPoolExecutor(4)
    def call():
        return 1 + len([each.result() for each in [pool.submit(waits) for _ in range(4)]])
    return call

def fills_a_wide_pool():
    pool = concurrent.futures.ThreadPoolExecutor(16)
    return lambda: sum(pool.map(len, ["a"] * 4))

def asks_processes():
    pool = multiprocessing.get_context("fork").Pool(2)
    return lambda: sum(pool.map(abs, range(10)))

def starts():
    def call():
        subprocess.Popen(lines(1000000))
        return 1
    return call

def sleeps():
    def call():
        subprocess.Popen(["sleep", "100"])
        return 1
    return call

def starts_and_waits():
    return lambda: 1 + subprocess.run(lines(1000)).returncode

def serves():
    started = []
    def call():
        if not started:
            started.append(subprocess.Popen(["sleep", "100"]))
        return zlib.crc32(DATA)
    return call

def sorts():
    xs = [random.random() for _ in range(20000)]
    def call():
        xs.sort()
        return 1
    return call

def sorts_after_a_slow_setup():
    begun = time.process_time()
    while time.process_time() < begun + 0.6:  # as loading data does
        pass
    return sorts()

@functools.lru_cache(maxsize=None)
def lowest(count): return sum(sorted(random.random() for _ in range(count))[:9])

def caches(): return lambda: lowest(5000)

def iterates():
    it = iter(range(100000))
    return lambda: sum(it) + 1

def terminates():  # a signal that ends its child, which a slot must not have blocked for it
    def call():
        process = subprocess.Popen(["sleep", "5"])
        process.terminate()
        if process.wait() != -signal.SIGTERM:
            raise ValueError("SIGTERM did not end it")
        return 1
    return call

def copies():
    xs = [random.random() for _ in range(20000)]
    return lambda: len(sorted(xs))

# Returned values that take longer to show than to make.
def lists():
    xs = [random.random() for _ in range(30000)]
    return lambda: [x * x for x in xs]

def texts():
    words = ["word"] * 3000
    return lambda: ",".join(words)

def maps():
    items = [(i, -i) for i in range(10000)]
    return lambda: dict(items)

TABLE = []
def loads():
    def call():
        if not TABLE:
            TABLE.append(sum(range(3000000)))
        return 1
    return call

def imports():
    def call():
        import difflib, http.server, unittest.mock, xml.dom.minidom
        return 1
    return call

def matches():
    pattern = "|".join(f"(word{i}|w[{i % 10}x]{{2,5}}q)" for i in range(60))
    return lambda: bool(re.match(pattern, "word3 and more"))

def no_number(): return lambda: array.array("d", [float("nan"), float("inf")])

def spins():
    def spin():
        while True:
            pass
    threading.Thread(target=spin, daemon=True).start()
    return lambda: 1

def changes():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.chdir("/")
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    signal.signal(signal.SIGUSR2, lambda *given: None)
    os.environ["LEFT"] = "1"
    return lambda: 1

def state():
    umask = os.umask(0)
    os.umask(umask)
    with open("/proc/self/status") as file:
        caught = int(dict(line.split(":", 1) for line in file)["SigCgt"], 16)
    return [len(os.sched_getaffinity(0)), os.getcwd(), umask, resource.getrlimit(resource.RLIMIT_NOFILE),
            caught >> signal.SIGUSR2 - 1 & 1, os.environ.get("LEFT"), os.environ.get("OF_THE_MODULE")]

AS_IMPORTED = state()

def is_as_before():
    if state() != AS_IMPORTED:
        raise ValueError(f"{state()}, not {AS_IMPORTED}")
    return lambda: 1

def make(what, step, threads):
    return waits if what == "waits" else globals()[what]()
'''

REPLACED = "threads and processes that still run are killed: the slot's process is replaced"
RETURN = "a call must return when its work is done"
USED_UP = "again after a new setup"
STORED = "loaded or compiled nothing that explains it"
# The reason for which each is doubtful.
DOUBTFUL = {"queues": RETURN, "starts_timers": RETURN, "starts_short_timers": RETURN,
            "merges_requests": RETURN, "starts": RETURN,
            "sleeps": RETURN, "spins": RETURN, "sorts": USED_UP, "iterates": USED_UP,
            "sorts_after_a_slow_setup": USED_UP, "caches": USED_UP, "loads": STORED,
            "no_number": "the output is all NaN or infinite"}
HONEST = ["waits", "terminates", "starts_and_waits", "serves", "copies", "fills_a_pool", "fills_a_wide_pool",
          "asks_processes", "imports", "matches", "changes", "lists", "texts", "maps"]
PROGRAMS = {"seq 1 1000000 | tail -1": "", "(seq 1 1000000 | tail -1 >/dev/null) &": RETURN,
            "setsid seq 1 5000000 >/dev/null & true": RETURN}

SERVER_ENDS = "it left 1 process running, which ended with the job"
# Starts a server unless there is one; that of another job would answer it.
SERVER = """
read pid job 2>/dev/null <server
if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then
  [ "$job" = "$1" ] || { echo "the server of job $job" >&2; exit 1; }
else
  sleep 100 >/dev/null 2>&1 &
  echo "$! $1" >server
fi
"""


@unittest.skipUnless(HERE, "built without Python's development files")
class Traces(ProcessTest):
    # One run each: a process costs more than all of this.
    def rows_of(self, name, *lines):
        self.write(f"{name}.yaml", "\n".join(["sweep: 1", f"name: {name}", *lines]) + "\n")
        self.call("run", f"{name}.yaml", "--patience", "0")
        return self.rows(f"{name}.db", f'select p.*, r.grade_reasons, r.notes from "{name}" p '
                         "join result r using (result)")

    def test_what_a_function_leaves_is_found_and_given_back(self):
        self.write("traces.py", MODULE)
        what = ", ".join([*DOUBTFUL, *HONEST, "is_as_before"])
        rows = self.rows_of("traces", "python: traces:make", "problem: [what, step]",
                            f"axes: {{what: [{what}], step: [1, 2], threads: 2}}",
                            UNHURRIED.replace("processes: 1", "processes: 1, order: sequential").strip(),
                            "timeout: {setup: 300s, run: 300s}", "verify: {outputs: ignore}")
        self.assertEqual(2 * (len(DOUBTFUL) + len(HONEST) + 1), len(rows))
        for row in rows:
            reasons = row["grade_reasons"]
            with self.subTest(what=row["what"], step=row["step"], reasons=reasons, notes=row["notes"]):
                if reason := DOUBTFUL.get(row["what"]):
                    self.assertIn(reason, reasons)
                    self.assertEqual("C", row["grade"])
                else:
                    self.assertNotIn(RETURN, reasons)
                    self.assertNotIn(USED_UP, reasons)
                    self.assertNotIn(STORED, reasons)
                if row["what"] in ("sleeps", "spins", "starts_timers"):
                    self.assertEqual(REPLACED, row["notes"].split("\n")[0])

    def test_used_up_data_are_left_out_beside_a_disturbance_too(self):
        self.write("traces.py", MODULE)
        burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                   for _ in range(os.cpu_count())]
        try:
            rows = self.rows_of("used", "python: traces:make", "verify: {outputs: ignore}",
                                "axes: {what: [iterates, waits], step: [1], threads: 1}",
                                UNHURRIED.strip())
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()
        used, = [row for row in rows if row["what"] == "iterates"]
        self.assertIn(USED_UP, used["grade_reasons"])
        self.assertIsNone(self.value("used.db", "select doubt_cause from attempt_row where result = ?",
                                     used["result"]))
        best = self.call("best", "used.db", "--json").json()["rows"]
        self.assertNotIn("iterates", [row["what"] for row in best])

    def test_what_a_program_leaves_ends_with_its_job(self):
        self.write("server.sh", SERVER)
        rows = self.rows_of("servers", "command: sh server.sh {n}", UNHURRIED.strip(),
                            "axes: {n: [1, 2, 3], threads: 2}", "verify: {outputs: ignore}")
        self.assertEqual(3, len(rows))
        for row in rows:
            self.assertEqual(1, row["notes"].split("\n").count(SERVER_ENDS), row["notes"])

    def test_what_a_program_leaves_is_found(self):
        rows = self.rows_of("programs", "command: sh -c '{how}'", UNHURRIED.strip(),
                            f"axes: {{how: {json.dumps(list(PROGRAMS))}}}", "verify: {outputs: ignore}")
        for row in rows:
            with self.subTest(how=row["how"], reasons=row["grade_reasons"]):
                self.assertIn(PROGRAMS[row["how"]], row["grade_reasons"])
                self.assertEqual(bool(PROGRAMS[row["how"]]), RETURN in row["grade_reasons"])

    def test_what_works_on_the_core_of_later_calls_is_the_cause_of_their_disturbance(self):
        how = "sh -c \"seq 1 600000 >/dev/null\" </dev/null >/dev/null 2>&1 & echo 1"
        row, = self.rows_of("behind", "command: " + json.dumps(f"sh -c '{how}'"), "axes: {threads: 1}",
                            "verify: {outputs: ignore}",
                            "measure: {processes: 1, warmup: {min_time: 10ms, max_time: 50ms}, "
                            "samples: {min: 5, min_time: 50ms, max_time: 200ms}}")
        self.assertIn(RETURN, row["grade_reasons"].split("\n")[0])
        self.assertIsNone(self.value("behind.db", "select doubt_cause from attempt_row"))


if __name__ == "__main__":
    unittest.main()
