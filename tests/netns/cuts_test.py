"""Cables are cut and mended, in one direction and in both, briefly and for longer than anybody waits."""
import random
import re
import signal
import time

from lan import Lan, LanTest, main, naps_text

WAYS = ("both", "out", "in")  # as the worker sees it
ALL = ("two", "three", "four")
# Longer than both sides' patience, and than TCP waits after the cuts here before it tries again.
CALM_S = 4


class CutsTest(LanTest):
    def net(self, name, jobs, at_work=("two", "three"), seconds=0.03):
        """A network with a sweep of its own, so that several can be looked at side by side."""
        self.write(f"{name}.yaml", naps_text(jobs, seconds, name))
        lan = Lan(self)
        coordinator = self.coordinate(lan, "--stay", file=f"{name}.yaml")
        workers = [self.work(lan, host, join=f"{name}.join") for host in at_work]
        return lan, coordinator, workers

    def expect_whole_after_all(self, name, jobs, coordinator, workers):
        """Of a coordinator that stays."""
        self.stored(jobs, f"{name}.db")
        self.expect_goodbye(coordinator, workers)
        self.expect_each_job_once(f"{name}.db", jobs)

    def expect_goodbye(self, coordinator, workers, statuses=(0,)):
        coordinator.signal(signal.SIGINT)
        self.assertIn(coordinator.wait(), statuses, self.told(coordinator, *workers))
        self.assertEqual({0}, {worker.wait() for worker in workers}, self.told(coordinator, *workers))

    def calm(self, *running):
        """Waits until no worker has joined or left for a while: a worker that is absent when its
        coordinator ends would wait for another."""
        before, since = None, 0

        def unchanged():
            nonlocal before, since
            now = [re.findall(r".* joined.*|.* is gone.*|.* lost the .*", one.complained())
                   for one in running]
            if now != before:
                before, since = now, time.monotonic()
            return time.monotonic() - since > CALM_S
        self.until(unchanged, "the end of all changes")

    def swallowed(self, lan, host, way):
        """Frames that a cut has taken."""
        return sum(lan.counts(*pair, "cut") for pair in lan.pairs(host, "one", way))

    def joins(self, coordinator, host):
        return coordinator.complained().count(f"joined: {host},")


class ShortCuts(CutsTest):  # labels: waits
    JOBS = 30

    def test_are_not_noticed(self):
        lan, coordinator, workers = self.net("naps", self.JOBS, ["two"])
        self.stored(1)
        for way in WAYS:
            before, stored = self.swallowed(lan, "two", way), self.count_of("naps.db")
            lan.cut("two", direction=way)
            self.until(lambda: self.swallowed(lan, "two", way) > before, "a frame that is swallowed")
            lan.heal("two", direction=way)
            self.stored(min(stored + 3, self.JOBS))
        self.expect_whole_after_all("naps", self.JOBS, coordinator, workers)
        self.assertEqual(1, self.joins(coordinator, "two"), coordinator.complained())
        self.assertEqual([1] * self.JOBS, [row["attempt"] for row in self.attempts()])
        self.assertEqual([], self.events("lost") + self.events("late"))


class LongCuts(CutsTest):  # labels: waits
    JOBS = 120

    def test_cost_no_job_and_no_result_is_stored_twice(self):
        nets = {}
        for way in WAYS:  # each is cut as soon as it works: its jobs may end before the next one does
            nets[way] = lan, _, workers = self.net(way, self.JOBS)
            self.busy(*workers)
            lan.cut("two", direction=way)
        for way, (_, coordinator, _) in nets.items():
            self.until(lambda: "(two) is gone: not heard of" in coordinator.complained(), "impatience")
        for way, (lan, coordinator, _) in nets.items():
            gone = coordinator.complained().count("joined: two,")
            # The other one continues.
            self.stored(min(self.count_of(f"{way}.db") + 3, self.JOBS), f"{way}.db")
            lan.heal("two", direction=way)
            self.until(lambda: self.joins(coordinator, "two") > gone, "the one that was away")
        for way, (_, coordinator, workers) in nets.items():
            self.expect_whole_after_all(way, self.JOBS, coordinator, workers)
            self.assertEqual(1, self.joins(coordinator, "three"), coordinator.complained())
            # The running and queued jobs of the lost worker went elsewhere, and none failed.
            left = self.rows(f"{way}.db", "select status, final from attempt where status <> 'ok'")
            self.assertTrue(left)
            self.assertEqual({("worker_lost", 0)}, {tuple(row.values()) for row in left})
        self.expect_nobody_left()
        self.assertEqual([], self.spools())


class NobodyLeft(CutsTest):  # labels: waits
    JOBS = 45

    def test_is_waited_for_and_nothing_is_blamed_on_the_jobs(self):
        lan, coordinator, workers = self.net("naps", self.JOBS, ALL, 0.1)
        self.busy(*workers)
        lan.cut("one")
        self.until(lambda: coordinator.complained().count("is gone: not heard of") == 3, "the loss of all")
        lan.heal("one")
        self.expect_whole_after_all("naps", self.JOBS, coordinator, workers)
        self.assertEqual([], self.spools())


class Flapping(CutsTest):  # labels: waits
    JOBS = 200
    CUTS = 12

    def flap(self, lan, dice):
        """Cuts two cables at a time, some of them for long; returns when all are whole again."""
        cut = {}  # host and direction: until when
        left = self.CUTS

        def turn():
            nonlocal left
            now = time.monotonic()
            for (host, way), end in list(cut.items()):
                if now >= end:
                    lan.heal(host, direction=way)
                    del cut[host, way]
            host, way = dice.choice(ALL), dice.choice(WAYS)
            if left and len(cut) < 2 and host not in {name for name, _ in cut}:
                lan.cut(host, direction=way)
                cut[host, way] = now + dice.choice((0.1, 0.5, 1, 2, 4))
                left -= 1
            return not left and not cut
        self.until(turn, "the last cut")

    def test_cables_lose_nothing_and_store_nothing_twice(self):
        seed = random.SystemRandom().randrange(1 << 32)
        lan, coordinator, workers = self.net("naps", self.JOBS, ALL, 0.05)
        self.busy(*workers)
        with self.subTest(seed=seed):
            self.flap(lan, random.Random(seed))
            self.calm(coordinator, *workers)
            self.stored(self.JOBS)
            self.expect_goodbye(coordinator, workers, statuses=(0, 1))
            finals = self.rows("naps.db", "select job, status, reason from attempt where final = 1 "
                               "order by job")
            self.assertEqual(list(range(self.JOBS)), [row["job"] for row in finals])
            # A job whose second worker is lost before the first one came back counts as one that ends them.
            blamed = [row for row in finals if row["status"] != "ok"]
            for row in blamed:
                self.assertEqual("worker_lost", row["status"], row["reason"])
            self.assertLess(len(blamed), self.CUTS)
            self.expect_nobody_left()
            self.assertEqual([], self.spools())


class Asked(CutsTest):  # labels: waits
    def test_over_a_cut_cable_says_so_and_ends(self):
        lan, coordinator, workers = self.net("naps", 3, ["two"])
        ask = ("three", "status", "--join", "naps.client.join")
        self.assertIn("naps", lan.call(*ask).out)
        lan.cut("three")
        lan.call(*ask, status=2)
        lan.heal("three")
        self.assertIn("naps", lan.call(*ask).out)
        self.expect_whole_after_all("naps", 3, coordinator, workers)


if __name__ == "__main__":
    main()
