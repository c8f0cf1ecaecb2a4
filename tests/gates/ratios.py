"""Two sides of a ratio, measured in turns until it is decided whether the ratio keeps its limit."""
import os
import random
import statistics
import subprocess
import time

import decision
import selection
from sandbox import BUILD, ProcessTest

YARDSTICK = os.path.join(BUILD, "tests", "yardstick")
BARE_LOOP = os.path.join(BUILD, "tests", "bench_bare_loop")
CORES = 2
SERIES_S = 25.0  # no pair begins later, but for those up to the first look
OTHERS_MOST = 0.1  # of the cores: a pair with more use by other programs does not count

SWEEP = """sweep: 1
name: {name}
{what}
axes: {{{axes}}}
verify: false
measure: {{processes: 1, alone_on: core, warmup: {{min_runs: 0, min_time: 0ms, max_time: 0ms}},
           samples: {{min: 1, max: 1, min_time: 0ms}}}}
"""


def used_by_others_s():
    """Processor time that other programs have used on the cores of this process."""
    names = {f"cpu{core}" for core in os.sched_getaffinity(0)}
    with open("/proc/stat") as file:
        rows = [line.split() for line in file if line.split()[0] in names]
    user, nice, system, irq, softirq = (sum(int(row[at]) for row in rows) for at in (1, 2, 3, 6, 7))
    own = os.times()
    busy_s = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    return busy_s - own.user - own.system - own.children_user - own.children_system


class RatioTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.environment.pop("KERNSWEEP_PACKS")  # all packs that are installed
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(before)[:CORES])
        self.addCleanup(os.sched_setaffinity, 0, before)

    def hold(self, what, ours, yardstick, at_least=None, at_most=None):
        """Fails where the ratio of both is shown to be beyond its limit; each gives a number, the costs or
        the rates of one turn."""
        ratios, disturbed = [], 0

        def is_worse():
            nonlocal disturbed
            values, began, others = {}, time.monotonic(), used_by_others_s()
            for side in random.sample((ours, yardstick), 2):
                values[side] = side()
            if used_by_others_s() - others > OTHERS_MOST * CORES * (time.monotonic() - began):
                disturbed += 1
                return None
            ratios.append(values[ours] / values[yardstick])
            return ratios[-1] < at_least if at_least is not None else ratios[-1] > at_most

        end = time.monotonic() + SERIES_S
        answer, said = decision.decide(is_worse, lambda: time.monotonic() < end)
        limit = f">= {at_least}" if at_least is not None else f"<= {at_most}"
        text = f"{what}: "
        if ratios:
            text += f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), "
        text += f"wanted {limit}: {answer}, beyond it in {sum(said)} of {len(said)} pairs"
        if disturbed:
            text += f"; {disturbed} without a say: others used more than {OTHERS_MOST:.0%} of the cores"
        selection.note(text)
        self.assertNotEqual("worse", answer, text)

    # What is measured.

    def sweep(self, name, what, axes):
        return self.write(f"{name}.yaml", SWEEP.format(name=name, what=what, axes=axes))

    def remove(self, database):
        for part in ("", "-wal", "-shm", ".lock"):
            path = os.path.join(self.folder, database + part)
            if os.path.exists(path):
                os.remove(path)

    def jobs_per_s(self, database, jobs):
        """By the times of the sweep that are stored."""
        self.assertEqual(jobs, self.value(database, "select count(*) from outcome where status = 'ok'"))
        return jobs / self.value(database, "select ended_unix_s - started_unix_s from sweep")

    def run_jobs_per_s(self, sweep, jobs):
        self.remove("now.db")
        self.call("run", sweep, "--db", "now.db", "--quiet")
        return self.jobs_per_s("now.db", jobs)

    def seconds(self, *arguments):
        began = time.monotonic()
        self.call(*arguments)
        return time.monotonic() - began

    # Yardsticks.

    def yardstick(self, *arguments):
        return subprocess.run([YARDSTICK, *map(str, arguments)], cwd=self.folder, check=True,
                              capture_output=True, text=True).stdout

    def spawns_s(self, count):
        """The time in which a bare loop on each core, together, start so many programs that do nothing."""
        began = time.monotonic()
        subprocess.run([BARE_LOOP, str(CORES), str(count), "/bin/true"], check=True)
        return time.monotonic() - began

    def question_s(self, database, question):
        began = time.monotonic()
        self.rows(database, question)
        return time.monotonic() - began
