"""Hosts with a network between them, on this machine and for one test: namespaces and a switch.

    lan = Lan(case, 4)                      # one, two, three, four: 10.77.0.1 ... and fd77::1 ...
    lan.start("two", "worker", ...)         # as ProcessTest.start, on that host
    lan.cut("two")                          # from all others; lan.cut("two", to="one", direction="out")
    lan.heal("two")
    lan.weather("two", delay=0.2, loss=0.1)

Nothing of it is outside the test's own processes and namespaces, so nothing is left however the test ends.
It needs root, `ip` and /dev/net/tun; where these are not, the file's tests are skipped and say why.
"""
import ctypes
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import modules  # noqa: E402

sys.path[:0] = modules.folders()

import switch  # noqa: E402
from sandbox import ProcessTest, sweep_text  # noqa: E402

SKIPPED = 77  # what ctest takes for "skipped"
NAMES = ("one", "two", "three", "four")
PORT = 7777
CLONE_NEWNS = 0x00020000
libc = switch.libc

# Sleeping needs no processor, so that many hosts get on on one machine.
NAP = ("measure: {processes: 1, alone_on: core, warmup: {min_time: 0ms, max_time: 1ms}, "
       "samples: {min: 3, max: 3, min_time: 0ms}}")


def naps_text(jobs, seconds, name="naps"):
    """A sweep of jobs that take a little more than three times so long."""
    return sweep_text(name, "sleep", f"{{seconds: {seconds}, i: {{range: [1, {jobs}]}}}}", measure=NAP)


def what_is_missing():
    """Why no host can be made here; empty: they can."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    if not shutil.which("ip"):
        return "ip is not installed; cmake/packages.txt, group test, lists what these tests need"
    try:
        with open("/dev/net/tun", "r+b", buffering=0) as tun:
            fcntl.ioctl(tun, switch.TUNSETIFF, struct.pack("16sH22x", b"kstry%d", switch.IFF_TAP))
    except OSError as error:
        return f"/dev/net/tun cannot be used: {error.strerror}"
    child = os.fork()
    if child == 0:
        os._exit(libc.unshare(switch.CLONE_NEWNET | switch.CLONE_NEWUTS) != 0)
    return "this system gives nobody a network namespace" if os.waitpid(child, 0)[1] else ""


def main():
    """What a file of tests does when it is run; skips, with the reason, where no host can be made."""
    missing = what_is_missing()
    if missing:
        print(f"skipped: {missing}")
        sys.exit(SKIPPED)
    unittest.main()


def device(number, segment=0, place=0, name="eth0"):
    return {"name": name, "segment": segment, "mac": f"02:00:00:00:{segment:02x}:{number:02x}",
            "addresses": [f"10.{77 + segment}.{place}.{number}/24", f"fd77:{segment}:{place}::{number}/64"]}


def described(name, devices, routes=(), **settings):
    return {"name": name, "devices": devices, "routes": [list(route) for route in routes],
            "settings": {key.replace("__", "/"): value for key, value in settings.items()}}


class Lan:
    """`hosts`: how many in one segment, or their descriptions."""

    def __init__(self, case, hosts=4, seed=1):
        self.case = case
        if isinstance(hosts, int):
            hosts = [described(name, [device(number + 1)]) for number, name in enumerate(NAMES[:hosts])]
        self.hosts = {host["name"]: host for host in hosts}
        self.rules = {}
        self.process = subprocess.Popen([sys.executable, "-B", os.path.join(HERE, "switch.py")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
                                        env={**case.environment, "TMPDIR": "/tmp"})
        case.addCleanup(self.close)
        self.namespaces = {}
        self.tell({"seed": seed, "hosts": hosts})

    def close(self):
        for files in self.namespaces.values():
            for file in files:
                os.close(file)
        self.namespaces = {}
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def tell(self, order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.case.fail("the switch has ended; its reason is above")
        answer = json.loads(line)
        self.counted = {(one, other): counts for one, other, counts in answer["counts"]}
        return answer

    def address(self, host, family=4, at=0):
        found = [address.split("/")[0] for address in self.hosts[host]["devices"][at]["addresses"]
                 if (":" in address) == (family == 6)]
        return f"[{found[0]}]" if family == 6 else found[0]

    # Processes.

    def enter(self, host, more=None):
        """For what runs between fork and exec: makes the process one of that host."""
        files = self.namespaces.get(host) or self.open(host)

        def in_child():
            for file in files:
                switch.checked(libc.setns(file, 0))
            libc.prctl(switch.PR_SET_PDEATHSIG, signal.SIGKILL)
            if more:
                more()
        return in_child

    def open(self, host):
        answer = self.tell({})["namespaces"][host]
        files = [os.open(f"/proc/{self.process.pid}/fd/{file}", os.O_RDONLY) for file in answer]
        self.namespaces[host] = files
        return files

    def start(self, host, *arguments, limits=None):
        state = os.path.join(self.case.home, f"state-{host}")
        return self.case.start(*arguments, environment={"XDG_STATE_HOME": state},
                               limits=self.enter(host, limits))

    def call(self, host, *arguments, status=0):
        return self.case.call(*arguments, status=status, limits=self.enter(host))

    def run(self, host, *words, status=0):
        """Another program on that host, to its end; what it said."""
        done = subprocess.run(words, preexec_fn=self.enter(host), stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=60)
        if status is not None:
            self.case.assertEqual(status, done.returncode, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def boot(self, host):
        """As after a loss of power: what it ran must have been killed. It has the same addresses and no
        memory of any connection."""
        for file in self.namespaces.pop(host, ()):
            os.close(file)
        self.tell({"boot": host})

    # The network.

    def pairs(self, host, to, direction):
        others = [to] if to else [name for name in self.hosts if name != host]
        out = [(host, other) for other in others] if direction in ("out", "both") else []
        return out + ([(other, host) for other in others] if direction in ("in", "both") else [])

    def change(self, pairs, **rule):
        for pair in pairs:
            self.rules[pair] = {**self.rules.get(pair, {}), **rule}
        self.tell({"links": [[*pair, self.rules[pair]] for pair in pairs]})

    def cut(self, host, to=None, direction="both"):
        """Nothing passes any more, not even frames under way; no end is notified."""
        self.change(self.pairs(host, to, direction), cut=True)

    def heal(self, host, to=None, direction="both"):
        self.change(self.pairs(host, to, direction), cut=False)

    def weather(self, host, to=None, direction="both", **rule):
        """delay: seconds; loss, duplicate, reorder: shares of frames; rate: bytes per second, of which
        `limit` frames may wait. Other values stay unchanged."""
        self.change(self.pairs(host, to, direction), **rule)

    def counts(self, one, other, what):
        """Frames (or bytes) so far from one host to another: see switch.Link."""
        self.tell({})
        return self.counted[one, other][what]


class LanTest(ProcessTest):
    """A coordinator on host one, workers on others, one join file for all."""

    def coordinate(self, lan, *arguments, file="naps.yaml", listen=None, host="one"):
        """A coordinator once it listens, so that its join file is there."""
        listen = listen or [f"tcp://{lan.address(host)}:{PORT}"]
        words = [word for address in listen for word in ("--listen", address)]
        sweep = [file] if file else []  # none: clients bring them
        running = lan.start(host, "coordinator", *sweep, *words, *arguments)

        def listens():
            self.assertIsNone(running.child.poll(), running.complained())
            return "listening on" in running.complained()
        self.until(listens, "the address")
        return running

    def work(self, lan, host, *arguments, join="naps.join", **others):
        return lan.start(host, "worker", "--join", join, "--cores", "1", "-v", *arguments, **others)

    def joined(self, coordinator, number):
        self.until(lambda: f"worker {number} joined" in coordinator.complained(), f"worker {number}")

    def stored(self, least=3, database="naps.db"):
        self.until(lambda: self.count_of(database) >= least, f"{least} results")

    def busy(self, *workers):
        """Waits until each has a slot."""
        self.until(lambda: {worker.pid for worker in workers} <= {self.parent(pid) for pid in self.slots()},
                   "slots of all workers")

    def killed(self, *running):
        for one in running:
            one.signal(signal.SIGKILL)
        for one in running:
            self.assertEqual(-signal.SIGKILL, one.wait())

    def events(self, what, database="naps.db"):
        return self.rows(database, "select * from event where what = ? order by id", what)

    def attempts(self, database="naps.db"):
        return self.rows(database, "select * from attempt order by result")

    def expect_whole(self, jobs, coordinator, *workers, database="naps.db"):
        """All ended well, each job has its one accepted outcome, and no worker waits for anything."""
        self.assertEqual([0] * (1 + len(workers)), [one.wait() for one in (coordinator, *workers)],
                         self.told(coordinator, *workers))
        self.expect_each_job_once(database, jobs)
        self.expect_nobody_left()
        self.assertEqual([], self.spools())

    def spools(self):
        """Files in which workers keep what is not delivered."""
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.home) for name in names
                if name.endswith((".spool", ".spool.damaged"))]

    @staticmethod
    def told(*running):
        return "\n".join(f"{one.arguments}\n{one.complained()}" for one in running)


def tmpfs(path, size):
    """A small disk. It is this process's own mount, seen by what it starts, and is gone with it."""
    if libc.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    os.makedirs(path, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "kernsweep-test", path], check=True)
