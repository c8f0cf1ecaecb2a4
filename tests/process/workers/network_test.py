"""A coordinator and workers over TCP on this machine."""
import os
import re
import shlex
import signal
import socket
import time
import unittest

from sandbox import SANITIZED, ProcessTest, free_port, lines_with, sweep_text

JOBS = 20
NAPS = sweep_text("naps", "sleep", f"{{seconds: 0.03, i: {{range: [1, {JOBS}]}}}}",
                  measure="measure: {processes: 1, alone_on: core, warmup: {min_time: 0ms, max_time: 1ms}, "
                          "samples: {min: 3, max: 3, min_time: 0ms}}")


class NetworkTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("naps.yaml", NAPS)

    def coordinate(self, *arguments, file=None):
        """A coordinator, and the address that it says it listens on."""
        running = self.start("coordinator", file or self.file, "--listen", "tcp://127.0.0.1:*", "--insecure",
                             *arguments)

        def address():
            self.assertIsNone(running.child.poll(), running.complained())
            words = running.complained().split()
            return words[words.index("on") + 1] if "on" in words[:-1] else None
        return running, self.until(address, "the address")

    def work(self, address, *arguments):
        return self.start("worker", "--connect", address, "--cores", "1", *arguments)

    def joined(self, coordinator, number):
        self.until(lambda: f"worker {number} joined" in coordinator.complained(), f"worker {number}")

    def at_work(self):
        """Pids of the workers that have slots."""
        return {self.parent(pid) for pid in self.slots()}

    def expect_all_done(self, coordinator, *workers):
        self.assertEqual([0] + [0] * len(workers), [one.wait() for one in (coordinator, *workers)],
                         coordinator.complained())
        self.expect_each_job_once("naps.db", JOBS)
        self.expect_nobody_left()


class Workers(NetworkTest):  # labels: waits sanitized
    def test_share_the_jobs_and_end_with_the_coordinator(self):
        coordinator, address = self.coordinate()
        self.assertRegex(address, r"^tcp://127\.0\.0\.1:\d+$")
        self.until(lambda: "workers join by" in coordinator.complained(), "how to join")
        self.assert_golden("how to join", lines_with(address, coordinator.complained()))
        workers = [self.work(address) for _ in range(2)]
        worked = set()

        def both_worked():
            worked.update(self.at_work())
            return worked >= {worker.pid for worker in workers}
        self.until(both_worked, "slots of both workers")
        self.expect_all_done(coordinator, *workers)

    def test_may_come_before_the_coordinator(self):
        port = free_port()
        worker = self.work(f"tcp://127.0.0.1:{port}")
        coordinator = self.start("coordinator", self.file, "--listen", f"tcp://127.0.0.1:{port}",
                                 "--insecure")
        self.expect_all_done(coordinator, worker)

    def test_may_join_late(self):
        coordinator, address = self.coordinate("-a", f"seconds={0.5 if SANITIZED else 0.1}")
        first = self.work(address)
        self.until(lambda: self.count_of("naps.db") >= 2, "the first results")
        late = self.work(address)
        self.until(lambda: late.pid in self.at_work(), "a slot of the late worker")
        self.expect_all_done(coordinator, first, late)

    def test_tell_which_parameters_are_the_problem(self):
        coordinator, address = self.coordinate()
        told = "select name, problem from sweep_column order by position"
        before = {row["name"]: row["problem"] for row in self.rows("naps.db", told)}
        self.assertEqual({"seconds": None, "i": None}, before, "no kernel is known yet")
        self.expect_all_done(coordinator, self.work(address))
        self.assertEqual({"seconds": 1, "i": 1}, {row["name"]: row["problem"]
                                                  for row in self.rows("naps.db", told)})

    def test_that_are_killed_leave_their_jobs_to_the_others(self):
        coordinator, address = self.coordinate()
        workers = [self.work(address) for _ in range(2)]
        for number in (1, 2):
            self.joined(coordinator, number)
        self.until(lambda: workers[0].pid in self.at_work(), "a slot of the first")
        workers[0].signal(signal.SIGKILL)
        self.assertEqual(-signal.SIGKILL, workers[0].wait())
        self.expect_all_done(coordinator, workers[1])
        lost = self.rows("naps.db", "select distinct status, final from attempt where status <> 'ok'")
        self.assertIn(lost, ([], [{"status": "worker_lost", "final": 0}]))
        self.assertEqual(["joined", "joined", "lost"], self.events("naps.db")[:3])

    def test_that_were_killed_are_not_waited_for_at_the_end(self):
        coordinator, address = self.coordinate()
        killed, other = [self.work(address) for _ in range(2)]
        for number in (1, 2):
            self.joined(coordinator, number)
        killed.signal(signal.SIGKILL)
        killed.wait()
        self.assertEqual(0, other.wait(), other.complained())
        told = time.monotonic()
        self.assertEqual(0, coordinator.wait(), coordinator.complained())
        self.assertLess(time.monotonic() - told, 2.0, "it waited for who cannot come: that takes 3 s")

    def test_that_are_stopped_say_goodbye_and_their_jobs_go_on_elsewhere(self):
        coordinator, address = self.coordinate()
        workers = [self.work(address) for _ in range(2)]
        for number in (1, 2):
            self.joined(coordinator, number)
        workers[0].signal(signal.SIGINT)
        self.assertEqual(0, workers[0].wait())
        self.expect_all_done(coordinator, workers[1])
        self.assertEqual(["joined", "joined", "draining", "drained"], self.events("naps.db")[:4])

    def test_outlive_a_coordinator_that_is_killed_and_serve_the_next_one(self):
        port = free_port()
        listen = ("coordinator", self.file, "--listen", f"tcp://127.0.0.1:{port}", "--insecure")
        first = self.start(*listen)
        worker = self.work(f"tcp://127.0.0.1:{port}")
        self.until(lambda: self.count_of("naps.db") >= 3, "the first results")
        first.signal(signal.SIGKILL)
        first.wait()
        self.assertIsNone(worker.child.poll())
        self.expect_all_done(self.start(*listen), worker)

    def test_are_back_soon_after_a_coordinator_that_was_away_for_long(self):
        address = f"tcp://127.0.0.1:{free_port()}"
        listen = ("coordinator", self.file, "--listen", address, "--insecure", "-a", "seconds=0.1")
        first, worker = self.start(*listen), self.work(address)
        self.until(lambda: self.count_of("naps.db") >= 1, "a result")
        first.signal(signal.SIGKILL)
        first.wait()
        away = time.monotonic()
        self.until(lambda: time.monotonic() - away > 5, "pauses that have grown")
        second = self.start(*listen)
        self.until(lambda: "listening on" in second.complained(), "the address")
        begun = time.monotonic()
        self.until(lambda: " joined" in second.complained(), "the worker")
        self.assertLess(time.monotonic() - begun, 5.0 if SANITIZED else 1.5)
        second.signal(signal.SIGINT)
        second.wait()
        self.assertEqual(0, worker.wait(), worker.complained())

    def test_with_nobody_at_the_address_give_up_when_told_to(self):
        answer = self.call("worker", "--connect", f"tcp://127.0.0.1:{free_port()}", "--wait", "1", status=1)
        self.assert_golden("nobody", answer.errors)

    def test_say_whom_they_look_for_and_that_they_have_joined(self):
        address = f"tcp://127.0.0.1:{free_port()}"
        worker = self.work(address)
        self.until(lambda: worker.complained(), "a word")
        self.assert_golden("looking", worker.complained().split("\n")[0])
        coordinator = self.start("coordinator", self.file, "--listen", address, "--insecure")
        self.expect_all_done(coordinator, worker)
        told = worker.complained().splitlines()
        self.assert_golden("joined", told[1])

    def test_say_that_they_have_lost_the_coordinator_and_that_they_are_back(self):
        address = f"tcp://127.0.0.1:{free_port()}"
        listen = ("coordinator", self.file, "--listen", address, "--insecure")
        first, worker = self.start(*listen), self.work(address)
        self.until(lambda: self.count_of("naps.db") >= 1, "a result")
        first.signal(signal.SIGKILL)
        first.wait()
        self.until(lambda: "lost the coordinator" in worker.complained(), "that it is lost")
        self.expect_all_done(self.start(*listen), worker)
        told = [" ".join(line.split()[2:5]) for line in worker.complained().splitlines()]
        self.assertEqual(["joined the coordinator", "lost the coordinator;", "back at the"], told[:3])

    def test_offer_no_more_cores_than_there_are(self):
        answer = self.call("worker", "--connect", "tcp://127.0.0.1:1", "--cores", "100000", status=2)
        self.assert_golden("too many", answer.errors, cores=r"(?<=the )\d+|(?<=has )\d+")

    def test_offer_at_least_one_core(self):
        answer = self.call("worker", "--connect", "tcp://127.0.0.1:1", "--cores", "0", status=2)
        self.assert_golden("none", answer.errors)


class Coordinator(NetworkTest):  # labels: waits
    def test_with_nothing_left_to_do_ends_without_a_worker(self):
        coordinator, address = self.coordinate()
        self.expect_all_done(coordinator, self.work(address))
        again = self.call("coordinator", self.file, "--listen", "tcp://127.0.0.1:*", "--insecure")
        self.assert_golden("nothing to do", again.out.split("\n")[0])

    def test_that_shall_stay_stays(self):
        coordinator, address = self.coordinate("--stay")
        worker = self.work(address)
        self.until(lambda: self.count_of("naps.db") == JOBS, "all results")
        late = self.work(address)
        self.joined(coordinator, 2)
        self.assertEqual([None] * 3, [one.child.poll() for one in (coordinator, worker, late)])
        coordinator.signal(signal.SIGINT)
        self.assertEqual([0, 0], [one.wait() for one in (worker, late)])
        self.assertEqual(0, coordinator.wait(), coordinator.complained())
        self.expect_each_job_once("naps.db", JOBS)
        self.expect_nobody_left()

    def test_that_was_stopped_prints_the_command_that_goes_on(self):
        file = self.write("some naps.yaml", NAPS)
        coordinator, address = self.coordinate("--again", "--set", "seed=7", file=file)
        worker = self.work(address)
        self.until(lambda: self.count_of("naps.db") >= 2, "the first results")
        coordinator.signal(signal.SIGINT)
        self.assertEqual([3, 0], [coordinator.wait(), worker.wait()], coordinator.complained())
        told = re.search(r"To continue: kernsweep (.*)\n", coordinator.said()).group(1)
        self.assertEqual(["coordinator", file, "--listen", "tcp://127.0.0.1:*", "--insecure", "--set",
                          "seed=7"], shlex.split(told))
        again = self.start(*shlex.split(told))
        address = self.until(lambda: re.search(r"listening on (\S+)", again.complained()), "it").group(1)
        self.expect_all_done(again, self.work(address))
        self.assertEqual(1, self.count_of("naps.db", "sweep"))

    def test_is_not_hurt_by_garbage(self):
        coordinator, address = self.coordinate()
        port = int(address.rpartition(":")[2])
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL".ljust(55, b"\0")
        for rubbish in (b"", b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 64, b"\xff" * 100000, greeting,
                        greeting + b"\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06DEALER\x00\x05hello"):
            with socket.create_connection(("127.0.0.1", port)) as one:
                try:
                    one.sendall(rubbish)
                except OSError:  # it may hang up at once
                    pass
        open_one = socket.create_connection(("127.0.0.1", port))
        self.addCleanup(open_one.close)
        self.expect_all_done(coordinator, self.work(address))

    def test_does_not_listen_to_the_world_without_being_told(self):
        for everywhere in ("tcp://0.0.0.0:*", "tcp://*:*", "tcp://[::]:*"):
            answer = self.call("coordinator", self.file, "--listen", everywhere, "--insecure", status=2)
            self.assert_golden(everywhere, answer.errors)
            self.assertEqual(["naps.yaml"], self.files())

    def test_says_which_address_it_cannot_have(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            answer = self.call("coordinator", self.file, "--listen", address, status=2)
            self.assert_golden("taken", answer.errors)
        for wrong in ("127.0.0.1:7777", "tcp://127.0.0.1", "tcp://127.0.0.1:port", "nonsense"):
            answer = self.call("coordinator", self.file, "--listen", wrong, status=2)
            self.assert_golden(wrong, answer.errors)
        self.assertEqual(["naps.yaml"], self.files())


class Unplaceable(NetworkTest):  # labels: smoke
    def test_jobs_get_a_row_with_the_reason(self):
        self.write("u.yaml", sweep_text("u", "noop", "{threads: [1, 64000]}"))
        self.call("run", "u.yaml", status=1)
        rows = self.rows("u.db", "select threads, status, reason, grade from u order by point")
        self.assertEqual([(1, "ok"), (64000, "unplaceable")],
                         [(row["threads"], row["status"]) for row in rows])
        self.assertIn("64000", rows[1]["reason"])
        self.assertIn(str(len(os.sched_getaffinity(0))), rows[1]["reason"])

    def test_jobs_name_the_requirement_that_no_host_meets(self):
        self.write("u.yaml", sweep_text("u", "noop", "{a: [1, 2]}",
                                        "requires: [a * 10**6 < host.cores + 10**6]"))
        self.call("run", "u.yaml", status=1)
        rows = self.rows("u.db", "select a, status, reason from u order by point")
        self.assertEqual([(1, "ok"), (2, "unplaceable")], [(row["a"], row["status"]) for row in rows])
        self.assertIn("a * 10**6 < host.cores + 10**6", rows[1]["reason"])

    def test_jobs_are_tried_when_a_host_that_fits_joins(self):
        self.write("u.yaml", sweep_text("u", "noop", "{threads: [1, 2]}"))
        coordinator, address = self.coordinate("--stay", file="u.yaml")
        small = self.work(address)
        self.until(lambda: self.count_of("u.db") == 1, "the job that fits")
        if len(os.sched_getaffinity(0)) >= 2:
            self.start("worker", "--connect", address, "--cores", "2")
            self.until(lambda: self.rows("u.db", "select 1 from u where threads = 2 and status = 'ok'"),
                       "the job that needs two cores")
        coordinator.signal(signal.SIGINT)
        coordinator.wait()
        self.assertEqual(0, small.wait())
        self.expect_nobody_left()

    def test_jobs_are_told_while_the_host_that_fits_may_still_join(self):
        self.write("t.yaml", sweep_text("t", "noop", "{a: [7], i: [1, 2]}", "requires: [host.rack == a]"))
        coordinator, address = self.coordinate(file="t.yaml")
        workers = [self.work(address, "--tag", "rack=6")]
        self.until(lambda: "no host that has joined" in coordinator.complained(), "what waits")
        told = lines_with("no host that has joined", coordinator.complained())
        self.assert_golden("while they wait", told)
        workers.append(self.work(address, "--tag", "rack=7"))
        ends = [one.wait() for one in (coordinator, *workers)]
        self.assertEqual([0, 0, 0], ends, coordinator.complained())


if __name__ == "__main__":
    unittest.main()
