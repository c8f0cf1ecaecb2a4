"""What a program and all that it starts ask of the kernel, counted by strace."""
import json
import os
import re
import shutil
import subprocess

import selection
from sandbox import PROGRAM, ProcessTest

STRACE = shutil.which("strace")

NOOP = """sweep: 1
name: noop
kernel: noop
axes: {{i: {{range: [1, {jobs}]}}}}
verify: false
measure: {{processes: 1, alone_on: core, warmup: {{min_runs: 0, min_time: 0ms, max_time: 0ms}},
           samples: {{min: 1, max: 1, min_time: 0ms}}}}
"""

# Calls that differ between versions of libc are counted together.
KINDS = {
    "open": r"open(at|at2)?|creat",
    "stat": r"(new)?f?l?stat(at|x)?(64)?|f?access(at2?)?|readlink(at)?",
    "map": r"mmap|munmap|mprotect|mremap|madvise|brk",
    "close": r"close(_range)?",
    "clone": r"clone3?|v?fork",
    "exec": r"execve(at)?",
    "signal": r"rt_sig\w+|sigaltstack|t?g?kill|pidfd_send_signal",
    "poll": r"p?poll|p?select6?",
    "epoll": r"epoll_\w+",
    "read": r"p?readv?(64|2)?|recv\w+|getrandom",
    "write": r"p?writev?(64|2)?|send\w+",
    "getpid": r"get(p|t|pp)id",
    "futex": r"futex",
}
# The number of these depends on other work of the machine: which thread is first, and which waits.
VARY = ("poll", "epoll", "read", "write", "getpid", "futex")
TIMES = 3  # so many times of these
# The others, for a job that takes milliseconds.
JOBS, FEW, RUNS = 200, 2, 2
MORE, MORE_OF_A_JOB = 0.05, 0.3
SHOWN = 0.02
# A slot reads the list of its threads every 20 ms, however long a job takes. One such look makes these calls
# (strace -y shows the paths).
GETDENTS_OF_A_LOOK = 2
MOST_LOOKS = 2  # a job of 40 ms, ten times as long as it takes
MORE_MESSAGES = 2  # fewer jobs share a message then
OF_A_LOOK = {"getdents64": GETDENTS_OF_A_LOOK, "open": 6.5, "close": 6.5, "fcntl": 4, "stat": 2}


def kind_of(name):
    return next((kind for kind, names in KINDS.items() if re.fullmatch(names, name)), name)


def on_one_core():
    """One slot, however many jobs: what a slot costs is then no part of a difference."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class StraceTest(ProcessTest):
    def setUp(self):
        super().setUp()
        if not STRACE:
            self.skipTest("strace is not installed")
        self.environment.pop("KERNSWEEP_PACKS")  # all packs that are installed

    def traced(self, options, jobs, limits=None, sweep_text=NOOP):
        """strace's answer on a run of so many jobs."""
        sweep = self.write("sweep.yaml", sweep_text.format(jobs=jobs))
        database = f"{len(self.files())}.db"  # a new one
        answer = os.path.join(self.folder, "strace.txt")
        subprocess.run([STRACE, "-f", "-o", answer, *options, PROGRAM, "run", sweep, "--db", database,
                        "--quiet", "--patience", "0"], cwd=self.folder, env=self.environment, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, preexec_fn=limits)
        self.assertEqual(jobs, self.count_of(database, "results"))
        with open(answer, encoding="utf-8") as file:
            return file.read().splitlines()

    def calls_of_a_job(self, jobs, few, runs, sweep_text=NOOP):
        """({kind: calls}, {name: calls}): those of `jobs` jobs less those of `few`. The least of some runs:
        a busy machine only adds calls."""
        before = self.counted(few, sweep_text)
        counts = [self.counted(jobs, sweep_text) for _ in range(runs)]
        names = {name: (min(run.get(name, 0) for run in counts) - before.get(name, 0)) / (jobs - few)
                 for name in set().union(*counts)}
        kinds = {}
        for name, number in names.items():
            kinds[kind_of(name)] = round(kinds.get(kind_of(name), 0) + number, 3)
        return kinds, names

    def hold_calls(self, what, sweep_text, path):
        """Fails where a job of the sweep makes more calls of a kind than the file has for it. Both are those
        of all processes of a run together."""
        kinds, names = self.calls_of_a_job(JOBS, FEW, RUNS, sweep_text)
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        by_name = json.dumps({name: round(names[name], 2) for name in sorted(names) if names[name] > SHOWN})
        selection.note(f"calls of {what}: {by_name}")
        looks = max(0, kinds.get("getdents64", 0) - stored.get("getdents64", 0)) / GETDENTS_OF_A_LOOK
        self.assertLess(looks, MOST_LOOKS)
        for kind, number in sorted(kinds.items()):
            most = stored.get(kind, 0)
            with self.subTest(kind=kind):
                allowed = max(TIMES * most * (1 + MORE_MESSAGES * looks), 1) if kind in VARY else (
                    most * (1 + MORE) + MORE_OF_A_JOB + looks * OF_A_LOOK.get(kind, 0))
                self.assertLessEqual(number, allowed, f"calls of a job; by name: {by_name}")

    def counted(self, jobs, sweep_text=NOOP):
        """{name: calls} of all processes."""
        lines = self.traced(["-c", "-U", "name,calls"], jobs, on_one_core, sweep_text)
        found = [re.fullmatch(r"(\w+) +(\d+)", line.strip()) for line in lines]
        return {each[1]: int(each[2]) for each in found if each and each[1] != "total"}
