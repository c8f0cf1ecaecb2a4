"""Where a job runs: with exactly the requested environment and cores, in a process of its own kind.

The pack `probe` (probe_pack/) reports what it finds in the slot.
"""
import glob
import os
import signal
import textwrap
import unittest

from sandbox import BRISK, BUILD, ProcessTest, sweep_text

PYTHON = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
STOPPED = "the process was stopped and continued while it was measured"

PASSED = {"ASAN_OPTIONS", "CONDA_PREFIX", "CUDA_MPS_LOG_DIRECTORY", "CUDA_MPS_PIPE_DIRECTORY", "HOME",
          "KERNSWEEP_PYTHON", "LD_LIBRARY_PATH", "LSAN_OPTIONS", "PATH",
          "TMPDIR", "TSAN_OPTIONS", "UBSAN_OPTIONS", "VIRTUAL_ENV"}
# How many threads a library may start is the job's business, so these are set for every job.
# Which GPUs CUDA shows is, too: none to a job that got none.
SHOWN = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": ""}
SET = {"BLIS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS",
       "OPENBLAS_NUM_THREADS"}
CORES = sorted(os.sched_getaffinity(0))


def cores_of(text):
    """The cores of a list as the kernel writes it: 0-3,8."""
    spans = [part.partition("-") for part in text.split(",")]
    return [core for first, _, last in spans for core in range(int(first), int(last or first) + 1)]


class Place:
    """What one job found."""

    def __init__(self, row):
        facts, self.environment = {}, {}
        for line in row["runtime"].splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "env":
                name, _, value = rest.partition("=")
                self.environment[name] = value
            else:
                facts[kind] = rest
        self.pid, self.threads = int(facts["pid"]), int(facts["threads"])
        self.cores = [int(core) for core in facts["cores"].split()]
        self.row = row


class ProbeTest(ProcessTest):
    def places(self, axes, *more, measure=BRISK, **surroundings):
        """Runs the sweep; returns where each of its jobs ran, by point."""
        self.write("p.yaml", sweep_text("p", "probe", axes, *more, measure=measure))
        self.call("run", "p.yaml", environment=surroundings)
        rows = self.rows("p.db", "select p.*, r.runtime, r.affinity, r.environment from p "
                         "join result r using (result) order by p.point, p.job")
        return [Place(row) for row in rows]


class Environment(ProbeTest):  # labels: sanitized
    def test_starts_empty_but_for_the_pass_list(self):
        place, = self.places("{a: 1}", OPENBLAS_CORETYPE="Prescott", LANG="C.UTF-8", HOME="/nowhere",
                             OMP_NUM_THREADS="7", OMP_PROC_BIND="close", KERNSWEEP_SECRET="x")
        self.assertLessEqual(set(place.environment), PASSED | SET | set(SHOWN))
        self.assertEqual(SHOWN, {name: place.environment[name] for name in SHOWN})
        self.assertEqual("/nowhere", place.environment["HOME"])
        self.assertEqual(os.environ["PATH"], place.environment["PATH"])
        self.assertEqual({name: "1" for name in SET}, {name: place.environment[name] for name in SET})

    # libgomp then binds the thread that loads it, the slot's own, to the first of the job's cores.
    @unittest.skipIf(len(CORES) < 2, "needs two cores")
    def test_open_mp_may_bind_its_threads_within_the_cores_of_the_job(self):
        self.write("p.yaml", sweep_text("p", "gemm", "{variant: onednn, m: 512, n: 512, k: 512, threads: 2, "
                                        "env.OMP_PROC_BIND: ['true', close]}"))
        self.call("run", "p.yaml", "--set", "verify.asked=fail")

    def test_null_is_not_set_and_a_value_is_set_as_it_is_written(self):
        values = ["a b", "x=y", "ü", "1e-4", "on", "0x10", "'quoted'"]
        listed = ", ".join(["null", *(f'"{value}"' for value in values)])
        places = self.places(f"{{env.MARK: [{listed}]}}", MARK="from outside")
        self.assertEqual([None, *values], [place.environment.get("MARK") for place in places])
        self.assertEqual([None, *values], [place.row["env.MARK"] for place in places])
        self.assertEqual([None, *(f"MARK={value}" for value in values)],
                         [place.row["environment"] or None for place in places])

    def test_an_empty_text_is_set_and_empty(self):
        places = self.places('{env.MARK: [null, ""]}')
        self.assertEqual([None, ""], [place.environment.get("MARK") for place in places])

    def test_the_file_wins_over_the_pass_list_and_over_what_is_set_for_threads(self):
        place, = self.places('{env.HOME: /elsewhere, env.OMP_NUM_THREADS: "3"}', HOME="/nowhere")
        found = [place.environment[name] for name in ("HOME", "OMP_NUM_THREADS")]
        self.assertEqual(["/elsewhere", "3"], found)

    def test_of_one_job_is_not_seen_by_another(self):
        places = self.places("{env.ONE: [null, x], env.OTHER: [null, y]}")
        self.assertEqual([(None, None), (None, "y"), ("x", None), ("x", "y")],
                         [tuple(map(place.environment.get, ("ONE", "OTHER"))) for place in places])
        self.assertEqual(4, len({place.pid for place in places}))


class Sharing(ProbeTest):
    def expect_apart(self, places, key):
        """Each process has served jobs of one key only."""
        kinds = {}
        for place in places:
            kinds.setdefault(place.pid, set()).add(key(place))
        self.assertEqual({1}, {len(served) for served in kinds.values()}, kinds)

    def test_processes_of_a_point_are_processes(self):
        places = self.places("{a: {range: [1, 20]}}", measure=BRISK.replace("processes: 1", "processes: 3"))
        self.assertEqual(60, len(places))
        for point in range(20):
            self.assertEqual(3, len({place.pid for place in places if place.row["point"] == point}))
        self.expect_apart(places, lambda place: place.row["process"])

    def test_two_libraries_never_share_a_process(self):
        places = self.places("{blas.library: [null, libone.so, libtwo.so], a: {range: [1, 10]}}")
        self.expect_apart(places, lambda place: place.row["blas.library"])

    def test_jobs_alike_share_one_so_that_a_small_job_costs_no_process(self):
        places = self.places("{a: {range: [1, 200]}}")
        self.assertLessEqual(len({place.pid for place in places}), len(CORES))

    def test_thread_counts_do_not_share(self):
        if len(CORES) < 2:
            self.skipTest("one core")
        self.expect_apart(self.places("{threads: [1, 2], a: [1, 2, 3]}"), lambda place: place.threads)


class Cores(ProbeTest):  # labels: smoke
    def test_a_job_is_bound_to_as_many_cores_as_it_has_threads(self):
        wanted = [1, 2][:len(CORES)]
        places = self.places(f"{{threads: {wanted}, a: [1, 2, 3]}}")
        for place in places:
            threads = place.row["threads"]
            self.assertEqual((threads, threads), (place.threads, len(place.cores)))
            self.assertLessEqual(set(place.cores), set(CORES))
            self.assertEqual({str(threads)}, {place.environment[name] for name in SET})
            self.assertEqual(place.cores, cores_of(place.row["affinity"]))

    def test_the_points_of_a_block_share_them_and_the_next_block_has_others(self):
        measure = BRISK.replace("processes: 1", "processes: 3")
        threads = [1, 2][:len(CORES)]
        places = self.places(f"{{threads: {threads}, env.MARK: [x, y, z]}}", measure=measure)
        blocks = [[place for place in places if place.row["process"] == block] for block in range(3)]
        first = [{place.row["affinity"] for place in block if place.threads == 1} for block in blocks]
        self.assertEqual([1, 1, 1], [len(alone) for alone in first], first)
        if len(CORES) > 1:
            self.assertNotEqual(first[0], first[1])
        for block, (core,) in zip(blocks, first):
            for place in block:
                self.assertIn(int(core), place.cores)

    def test_only_those_that_the_run_was_given_are_used(self):
        def only_the_last():
            os.sched_setaffinity(0, {CORES[-1]})
        self.write("p.yaml", sweep_text("p", "probe", "{a: {range: [1, 5]}}"))
        self.call("run", "p.yaml", limits=only_the_last)
        rows = self.rows("p.db", "select affinity from result")
        self.assertEqual([{"affinity": str(CORES[-1])}] * 5, rows)


class Slots(ProcessTest):
    def test_die_with_the_worker_also_while_they_measure(self):
        self.write("s.yaml", sweep_text("s", "sleep", "{seconds: 300, i: [1, 2]}"))
        running = self.start("run", "s.yaml")
        self.until(self.slots, "slots")
        worker, = self.workers(running)
        os.kill(running.pid, signal.SIGSTOP)  # so that no new worker is started
        slots = self.slots()
        self.kill(worker)
        self.until(lambda: not self.slots(), f"the end of {slots}")
        os.kill(running.pid, signal.SIGKILL)

    @staticmethod
    def target(link):
        try:
            return os.readlink(link)
        except FileNotFoundError:  # closed since it was listed
            return None

    def test_have_nothing_open_but_their_own(self):
        self.write("s.yaml", sweep_text("s", "sleep", "{seconds: 300}"))
        running = self.start("run", "s.yaml")
        slot, = self.until(self.slots, "a slot")
        opened = [path for path in map(self.target, glob.glob(f"/proc/{slot}/fd/*")) if path]
        self.assertFalse([path for path in opened if ".db" in path or path.startswith(self.home)], opened)
        self.assertEqual("/dev/null", os.readlink(f"/proc/{slot}/fd/0"))
        running.signal(signal.SIGINT)
        self.assertEqual(3, running.wait())


class FromTheParent(ProcessTest):
    def test_closed_streams_and_ignored_ends_of_children_change_nothing(self):
        self.write("s.yaml", f"sweep: 1\nname: s\ncommand: echo\naxes: {{i: [1, 2]}}\n{BRISK}")
        ways = {"in": lambda: os.close(0), "all": lambda: [os.close(stream) for stream in range(3)],
                "ends": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)}
        for name, way in ways.items():
            self.call("run", "s.yaml", "--db", f"{name}.db", limits=way)
            self.assertEqual(2, self.value(f"{name}.db", "select count(*) from results where status = 'ok'"))

    @unittest.skipUnless(PYTHON, "no pack python")
    def test_a_stop_while_a_function_is_measured_is_a_doubt(self):
        self.write("f.py", textwrap.dedent('''
            import os, signal, subprocess
            def f(stops):
                calls = []
                def call():
                    calls.append(1)
                    if stops and len(calls) == 3:
                        subprocess.Popen(["sh", "-c", f"sleep 0.2; kill -CONT {os.getpid()}"])
                        os.kill(os.getpid(), signal.SIGSTOP)
                return call
            '''))
        self.write("s.yaml", "sweep: 1\nname: s\npython: f:f\naxes: {stops: [false, true]}\n"
                   "measure: {processes: 1, warmup: {min_runs: 1, min_time: 0ms}, samples: {min: 3, max: 3, "
                   "min_time: 0ms}}\nretry: {max: 0}\n")
        self.call("run", "s.yaml")
        rows = self.rows("s.db", "select grade_reasons from result join s using (result) order by stops")
        reasons = [(row["grade_reasons"] or "").split("\n") for row in rows]
        self.assertEqual([False, True], [STOPPED in lines for lines in reasons])


if __name__ == "__main__":
    unittest.main()
