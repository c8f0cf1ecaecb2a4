"""kernsweep-check-gpu, from an installation made here: with simulated GPUs, without, and with faults.
The tests for GPUs are simulated, too."""
import os
import re
import shutil
import signal
import unittest.mock

from cuda_test import DRIVERS, PACK
from gpu_test import FAKES
from sandbox import BUILD, ProcessTest, sweep_text

SWEEP = """# Does {name} work?
sweep: 1
name: {name}
command: {command}
axes: {{device: [gpu], i: [1, 2]}}
verify: false
{more}measure:
  processes: {processes}
  warmup: {{min_time: 0ms, max_time: 1ms}}
  samples: {{min: 2, max: 3, min_time: 0ms}}
"""
TRUE, FALSE = "{name: holds, at_most: {median_s: 10}}", "{name: does not, at_most: {median_s: 1e-9}}"
CLAIMED = "claims: [{}]\n"
PASSES = """echo '[==========] 3 tests from 1 test suite ran. (1 ms total)'
echo 'cublaslt bf16 8192 cubed: 1.5 ms by hand, 1.6 ms by the pack, 1.067 times'
echo '[  PASSED  ] 2 tests.'
echo '[  SKIPPED ] 1 test, listed below:'
echo '[  SKIPPED ] Gpu.Third'"""
FAILS = """echo '[  FAILED  ] Gpu.First (1 ms)'
echo '[  PASSED  ] 1 test.'
echo '[  FAILED  ] 1 test, listed below:'
echo '[  FAILED  ] Gpu.First'
exit 1"""
DIES = """echo '[ RUN      ] Gpu.First'
kill -SEGV $$"""


class CheckTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.installed = os.path.join(self.home, "an installation")
        self.install("bin/kernsweep", "bin/kernsweep-check-gpu", "libexec/kernsweep/kernsweep-slot",
                     "lib/kernsweep/packs/command.so")
        self.sweeps = os.path.join(self.installed, "share", "kernsweep", "sweeps")
        os.makedirs(os.path.join(self.sweeps, "claims"))
        os.makedirs(os.path.join(self.installed, "libexec", "kernsweep", "tests"))
        self.environment["LD_LIBRARY_PATH"] = FAKES

    def install(self, *parts):
        for part in parts:
            to = os.path.join(self.installed, part)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(BUILD, part), to)

    def add_sweep(self, file, command="true", more="", processes=1):
        name = os.path.basename(file)[:-len(".yaml")]
        with open(os.path.join(self.sweeps, file), "w", encoding="utf-8") as out:
            out.write(SWEEP.format(name=name, command=command, more=more, processes=processes))

    def add_test(self, name, script):
        path = os.path.join(self.installed, "libexec", "kernsweep", "tests", name)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755), "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\n" + script + "\n")

    def add_program(self, name, script):
        """One that is found before the system's."""
        path = os.path.join(self.home, "programs", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755), "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\n" + script + "\n")
        self.environment["PATH"] = os.path.dirname(path) + ":" + os.environ["PATH"]

    def started(self, *words):
        program = os.path.join(self.installed, "bin", "kernsweep-check-gpu")
        with unittest.mock.patch("sandbox.PROGRAM", program):
            return self.start(*(words or ["--minutes", "1"]), "out")

    def check(self, *words, status=0):
        running = self.started(*words)
        self.assertEqual(status, running.wait(), running.said() + running.complained() + self.summary())
        return self.summary()

    @staticmethod
    def steps(summary):
        """[name, what came of it] of each row of the table of steps."""
        return [line[2:].split(" | ")[:2] for line in summary.splitlines() if line.endswith(" s |")]

    def summary(self):
        path = os.path.join(self.folder, "out", "summary.md")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()


class Check(CheckTest):  # labels: waits
    def test_runs_all_into_one_database_and_sums_up(self):
        self.add_test("kernels_simulated_gpu", PASSES)
        self.add_sweep("gpu_one.yaml")
        self.add_sweep("gpu_bench_jobs.yaml")
        self.add_sweep("claims/G1.yaml", "sleep 0.01", CLAIMED.format(TRUE), processes=5)
        self.add_sweep("claims/C1.yaml")
        self.add_sweep("other.yaml")
        told = self.check()
        self.assertRegex(told, r"^# Check of GPUs\n\nNothing failed\. Took \d+ s\.\n")
        self.assertRegex(told, r"(?m)^\| GPUs \| NVIDIA Fake 9000 \(GPU-0")
        steps = self.steps(told)
        self.assertEqual(["doctor", "tests: kernels_simulated_gpu", "gpu_one", "G1", "gpu_bench_jobs"],
                         [step[0] for step in steps])
        self.assertEqual("2 passed, 0 failed, 1 skipped", steps[1][1])
        self.assert_golden("measured by a test",
                           re.search(r"(?s)What kernels_simulated_gpu measured:.*?```.*?```", told)[0])
        self.assertRegex(steps[2][1], r"^2 ok; grades: \d [ABC].* jobs/s; measuring \d+ % of the time$")
        self.assertIn("G1: Does G1 work?", re.findall("(?m)^## (.*)", told))
        claims = self.call("claims", "out/gpu.db", "--sweep", "G1", "--json").json()["claims"]
        self.assertEqual(["confirmed"], [claim["verdict"] for claim in claims])
        self.assertRegex(steps[4][1], "2 known before")
        rows = self.rows("out/gpu.db", "select sweep, count(*) as n from results where status = 'ok' "
                                       "group by sweep")
        self.assertEqual({"G1": 10, "gpu_bench_jobs": 2, "gpu_one": 2},
                         {row["sweep"]: row["n"] for row in rows})

    def test_goes_on_after_what_fails_and_tells_it_first(self):
        self.add_test("a_gpu", FAILS)
        self.add_test("b_gpu", DIES)
        self.add_sweep("gpu_a.yaml", command="sh -c 'echo no such thing >&2; exit 3'")
        self.add_sweep("gpu_b.yaml", more="no_such_word: 1\n")
        self.add_sweep("gpu_c.yaml", "sleep 0.01", CLAIMED.format(FALSE), processes=5)
        self.add_sweep("gpu_d.yaml")
        told = self.check(status=1)
        self.assertRegex(told, r"^# Check of GPUs\n\n5 things FAILED\.")
        failures = told[told.index("## What failed"):told.index("## Steps")]
        for line in ("**a_gpu**: Gpu.First", "**b_gpu**: ended with status 139 at: Gpu.First",
                     "**gpu_a**: 2 jobs failed", "**gpu_b**: status 2: ", "**gpu_c**: refuted: does not"):
            self.assertIn(line, failures)
        self.assertIn("no_such_word", failures)
        self.assertRegex(dict(self.steps(told))["gpu_d"], "^2 ok")
        self.assertIn("failed_run", told)

    def test_stops_a_sweep_at_its_limit_and_takes_the_next(self):
        self.add_sweep("gpu_a.yaml", command="sleep 30")
        self.add_sweep("gpu_b.yaml")
        told = self.check("--seconds", "8", status=1)  # enough for the other one
        failures = told[told.index("## What failed"):told.index("## Steps")]
        self.assert_golden("what failed", failures)
        self.assertRegex(dict(self.steps(told))["gpu_b"], "^2 ok")
        self.assertEqual([], self.ours())

    def test_again_goes_on_where_it_was(self):
        self.add_sweep("gpu_one.yaml")
        self.check()
        self.check()
        self.assertEqual(2, self.value("out/gpu.db", "select count(*) from attempt"))

    def test_leaves_what_it_has_when_it_is_stopped(self):
        self.add_sweep("gpu_a.yaml")
        self.add_sweep("gpu_b.yaml", command="sleep 30")
        running = self.started()
        self.until(lambda: "| gpu_a | 2 ok" in self.summary(), "the first sweep")
        self.assert_golden("meanwhile", self.summary().split("\n\n")[1])
        self.until(lambda: self.ours("sleep 30"), "the second sweep")
        running.signal(signal.SIGTERM)
        self.assertEqual(1, running.wait(), running.complained())
        self.assert_golden("stopped", self.summary().split("\n\n")[1], seconds=r"\d+(?= s\b)")
        self.until(lambda: not self.ours(), "the end of all that it started")

    def test_without_a_gpu_says_so_and_tells_of_the_machine(self):
        with open(os.path.join(self.home, "fake_gpu"), "w", encoding="utf-8") as file:
            file.write("none")
        self.add_sweep("gpu_one.yaml")
        told = self.check(status=3)
        self.assert_golden("without", told.split("\n\n")[1], seconds=r"\d+(?= s\b)")
        self.assertIn("| Kernsweep | ", told)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "out", "gpu.db")))

    def test_without_time_starts_nothing_more(self):
        # An hour passes after the first look at the clock.
        self.add_program("date", f"""[ "$*" = +%s ] || exec /bin/date "$@"
echo $(($(/bin/date +%s) + 3600 * $(ls {self.home} | grep -c looked)))
touch {self.home}/looked""")
        self.add_program("nvidia-smi", f"touch {self.home}/asked")
        told = self.check("--in-all", "1", status=1)
        self.assert_golden("no time", told.split("\n\n")[1], seconds=r"\d+(?= s\b)")
        self.assertFalse(os.path.exists(os.path.join(self.home, "asked")))
        with open(os.path.join(self.folder, "out", "doctor.txt"), encoding="utf-8") as file:
            self.assertEqual("", file.read())

    def test_refuses_what_it_does_not_understand(self):
        for words, why in ((["--minute", "3"], "no option '--minute'"), (["--minutes", "0"], "whole number"),
                           (["--minutes", "x"], "whole number"), (["a", "b"], "one folder is enough"),
                           (["--sweeps", "nowhere"], "no folder nowhere")):
            running = self.started(*words)
            self.assertEqual(2, running.wait(), words)
            self.assertIn(why, running.complained())
        self.assertEqual([], os.listdir(self.folder))


@unittest.skipUnless(all(map(os.path.exists, [PACK, *DRIVERS])), "no pack cuda, or no driver for it")
class WithThePack(CheckTest):  # labels: waits
    """The pack cuda, on the driver that runs its kernels on the host."""
    MEASURE = ("measure: {processes: 1, warmup: {min_runs: 1, min_time: 0ms, max_time: 1s}, "
               "samples: {min: 2, max: 2, min_time: 0ms}}")

    # The measurements of `kernsweep roofs --gpu` take minutes on this driver.
    LITTLE = ("place=[{label: core, dtype: f32, operations: 100000, bytes: null, passes: null}, "
              "{label: memory, dtype: null, operations: null, bytes: 240000, passes: 1}]")

    def setUp(self):
        super().setUp()
        self.install("lib/kernsweep/packs/cuda.so", "lib/kernsweep/packs/roof.so")
        self.environment["LD_LIBRARY_PATH"] = ":".join(DRIVERS)
        self.little_roofs(self.LITTLE)

    def little_roofs(self, axis):
        program = os.path.join(self.installed, "bin", "kernsweep")
        if not os.path.exists(program + "-itself"):
            os.rename(program, program + "-itself")
        opened = os.open(program, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o755)
        with open(opened, "w", encoding="utf-8") as out:
            out.write(f"""#!/bin/sh
[ "$1 $2" != "roofs --gpu" ] || set -- "$@" -a '{axis}'
exec "$0-itself" "$@"
""")

    def add_memory_sweep(self, sizes):
        with open(os.path.join(self.sweeps, "claims", "G8.yaml"), "w", encoding="utf-8") as file:
            file.write("# What fits?\n" + sweep_text("g8", "memory", f"{{variant: [cuda], device: [gpu], "
                                                     f"bytes: {sizes}}}", measure=self.MEASURE))

    def test_what_does_not_fit_is_told_and_is_no_failure(self):
        self.add_memory_sweep("[4096, 1073741824]")
        told = self.check()
        self.assertRegex(told, r"^# Check of GPUs\n\nNothing failed\.")
        self.assertRegex(dict(self.steps(told))["G8"], "^1 ok, 1 out_of_memory")
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", told)

    def test_where_nothing_fits_that_is_one(self):
        self.add_memory_sweep("[1073741824]")
        told = self.check(status=1)
        self.assert_golden("what failed", told[told.index("## What failed"):told.index("## Steps")])

    def test_roofs_come_first_and_results_have_their_share(self):
        with open(os.path.join(self.sweeps, "gpu_copy.yaml"), "w", encoding="utf-8") as file:
            file.write("# How fast is a copy?\n" + sweep_text(
                "copy", "stream", "{variant: [cuda], device: [gpu], op: [copy], dtype: [f32], n: [10000]}",
                measure=self.MEASURE))
        told = self.check("--minutes", "1", "--quick")
        steps = self.steps(told)
        self.assertEqual(["doctor", "roofs", "gpu_copy"], [step[0] for step in steps])
        self.assertRegex(steps[1][1], r"^6 ok; grades: ")
        self.assertRegex(told, r"(?m)^Fake GPU +1 +memory +\S+ +GB/s ")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out", "logs", "gpu_copy.shares.txt")))
        shares = self.call("roofs", "--db", "out/gpu.db", "--of", "copy", "--all-grades", "--json").json()
        self.assertGreater(shares["rows"][0]["share"], 0)
        before = self.count_of("out/gpu.db", "attempt")
        self.check("--minutes", "1", "--quick")
        self.assertEqual(before, self.count_of("out/gpu.db", "attempt"), "known before")

    def test_roofs_that_cannot_be_measured_are_a_failure(self):
        self.little_roofs(self.LITTLE.replace("240000", "2400000000"))
        told = self.check(status=1)
        self.assertIn("**roofs**", told[told.index("## What failed"):told.index("## Steps")])
        self.assertRegex(told, r"\| roofs \| 2 ok, 10 out_of_memory;")
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", told)
