"""GPUs of a host: what is reported about them, and that no driver can harm a worker. fake_gpu/ simulates
one."""
import os
import unittest

from clients_test import ClientsTest
from golden_text import HOST
from sandbox import BUILD, lines_with, sweep_text

FAKES = os.path.join(BUILD, "tests", "fake_gpu")
FIRST, SECOND = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f"


class GpuTest(ClientsTest):
    def setUp(self):
        super().setUp()
        self.environment["LD_LIBRARY_PATH"] = FAKES

    def simulate(self, part):
        with open(os.path.join(self.home, "fake_gpu"), "w", encoding="utf-8") as file:
            file.write(part)

    def findings(self):
        found = self.call("doctor", "--json", status=None).json()
        return {each["id"]: each for each in found if each["id"].startswith("gpu.")}

    def gpus(self, address):
        """Of the only worker, when it is there."""
        def told():
            return [each["gpus"] for each in self.ask(address, "workers", "--json").json()]
        gpus, = self.until(told, "the worker")
        return gpus


class Doctor(GpuTest):
    def test_tells_what_they_are_and_who_else_is_there(self):
        found = self.findings()
        devices = found["gpu.devices"]["found"]
        self.assert_golden("devices", devices)
        self.assertEqual(2, found["gpu.devices"]["values"]["usable"])
        alone, clocks = found["gpu.alone"], found["gpu.clocks"]
        self.assertEqual(["warning", 20], [alone["verdict"], alone["values"]["processes"]])
        self.assertRegex(alone["found"], rf"^\S+ 1 on {SECOND} with 5.0 GiB, process 4000000001 on ")
        self.assertEqual("warning", clocks["verdict"])
        self.assertEqual(f"{FIRST}: 1980 MHz of 1980, 31 C, 76 W of 700; {SECOND}: 1080 MHz of 1980, 91 C, "
                         "676 W of 700, slowed by sw_power_cap, hw_thermal_slowdown", clocks["found"])

    def test_says_what_is_wrong_with_a_driver(self):
        for part in ("broken", "dies"):
            self.simulate(part)
            devices = self.findings()["gpu.devices"]
            self.assertEqual("warning", devices["verdict"], part)
            self.assert_golden(part, devices["found"])

    def test_has_nothing_against_a_driver_without_a_gpu(self):
        self.simulate("none")
        found = self.findings()
        here = "NVIDIA" in found["gpu.devices"]["values"]["names"]  # on the bus, but not shown
        self.assertEqual(["warning" if here else "good", "good", "good"],
                         [found[check]["verdict"] for check in ("gpu.devices", "gpu.alone", "gpu.clocks")])

    def test_says_what_a_driver_does_not_tell(self):
        self.simulate("silent")
        found = self.findings()
        self.assertEqual(["note", "not reported by this driver"],
                         [found["gpu.alone"][key] for key in ("verdict", "found")])
        self.assertEqual("note", found["gpu.clocks"]["verdict"])


class Workers(GpuTest):
    def test_tell_their_gpus_and_sweeps_may_ask_for_them(self):
        coordinator, address = self.coordinate()
        worker = self.work(address)
        first, second = self.gpus(address)
        self.assertEqual([FIRST, SECOND], [first["uuid"], second["uuid"]])
        keys = ("memory_free_bytes", "processes", "slowed_by", "ecc", "mig")
        self.assertEqual([79 << 30, [], [], True, False], [first[key] for key in keys])
        self.assertEqual([None, 16], [second["mig"], len(second["processes"])])
        shown = self.ask(address, "workers").out
        self.assertIn("2 x NVIDIA Fake 9000", shown)
        self.assertRegex(shown, rf"(?m)^worker 1 on \S+, when it joined: NVIDIA Fake 9000 {SECOND} with 16 "
                                "other processes, slowed by sw_power_cap, hw_thermal_slowdown$")
        asked = """requires:
  - gpu.count == g
  - gpu.memory_bytes == 40 * 2 ** 30
  - gpu.compute_capability >= 9.0 and gpu.multiprocessors == 132
  - gpu.name == "NVIDIA Fake 9000" and gpu.driver == "580.00"
"""
        self.write("a.yaml", sweep_text("a", "noop", "{g: [1, 2]}", asked))
        self.ask(address, "submit", "a.yaml")
        self.until(lambda: self.accepted("a") == 1, "the job that fits")
        why = [self.ask(address, "explain", f"a/{job}").out for job in (0, 1)]
        self.assert_golden("why", "".join(why))
        self.stop(coordinator, worker, status=3)

    def test_see_only_what_is_shown_to_them(self):
        coordinator, address = self.coordinate()
        worker = self.start("worker", "--connect", address, environment={"CUDA_VISIBLE_DEVICES": "1"})
        self.assertEqual([SECOND], [each["uuid"] for each in self.gpus(address)])
        self.stop(coordinator, worker)

    def test_know_a_slice_of_a_card_by_its_own_name(self):
        self.simulate("slice")
        coordinator, address = self.coordinate()
        worker = self.work(address)
        shown = self.gpus(address)
        self.assertEqual(["MIG" + FIRST[3:], SECOND], [each["uuid"] for each in shown])
        self.assertTrue(shown[0]["mig"])
        self.stop(coordinator, worker)

    def test_go_on_without_when_the_driver_dies(self):
        self.simulate("dies")
        self.write("a.yaml", sweep_text("a", "noop", "{i: [1, 2]}", "requires: [gpu.count == 0]"))
        answer = self.call("run", "a.yaml", "-v")
        self.assert_golden("told", lines_with("SIGABRT", answer.errors))
        self.assertEqual(2, self.accepted("a", "a.db"))


class Jobs(GpuTest):
    """What a job gets, as it sees it itself."""
    def sweep(self, axes, *more):
        program = self.write("tell.sh", 'begun=$(date +%s%N)\nsleep 0.2\n'
                                        'echo "$1,$2,$begun,$(date +%s%N),$CUDA_VISIBLE_DEVICES" >> "$3"\n')
        told = os.path.join(self.home, "told")
        self.write("a.yaml", "\n".join((
            "sweep: 1", "name: a", f"command: sh {self.folder}/{program} {{i}} {{device}} {told}",
            f"axes: {axes}", "verify: false",
            "measure: {processes: 1, warmup: {min_runs: 0, min_time: 0ms, max_time: 0ms}, "
            "samples: {min: 1, max: 1, min_time: 0ms}}", *more)))

    def told(self):
        """{job: (device, begin, end, what CUDA_VISIBLE_DEVICES was)}."""
        with open(os.path.join(self.home, "told"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split(",", 4) for line in file]
        return {int(job): (device, int(begun), int(ended), shown)
                for job, device, begun, ended, shown in rows}

    def test_get_a_gpu_each_and_those_of_the_processor_none(self):
        self.sweep("{i: {range: [1, 8]}, device: [gpu]}", "include: [{i: 9, device: cpu}]")
        self.call("run", "a.yaml")
        told = self.told()
        self.assertEqual({9: ("cpu", "")}, {9: told[9][::3]})
        jobs = [told[job] for job in range(1, 9)]
        self.assertEqual({("gpu", FIRST), ("gpu", SECOND)}, {job[::3] for job in jobs})
        together = {one[3] == other[3] for one in jobs for other in jobs
                    if one is not other and one[1] < other[2] and other[1] < one[2]}
        self.assertEqual({False} if os.cpu_count() > 1 else set(), together, "one job a GPU, side by side")
        rows = self.rows("a.db", "select device, count(r.gpus) as n from result r join a using (result) "
                                 "group by device order by device")
        self.assertEqual([("cpu", 0), ("gpu", 8)], [(row["device"], row["n"]) for row in rows])

    def test_that_ask_for_several_get_all_of_them(self):
        self.sweep("{i: [1], device: [gpu], gpus: [2]}")
        self.call("run", "a.yaml")
        self.assertEqual(f"{FIRST},{SECOND}", self.told()[1][3])
        lines = self.value("a.db", "select gpus from result").split("\n")
        self.assertEqual(f"{FIRST} NVIDIA Fake 9000, compute capability 9.0, 85899345920 bytes, "
                         "driver 580.00, CUDA 13.0", lines[0])
        self.assertTrue(lines[1].startswith(SECOND), lines)
        self.assertIn(FIRST, self.call("show", "a.db", "1").out)
        self.assertIn(f"CUDA_VISIBLE_DEVICES={FIRST},{SECOND}", self.call("repro", "a.db", "1").out)

    def test_are_measured_together_with_their_gpus(self):
        self.write("a.yaml", """sweep: 1
name: a
command: sleep 0.4
axes: {device: [gpu], gpus: [1, 2]}
verify: false
measure: {processes: 1, warmup: {min_time: 20ms, max_time: 50ms}, samples: {min: 3, max: 3, min_time: 0ms}}
retry: {max: 0}
""")
        self.call("run", "a.yaml")
        metrics = {gpus: {} for gpus in (1, 2)}
        for row in self.rows("a.db", "select a.gpus, name, value from metric join a using (result) "
                             "where name like 'gpu%'"):
            metrics[row["gpus"]][row["name"]] = row["value"]
        power = [each.pop("gpu_power_w") for each in metrics.values()]
        self.assertGreater(min(power), 1)
        energy = [each.pop("gpu_energy_j") for each in metrics.values()]
        self.assertGreater(min(energy), 0)
        self.assertEqual({"gpu_clock_mhz": 1980, "gpu_clock_low_mhz": 1980, "gpu_memory_clock_mhz": 3201,
                          "gpu_temperature_c": 31}, metrics[1])
        self.assertEqual([1080, 91], [metrics[2][name] for name in ("gpu_clock_mhz", "gpu_temperature_c")])
        rows = self.rows("a.db", "select a.gpus, grade_reasons as why from a join result using (result)")
        reasons = {row["gpus"]: row["why"] for row in rows}
        slowed = "the GPU was slowed down by sw_power_cap, hw_thermal_slowdown in 100 % of the looks at it"
        self.assertEqual([False, True], [slowed in (reasons[gpus] or "") for gpus in (1, 2)])
        of_one = str(self.value("a.db", "select result from a where gpus = 1"))  # their order is drawn
        self.assertRegex(self.call("show", "a.db", of_one, "-v").out, r"gpu_temperature_c +31")

    def test_wait_where_there_are_not_enough_and_say_so(self):
        self.sweep("{i: [1], device: [cpu, gpu], gpus: {values: [3], when: 'device == \"gpu\"'}}")
        self.call("run", "a.yaml", status=1)
        self.assertEqual([("cpu", "")], [job[::3] for job in self.told().values()])
        reason = self.value("a.db", "select reason from attempt where status = 'unplaceable'")
        self.assert_golden("reason", reason, host=HOST)

    def test_that_only_a_variant_for_gpus_could_use_one_are_unsupported(self):
        self.write("a.yaml", sweep_text(
            "a", "gemm", "{variant: [naive], m: [4], n: [4], k: [4], device: [cpu, gpu]}"))
        self.call("run", "a.yaml", status=1)
        rows = self.rows("a.db", "select device, status from a order by device")
        self.assertEqual([("cpu", "ok"), ("gpu", "unsupported")],
                         [(row["device"], row["status"]) for row in rows])
        self.assert_golden("reason", self.value(
            "a.db", "select reason from attempt where status = 'unsupported'"))

    def test_are_offered_as_many_as_the_worker_was_told(self):
        coordinator, address = self.coordinate()
        worker = self.work(address, "--gpus", "1")
        self.assertEqual([FIRST], [each["uuid"] for each in self.gpus(address)])
        self.stop(coordinator, worker)
        refused = self.call("worker", "--connect", address, "--gpus", "3", status=2)
        self.assert_golden("refused", refused.errors)


if __name__ == "__main__":
    unittest.main()
