"""Four hosts and one sweep: by one file, over IPv6, through gateways, with addresses that lead nowhere."""
import json
import os
import sys

from lan import HERE, PORT, Lan, LanTest, described, device, main, naps_text

JOBS = 45


class HostsTest(LanTest):
    def setUp(self):
        super().setUp()
        self.write("naps.yaml", naps_text(JOBS, 0.03))

    def endpoints(self):
        with open(os.path.join(self.folder, "naps.join"), encoding="utf-8") as file:
            return json.load(file)["endpoints"]

    def expect_all_took_part(self, workers):
        sessions = {row["session"] for row in self.attempts()}
        self.assertEqual(set(range(1, workers + 1)), sessions)


class FourHosts(HostsTest):  # labels: waits
    def test_share_a_sweep_by_one_file_that_names_the_address(self):
        lan = Lan(self)
        coordinator = self.coordinate(lan, listen=[f"tcp://*:{PORT}"])
        self.assertEqual([f"tcp://10.77.0.1:{PORT}", f"tcp://[fd77::1]:{PORT}", f"tcp://one:{PORT}"],
                         self.endpoints())
        workers = [self.work(lan, host) for host in ("two", "three", "four")]
        self.expect_whole(JOBS, coordinator, *workers)
        self.expect_all_took_part(3)
        for host in ("two", "three", "four"):
            self.assertEqual(1, coordinator.complained().count(f"joined: {host}, 1 core"))

    def test_of_which_the_coordinators_comes_last(self):
        lan = Lan(self, 3)
        coordinator = self.coordinate(lan)
        self.killed(coordinator)
        lan.cut("one")
        workers = [self.work(lan, host) for host in ("two", "three")]
        self.until(lambda: min(lan.counts(host, "one", "cut") for host in ("two", "three")), "them to call")
        lan.heal("one")
        self.expect_whole(JOBS, self.coordinate(lan), *workers)


class Addresses(HostsTest):  # labels: waits
    def test_of_version_6_do_as_well(self):
        hosts = [described(name, [device(number)]) for number, name in enumerate(("one", "two", "three"), 1)]
        for host in hosts:
            only, = host["devices"]
            only["addresses"] = [address for address in only["addresses"] if ":" in address]
        lan = Lan(self, hosts)
        coordinator = self.coordinate(lan, listen=[f"tcp://*:{PORT}"])
        self.assertEqual([f"tcp://[fd77::1]:{PORT}", f"tcp://one:{PORT}"], self.endpoints())
        self.expect_whole(JOBS, coordinator, self.work(lan, "two"), self.work(lan, "three"))
        self.expect_all_took_part(2)

    def test_that_lead_nowhere_give_way_to_the_next(self):
        # The coordinator is in two networks, its workers only in the second. To the first there is a way
        # from their hosts, which leads to no answer, not even a refusal.
        lan = Lan(self, [described("one", [device(1), device(1, segment=1, name="eth1")]),
                         described("two", [device(2, segment=1)], [("default", "via", "10.78.0.254")]),
                         described("three", [device(3, segment=1)], [("default", "dev", "eth0")])])
        coordinator = self.coordinate(lan, listen=[f"tcp://*:{PORT}"])
        self.assertEqual([f"tcp://{address}:{PORT}" for address in
                          ("10.77.0.1", "10.78.0.1", "[fd77::1]", "[fd77:1::1]", "one")], self.endpoints())
        self.expect_whole(JOBS, coordinator, self.work(lan, "two"), self.work(lan, "three"))


class Gateways(HostsTest):  # labels: waits
    """The workers see only a gateway, the coordinator only the gateway's other address."""

    def setUp(self):
        super().setUp()
        gate = [device(254, name="eth0"), device(254, segment=1, name="eth1")]
        self.lan = Lan(self, [described("one", [device(1)]), described("two", [device(2, segment=1)]),
                              described("three", [device(3, segment=1)]),
                              described("gate", gate, ipv4__ip_forward="1")])
        self.translate()

    def translate(self):
        self.lan.run("gate", sys.executable, "-B", os.path.join(HERE, "nat.py"), "10.77.0.1", "10.77.0.254")

    def begin(self):
        coordinator = self.coordinate(self.lan, "--advertise", f"tcp://10.78.0.254:{PORT}")
        self.assertEqual([f"tcp://10.78.0.254:{PORT}"], self.endpoints())
        return coordinator, [self.work(self.lan, host) for host in ("two", "three")]

    def test_are_passed_from_within_to_the_address_that_is_advertised(self):
        coordinator, workers = self.begin()
        self.expect_whole(JOBS, coordinator, *workers)
        self.expect_all_took_part(2)
        self.assertEqual(0, self.lan.counts("two", "one", "sent"), "they are no neighbours")

    def test_that_forget_all_connections_cost_no_job(self):
        coordinator, workers = self.begin()
        self.busy(*workers)
        self.lan.boot("gate")
        self.translate()
        self.expect_whole(JOBS, coordinator, *workers)


if __name__ == "__main__":
    main()
