"""GPUs of a host: what is told of them, and that no driver can harm a worker. fake_gpu/ plays one."""
import os
import unittest

from clients_test import ClientsTest
from sandbox import BUILD, sweep_text

FAKES = os.path.join(BUILD, "tests", "fake_gpu")
FIRST, SECOND = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f"


class GpuTest(ClientsTest):
    def setUp(self):
        super().setUp()
        self.environment["LD_LIBRARY_PATH"] = FAKES

    def play(self, part):
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
        self.assertIn(f"NVIDIA Fake 9000 ({FIRST}, compute capability 9.0, 132 multiprocessors, 80.0 GiB); "
                      f"NVIDIA Fake 9000 ({SECOND}, ", devices)
        self.assertIn("driver 580.00, CUDA 13.0", devices)
        self.assertEqual(2, found["gpu.devices"]["values"]["usable"])
        alone, clocks = found["gpu.alone"], found["gpu.clocks"]
        self.assertEqual(["warning", 20], [alone["verdict"], alone["values"]["processes"]])
        self.assertRegex(alone["found"], rf"^\S+ 1 on {SECOND} with 5.0 GiB, process 4000000001 on ")
        self.assertEqual("warning", clocks["verdict"])
        self.assertEqual(f"{FIRST}: 1980 MHz of 1980, 31 C, 76 W of 700; {SECOND}: 1080 MHz of 1980, 91 C, "
                         "676 W of 700, slowed by sw_power_cap, hw_thermal_slowdown", clocks["found"])

    def test_says_what_is_wrong_with_a_driver(self):
        for part, told in (("broken", "cuInit says CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
                           ("dies", "cannot be asked for GPUs: its process was killed by SIGABRT")):
            self.play(part)
            devices = self.findings()["gpu.devices"]
            self.assertEqual("warning", devices["verdict"], part)
            self.assertIn(told, devices["found"])

    def test_has_nothing_against_a_driver_without_a_gpu(self):
        self.play("none")
        found = self.findings()
        here = "NVIDIA" in found["gpu.devices"]["values"]["names"]  # on the bus, but not shown
        self.assertEqual(["warning" if here else "good", "good", "good"],
                         [found[check]["verdict"] for check in ("gpu.devices", "gpu.alone", "gpu.clocks")])

    def test_says_what_a_driver_does_not_tell(self):
        self.play("silent")
        found = self.findings()
        self.assertEqual(["note", "not told by this driver"],
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
        self.assertIn("2 x NVIDIA Fake 9000", self.ask(address, "workers").out)
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
        self.assertIn("gpu.count == g: gpu.count is 2, g is 1", "".join(why))
        self.stop(coordinator, worker, status=3)

    def test_see_only_what_is_shown_to_them(self):
        coordinator, address = self.coordinate()
        worker = self.start("worker", "--connect", address, environment={"CUDA_VISIBLE_DEVICES": "1"})
        self.assertEqual([SECOND], [each["uuid"] for each in self.gpus(address)])
        self.stop(coordinator, worker)

    def test_know_a_slice_of_a_card_by_its_own_name(self):
        self.play("slice")
        coordinator, address = self.coordinate()
        worker = self.work(address)
        shown = self.gpus(address)
        self.assertEqual(["MIG" + FIRST[3:], SECOND], [each["uuid"] for each in shown])
        self.assertTrue(shown[0]["mig"])
        self.stop(coordinator, worker)

    def test_go_on_without_when_the_driver_dies(self):
        self.play("dies")
        self.write("a.yaml", sweep_text("a", "noop", "{i: [1, 2]}", "requires: [gpu.count == 0]"))
        answer = self.call("run", "a.yaml", "-v")
        self.assertIn("cannot be asked for GPUs: its process was killed by SIGABRT", answer.errors)
        self.assertEqual(2, self.accepted("a", "a.db"))


if __name__ == "__main__":
    unittest.main()
