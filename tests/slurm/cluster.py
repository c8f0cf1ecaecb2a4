"""A Slurm cluster of two nodes on this machine, from Debian's own daemons, for one test and in its folder.

slurmctld, two slurmd that call themselves n1 and n2, and the munged by which they know each other. None is
configured on the machine, none outlives the test, and no file is outside the test's folder. Any user may run
it: the daemons are that user's. Times are shorter than a cluster would set them, so that a lost node is
noticed in seconds.
"""
import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import modules  # noqa: E402

sys.path[:0] = modules.folders()

from sandbox import ProcessTest, free_port, read_bytes  # noqa: E402

SKIPPED = 77  # what ctest takes for "skipped"
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
NODES = ("n1", "n2")

CONFIGURATION = """\
ClusterName=kernsweep
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CryptoType=crypto/munge
# A job that is queued again waits until its credentials have expired; less than 5 s means 120 s.
AuthInfo=socket={home}/munge.socket,cred_expire=5
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool-%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd-%n.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=5
KillWait=5
MinJobAge=300
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2
PartitionName=test Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def what_is_missing(programs):
    return [program for program in programs if not shutil.which(program, path=PATH)]


def skip_without(*programs):
    """Ends the program, as skipped and with the reason, where one of these is not installed."""
    missing = what_is_missing(programs)
    if missing:
        print(f"skipped: {', '.join(missing)} not installed here; cmake/packages.txt, group cluster, lists "
              "what these tests need")
        sys.exit(SKIPPED)


class ClusterTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.daemons = {}
        self.slurm = os.path.join(self.home, "slurm")
        os.mkdir(self.slurm)
        os.mkdir(os.path.join(self.slurm, "state"))
        for node in NODES:
            os.mkdir(os.path.join(self.slurm, f"spool-{node}"))
        self.environment.update(SLURM_CONF=os.path.join(self.slurm, "slurm.conf"), PATH=PATH)
        for name in list(self.environment):  # those of a job in which the tests themselves may run
            if name.startswith(("SLURM_", "SBATCH_", "SRUN_")) and name != "SLURM_CONF":
                del self.environment[name]
        self.addCleanup(self.stop_daemons)  # before what is left is killed
        self.start_cluster()

    def start_cluster(self):
        key = os.path.join(self.slurm, "munge.key")
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(os.urandom(128))
        with open(self.environment["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], home=self.slurm,
                                            user=getpass.getuser(), ports=[free_port() for _ in range(3)]))
        self.daemon("munged", "munged", "--foreground", "--force", "--num-threads=2", f"--key-file={key}",
                    *[f"--{what}-file={self.slurm}/munge.{what}" for what in ("pid", "log", "seed")],
                    f"--socket={self.slurm}/munge.socket")
        self.until(lambda: os.path.exists(os.path.join(self.slurm, "munge.socket")), "munged")
        self.daemon("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.daemon(node, "slurmd", "-D", "-N", node)
        self.until(self.is_idle, "two idle nodes")

    def is_idle(self):
        for name, daemon in self.daemons.items():
            if daemon.poll() is not None:
                said = read_bytes(os.path.join(self.slurm, f"{name}.said")).decode()
                self.fail(f"{name} has ended:\n{said}")
        return self.tell("sinfo", "-h", "-N", "-o", "%N %T").split() == ["n1", "idle", "n2", "idle"]

    def daemon(self, name, *words):
        with open(os.path.join(self.slurm, f"{name}.said"), "wb") as said:
            self.daemons[name] = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                                  stdout=said, stderr=said, cwd=self.slurm)

    def stop_daemons(self):
        if self.daemons.get("slurmctld"):
            self.tell("scancel", "-u", getpass.getuser())
        for daemon in reversed(self.daemons.values()):
            daemon.kill()
            daemon.wait()

    # Asking.

    def tell(self, *words, status=None):
        done = subprocess.run(words, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", timeout=60)
        if status is not None:
            self.assertEqual(status, done.returncode, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def submit(self, *words):
        """`kernsweep slurm`; the job's number."""
        answer = self.call("slurm", *words)
        return re.match(r"Submitted job (\d+) by ", answer.out)[1]

    def job(self, number):
        """Slurm's data of a job: {"JobState": "RUNNING", ...}."""
        told = self.tell("scontrol", "show", "job", "-o", number).splitlines()
        return dict(word.split("=", 1) for word in told[0].split() if "=" in word) if told else {}

    def log(self, number, name="naps"):
        return read_bytes(os.path.join(self.folder, f"{name}-{number}.log")).decode("utf-8", "replace")

    def ended(self, number):
        """Waits until the job has ended and what it was is gone; its last state."""
        over = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")
        return self.until(lambda: self.job(number).get("JobState") in over and self.job(number),
                          f"the end of job {number}; its log:\n{self.log(number)}")

    def expect_ended(self, number, state, status):
        job = self.ended(number)
        self.assertEqual((state, f"{status}:0"), (job["JobState"], job["ExitCode"]), self.log(number))

    def on_node(self, node):
        """Processes of jobs on this node, and the daemons that watch them there."""
        found = set()
        for pid in self.ours():
            if f"SLURMD_NODENAME={node}".encode() in read_bytes(f"/proc/{pid}/environ").split(b"\0"):
                found.add(pid)
        watching = {self.parent(pid) for pid in found}
        return found | {pid for pid in watching if b"slurmstepd" in read_bytes(f"/proc/{pid}/cmdline")}

    def lose_node(self, node):
        """As if its plug were pulled."""
        for pid in [self.daemons[node].pid, *self.on_node(node)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.daemons.pop(node).wait()

    def expect_no_job_processes(self):
        self.until(lambda: not [pid for node in NODES for pid in self.on_node(node)],
                   "the end of all processes")
