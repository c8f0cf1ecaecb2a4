"""GPUs that die under programs, functions and silent processes. fake_gpu/ simulates them."""
import os
import signal
import unittest

from gpu_test import FIRST, SECOND, GpuTest
from python_test import HERE
from sandbox import UNHURRIED, lines_with

QUICK = "timeout: {setup: 10s, run: 2s}"


class LostGpusTest(GpuTest):
    def run_sweep(self, kernel, axes, *more, status=0):
        self.write("a.yaml", "\n".join(("sweep: 1", "name: a", kernel, f"axes: {axes}",
                                        UNHURRIED.rstrip("\n"), *more)) + "\n")
        answer = self.call("run", "a.yaml", "-v", status=status)
        self.expect_nobody_left()
        return answer

    def run_program(self, on_second, *more, axes="{i: {range: [1, 8]}, device: [gpu]}", status=0):
        """The kernel is a program that follows this command on the second GPU."""
        path = self.write("kernel.sh", f'case "$CUDA_VISIBLE_DEVICES" in *{SECOND}*) {on_second};; esac\n')
        return self.run_sweep(f"command: sh {self.folder}/{path} {{i}}", axes, *more, status=status)

    def statuses(self):
        return [row["status"] for row in self.rows("a.db", "select status from a order by point")]

    def reasons(self, status):
        rows = self.rows("a.db", f"select reason from attempt where status = '{status}'")
        return [row["reason"] for row in rows]


@unittest.skipUnless(os.cpu_count() > 1, "one core has one GPU at a time")
class Lost(LostGpusTest):
    def check_all_were_measured_on_the_first(self, answer, said):
        self.assertEqual(["ok"] * 8, self.statuses())
        self.assertEqual(8, self.value("a.db", f"select count(*) from result where gpus like '{FIRST}%'"))
        reason, = self.reasons("worker_lost")
        self.assertRegex(reason, f"its GPU {SECOND} was lost: NVML says that it is lost; the job: {said}")
        self.assert_golden("told", lines_with(" warning GPU ", answer.errors))

    def test_by_a_program_that_fails(self):
        self.simulate("lost")
        self.check_all_were_measured_on_the_first(self.run_program("exit 1"), ".*status 1")

    def test_by_a_program_that_hangs(self):
        self.simulate("lost")
        self.check_all_were_measured_on_the_first(self.run_program("sleep 60", QUICK), ".*timeout")

    def test_not_where_another_one_is(self):
        self.simulate("another lost")
        self.run_sweep("command: 'false {i}'", "{i: [1], device: [gpu]}", status=1)
        self.assertEqual(["failed_run"], self.statuses())
        self.assertEqual([], self.reasons("worker_lost"))

    def test_a_job_under_which_one_after_the_other_is_lost_is_tried_no_more(self):
        self.simulate("all lost")
        self.run_sweep("command: 'false {i}'", "{i: [1], device: [gpu]}", "retry: {max: 9}", status=1)
        self.assertEqual(["worker_lost"], self.statuses())
        first, last = self.reasons("worker_lost")
        self.assertIn(FIRST, first)
        self.assertIn(SECOND, last)
        self.assert_golden("last", last)

    @unittest.skipUnless(HERE, "built without Python's development files")
    def test_by_a_function_that_raises(self):
        self.simulate("lost")
        self.write("kernels.py", f'''
import os
def on_first(i, **given):
    def kernel():
        if "{SECOND}" in os.environ["CUDA_VISIBLE_DEVICES"]:
            raise RuntimeError("CUDA error: unknown error")
    return kernel
''')
        answer = self.run_sweep("python: kernels:on_first", "{i: {range: [1, 8]}, device: [gpu]}")
        self.check_all_were_measured_on_the_first(answer, "[^$]*CUDA error: unknown error")


    def test_is_told_by_a_worker_that_drains(self):
        self.simulate("all lost")
        spool, go = (os.path.join(self.home, name) for name in ("spool", "go"))
        path = self.write("kernel.sh", f"while [ ! -e {go} ]; do sleep 0.02; done\nexit 1\n")
        self.write("a.yaml", f"sweep: 1\nname: a\ncommand: sh {self.folder}/{path} {{i}}\n"
                             f"axes: {{i: [1], device: [gpu]}}\n{UNHURRIED}")
        coordinator, address = self.coordinate("--stay")
        self.ask(address, "submit", "a.yaml")
        worker = self.start("worker", "--connect", address, "--spool", spool, "-v")
        self.until(lambda: any(each["active"] for each in self.ask(address, "workers", "--json").json()),
                   "its job")
        worker.signal(signal.SIGTERM)
        self.until(lambda: "draining" in worker.complained(), "that it drains")
        self.write(go, "")
        self.assertEqual(0, worker.wait(), worker.complained())
        self.assertEqual([], os.listdir(spool), "its outcome was not delivered")
        reason = self.value("all.db", "select reason from attempt where status = 'worker_lost'")
        self.assert_golden("reason", reason)
        self.stop(coordinator, status=3)


class Kept(LostGpusTest):
    def test_under_programs_that_fail_for_other_reasons(self):
        answer = self.run_program("exit 1", axes="{i: {range: [1, 8]}, gpus: [2]}", status=1)
        self.assertEqual(["failed_run"] * 8, self.statuses())
        self.assertNotIn("is lost", answer.errors)

    @unittest.skipUnless(HERE, "built without Python's development files")
    def test_by_the_next_function_when_one_has_broken_its_context(self):
        self.write("kernels.py", '''
import os, sys
def breaks(i, **given):
    def kernel():
        if not os.path.exists("first"):
            open("first", "w").close()
            sys.broken = True
        if hasattr(sys, "broken"):
            raise RuntimeError("CUDA error: an illegal memory access was encountered")
    return kernel
''')
        self.environment["CUDA_VISIBLE_DEVICES"] = "1"  # the one GPU that all share
        self.run_sweep("python: kernels:breaks", "{i: {range: [1, 6]}, device: [gpu]}", status=1)
        self.assertEqual(["failed_run"] + ["ok"] * 5, sorted(self.statuses()))


if __name__ == "__main__":
    unittest.main()
