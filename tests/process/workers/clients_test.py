"""A coordinator to which clients bring sweeps, asked from outside."""
import os
import re
import resource
import signal
import unittest

from raw_peer import ANSWER, REQUEST, RawPeer, fields, message_of, told
from sandbox import BRISK, LIMIT_S, ProcessTest, lines_with, sweep_text

# Numbers of fields of a request and its answer (shared/wire/client.proto).
SUBMIT, ASK_STATUS, CANCEL = 2, 3, 5
ERROR, STATUS, DONE = 2, 4, 7


def naps(name, jobs, seconds=0.03):
    return sweep_text(name, "sleep", f"{{seconds: {seconds}, i: {{range: [1, {jobs}]}}}}",
                      measure="measure: {processes: 1, alone_on: core, warmup: {min_time: 0ms, "
                              "max_time: 1ms}, samples: {min: 3, max: 3, min_time: 0ms}}")


class ClientsTest(ProcessTest):
    def coordinate(self, *arguments):
        """A coordinator without a sweep of its own, and its address."""
        running = self.start("coordinator", "--db", "all.db", "--listen", "tcp://127.0.0.1:*", "--insecure",
                             *arguments)

        def address():
            self.assertIsNone(running.child.poll(), running.complained())
            found = re.search(r"listening on (tcp://\S+)", running.complained())
            return found and found.group(1)
        return running, self.until(address, "the address")

    def work(self, address, *arguments):
        return self.start("worker", "--connect", address, "--cores", "1", *arguments)

    def under_way(self, jobs):
        """A coordinator, its address and its only worker, which has brought the first results of sweep a."""
        coordinator, address = self.coordinate()
        self.write("a.yaml", naps("a", jobs))
        self.ask(address, "submit", "a.yaml")
        worker = self.work(address)
        self.until(lambda: self.accepted("a") >= 2, "the first results")
        return coordinator, address, worker

    def ask(self, address, command, *arguments, status=0):
        return self.call(command, *arguments, "--connect", address, status=status)

    def states(self, address):
        told = self.ask(address, "status", "--json").json()
        return {sweep["sweep"]: sweep["state"] for sweep in told["sweeps"]}

    def stop(self, coordinator, *workers, status=0):
        coordinator.signal(signal.SIGINT)
        self.assertEqual(status, coordinator.wait(), coordinator.complained())
        for worker in workers:
            self.assertEqual(0, worker.wait(), worker.complained())
        self.expect_nobody_left()

    def accepted(self, view, database="all.db"):
        try:
            return self.value(database, f"select count(*) from \"{view}\" where status = 'ok'")
        except Exception:  # the view comes with the sweep
            return 0


class Submitted(ClientsTest):  # labels: sanitized
    def test_sweeps_are_measured_one_beside_the_other_and_kept_in_one_database(self):
        coordinator, address = self.coordinate()
        self.write("a.yaml", naps("a", 6))
        self.write("b.yaml", sweep_text("b", "noop", "{i: {range: [1, 5]}}"))
        self.assertRegex(self.ask(address, "submit", "a.yaml").out, r"^a@1: submitted, 6 jobs")
        self.assertRegex(self.ask(address, "submit", "b.yaml").out, r"^b@2: submitted, 5 jobs")
        worker = self.work(address)
        self.until(lambda: self.states(address) == {"a": "complete", "b": "complete"}, "the end of both")
        self.assertEqual([6, 5], [self.accepted("a"), self.accepted("b")])
        self.stop(coordinator, worker)

    def test_a_sweep_of_which_nothing_is_left_is_refused_and_not_stored(self):
        coordinator, address = self.coordinate()
        self.write("a.yaml", naps("a", 4))
        refused = self.ask(address, "submit", "a.yaml", "--only", "i > 4", status=2)
        self.assert_golden("refused", refused.errors)
        self.assertEqual({}, self.states(address))
        self.stop(coordinator)
        self.assertEqual(0, self.count_of("all.db", "sweep"))

    def test_the_same_sweep_twice_is_measured_once(self):
        coordinator, address = self.coordinate()
        self.write("a.yaml", naps("a", 4))
        self.ask(address, "submit", "a.yaml")
        self.assert_golden("submit again", self.ask(address, "submit", "a.yaml").out)
        worker = self.work(address)
        self.until(lambda: self.states(address) == {"a": "complete"}, "the end")
        again = self.ask(address, "submit", "a.yaml").out
        self.assert_golden("submit when it is over", again)
        self.assertEqual(4, self.value("all.db", "select count(*) from attempt"))
        self.stop(coordinator, worker)

    def test_larger_priority_goes_first(self):
        coordinator, address = self.coordinate()
        self.write("late.yaml", naps("late", 3))
        self.write("soon.yaml", naps("soon", 3))
        self.ask(address, "submit", "late.yaml")
        self.ask(address, "submit", "soon.yaml", "--priority", "5")
        worker = self.work(address)
        self.until(lambda: set(self.states(address).values()) == {"complete"}, "the end of both")
        ends = {row["name"]: (row["first"], row["last"]) for row in self.rows(
            "all.db", "select sweep.name as name, min(finished_unix_s) as first, "
                      "max(finished_unix_s) as last "
                      "from attempt join sweep on sweep.id = attempt.sweep_id group by 1")}
        self.assertLess(ends["soon"][1], ends["late"][0])
        self.stop(coordinator, worker)

    def test_tables_travel_with_the_sweep_and_are_kept(self):
        coordinator, address = self.coordinate()
        self.write("sizes.csv", "n,k\n1,2\n3,4\n")
        self.write("t.yaml", sweep_text("t", "noop", "{size: {table: sizes.csv}}"))
        self.ask(address, "submit", "t.yaml")
        os.remove(os.path.join(self.folder, "sizes.csv"))
        worker = self.work(address)
        self.until(lambda: self.states(address) == {"t": "complete"}, "the end")
        self.assertEqual([(1, 2), (3, 4)], [(row["n"], row["k"]) for row in
                                            self.rows("all.db", "select n, k from t order by n")])
        self.stop(coordinator, worker)
        self.assert_golden("resume", self.call("resume", "all.db").out.split("\n")[0])

    def test_a_table_that_has_changed_makes_another_sweep(self):
        self.write("sizes.csv", "n,k\n1,2\n3,4\n5,6\n")
        self.write("t.yaml", sweep_text("t", "noop", "{size: {table: sizes.csv}}"))
        self.call("run", "t.yaml")
        self.write("sizes.csv", "n,k\n1,2\n3,40\n5,6\n")
        self.call("run", "t.yaml")
        self.assertEqual([(1, 2), (3, 40), (5, 6)], [(row["n"], row["k"]) for row in
                                                     self.rows("t.db", "select n, k from t order by n")])
        self.assertEqual(4, self.value("t.db", "select count(*) from attempt"), "again, or not at all")

    def test_a_sweep_that_makes_no_sense_is_refused_and_leaves_nothing(self):
        coordinator, address = self.coordinate()
        self.write("bad.yaml", "sweep: 1\nname: bad\nkernel: noop\naxes: {i: []}\n")
        self.assert_golden("bad.yaml", self.ask(address, "submit", "bad.yaml", status=2).errors)
        worker = self.work(address)
        self.until(lambda: self.ask(address, "workers", "--json").json()[0:1], "the worker")
        self.write("typo.yaml", sweep_text("typo", "gemm", "{variant: [naiv], m: [4], n: [4], k: [4]}"))
        self.assert_golden("typo.yaml", self.ask(address, "submit", "typo.yaml", status=2).errors)
        self.assertEqual({}, self.states(address))
        self.assertEqual(0, self.value("all.db", "select count(*) from sweep"))
        self.stop(coordinator, worker)

    def test_sweeps_go_on_with_the_next_coordinator_of_the_database(self):
        coordinator, address, worker = self.under_way(8)
        coordinator.signal(signal.SIGKILL)
        coordinator.wait()
        worker.signal(signal.SIGKILL)
        worker.wait()
        again, address = self.coordinate()
        late = self.work(address)
        self.until(lambda: self.states(address) == {"a": "complete"}, "the end")
        self.assertEqual(8, self.accepted("a"))
        self.assertIn("a@1", again.complained())
        self.stop(again, late)


class Asked(ClientsTest):
    def test_status_and_workers_tell_what_is_there(self):
        coordinator, address = self.coordinate()
        self.assert_golden("status", self.ask(address, "status").out)
        self.assert_golden("workers", self.ask(address, "workers").out)
        self.write("a.yaml", naps("a", 300))
        self.ask(address, "submit", "a.yaml")
        worker = self.work(address)
        self.until(lambda: self.states(address) == {"a": "running"}, "work")
        told = self.until(lambda: [each for each in self.ask(address, "workers", "--json").json()
                                   if each["active"]], "what runs")
        self.assertEqual(["working", 1], [told[0]["state"], told[0]["cores"]])
        self.assertRegex(told[0]["active"][0], r"^a/\d+ seconds=0.03 i=\d+")
        self.assertRegex(self.ask(address, "status").out, r"(?m)^a@1 +0 +running +300 ")
        self.stop(coordinator, worker, status=3)

    def test_a_coordinator_that_is_stopped_says_how_it_goes_on_with_what_was_submitted(self):
        coordinator, _, worker = self.under_way(500)
        self.stop(coordinator, worker, status=3)
        self.assert_golden("to go on", lines_with("all.db", coordinator.said()))

    def test_one_whose_own_sweep_is_over_says_so_too(self):
        self.write("own.yaml", sweep_text("own", "noop", "{i: [1]}"))
        coordinator = self.start("coordinator", "own.yaml", "--stay", "--db", "all.db", "--listen",
                                 "tcp://127.0.0.1:*", "--insecure")
        address = self.until(lambda: re.search(r"listening on (tcp://\S+)", coordinator.complained()),
                             "the address").group(1)
        worker = self.work(address)
        self.until(lambda: self.accepted("own") == 1, "its own sweep")
        self.write("a.yaml", naps("a", 500))
        self.ask(address, "submit", "a.yaml")
        self.until(lambda: self.accepted("a") >= 2, "the first results")
        self.stop(coordinator, worker, status=3)
        self.assertEqual(1, coordinator.said().count("To continue: kernsweep coordinator own.yaml --stay"))

    def test_cancel_ends_one_sweep_and_no_other(self):
        coordinator, address, worker = self.under_way(500)
        self.write("b.yaml", naps("b", 3))
        self.ask(address, "submit", "b.yaml")
        self.assert_golden("cancel a", self.ask(address, "cancel", "a").out)
        self.until(lambda: self.states(address) == {"a": "cancelled", "b": "complete"}, "the end")
        self.assertEqual("cancelled", self.value("all.db", "select state from sweep where name = 'a'"))
        self.assertGreaterEqual(self.accepted("a"), 2)
        self.assert_golden("cancel a again", self.ask(address, "cancel", "a", status=2).errors)
        self.assert_golden("cancel c", self.ask(address, "cancel", "c", status=2).errors)
        self.stop(coordinator, worker, status=3)
        self.assertEqual({"cancelled"}, set(self.events("all.db", "attempt")))
        self.assertNotIn("To continue", coordinator.said(), "nobody wants the rest")
        self.assertEqual(["submitted", "submitted", "cancelled", "ended", "ended"],
                         self.events("all.db", "sweep"))

    def test_what_is_being_cancelled_is_submitted_again_when_it_has_ended(self):
        coordinator, address, worker = self.under_way(500)
        stored = self.rows("all.db", "select file, text, replacements from sweep")[0]
        sweep = b"".join(told(1 + i, text.encode()) for i, text in enumerate(stored.values()))  # as it was
        peer = RawPeer(address, LIMIT_S)
        self.addCleanup(peer.close)
        worker.signal(signal.SIGSTOP)  # what it runs does not come back
        # In one breath: the sweep ends when the worker is lost, in 2.5 s, and a client takes time to start.
        for question in (told(CANCEL, told(1, b"a")), told(ASK_STATUS, b""), told(SUBMIT, sweep)):
            peer.frame(message_of(0, REQUEST, question))
        answers = [dict(fields(peer.heard()[ANSWER])) for _ in range(3)]
        self.assert_golden("cancelled", dict(fields(answers[0][DONE]))[1])
        self.assertIn(b"stopping", answers[1][STATUS])
        self.assert_golden("submitted too early", answers[2][ERROR])
        worker.signal(signal.SIGKILL)
        worker.wait()
        self.until(lambda: self.states(address) == {"a": "cancelled"}, "its end")
        self.assertRegex(self.ask(address, "submit", "a.yaml").out, r"^a@1: submitted")
        self.stop(coordinator, status=3)

    def test_explain_says_why_a_job_does_not_run(self):
        coordinator, address = self.coordinate()
        self.assert_golden("before there is a sweep", self.ask(address, "explain", "a/1", status=2).errors)
        listed = BRISK.replace("{", "{order: interleave, ", 1)
        self.write("a.yaml", sweep_text("a", "noop", "{i: [1, 2], threads: [1, 50000]}",
                                        "constraints: [i < 2]", measure=listed))
        self.ask(address, "submit", "a.yaml")
        self.assertIn("i=1", self.ask(address, "explain", "a/0").out)
        self.assert_golden("a point that is rejected", self.ask(address, "explain", "3").out)
        self.assert_golden("a job too far", self.ask(address, "explain", "a/4", status=2).errors)
        self.assert_golden("no number", self.ask(address, "explain", "a/x", status=2).errors)
        worker = self.work(address)
        self.until(lambda: "50000" in self.ask(address, "explain", "a/1").out.splitlines()[-1], "the reason")
        self.stop(coordinator, worker, status=3)

    def test_explain_names_the_sweep_that_goes_first_and_each_host(self):
        coordinator, address, worker = self.under_way(500)
        self.write("two.yaml", naps("two", 500))
        self.ask(address, "submit", "two.yaml", "--priority", "5")

        def explained(job):
            return self.ask(address, "explain", job).out.split("\n")
        self.until(lambda: "priority" in explained("a/499")[1], "the reason")
        self.assertEqual("two@2 has a higher priority and goes first", explained("a/499")[1])
        self.write("each.yaml", naps("each", 500) + "hosts: each\n")
        self.ask(address, "submit", "each.yaml", "--priority", "9")
        told = explained("each/499")
        self.assertRegex(told[1], r"^\S+: it ")
        self.assertEqual([""], told[2:], "an empty line at the end")
        self.stop(coordinator, worker, status=3)

    def test_drain_lets_a_worker_finish_and_leave(self):
        coordinator, address = self.coordinate()
        first = self.work(address)
        self.until(lambda: "worker 1 joined" in coordinator.complained(), "the first")
        second = self.work(address)
        self.until(lambda: "worker 2 joined" in coordinator.complained(), "the second")
        self.write("a.yaml", naps("a", 50000, 0.01))  # never over
        self.ask(address, "submit", "a.yaml")
        self.until(lambda: self.accepted("a") >= 1, "the first result")
        self.assert_golden("drain 1", self.ask(address, "drain", "1").out)
        self.assertEqual(0, first.wait(), first.complained())
        told = ["joined", "joined", "draining", "drained"]
        self.until(lambda: self.events("all.db") == told, "its events")
        # Whether some waited in its queue just then is chance.
        self.assertLessEqual(set(self.events("all.db", "attempt")), {"retracted"})
        self.assert_golden("drain 1 again", self.ask(address, "drain", "1", status=2).errors)
        # The returned jobs go to the other worker.
        last = self.value("all.db", "select max(job) from attempt")
        self.until(lambda: self.value("all.db", f"select count(*) from attempt where job <= {last}") > last,
                   "all jobs before")
        self.stop(coordinator, second, status=3)
        self.assertEqual([], self.rows("all.db", "select * from attempt where status <> 'ok'"))
        self.assertEqual([], self.rows("all.db", "select 1 from attempt group by job having count(*) > 1"))

    def test_a_host_on_which_all_fails_is_quarantined_until_it_is_readmitted(self):
        coordinator, address = self.coordinate()
        mended = os.path.join(self.folder, "mended")
        self.write("c.yaml", "sweep: 1\nname: c\naxes: {i: {range: [1, 500]}}\n"
                   f"command: sh -c \"sleep 0.01; test $(ulimit -n) != 777 || test -f {mended}\"\n"
                   "measure: {processes: 1, warmup: {min_time: 0ms, max_time: 1ms}, "
                   "samples: {min: 3, max: 3, min_time: 0ms}}\n")
        self.ask(address, "submit", "c.yaml")
        good = self.work(address, "--name", "good")
        self.until(lambda: "worker 1 joined" in coordinator.complained(), "the good host")

        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (777, 777))
        bad = self.start("worker", "--connect", address, "--cores", "1", "--name", "bad", limits=few)
        self.assertEqual(1, bad.wait(), bad.complained())
        self.assert_golden("quarantined", bad.complained(), jobs=r"\d+(?= different jobs)")
        self.assertRegex(coordinator.complained(),
                         r"\(bad\) is drained: \d+ different jobs in a row failed on host 2")
        self.assert_golden("readmit gut", self.ask(address, "readmit", "gut", status=2).errors)
        self.write("mended", "")
        self.assert_golden("readmit bad", self.ask(address, "readmit", "bad").out)
        self.assert_golden("readmit 2", self.ask(address, "readmit", "2", status=2).errors)
        bad = self.start("worker", "--connect", address, "--cores", "1", "--name", "bad", limits=few)
        # The first jobs of the streak failed before there was a doubt: the sweep may end incomplete.
        statuses = {"complete": 0, "incomplete": 1}
        ended = self.until(lambda: statuses.get(self.states(address)["c"], -1) + 1, "the end")
        self.assertIn("readmitted", self.events("all.db"))
        by_host = {row["host"]: row["n"] for row in self.rows(
            "all.db", "select host, count(*) n from c where status = 'ok' group by 1")}
        self.assertEqual({"good", "bad"}, set(by_host))
        self.stop(coordinator, good, bad, status=ended - 1)

    def test_nobody_at_the_address_is_said(self):
        self.assert_golden("no address", self.call("status", status=2).errors)
        answer = self.call("status", "--connect", "tcp://127.0.0.1:9", status=2)
        self.assert_golden("nobody", answer.errors)


if __name__ == "__main__":
    unittest.main()
