"""The pack cuda through coordinator, worker and slots, on the driver without a GPU that runs its kernels on
the host (tests/kernels/cuda/fake_driver). It says nothing about times of a real GPU."""
import os
import re
import sqlite3
import unittest

from clients_test import ClientsTest
from golden_text import HOST
from sandbox import BUILD, SOURCE, ProcessTest, lines_with, sweep_text

PACK = os.path.join(BUILD, "lib", "kernsweep", "packs", "cuda.so")
DRIVERS = [os.path.join(BUILD, "tests", name) for name in ("fake_cuda", "fake_gpu")]
SWEEPS = os.path.join(SOURCE, "sweeps")
MEASURE = ("measure: {processes: 1, warmup: {min_runs: 1, min_time: 0ms, max_time: 1s}, "
           "samples: {min: 2, max: 2, min_time: 0ms}}")
SHORT = [word for setting in ("processes=1", "samples.min=2", "samples.max=2", "warmup.min_time=0ms",
                              "samples.min_time=0ms") for word in ("--set", "measure." + setting)]


@unittest.skipUnless(all(map(os.path.exists, [PACK, *DRIVERS])), "no pack cuda, or no driver for it")
class CudaTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.environment["LD_LIBRARY_PATH"] = ":".join(DRIVERS)

    def simulate(self, part):
        with open(os.path.join(self.home, "fake_cuda"), "w", encoding="utf-8") as file:
            file.write(part)

    def statuses(self, name):
        rows = self.rows(f"{name}.db", f'select status from "{name}" order by point')
        return [row["status"] for row in rows]


class Tried(CudaTest):  # labels: smoke
    def test_variants_get_the_device_that_is_theirs(self):
        words = ("--family", "stream", "-a", "op=copy", "-a", "n=1000", "--quick", "--json")
        told = self.call("try", PACK, *words)
        self.assertEqual({"cuda": "ok", "cuda_memcpy": "ok", "naive": "ok"},
                         {each["variant"]: each["outcome"] for each in told.json()["variants"]})


class Sweeps(CudaTest):
    def shipped(self, file, *options, status=0):
        return self.call("run", os.path.join(SWEEPS, file), "--db", "r.db", *SHORT, *options, status=status)

    def outcomes(self):
        return {row["status"]: row["n"]
                for row in self.rows("r.db", "select status, count(*) as n from results group by 1")}

    def test_a_family_of_two_packs_is_measured_on_both_devices(self):
        self.write("a.yaml", sweep_text(
            "a", "stream", "{way: [{variant: loop, device: cpu}, {variant: cuda, device: gpu}, "
            "{variant: cuda_memcpy, device: gpu}], op: [copy], n: [1000, 4097], dtype: [f32, f64]}",
            measure=MEASURE))
        self.call("run", "a.yaml")
        self.assertEqual(["ok"] * 12, self.statuses("a"))
        rows = self.rows("a.db", "select device, pack, count(*) as n, count(r.gpus) as gpus from a "
                         "join result r using (result) join software s on s.id = r.software_id "
                         "group by 1, 2 order by 1, 2")
        self.assertEqual([("cpu", "stream", 4, 0), ("gpu", "cuda", 8, 8)],
                         [tuple(row.values()) for row in rows])
        peaks = self.rows("a.db", "select distinct value from metric join a using (result) "
                          "where name = 'device_peak_bytes' and n = 1000 and dtype = 'f64'")
        self.assertEqual([16000], [row["value"] for row in peaks])
        self.assertIsNone(self.value("a.db", "select max(notes) from result"))
        # Runs that are short for the device's clock are queued, except for latency.
        calls = "select min(calls_per_sample) from result join a using (result) where variant = 'cuda'"
        self.assertLess(1, self.value("a.db", calls))
        self.call("run", "a.yaml", "--db", "b.db", "--set", "measure.metric=latency")
        self.assertEqual(1, self.value("b.db", "select max(calls_per_sample) from result"))

    def test_graphs_and_synchronisation(self):
        answer = self.shipped("claims/G4.yaml", "-a", "kernels=[1,3]", "-a", "n=[256]")
        self.assertIn("a graph of one kernel costs nothing", answer.out)
        answer = self.shipped("claims/G7-synchronisation.yaml", "-a", "kernels=[3]", "-a", "n=[256]")
        self.assertIn("one per step costs small kernels", answer.out)
        self.assertEqual({"ok": 4 + 5}, self.outcomes())
        notes = self.rows("r.db", "select distinct notes from result where gpus is not null")
        self.assertEqual(["timed by the host's clock: launch and wait are part of the time"],
                         [row["notes"] for row in notes])

    def test_transfers(self):
        self.shipped("claims/G6.yaml", "-a", "bytes=[4096]")
        self.assertEqual({"ok": 30}, self.outcomes())

    def test_first_calls_are_held_against_calls_of_the_same_kind(self):
        shape = ("shape=[{m: 8, n: 8, k: 8, env.KERNSWEEP_SHAPE: small}, "
                 "{m: 16, n: 16, k: 16, env.KERNSWEEP_SHAPE: middle}]")
        self.shipped("claims/G12.yaml", "-a", shape)
        rows = self.rows("r.db", 'select "env.KERNSWEEP_WARMED_UP" as warm, calls_per_sample, c.metric, '
                                 'warmup_runs > 0 as after, count(*) as n from "G12-warm-up" a '
                                 "join result r using (result) join conditions c using (result) "
                                 "group by 1, 2, 3, 4")
        self.assertEqual([("no", 1, "latency", 0, 4), ("yes", 1, "latency", 1, 4)],
                         [tuple(row.values()) for row in rows])
        # A library has computed once before its first call.
        own = {row["variant"] for row in self.rows("r.db", 'select distinct variant from "G12-warm-up"')}
        self.assertEqual(own, {name for name in own if name.startswith("cuda_")})

    def test_where_data_lives_between_kernels(self):
        self.shipped("claims/G7-transfers.yaml", "-a", "bytes=[4096]", "-a", "steps=[16]")
        self.assertEqual({"ok": 8}, self.outcomes())

    def test_our_own_kernels_beside_those_of_the_vendor(self):
        shape = "shape=[{label: cube, m: 64, n: 72, k: 64}]"
        answer = self.shipped("gpu_bench_gemm.yaml", "-a", shape)
        self.assertIn("cuda_wgmma has 60 % of cuBLASLt's rate", answer.out)
        self.shipped("gpu_bench_stream.yaml", "-a", "n=[4096]")
        self.shipped("gpu_bench_tiles.yaml", "-a", "size=[{m: 33, n: 65, k: 17}]", "-a", "tile_k=[8]")
        self.assertEqual({"ok": 56}, self.outcomes())

    def test_a_working_set_that_does_not_fit(self):
        self.shipped("claims/G8.yaml", "-a", "bytes=[16777216,1073741824]", status=1)
        self.assertEqual({"ok": 1, "out_of_memory": 1}, self.outcomes())
        reason = self.value("r.db", "select max(reason) from attempt where status = 'out_of_memory'")
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", reason)

    def test_what_does_not_fit_and_what_is_allocated_can_be_claimed(self):
        with open(os.path.join(SWEEPS, "claims", "G8.yaml"), encoding="utf-8") as file:
            text = re.sub(r"\d{10,}", lambda number: str(int(number[0]) >> 10), file.read())
        text = text.replace("[30, 39]", "[20, 29]").replace("2**30", "2**20").replace("2**39", "2**29")
        self.write("g8.yaml", text)
        self.call("run", "g8.yaml", "-q", "--db", "r.db", *SHORT, status=1)
        told = self.call("claims", "r.db", "--all-grades", "--json", status=None).json()["claims"]
        self.assertEqual(["confirmed"] * 2, [each["verdict"] for each in told if each["kind"] == "ends_as"])
        memory, = (each for each in told if each["kind"] == "less_memory")
        self.assertRegex(memory["says"], r"^bytes=4194304 takes [34][.\d]*x the device's memory of ")
        peak, = (each for each in told if each["kind"] == "at_most")
        self.assertGreaterEqual(peak["smallest"], 1048576)
        speeds = [each for each in told if each["kind"] == "faster"]
        self.assertEqual([1, 1, 1], [each["pairs"] for each in speeds])
        best = self.call("best", "r.db", "--by", "device", "--metric", "device_peak_bytes", "--grade", "C",
                         "--json")
        self.assertEqual(1048576, best.json()["rows"][0]["bytes"])

    def test_every_way_to_convolve_agrees_with_the_reference(self):
        variants = ["cuda_direct"]
        if os.path.exists(os.path.join(DRIVERS[0], "libcudnn.so.9")):
            variants.append("cudnn")
        self.write("a.yaml", sweep_text(
            "a", "conv2d", f"{{variant: [{', '.join(variants)}], device: [gpu], layout: [nchw, nhwc], "
            "dtype: [f32, f16], c_in: [3], c_out: [5], h: [7], w: [8], kh: [3], kw: [3], padding: [1]}",
            measure=MEASURE))
        self.call("run", "a.yaml")
        self.assertEqual(["ok"] * 4 * len(variants), self.statuses("a"))

    def test_a_result_is_held_against_the_roofs_of_what_it_ran_on(self):
        self.write("roofs.yaml", sweep_text(
            "gpu-roofs", "roof", "{device: [gpu], variant: [cuda], place: ["
            "{label: core, dtype: f32, operations: 100000, bytes: null, passes: null}, "
            "{label: memory, dtype: null, operations: null, bytes: 240000, passes: 1}], "
            "op: {values: [triad], when: 'label != \"core\"'}}", measure=MEASURE))
        self.write("a.yaml", sweep_text(
            "a", "stream", "{way: [{variant: loop, device: cpu}, {variant: cuda, device: gpu}], "
            "op: [triad], dtype: [f32], n: [10000]}", measure=MEASURE))
        for file in ("roofs.yaml", "a.yaml"):
            self.call("run", file, "--db", "r.db")
        rows = self.rows("r.db", 'select variant, result from "a"')
        results = {row["variant"]: row["result"] for row in rows}
        self.assertRegex(self.call("show", "r.db", str(results["cuda"])).out,
                         r"(?m)^roof +\S+ % of the (f32 peak|memory bandwidth)")
        shown = self.call("show", "r.db", str(results["loop"])).out
        self.assert_golden("roof", lines_with("no roofs", shown), host=HOST)

    def test_tiles_that_no_variant_has_are_refused_before_the_first_job(self):
        for kernel, variants, tile, known in (
                ("gemm", "[cuda_wgmma]", "tile_n: [128, 96]", "known: 128, 256"),
                ("gemm", "[cuda_tiled, cuda_wgmma]", "tile_n: [256, 96]", "known: 32, 64, 128, 256")):
            self.write("a.yaml", sweep_text(
                "a", kernel, f"{{variant: {variants}, device: [gpu], m: [8], n: [8], k: [8], {tile}}}",
                measure=MEASURE))
            answer = self.call("check", "a.yaml", status=2)
            name = tile.split(":", maxsplit=1)[0]
            self.assertRegex(answer.errors, rf"a\.yaml:\d+:\d+: parameter '{name}' of kernel '{kernel}' "
                                            rf"cannot be '96'; {known}")

    def test_roofs_tell_what_could_not_be_measured_and_why(self):
        place = ("place=[{label: core, dtype: f32, operations: 100000, bytes: null, passes: null}, "
                 "{label: core, dtype: bf16, operations: 2199023255552, bytes: null, passes: null}, "
                 "{label: memory, dtype: null, operations: null, bytes: 240000, passes: 1}, "
                 "{label: L2, dtype: null, operations: null, bytes: 2400000000, passes: 1}]")
        told = self.call("roofs", "--gpu", "--quick", "-a", place, "--only", 'op != "triad"').out
        self.assertRegex(told, r"(?m)^ *1 out_of_memory +label=L2 .*\(result \d+\): CUDA_ERROR_OUT_OF_MEM")
        # The simulated GPU has room for 2,048 threads, so few that its sums could not count so much.
        self.assertRegex(told, r"(?m)^ *1 failed_setup +label=core .*\(result \d+\): operations are at most")
        self.assertRegex(told, r"(?m)^\d jobs measured in .*, 3 without a result; results: roofs.db$")
        used = "select distinct substr(gpus, 1, 40) as gpu from result"
        self.assertEqual([DeadGpus.FIRST], [row["gpu"] for row in self.rows("roofs.db", used)])
        again = self.call("roofs", "--gpu", "--quick", "-a", place, "--only", 'op != "triad"', "--json")
        self.assertEqual({"f32", "memory"}, {row["roof"] for row in again.json()})
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", again.errors)
        # Those of another host, which the database also holds, are none to hold results of this one against.
        with sqlite3.connect(os.path.join(self.folder, "roofs.db")) as connection:
            connection.execute("update host set fingerprint = zeroblob(16)")
        connection.close()
        none = self.call("roofs", "--gpu", "--quick", "-a", place, "--only", 'label == "L2"', status=1)
        self.assertRegex(none.out, r"(?m)^ *1 out_of_memory ")

    def test_roofs_tell_that_the_driver_is_too_old(self):
        self.environment["LD_LIBRARY_PATH"] = DRIVERS[1]
        with open(os.path.join(self.home, "fake_gpu"), "w", encoding="utf-8") as file:
            file.write("slice")
        told = self.call("roofs", "--gpu", "--quick", status=1).out
        self.assertRegex(told, r"(?m)^ *17 unsupported +label=core dtype=f64 ")
        self.assertRegex(told, r"\.\.\.:\s+libcuda.so.1\s+has\s+no\s+cuDevicePrimaryCtxRetain:\s+the ")

    def test_claims_about_classes_read_the_roofs(self):
        place = ("place=[{label: core, dtype: tf32, operations: 100000, bytes: null, passes: null}, "
                 "{label: memory, dtype: null, operations: null, bytes: 240000, passes: 1}]")
        self.call("roofs", "--gpu", "--quick", "-q", "-a", place, "--db", "r.db")
        shapes = ", ".join(f"{{label: {label}, m: {m}, n: 16, k: 16}}"
                           for m, label in enumerate(("compute", "memory", "launch", "launch too"), 16))
        self.shipped("claims/G11.yaml", "-a", f"shape=[{shapes}]")
        told = self.call("claims", "r.db", "--all-grades", "--sweep", "G11-classes", "--json", status=None)
        words = {claim["word"]: claim["pairs"] for claim in told.json()["claims"] if claim["word"]}
        self.assertEqual({"compute": 1, "memory": 1, "launch": 2}, words)

    def test_every_one_of_them_asks_for_what_the_packs_have(self):
        files = [name for name in os.listdir(SWEEPS) if name.startswith("gpu_")]
        files += [os.path.join("claims", name) for name in os.listdir(os.path.join(SWEEPS, "claims"))
                  if name.startswith("G")]
        self.assertGreater(len(files), 11)
        for file in files:
            self.call("check", os.path.join(SWEEPS, file))


class Faults(CudaTest):  # labels: sanitized
    def sweep(self, *more):
        self.write("a.yaml", sweep_text("a", "stream", "{variant: [cuda], device: [gpu], op: [copy, add], "
                                        "n: [100, 200]}", *more, measure=MEASURE))

    def test_an_illegal_access_costs_its_process_and_the_next_job_works(self):
        self.simulate("illegal 2")
        self.sweep()
        self.call("run", "a.yaml", status=1)
        self.assertEqual(["failed_run", "ok", "ok", "ok"], sorted(self.statuses("a")))
        reason = self.value("a.db", "select reason from attempt where status = 'failed_run'")
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", reason)

    def test_a_kernel_without_end_costs_its_process_and_the_next_job_works(self):
        self.simulate("hang 2")
        self.sweep("timeout: {setup: 1s, run: 1s}")
        self.call("run", "a.yaml", status=1)
        statuses = sorted(self.statuses("a"))
        self.assertEqual(["ok"] * 3, statuses[:3])
        self.assertIn(statuses[3], ("timeout_setup", "timeout_run"))
        self.expect_nobody_left()

    def test_without_a_gpu_jobs_for_one_are_unplaceable_and_the_others_measured(self):
        del self.environment["LD_LIBRARY_PATH"]
        self.write("a.yaml", sweep_text("a", "stream", "{way: [{variant: loop, device: cpu}, "
                                        "{variant: cuda, device: gpu}], op: [copy], n: [100]}",
                                        "requires: [gpu.count < 99]", measure=MEASURE))
        self.call("run", "a.yaml", status=1)
        self.assertEqual(["ok", "unplaceable"], self.statuses("a"))


@unittest.skipUnless(os.cpu_count() > 1, "one core has one GPU at a time")
class DeadGpus(CudaTest, ClientsTest):
    """Two GPUs; the second one fails during its work. tests/kernels/cuda/fake_driver"""
    FIRST, SECOND = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f"
    AXES = "{variant: [cuda], device: [gpu], op: [copy, add], n: [100, 200, 300, 400, 500, 600, 700, 800]}"

    def sweep(self, axes=AXES, *more):
        self.write("a.yaml", sweep_text("a", "stream", axes, *more, measure=MEASURE))

    def gpus_used(self):
        rows = self.rows("a.db", "select substr(gpus, 1, 40) as gpu, count(*) as n from result group by 1")
        return {row["gpu"]: row["n"] for row in rows}

    def test_their_jobs_are_measured_on_another(self):
        self.simulate("dies 3")
        self.sweep()
        answer = self.call("run", "a.yaml", "-v")
        self.assertEqual(["ok"] * 16, self.statuses("a"))
        self.assertEqual({self.FIRST: 16}, self.gpus_used())
        self.assert_golden("told", lines_with(" warning GPU ", answer.errors))
        reason = self.value("a.db", "select group_concat(reason) from attempt where status = 'worker_lost'")
        self.assertRegex(reason, rf"^its GPU {self.SECOND} was lost: CUDA cannot be used on it: "
                                 r"CUDA_ERROR_NO_DEVICE; the job: CUDA error \d+ while .*$")
        self.assertEqual(17, self.count_of("a.db", "attempt"))
        self.expect_nobody_left()

    def test_are_found_by_nvml_too(self):
        self.simulate("dies 3")
        with open(os.path.join(self.home, "fake_gpu"), "w", encoding="utf-8") as file:
            file.write("lost")
        self.sweep()
        answer = self.call("run", "a.yaml", "-v")
        self.assertEqual(["ok"] * 16, self.statuses("a"))
        self.assert_golden("told", lines_with(" warning GPU ", answer.errors))

    def test_leave_jobs_without_one_unplaceable_and_those_of_the_processor_go_on(self):
        self.simulate("dies 3")
        self.environment["CUDA_VISIBLE_DEVICES"] = self.SECOND
        self.sweep("{way: [{variant: loop, device: cpu}, {variant: cuda, device: gpu}], op: [copy], "
                   "n: [100, 200, 300, 400]}")
        self.call("run", "a.yaml", status=1)
        self.assertEqual(["ok"] * 4 + ["unplaceable"] * 4, sorted(self.statuses("a")))
        reason = self.value("a.db", "select max(reason) from attempt where status = 'unplaceable'")
        self.assertRegex(reason, rf"it asks for 1 GPU, but \S+ offers none; it has lost {self.SECOND} "
                                 r"\(CUDA cannot be used on it: CUDA_ERROR_NO_DEVICE\)")

    def test_are_told_to_those_who_ask(self):
        self.simulate("dies 3")
        coordinator, address = self.coordinate("--stay")
        self.sweep()
        self.ask(address, "submit", "a.yaml")
        worker = self.start("worker", "--connect", address)
        self.until(lambda: self.accepted("a") == 16, "all jobs")
        told, = self.ask(address, "workers", "--json").json()
        self.assertEqual([self.FIRST], [gpu["uuid"] for gpu in told["gpus"]])
        lost, = told["lost_gpus"]
        self.assertEqual([self.SECOND, "Fake GPU"], [lost["uuid"], lost["name"]])
        self.assertRegex(self.ask(address, "workers").out,
                         rf"(?m)^worker \d+ on \S+ has lost Fake GPU {self.SECOND}: CUDA cannot be used on "
                         "it: CUDA_ERROR_NO_DEVICE; start it again when the GPU is back$")
        self.write("b.yaml", sweep_text("b", "stream", "{variant: [cuda], op: [copy], n: [100], gpus: [2]}",
                                        measure=MEASURE))
        self.ask(address, "submit", "b.yaml")
        why = self.until(lambda: "offers 1" in self.ask(address, "explain", "b/0").out
                         and self.ask(address, "explain", "b/0").out, "the reason")
        self.assertIn(self.SECOND, why)
        self.ask(address, "cancel", "b")
        self.stop(coordinator, worker, status=3)


if __name__ == "__main__":
    unittest.main()
