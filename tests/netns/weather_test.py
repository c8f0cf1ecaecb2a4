"""Networks that are slow, lose, double and shuffle frames: they cost time, and nothing else."""
from cuts_test import CutsTest
from lan import main

JOBS = 20
FINE = {"delay": 0, "loss": 0, "duplicate": 0, "reorder": 0, "rate": 0}


class WeatherTest(CutsTest):
    def under(self, **kinds):
        """Sweeps under each kind of weather, side by side; a kind is its rule, and what the switch must have
        counted in the end."""
        nets = {}
        for kind, (rule, _) in kinds.items():
            lan, coordinator, workers = nets[kind] = self.net(kind, JOBS, ["two"])
            lan.weather("two", **rule)
            self.assertEqual(1, len(workers), coordinator.arguments)
        for kind, (lan, _, _) in nets.items():
            self.stored(JOBS, f"{kind}.db")
            lan.weather("two", **FINE)  # a goodbye that is lost is not said again
        self.calm(*[one for _, coordinator, workers in nets.values() for one in (coordinator, *workers)])
        for kind, (lan, coordinator, workers) in nets.items():
            counted = kinds[kind][1]
            with self.subTest(kind=kind):
                self.expect_whole_after_all(kind, JOBS, coordinator, workers)
                if counted:
                    self.assertGreater(self.met(lan, counted), 0, f"nothing was {counted}")
        self.expect_nobody_left()
        self.assertEqual([], self.spools())

    @staticmethod
    def met(lan, what):
        return lan.counts("two", "one", what) + lan.counts("one", "two", what)


class Slow(WeatherTest):  # labels: waits
    def test_networks_cost_time_only(self):
        self.under(far=({"delay": 0.2}, None),
                   narrow=({"rate": 6000, "limit": 30}, None),
                   both=({"delay": 0.2, "rate": 16000, "limit": 30}, None))
        for kind in ("far", "narrow", "both"):
            self.assertEqual([1] * JOBS, [row["attempt"] for row in self.attempts(f"{kind}.db")], kind)


class Unreliable(WeatherTest):  # labels: waits
    def test_networks_cost_time_only(self):
        self.under(losing=({"loss": 0.1}, "lost"),
                   doubling=({"duplicate": 0.3}, "doubled"),
                   shuffling=({"delay": 0.005, "reorder": 0.3}, "reordered"),
                   stormy=({"delay": 0.05, "loss": 0.05, "duplicate": 0.1, "reorder": 0.2, "rate": 100000},
                           "reordered"))
        for kind in ("doubling", "shuffling"):
            self.assertEqual([1] * JOBS, [row["attempt"] for row in self.attempts(f"{kind}.db")], kind)


if __name__ == "__main__":
    main()
