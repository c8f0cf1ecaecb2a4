"""`verify: {distrust: true}`: honest kernels are measured, what cannot be held is refused with the reason,
and a result says how it was held. Kernels that cheat: tests/exploits."""
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

from sandbox import BUILD, SANITIZED, ProcessTest, sweep_text

PYTHON = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
SHORT = ("measure: {processes: 1, warmup: {min_time: 0ms, max_time: 20ms}, "
         "samples: {min: 5, max: 20, min_time: 0ms, max_time: 20s}}\n")
DISTRUST = "verify: {distrust: true}"
PRODUCT = ("gemm", "{variant: blocked, m: 40, n: 40, k: 40}")
SEED = "sh -c 'echo {more} $KERNSWEEP_SEED'"

MODULE = '''
import array

def numbers(n, seed):
    return array.array("d", [(seed * 31 + i) % 1000 / 10 for i in range(n)])

def doubled(values):
    return array.array("d", [2 * value for value in values])

def exact(n, seed):
    return doubled(numbers(n, seed))

def honest(n, seed):
    values = numbers(n, seed)
    return lambda: doubled(values)

def in_a_buffer(n, seed):
    """Returns the same buffer each time."""
    values, out = numbers(n, seed), array.array("d", bytes(8 * n))
    def kernel():
        for i, value in enumerate(values):
            out[i] = 2 * value
        return out
    return kernel

def without_seed(n):
    values = numbers(n, 1)
    return lambda: doubled(values)

def always_right(n, seed):
    return lambda: doubled(numbers(n, 1))

def always_the_same(n, seed):
    return doubled(numbers(n, 1))

def endless(n, seed):
    while True:
        pass
'''


@unittest.skipIf(SANITIZED, "a sanitizer takes more memory and time than an isolated process may")
class Distrust(ProcessTest):
    def run_sweep(self, name, kernel, axes, *more):
        self.write(f"{name}.yaml", sweep_text(name, kernel, axes, *more, measure=SHORT))
        self.call("run", f"{name}.yaml", status=None)
        self.expect_nobody_left()
        return self.rows(f"{name}.db", f'select s.*, a.reason, a.distrust from "{name}" s '
                         "join attempt a using (result) order by s.point")

    def refused(self, name, text):
        """`check` and `run` say the same, and nothing is measured."""
        self.write(f"{name}.yaml", text)
        errors = self.call("check", f"{name}.yaml", status=2).errors
        self.assertEqual(errors, self.call("run", f"{name}.yaml", status=2).errors)
        self.assertFalse(os.path.exists(os.path.join(self.folder, f"{name}.db")))
        self.assert_golden(name, errors)

    def expect_all_ok(self, rows, count):
        self.assertEqual(["ok"] * count, [row["status"] for row in rows],
                         [(row["variant"], row["reason"]) for row in rows if row["status"] != "ok"])

    def test_our_own_families_are_honest(self):
        self.expect_all_ok(self.run_sweep(
            "g", "gemm",
            "{variant: [naive, blocked, blas, onednn], m: 33, n: 47, k: 21, epilogue: [none, bias_relu]}",
            "exclude: [{variant: blas, epilogue: bias_relu}, {variant: blocked, epilogue: bias_relu}]",
            DISTRUST), 6)
        self.expect_all_ok(self.run_sweep(
            "c", "conv2d",
            "{variant: [naive, im2col, vectorised, onednn], c_in: 8, c_out: 16, h: 14, w: 14, kh: 3, kw: 3, "
            "weights: {values: [plain, packed], when: \"variant == 'onednn'\"}}", DISTRUST), 5)
        self.expect_all_ok(self.run_sweep(
            "s", "stream", "{variant: [naive, loop], op: [copy, triad], n: 5000}", DISTRUST), 4)

    def test_a_result_says_how_it_was_held(self):
        row, = self.run_sweep("g", *PRODUCT, DISTRUST)
        held = json.loads(row["distrust"])
        self.assertLessEqual(4, held["checked"])
        self.assertLessEqual(held["checked"], min(64, held["calls"]))
        self.assertLess(0, int(held["secret"]))
        self.assertTrue(0 < held["handing_over_s"] < 1)
        self.assert_golden("operands", held["operands"])
        self.assert_golden("isolation", held["isolation"].split(",")[0], version=r"\d+")
        self.assertEqual(1, self.call("show", "g.db", "1").out.count(held["secret"]))
        again, = self.run_sweep("again", *PRODUCT, DISTRUST)
        self.assertNotEqual(held["secret"], json.loads(again["distrust"])["secret"])
        trusted, = self.run_sweep("trusted", *PRODUCT)
        self.assertIsNone(trusted["distrust"])

    def test_what_no_right_kernel_can_stay_below_is_stored(self):
        self.assertEqual([None, "bytes", "bytes"], [json.loads(row["distrust"]).get("least") for row in (
            *self.run_sweep("g", *PRODUCT, DISTRUST),
            *self.run_sweep("s", "stream", "{variant: [naive, loop], n: 500}", DISTRUST))])
        # A kernel may know more than the family about numbers that the sweep has chosen.
        chosen, = self.run_sweep("c", "stream", "{variant: loop, n: 500, input.x: ['uniform(0, 1)']}",
                                 DISTRUST)
        self.assertIsNone(json.loads(chosen["distrust"]).get("least"))

    def test_above_a_roof_that_nothing_right_can_be_above_it_is_no_answer(self):
        self.run_sweep("s", "stream", "{variant: loop, op: copy, n: 50000, threads: 1}", DISTRUST)
        axes = "{variant: plain, op: read, bytes: 65536, threads: 1, label: memory}"
        self.write("roofs.yaml", sweep_text("roofs", "roof", axes, measure=SHORT))
        self.call("run", "roofs.yaml", "--db", "s.db")

        def with_roof(seconds):
            with sqlite3.connect(os.path.join(self.folder, "s.db")) as connection:
                of_roofs = "where sweep_id = (select id from sweep where kernel = 'roof')"
                connection.execute(f"update attempt_row set min_s = ? {of_roofs}", (seconds,))
                connection.execute(f"update outcome set grade = 'A' {of_roofs}")
            connection.close()
            shown = self.call("show", "s.db", "1", "--json").json()["outcome"]["grade"]
            return self.call("best", "s.db", "--sweep", "s", "--grade", "C", "--json").json(), shown

        # 18 bytes a second, and 6.6e16.
        answer, grade = with_roof(3600)
        self.assertEqual(([], [1], "X"),
                         (answer["rows"], [each["result"] for each in answer["implausible"]], grade))
        answer, grade = with_roof(1e-12)
        self.assertEqual([1], [row["result"] for row in answer["rows"]])
        self.assertNotIn("implausible", answer)
        self.assertNotEqual("X", grade)

    def test_outputs_that_are_the_same_twice_by_chance_are_drawn_again(self):
        """One product of 17 values: two calls of a point have the same output with 6 %, some two of five
        with 46 %."""
        self.expect_all_ok(self.run_sweep("g", "gemm", "{variant: [naive], m: 1, k: 1, n: 1, dtype: s8, "
                                               "env.POINT: ['1', '2', '3', '4', '5', '6', '7']}",
                                          DISTRUST), 7)

    def test_a_result_can_be_had_again_by_hand(self):
        self.run_sweep("g", *PRODUCT, DISTRUST)
        line = self.call("repro", "g.db", "1").out
        self.assertEqual(1, line.count('"distrust":true'))

    def test_a_command_gets_a_seed(self):
        reference = "verify: {distrust: true, reference: {command: \"sh -c 'echo 1 $KERNSWEEP_SEED'\"}}"
        self.write("c.yaml", sweep_text("c", "command", "{more: [1, 2]}", reference, measure=SHORT)
                   .replace("kernel: command", f'command: "{SEED}"'))
        self.call("run", "c.yaml", status=1)
        rows = self.rows("c.db", 'select status from "c" order by point')
        self.assertEqual(["ok", "wrong_result"], [row["status"] for row in rows])

    def test_outputs_may_differ_in_length(self):
        words = "sh -c 'head -c $((KERNSWEEP_SEED % 5000 + 1)) /dev/zero | tr \\0 x'"
        reference = f'verify: {{distrust: true, reference: {{command: "{words}"}}}}'.replace("\\0", "\\\\0")
        self.write("c.yaml", sweep_text("c", "command", "{more: [1]}", reference, measure=SHORT)
                   .replace("kernel: command", f'command: "{words}"'.replace("\\0", "\\\\0")))
        self.call("run", "c.yaml")

    def test_what_an_override_asks_for_in_vain_is_a_row_without_times(self):
        self.write("right.txt", "1\n")
        override = "overrides: [{when: m == 40, set: {verify.distrust: true}}]"
        row, = self.run_sweep("o", *PRODUCT, "verify: {reference: {file: right.txt}}", override)
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("reason", row["reason"])
        self.assertEqual(0, self.value("o.db", "select count(*) from sample"))

    @unittest.skipUnless(PYTHON, "built without Python's development files")
    def test_of_python_functions(self):
        self.write("kernels.py", MODULE)
        verify = "verify: {distrust: true, reference: {python: 'kernels:exact'}}"
        functions = ", ".join(f"'kernels:{name}'" for name in
                              ("honest", "in_a_buffer", "without_seed", "always_right"))
        rows = self.run_sweep("p", "python", f"{{python: [{functions}], n: 500}}", verify)
        self.assertEqual(["ok", "ok", "wrong_result", "wrong_result"], [row["status"] for row in rows])
        same = "verify: {distrust: true, reference: {python: 'kernels:always_the_same'}}"
        row, = self.run_sweep("q", "python", "{python: ['kernels:always_right'], n: 500}", same)
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("the same output for all seeds", row["reason"])
        row, = self.run_sweep("e", "python", "{python: ['kernels:endless'], n: 500}", verify,
                              "timeout: {setup: 2s, run: 5s}", "retry: {max: 0}")
        self.assertEqual("timeout_setup", row["status"])

    @unittest.skipUnless(PYTHON, "built without Python's development files")
    def test_a_module_is_imported_only_where_it_is_isolated(self):
        self.write("kernels.py", MODULE)
        self.write("writes.py", "from kernels import honest\nopen('touched', 'w').close()\n")
        verify = "verify: {distrust: true, reference: {python: 'kernels:exact'}}"
        self.write("w.yaml", sweep_text("w", "python", "{n: 500}", verify, measure=SHORT)
                   .replace("kernel: python", "python: writes:honest"))
        self.call("check", "w.yaml")
        self.call("run", "w.yaml", status=1)
        self.call("replay", "w.db", "1", "--patience", "0", status=None)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "touched")))
        self.assertRegex(self.value("w.db", "select reason from attempt"), "touched")

    def test_what_cannot_be_held_is_refused_before_anything_runs(self):
        self.write("right.txt", "1\n")
        by_file = "verify: {distrust: true, reference: {file: right.txt}}"
        self.refused("by_file", sweep_text("s", *PRODUCT, by_file, measure=SHORT))
        self.refused("no_reference", sweep_text("s", "command", "{more: [1]}", DISTRUST, measure=SHORT)
                     .replace("kernel: command", f'command: "{SEED}"'))
        cold = SHORT.replace("{", "{cache: cold, ", 1)
        self.refused("cold", sweep_text("s", *PRODUCT, DISTRUST, measure=cold))
        by_command = "verify: {distrust: true, reference: {command: echo 1}}"
        self.refused("gpu", sweep_text("s", "command", "{device: [cpu, gpu]}", by_command, measure=SHORT)
                     .replace("kernel: command", "command: echo 1"))

    def test_an_operand_that_is_a_file_is_refused(self):
        axes = "{variant: blocked, m: 4, n: 4, k: 4, input.a: [a.npy]}"
        row, = self.run_sweep("f", "gemm", axes, DISTRUST)
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("reason", row["reason"])

    @unittest.skipUnless(PYTHON, "this build has no pack python")
    def test_an_installation_where_others_write_has_its_package(self):
        """An isolated process reads nothing else below /tmp."""
        for part in ("bin", "lib", "libexec", "share"):
            shutil.copytree(os.path.join(BUILD, part), os.path.join(self.folder, "there", part))
        self.write("kernels.py", "import kernsweep\n" + MODULE)
        verify = "verify: {distrust: true, reference: {python: 'kernels:exact'}}"
        self.write("s.yaml", sweep_text("s", "python", "{n: 500}", verify, measure=SHORT)
                   .replace("kernel: python", "python: kernels:honest"))
        environment = {name: text for name, text in self.environment.items()
                       if name not in ("PYTHONPATH", "KERNSWEEP_PACKS")}
        subprocess.run([os.path.join(self.folder, "there", "bin", "kernsweep"), "run", "s.yaml", "--quiet"],
                       cwd=self.folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        self.assertEqual("ok", self.value("s.db", "select status from results"))


if __name__ == "__main__":
    unittest.main()
