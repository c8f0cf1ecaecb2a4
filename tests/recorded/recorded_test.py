"""Conversations of the versions that are understood, played against this one.

A folder here is named after the protocol of the version that was recorded: recorded.yaml is its sweep,
worker.txt what a worker and its coordinator said to each other, client.txt what a client asked. A new one
is made with a build of the version to be recorded, OLD, and `record_conversation` of any version between
them (without keys: what is recorded is what the keys protect):

    OLD/bin/kernsweep coordinator recorded.yaml --listen tcp://127.0.0.1:7001 [--insecure] &
    record_conversation tcp://127.0.0.1:7002 tcp://127.0.0.1:7001 worker.txt &
    OLD/bin/kernsweep worker --connect tcp://127.0.0.1:7002 --cores 1
"""
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import modules  # noqa: E402

sys.path[:0] = modules.folders()

from sandbox import BUILD, LIMIT_S, ProcessTest  # noqa: E402

PLAY = os.path.join(BUILD, "tests", "play_conversation")
JOBS = 12


def recorded(name):
    """Files of that name, the oldest protocol first."""
    def protocol(path):
        return [int(part) for part in os.path.basename(os.path.dirname(path)).split(".")]
    return sorted(glob.glob(os.path.join(HERE, "*", name)), key=protocol)


class RecordedTest(ProcessTest):
    def coordinate(self, recording, *arguments):
        """A coordinator of the recorded sweep, and its address."""
        with open(os.path.join(os.path.dirname(recording), "recorded.yaml"), encoding="utf-8") as sweep:
            self.write("recorded.yaml", sweep.read())
        running = self.start("coordinator", "recorded.yaml", "--listen", "tcp://127.0.0.1:*", "--insecure",
                             *arguments)

        def address():
            self.assertIsNone(running.child.poll(), running.complained())
            words = running.complained().split()
            return words[words.index("on") + 1] if "on" in words[:-1] else None
        return running, self.until(address, "the address")

    def play(self, side, recording, endpoint, *arguments):
        """What the player says; it must come to the end of the conversation."""
        done = subprocess.run([PLAY, side, recording, endpoint, *arguments], capture_output=True, text=True,
                              env=self.environment, timeout=2 * LIMIT_S, check=False)
        self.assertEqual(0, done.returncode, f"{recording}: {done.stderr}")
        return done.stdout

    def each(self, name):
        files = recorded(name)
        self.assertTrue(files, f"no {name} was recorded")
        for file in files:
            with self.subTest(file=os.path.relpath(file, HERE)):
                yield file
                for left in glob.glob(os.path.join(self.folder, "*")):
                    os.remove(left)


class Workers(RecordedTest):  # labels: sanitized
    def test_of_earlier_versions_measure_for_this_coordinator(self):
        for recording in self.each("worker.txt"):
            coordinator, address = self.coordinate(recording)
            self.assertIn(f"{JOBS} jobs answered and released", self.play("worker", recording, address))
            self.assertEqual(0, coordinator.wait(), coordinator.complained())
            self.expect_each_job_once("recorded.db", JOBS)

    def test_of_a_later_minor_version_measure_too(self):
        for recording in self.each("worker.txt"):
            coordinator, address = self.coordinate(recording)
            self.play("worker", recording, address, "999")
            self.assertEqual(0, coordinator.wait(), coordinator.complained())
            self.expect_each_job_once("recorded.db", JOBS)

    def test_of_another_major_or_a_minor_that_was_never_released_are_refused_with_what_to_install(self):
        for recording in self.each("worker.txt"):
            coordinator, address = self.coordinate(recording)
            for major, minor in (("0", "9"), ("2", "0"), ("1", "8")):
                reason = self.play("hello", recording, address, major, minor)
                self.assertRegex(reason, rf"speaks protocol {major}\.{minor} \(version .*"
                                         r"speaks 1\.\d+ \(version .*; install ")
            # It continues to wait for those that fit.
            self.play("worker", recording, address)
            self.assertEqual(0, coordinator.wait(), coordinator.complained())


class Coordinators(RecordedTest):  # labels: sanitized
    def test_of_earlier_versions_are_served_by_this_worker(self):
        for recording in self.each("worker.txt"):
            played = subprocess.Popen([PLAY, "coordinator", recording, "tcp://127.0.0.1:*"], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
            self.addCleanup(played.communicate)
            self.addCleanup(played.kill)
            address = played.stdout.readline().split()[-1]
            worker = self.start("worker", "--connect", address, "--cores", "1", "--wait", "60")
            said, complained = played.communicate(timeout=2 * LIMIT_S)
            self.assertEqual(0, played.returncode, complained + worker.complained())
            self.assertIn(f"{JOBS} jobs had their outcome", said)
            self.assertEqual(0, worker.wait(), worker.complained())
            self.expect_nobody_left()


class Clients(RecordedTest):  # labels: sanitized
    def test_of_earlier_versions_are_answered_by_this_coordinator(self):
        for recording in self.each("client.txt"):
            coordinator, address = self.coordinate(recording, "--stay")
            said = self.play("client", recording, address).splitlines()
            for question in ("submit", "status", "workers", "cancel", "explain"):
                self.assertIn(f"{question}: answered", said)
            self.kill(coordinator.pid)
            coordinator.wait()
