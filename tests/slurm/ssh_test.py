"""Workers by ssh, on a real sshd of this machine that accepts only the test."""
import getpass
import os
import shutil
import signal
import stat
import subprocess
import unittest
import unittest.mock

from cluster import PATH, skip_without

from sandbox import BUILD, ProcessTest, free_port, read_bytes, sweep_text

JOBS = 16
NAPS = sweep_text("naps", "sleep", f"{{seconds: 0.05, i: {{range: [1, {JOBS}]}}}}",
                  measure="measure: {processes: 1, alone_on: core, warmup: {min_time: 0ms, max_time: 1ms}, "
                          "samples: {min: 3, max: 3, min_time: 0ms}}")
LOCAL = ("--listen", "tcp://127.0.0.1:*")


class SshTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.write("naps.yaml", NAPS)
        self.far = os.path.join(self.home, "far")  # the home folder at the other end
        self.keys = os.path.join(self.home, "keys")
        os.mkdir(self.far)
        os.mkdir(self.keys, 0o700)
        self.port = self.start_sshd()
        self.install()

    def start_sshd(self):
        for name in ("host", "ours", "stranger"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.keys}/{name}"],
                           check=True, stdin=subprocess.DEVNULL)
        shutil.copy(os.path.join(self.keys, "ours.pub"), os.path.join(self.keys, "authorized_keys"))
        port = free_port()
        with open(os.path.join(self.keys, "sshd_config"), "w", encoding="utf-8") as file:
            file.write(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.keys}/host\nPidFile none\n"
                       f"AuthorizedKeysFile {self.keys}/authorized_keys\nStrictModes no\nUsePAM no\n"
                       "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n"
                       f"MaxStartups 100\nSetEnv \"HOME={self.far}\" \"TMPDIR={self.home}\" "
                       f"\"KERNSWEEP_PACKS={self.environment['KERNSWEEP_PACKS']}\"\n")
        # The first ssh in PATH is the real one, with the keys and known hosts of this test.
        folder = os.path.join(self.home, "bin")
        os.mkdir(folder)
        with open(os.path.join(self.keys, "known_hosts"), "w", encoding="utf-8") as file:
            file.write(f"[127.0.0.1]:{port} " + read_bytes(f"{self.keys}/host.pub").decode())
        with open(os.path.join(self.keys, "config"), "w", encoding="utf-8") as file:
            file.write(f"IdentityFile {self.keys}/ours\nIdentitiesOnly yes\n"
                       f"UserKnownHostsFile {self.keys}/known_hosts\n")
        with open(os.open(os.path.join(folder, "ssh"), os.O_CREAT | os.O_WRONLY, 0o755), "w",
                  encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {shutil.which('ssh')} -F {self.keys}/config \"$@\"\n")
        self.environment["PATH"] = folder + ":" + PATH
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # where sshd of root locks its children in
        words = [shutil.which("sshd", path=PATH), "-D", "-e", "-f", f"{self.keys}/sshd_config"]
        with open(os.path.join(self.logs, "sshd"), "wb") as said:
            sshd = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=said)
        self.addCleanup(sshd.wait)
        self.addCleanup(sshd.kill)

        def listens():
            said = read_bytes(os.path.join(self.logs, "sshd"))
            self.assertIsNone(sshd.poll(), said)
            return b"Server listening" in said
        self.until(listens, "sshd")
        return port

    def install(self):
        """An installation as a package makes it: what is started here runs from there."""
        self.installed = os.path.join(self.home, "installed")
        for part in ("bin/kernsweep", "libexec/kernsweep/kernsweep-slot", "lib/kernsweep/packs/sleep.so"):
            os.makedirs(os.path.dirname(os.path.join(self.installed, part)), exist_ok=True)
            shutil.copy(os.path.join(BUILD, part), os.path.join(self.installed, part))

    def hosts(self, *lines):
        here = f"{getpass.getuser()}@127.0.0.1:{self.port}"
        return self.write("hosts.txt", "\n".join(lines).replace("HERE", here) + "\n")

    def run_ssh(self, *words):
        with unittest.mock.patch("sandbox.PROGRAM", os.path.join(self.installed, "bin", "kernsweep")):
            return self.start("ssh", *words)

    def far_files(self, *below):
        folder = os.path.join(self.far, ".cache", "kernsweep", *below)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def workers(self):
        """At the other end: those that run from what was copied there."""
        return [pid for pid in self.ours("worker --join") if self.program_of(pid).startswith(self.far)]

    def expect_clean_end(self):
        self.until(lambda: not self.workers() and not self.slots(), "the end of all workers")
        self.until(lambda: not self.far_files("join"), "the end of the join files")


class Hosts(SshTest):  # labels: waits
    def test_get_program_and_join_file_and_measure(self):
        hosts = self.hosts("# two", "HERE --cores 1", "HERE  --cores 1 # x")
        running = self.run_ssh("naps.yaml", "--hosts", hosts, *LOCAL)
        self.until(lambda: len(self.workers()) == 2 or running.child.poll() is not None, "two workers")
        self.assertIsNone(running.child.poll(), running.complained())
        join, *_ = self.far_files("join")
        path = os.path.join(self.far, ".cache", "kernsweep", "join", join)
        self.assertEqual(0o600, stat.S_IMODE(os.stat(path).st_mode))
        self.assertEqual(0, running.wait(), running.complained())
        self.expect_each_job_once("naps.db", JOBS)
        self.expect_clean_end()

        version, = [name for name in self.far_files() if name != "join"]
        (package,) = self.far_files(version)  # and nothing incomplete next to it
        self.assertRegex(package, r"^[0-9a-f]{64}$")
        program = os.path.join(self.far, ".cache", "kernsweep", version, package, "bin", "kernsweep")
        first = os.stat(program)
        again = self.run_ssh("naps.yaml", "--hosts", "hosts.txt", "--db", "again.db", *LOCAL)
        self.assertEqual(0, again.wait(), again.complained())
        self.assertEqual([package], self.far_files(version))
        self.assertEqual(first.st_ino, os.stat(program).st_ino, "copied although it was there")

    def test_that_fail_are_named_and_the_others_go_on(self):
        dead = free_port()
        running = self.run_ssh("naps.yaml", "--hosts", self.hosts("HERE --cores 1", f"127.0.0.1:{dead}",
                                                                  "HERE --cores 100000"), *LOCAL)
        self.assertEqual(0, running.wait(), running.complained())
        self.expect_each_job_once("naps.db", JOBS)
        told = running.complained()
        self.assertRegex(told, rf"(?m)^127\.0\.0\.1:{dead}: ssh failed with status 255:\n +.*refused")
        self.assertRegex(told, r"(?m)^\S+: the worker failed with status 2:\n(.*\n)*? +.*--cores 100000")
        self.expect_clean_end()

    def test_with_options_that_no_worker_has_are_told_before_anything_starts(self):
        running = self.run_ssh("naps.yaml", "--hosts", self.hosts("HERE", "HERE --core 1"), *LOCAL)
        self.assertEqual(2, running.wait())
        self.assertIn("hosts.txt, line 2: kernsweep worker: there is no option '--core'; did you mean "
                      "'--cores'?", running.complained())
        self.assertFalse(os.path.exists(os.path.join(self.folder, "naps.db")))

    def test_whose_shell_ends_early_say_what_it_printed(self):
        cases = {"echo this account is closed; exit 0":
                     "(?m) with status 0 before .*:\n +this account is closed$",
                 "echo no more >&2; exit 3": "(?m) with status 3 before .*:\n +no more$",
                 "exit 0": "(?m) with status 0 before it ran a command; .*ForceCommand of its sshd$",
                 "printf 'last words'; case $SSH_ORIGINAL_COMMAND in *worker*) exit 0;; "
                 "*) eval \"$SSH_ORIGINAL_COMMAND\";; esac":
                     "(?m)the shell of the host ended before the worker had:\n +last words$"}
        key = read_bytes(os.path.join(self.keys, "ours.pub")).decode()
        hosts = self.hosts("HERE --cores 1")
        for forced, expected in cases.items():
            escaped = forced.replace('"', '\\"')
            with open(os.path.join(self.keys, "authorized_keys"), "w", encoding="utf-8") as file:
                file.write(f'command="{escaped}" {key}')
            running = self.run_ssh("naps.yaml", "--hosts", hosts, *LOCAL)
            self.assertEqual(3, running.wait(), running.complained())
            self.assertRegex(running.complained(), expected)

    def test_that_all_fail_end_the_sweep_and_it_can_go_on(self):
        os.remove(os.path.join(self.keys, "authorized_keys"))
        running = self.run_ssh("naps.yaml", "--hosts", self.hosts("HERE"), *LOCAL)
        self.assertEqual(3, running.wait(), running.complained())
        self.assertIn("Permission denied", running.complained())
        self.assertIn("no host is left", running.complained())

    def test_work_for_a_coordinator_elsewhere(self):
        coordinator = self.start("coordinator", "naps.yaml", *LOCAL, "--join", "here.join")
        self.until(lambda: os.path.exists(os.path.join(self.folder, "here.join")), "the join file")
        running = self.run_ssh("--join", "here.join", "--worker", "--cores 1", "--hosts", self.hosts("HERE"))
        self.assertEqual([0, 0], [coordinator.wait(), running.wait()], running.complained())
        self.expect_each_job_once("naps.db", JOBS)
        self.expect_clean_end()

    def test_are_refused_a_build_tree_and_told_of_the_package(self):
        answer = self.call("ssh", "naps.yaml", "--hosts", self.hosts("HERE"), status=2)
        self.assertIn("cpack -G TGZ", answer.errors)
        self.assertEqual([], self.far_files())


class Workers(SshTest):  # labels: waits
    def under_way(self):
        hosts = self.hosts("HERE --cores 1")
        running = self.run_ssh("naps.yaml", "-a", "seconds=0.2", "--hosts", hosts, *LOCAL)
        self.until(lambda: self.count_of("naps.db") >= 2 and self.workers() or
                   running.child.poll() is not None, "the first results")
        self.assertIsNone(running.child.poll(), running.complained())
        return running

    def test_end_by_ctrl_c(self):
        running = self.under_way()
        running.signal(signal.SIGINT)
        self.assertEqual(3, running.wait(), running.complained())
        self.assertRegex(running.said(), r"To continue: kernsweep ssh naps.yaml .*--hosts hosts.txt")
        self.assertLess(self.count_of("naps.db"), JOBS)
        self.expect_clean_end()

    def test_end_when_the_launcher_is_killed(self):
        running = self.under_way()
        running.signal(signal.SIGKILL)
        running.wait()
        self.expect_clean_end()


if __name__ == "__main__":
    skip_without("sshd", "ssh", "ssh-keygen", "tar", "sha256sum")
    unittest.main()
