#!/usr/bin/env python3
"""Runs the same jobs by Kernsweep and by others, on two cores of this machine, and prints jobs per second.

    rivals.py BUILD [--rounds 5] [--true 1000] [--sleeps 100] [--only kernsweep,dask]

BUILD is a release build. Two kinds of job: /bin/true, which shows what a job costs, and 0.1 s of sleep,
which shows how well two workers are kept at work (the time it took over the shortest possible one). Each
round runs every system once, in an order of its own; what is printed are medians of the rounds.

What counts as the time: from the moment at which the jobs are submitted, with the workers already running,
until the last one has ended. For Kernsweep, GNU parallel and the bare loop it is the whole command, its
start and end included; Kernsweep's rows are then committed in its database, which the others do not do
here.

A system that is not installed is left out: pip install hyperqueue dask distributed parsl ray; apt-get
install parallel.
"""
import argparse
import logging
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TRUE = ["/bin/true"]
SLEEP = ["/bin/sleep", "0.1"]
WORKERS = 2


def run_command(command):
    import os  # pylint: disable=import-outside-toplevel,redefined-outer-name,reimported; runs elsewhere, too
    return os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)[1])


class Bare:
    """Two processes, each a loop of posix_spawn and waitpid: nothing is kept, nothing can be lost."""

    def __init__(self, build):
        self.program = os.path.join(build, "tests", "bench_bare_loop")

    def run(self, command, count):
        subprocess.run([self.program, str(WORKERS), str(count), *command], check=True)


class Kernsweep:
    SWEEP = """sweep: 1
name: rival
command: {command}
axes: {{i: {{range: [1, {count}]}}}}
verify: false
measure: {{processes: 1, alone_on: core, warmup: {{min_runs: 0, min_time: 0ms, max_time: 0ms}},
           samples: {{min: 1, max: 1, min_time: 0ms}}}}
"""

    def __init__(self, build):
        self.program = os.path.join(build, "bin", "kernsweep")

    def run(self, command, count):
        with tempfile.TemporaryDirectory() as folder:
            sweep = os.path.join(folder, "rival.yaml")
            with open(sweep, "w", encoding="utf-8") as file:
                file.write(self.SWEEP.format(command=" ".join(command), count=count))
            subprocess.run([self.program, "run", sweep, "--quiet", "--db", os.path.join(folder, "rival.db")],
                           check=True, cwd=folder, stdout=subprocess.DEVNULL)


class Parallel:
    def run(self, command, count):
        subprocess.run(["parallel", "-j", str(WORKERS), "-n0", *command], check=True, text=True,
                       input="\n".join(map(str, range(count))) + "\n")


class HyperQueue:
    def __init__(self):
        from hyperqueue import Job, LocalCluster
        from hyperqueue.cluster import WorkerConfig
        self.job = Job
        self.cluster = LocalCluster()
        self.cluster.start_worker(WorkerConfig(cores=WORKERS))
        self.client = self.cluster.client()

    def run(self, command, count):
        job = self.job()
        for _ in range(count):
            job.program(command, stdout=None, stderr=None)
        self.client.wait_for_jobs([self.client.submit(job)])

    def close(self):
        self.cluster.stop()


class Dask:
    def __init__(self):
        from distributed import Client, LocalCluster
        self.cluster = LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None)
        self.client = Client(self.cluster)

    def run(self, command, count):
        self.client.gather(self.client.map(lambda _: run_command(command), range(count), pure=False))

    def close(self):
        self.client.close()
        self.cluster.close()


class Ray:
    def __init__(self):
        import ray
        self.ray = ray
        ray.init(num_cpus=WORKERS, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
        self.task = ray.remote(run_command)

    def run(self, command, count):
        self.ray.get([self.task.remote(command) for _ in range(count)])

    def close(self):
        self.ray.shutdown()


class Parsl:
    def __init__(self):
        # It starts programs of its own.
        os.environ["PATH"] = os.path.dirname(sys.executable) + ":" + os.environ["PATH"]
        import parsl
        from parsl.config import Config
        from parsl.executors import HighThroughputExecutor
        from parsl.providers import LocalProvider
        self.parsl = parsl
        self.folder = tempfile.mkdtemp()
        parsl.load(Config(run_dir=self.folder, executors=[HighThroughputExecutor(
            max_workers_per_node=WORKERS, address="127.0.0.1", provider=LocalProvider(init_blocks=1))]))
        self.app = parsl.python_app(run_command)

    def run(self, command, count):
        for future in [self.app(command) for _ in range(count)]:
            future.result()

    def close(self):
        self.parsl.dfk().cleanup()
        self.parsl.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


class SlurmArray:
    """A job array in a cluster that runs already."""

    def run(self, command, count):
        subprocess.run(["sbatch", "--wait", "--quiet", "-n1", f"--array=0-{count - 1}%{WORKERS}",
                        "-o", "/dev/null", "--wrap", " ".join(command)], check=True)


def systems(build):
    return {"bare": lambda: Bare(build), "kernsweep": lambda: Kernsweep(build), "parallel": Parallel,
            "hyperqueue": HyperQueue, "dask": Dask, "ray": Ray, "parsl": Parsl, "slurm": SlurmArray}


def present(name):
    needed = {"parallel": ["parallel", "--version"], "slurm": ["sinfo"]}.get(name)
    if not needed:
        return True  # a module reports it itself
    return shutil.which(needed[0]) is not None and \
        subprocess.run(needed, capture_output=True, check=False).returncode == 0


def start(build, only):
    """The systems that can be started, and why others cannot."""
    started = {}
    for name, make in systems(build).items():
        if only and name not in only:
            continue
        if not present(name):
            print(f"left out: {name} (not installed, or no cluster runs)", file=sys.stderr)
            continue
        try:
            started[name] = make()
            started[name].run(TRUE, WORKERS)  # workers and modules are there
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
            started.pop(name, None)
    return started


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--true", type=int, default=1000, dest="count")
    parser.add_argument("--sleeps", type=int, default=100)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    started = start(os.path.abspath(asked.build), set(asked.only.split(",")) - {""})
    times = {name: {"true": [], "sleep": []} for name in started}
    for _ in range(asked.rounds):
        for name in random.sample(list(started), len(started)):
            for kind, command, count in (("true", TRUE, asked.count), ("sleep", SLEEP, asked.sleeps)):
                began = time.monotonic()
                started[name].run(command, count)
                times[name][kind].append(time.monotonic() - began)
    for system in started.values():
        getattr(system, "close", lambda: None)()
    bare = statistics.median(times["bare"]["true"]) if "bare" in times else None
    ideal = 0.1 * asked.sleeps / WORKERS
    print("| system | /bin/true, jobs/s | its time over the bare loop's | 0.1 s: time over the shortest |\n"
          "|---|---|---|---|")
    for name, kinds in times.items():
        took = statistics.median(kinds["true"])
        ratio = f"{took / bare:.2f}" if bare else "-"
        asleep = statistics.median(kinds["sleep"]) / ideal
        print(f"| {name} | {asked.count / took:,.0f} | {ratio} | {asleep:.3f} |")


if __name__ == "__main__":
    main()
