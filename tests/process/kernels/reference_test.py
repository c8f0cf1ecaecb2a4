"""`verify.reference`: a kernel that computes something else is a wrong_result, whatever it is judged by."""
import glob
import os
import struct
import unittest

from sandbox import BUILD, UNHURRIED, ProcessTest, lines_with

PYTHON = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
TIMED = "timeout: {setup: 300s, run: 300s}"

MODULE = '''
import array, os, struct

def spoilt(n, at, by):
    """0, 1, 2, ... with one element off."""
    values = [float(i) for i in range(n)]
    values[at] += by
    return lambda: array.array("d", values)

def with_nan(n, at):
    return spoilt(n, at, float("nan"))

def counting(n):
    return array.array("d", [float(i) for i in range(n)])

def gemm(m, n, k, a, b):
    return array.array("d", [sum(a[0, i, l] * b[0, l, j] for l in range(k))
                             for i in range(m) for j in range(n)])

def gemm_but_one(m, n, k, a, b):
    right = gemm(m, n, k, a, b)
    right[m * n // 2] += 1
    return right

def right_twice(n):
    """As a function that knows how often it is verified."""
    calls = []
    def kernel():
        calls.append(n)
        return array.array("d", [float(i) if len(calls) < 3 else 0.5 for i in range(n)])
    return kernel

def answer():
    return 42

def line(n):
    return f"n is {n}\\n"

def random():
    return int.from_bytes(os.urandom(6), "little")

def endless():
    while True:
        os.sched_yield()

def raises():
    raise ValueError("not today")

def large(n):
    return lambda: 2 ** 53 + n

def typed(code, by):
    return lambda: array.array(code, [1000, 3000 + (3000 * by if code != "i" else by > 0)])
'''


def npy(values, kind="<f8", shape=None):
    """A .npy file as NumPy writes it."""
    shape = shape or (len(values),)
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{'d' if kind == '<f8' else 'f'}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


class ReferenceTest(ProcessTest):
    def write_program(self, name, text):
        self.write(name, text)
        os.chmod(os.path.join(self.folder, name), 0o755)

    def sweep(self, name, what, axes, verify, *more):
        self.write(f"{name}.yaml", "\n".join(["sweep: 1", f"name: {name}", what, f"axes: {axes}",
                                              UNHURRIED.rstrip("\n"), f"verify: {verify}",
                                              *(more or (TIMED,))]) + "\n")

    def run_sweep(self, what, axes, verify, *more, name="s"):
        """The rows of one run, in the order of the points, with the reason and what was compared with."""
        self.sweep(name, what, axes, verify, *more)
        answer = self.call("run", f"{name}.yaml", status=None)
        rows = self.rows(f"{name}.db", f'select s.*, t.reason, t.verified_by from "{name}" s join attempt t '
                         "using (result) order by s.point")
        failed = any(row["status"] != "ok" for row in rows)
        self.assertEqual(1 if failed else 0, answer.status, answer.errors)
        self.expect_nobody_left()
        self.assertEqual([], glob.glob(os.path.join(self.home, "kernsweep-reference-*")))
        return rows

    def statuses(self, *arguments, **named):
        return [row["status"] for row in self.run_sweep(*arguments, **named)]

    def refused(self, what, axes, verify):
        """What `run` and `check` say of a sweep that cannot be right; nothing is measured."""
        self.sweep("s", what, axes, verify)
        errors = self.call("check", "s.yaml", status=2).errors
        self.assertEqual(errors, self.call("run", "s.yaml", status=2).errors)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "s.db")))
        return errors


class OfACommand(ReferenceTest):
    # fast prints its argument; honest prints 42.
    SOLVE = '#!/bin/sh\nif [ "$1" = honest ]; then echo 42; else echo "$2"; fi\n'

    def test_41_for_42_is_wrong_and_no_winner(self):
        self.write_program("solve", self.SOLVE)
        rows = self.run_sweep("command: ./solve {algorithm} 41", "{algorithm: [honest, fast]}",
                              "{reference: {algorithm: honest}}")
        self.assertEqual(["ok", "wrong_result"], [row["status"] for row in rows])
        self.assertEqual("setting algorithm=honest, which is the point itself", rows[0]["verified_by"])
        best = self.call("best", "s.db", "--json").json()["rows"]
        self.assertEqual(["honest"], [row["algorithm"] for row in best])
        self.assert_golden("reason", rows[1]["reason"])

    def test_numbers_are_compared_as_numbers_and_text_as_lines(self):
        self.write_program("solve", self.SOLVE)
        # 42.0 and 4.2e1 are the number 42. NaN is no number of the reference, and "4 2" are two.
        says = "['42.0', '4.2e1', nan, forty, 4 2, '42 ']"
        self.assertEqual(["ok", "ok", "wrong_result", "wrong_result", "wrong_result", "ok"],
                         self.statuses("command: ./solve fast {says}", f"{{says: {says}}}",
                                       '{reference: {command: ./solve honest}}'))

    def test_a_tolerance_is_relative_or_absolute(self):
        self.write_program("solve", self.SOLVE)
        axes = "{says: [42.4]}"  # 0.4 off, which is 0.0096 of 42
        for tolerance, expected in (("{relative: 0.01}", "ok"), ("{relative: 0.009}", "wrong_result"),
                                    ("{absolute: 0.41}", "ok"), ("{absolute: 0.39}", "wrong_result"),
                                    ("{absolute: 9}", "ok")):
            rows = self.statuses("command: ./solve fast {says}", axes,
                                 f"{{reference: {{command: ./solve honest}}, tolerance: {tolerance}}}",
                                 name=f"t{tolerance.count('9')}{len(tolerance)}{expected[0]}")
            self.assertEqual([expected], rows, tolerance)

    def test_text_with_another_line_is_wrong_and_blanks_at_ends_of_lines_are_not(self):
        self.write_program("tell", "#!/bin/sh\nprintf 'first%s\\n%s\\n%s' \"$2\" \"$1\" \"$3\"\n")
        rows = self.run_sweep("command: ./tell {word} '{blank}' '{end}'",
                              "{all: [{word: b, blank: '', end: ''}, {word: b, blank: '  ', end: '  '}, "
                              "{word: c, blank: '', end: ''}, {word: b, blank: '', end: more}]}",
                              "{reference: {command: ./tell b '' ''}}")
        self.assertEqual(["ok", "ok", "wrong_result", "wrong_result"], [row["status"] for row in rows])
        self.assert_golden("line 2", rows[2]["reason"])
        self.assert_golden("line 3", rows[3]["reason"])

    def test_the_whole_of_a_long_output_counts(self):
        # 100,000 numbers are more than the 64 KiB that are kept otherwise; the second one is off by 1.
        self.write_program("count", '#!/bin/sh\nseq 1 100000 | sed "2s/.*/$1/"\n')
        self.assertEqual(["ok", "wrong_result"],
                         self.statuses("command: ./count {second}", "{second: [2, 3]}",
                                       "{reference: {command: seq 1 100000}}"))

    def test_whole_numbers_that_no_double_tells_apart_differ(self):
        self.assertEqual(["ok", "wrong_result"],
                         self.statuses("command: echo {n}", "{n: [9007199254740992, 9007199254740993]}",
                                       "{reference: {command: echo 9007199254740992}}"))

    def test_show_says_what_was_verified_and_by_what(self):
        self.run_sweep("command: echo {n}", "{n: [7]}", "{reference: {command: 'echo {n}'}}")
        shown = self.call("show", "s.db", "1").out
        self.assertEqual("checked  agrees with command echo 7", lines_with("checked ", shown))
        result = self.call("repro", "s.db", "1", "--json").json()
        self.assertEqual({"command": "echo 7"}, result["job"]["verify"]["reference"])

    def test_a_reference_that_fails_or_is_silent_or_too_slow_is_a_typed_row(self):
        self.write_program("fails", "#!/bin/sh\necho no licence >&2\nexit 3\n")
        self.write_program("slow", "#!/bin/sh\nsleep 600 &\nsleep 600\n")
        rows = self.run_sweep("command: echo 1", "{n: [1]}", "{reference: {command: ./fails}}")
        self.assertEqual("failed_setup", rows[0]["status"])
        self.assert_golden("fails", rows[0]["reason"])
        rows = self.run_sweep("command: echo 1", "{n: [1]}", "{reference: {command: 'true'}}", name="silent")
        self.assert_golden("silent", rows[0]["reason"])
        rows = self.run_sweep("command: echo 1", "{n: [1]}", "{reference: {command: ./slow}}",
                              "timeout: {setup: 2s}", name="slow")
        self.assertEqual("timeout_setup", rows[0]["status"])

    def test_a_reference_that_gives_another_output_each_time_judges_nothing(self):
        row = self.run_sweep("command: echo 1", "{n: [1]}",
                             "{reference: {command: sh -c 'cat /proc/sys/kernel/random/uuid'}}")[0]
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("two outputs", row["reason"], id=r"[0-9a-f]{8}-[0-9a-f-]{27}")

    def test_another_content_of_it_measures_anew(self):
        self.write_program("expected", "#!/bin/sh\necho 1\n")
        verify = "{reference: {command: ./expected}}"
        self.assertEqual(["ok"], self.statuses("command: echo 1", "{n: [1]}", verify))
        self.assertIn("Nothing to do", self.call("run", "s.yaml").out)
        self.write_program("expected", "#!/bin/sh\necho 2\n")
        self.assertEqual(["wrong_result"], self.statuses("command: echo 1", "{n: [1]}", verify))
        self.write("expected.txt", "1")
        verify = "{reference: {file: expected.txt}}"
        self.assertEqual(["ok"], self.statuses("command: echo 1", "{n: [1]}", verify, name="f"))
        self.write("expected.txt", "2")
        self.assertEqual(["wrong_result"], self.statuses("command: echo 1", "{n: [1]}", verify, name="f"))

    def test_one_that_failed_and_was_mended_is_tried_again(self):
        self.write_program("expected", "#!/bin/sh\nexit 1\n")
        verify = "{reference: {command: ./expected}}"
        self.assertEqual(["failed_setup"], self.statuses("command: echo 1", "{n: [1]}", verify))
        self.write_program("expected", "#!/bin/sh\necho 1\n")
        self.assertEqual(["ok"], self.statuses("command: echo 1", "{n: [1]}", verify))

    def test_another_program_that_path_finds_measures_anew(self):
        for folder in ("first", "second"):
            os.mkdir(os.path.join(self.folder, folder))
        path = ":".join([os.path.join(self.folder, "first"), os.path.join(self.folder, "second"),
                         os.environ["PATH"]])
        self.write_program("second/expected", "#!/bin/sh\necho 1\n")
        self.sweep("s", "command: echo 1", "{n: [1]}", "{reference: {command: expected}}")
        self.call("run", "s.yaml", environment={"PATH": path})
        self.call("run", "s.yaml", environment={"PATH": path})
        self.assertEqual(1, self.value("s.db", "select count(*) from sweep"), "nothing to do")
        self.write_program("first/expected", "#!/bin/sh\necho 2\n")
        self.call("run", "s.yaml", environment={"PATH": path}, status=1)
        self.assertEqual("wrong_result", self.value("s.db", "select status from s"))

    def test_a_file_of_depends_that_changes_computes_it_anew(self):
        self.write_program("expected", "#!/bin/sh\ncat right.txt\n")
        for right, status in ((1, "ok"), (2, "wrong_result"), (1, "ok")):
            self.write("right.txt", str(right))
            self.assertEqual([status], self.statuses("command: echo 1", "{n: [1]}",
                                                     "{reference: {command: ./expected}}",
                                                     "depends: [right.txt]"))

    def test_a_reference_that_a_label_names_is_part_of_what_was_measured(self):
        self.write("a.txt", "7")
        self.write("b.txt", "8")
        verify = "{reference: {file: '{label}.txt'}}"
        self.assertEqual(["ok"], self.statuses("command: echo 7", "{label: [a]}", verify))
        self.assertEqual(["wrong_result"], self.statuses("command: echo 7", "{label: [b]}", verify))

    def test_what_cannot_be_right_is_refused_before_anything_runs(self):
        what, axes = "command: echo {n} {threads} {s}", "{n: [1, 2], threads: [1, 2], env.X: [a], s: [x, y]}"
        for name, verify in {
                "unknown axis": "{reference: {algoritm: honest}}",
                "computed column": "{reference: {command: 'echo {m}'}}",
                "process": "{reference: {threads: 1}}",
                "environment": "{reference: {env.X: b}}",
                "value": "{reference: {s: z}}",
                "kind": "{reference: {n: one}}",
                "two forms": "{reference: {command: echo, file: a.npy}}",
                "nothing": "{reference: {setting: {}}}",
                "function": "{reference: {python: kernels.py}}",
                "brace": "{reference: {file: 'a{n'}}",
                "list": "{reference: [a]}",
                "variant": "{reference: honest}",
                "tolerance": "{reference: {s: x}, tolerance: {relative: -1}}",
                "infinite": "{reference: {s: x}, tolerance: {absolute: inf}}",
                "tolerance name": "{reference: {s: x}, tolerance: {relativ: 1}}",
                "tolerance of a type": "{reference: {s: x}, tolerance: {f64: 1e-9}}"}.items():
            with self.subTest(name):
                self.assert_golden(name, self.refused(what, axes, verify))


@unittest.skipUnless(PYTHON, "this build has no Python pack")
class OfAPythonFunction(ReferenceTest):
    def setUp(self):
        super().setUp()
        self.write("kernels.py", MODULE)

    def test_a_function_that_is_right_only_while_it_is_verified_is_wrong(self):
        self.assertEqual(["wrong_result"], self.statuses("python: kernels:right_twice", "{n: [40]}",
                                                         "{reference: {python: 'kernels:counting'}}"))

    def test_one_wrong_element_in_the_middle_or_nan_is_found(self):
        rows = self.run_sweep("python: kernels:spoilt",
                              "{n: [1000], at: [500, 999], by: [0.0, 0.001]}",
                              "{reference: {python: 'kernels:counting'}}")
        self.assertEqual(["ok", "wrong_result"] * 2, [row["status"] for row in rows])
        self.assert_golden("element 500", rows[1]["reason"])
        rows = self.run_sweep("python: kernels:with_nan", "{n: [9], at: [4]}",
                              "{reference: {python: 'kernels:counting'}, tolerance: {absolute: 1e300}}",
                              name="n")
        self.assertEqual(["wrong_result"], [row["status"] for row in rows])
        self.assert_golden("NaN", rows[0]["reason"])

    def test_a_command_can_be_right_for_it_and_it_for_a_command(self):
        rows = self.run_sweep("python: kernels:spoilt", "{n: [4], at: [2], by: [0.0, 1.0]}",
                              "{reference: {command: 'seq 0 3'}}")
        self.assertEqual(["ok", "wrong_result"], [row["status"] for row in rows])
        self.assertEqual(["wrong_result", "ok"],
                         self.statuses("command: echo {n}", "{n: [41, 42]}",
                                       "{reference: {python: 'kernels:answer'}}", name="c"))
        self.assertEqual(["ok", "wrong_result"],
                         self.statuses("command: echo n is {m}", "{all: [{n: 1, m: 1}, {n: 2, m: 1}]}",
                                       "{reference: {python: 'kernels:line'}}", name="t"))

    def test_a_setting_of_the_same_function(self):
        rows = self.run_sweep("python: kernels:spoilt", "{n: [9], at: [3], by: [0.0, 1.0]}",
                              "{reference: {by: 0}}")
        self.assertEqual(["ok", "wrong_result"], [row["status"] for row in rows])
        self.assertEqual(["setting by=0.0, which is the point itself", "setting by=0.0"],
                         [row["verified_by"] for row in rows])

    def test_without_a_tolerance_floats_may_be_rounded_and_whole_numbers_not(self):
        said = self.statuses("python: kernels:typed", "{code: [f, d, i], by: [0.0, 2e-9, 2e-6, 2e-4]}",
                             "{reference: {by: 0.0}}")
        self.assertEqual("1110" "1100" "1000", "".join(str(int(status == "ok")) for status in said))

    def test_of_whole_numbers_above_2_to_53_each_counts(self):
        # 2^53 and 2^53 + 1 are equal as doubles.
        self.assertEqual(["ok", "wrong_result"],
                         self.statuses("python: kernels:large", "{n: [0, 1]}", "{reference: {n: 0}}"))

    def test_a_python_function_is_right_for_a_pack(self):
        rows = self.run_sweep("kernel: gemm", "{variant: [naive, blocked], dtype: f32, m: 5, n: 7, k: 9}",
                              "{reference: {python: 'kernels:gemm'}}")
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows])
        self.assertEqual(["python kernels:gemm"] * 2, [row["verified_by"] for row in rows])
        rows = self.run_sweep("kernel: gemm", "{variant: [naive], dtype: [f32, bf16], m: 5, n: 7, k: 9}",
                              "{reference: {python: 'kernels:gemm_but_one'}}", name="w")
        self.assertEqual(["wrong_result"] * 2, [row["status"] for row in rows])
        self.assert_golden("element 17", rows[0]["reason"])  # 5 * 7 // 2

    def test_another_content_of_its_module_measures_anew(self):
        for right, status in ((1, "ok"), (2, "wrong_result")):
            self.write("right.py", f"def right():\n    return {right}\n")
            self.assertEqual([status], self.statuses("command: echo 1", "{n: [1]}",
                                                     "{reference: {python: 'right:right'}}"))

    def test_a_function_that_raised_and_was_mended_is_tried_again(self):
        for body, status in (("raise ValueError", "failed_setup"), ("return 1", "ok")):
            self.write("mended.py", f"def right():\n    {body}\n")
            self.assertEqual([status], self.statuses("command: echo 1", "{n: [1]}",
                                                     "{reference: {python: 'mended:right'}}"))

    def test_one_that_raises_never_ends_or_is_random_is_a_typed_row(self):
        for function, status, limit in (("raises", "failed_setup", "30s"), ("random", "failed_setup", "30s"),
                                        ("endless", "timeout_setup", "2s"), ("gone", "failed_setup", "30s")):
            row = self.run_sweep("command: echo 1", "{n: [1]}",
                                 f"{{reference: {{python: 'kernels:{function}'}}}}",
                                 f"timeout: {{setup: {limit}}}", name=function)[0]
            self.assertEqual(status, row["status"], row["reason"])
            if function != "endless":
                self.assert_golden(function, row["reason"])


class OfAPack(ReferenceTest):
    SHAPE = "m: 3, n: 4, k: 5"

    def test_a_command_gets_the_operands_as_files(self):
        # The sum over all of a * b is compared in a program of its own; here only that it reads them.
        self.write_program("look", "#!/bin/sh\nfor name in a b; do head -c 6 $KERNSWEEP_INPUTS/$name.npy | "
                           "tail -c 5 >&2 || exit 1; done\nseq 1 12\n")
        row = self.run_sweep("kernel: gemm", f"{{variant: naive, dtype: [f32], {self.SHAPE}}}",
                             "{reference: {command: ./look}}")[0]
        self.assertEqual("wrong_result", row["status"], "1 to 12 is not the product")

    def test_a_setting_is_computed_in_the_same_process(self):
        rows = self.run_sweep("kernel: gemm",
                              f"{{variant: [blocked, naive], dtype: f32, {self.SHAPE}}}",
                              "{reference: {setting: {variant: blocked}}}")
        self.assertEqual(["ok", "ok"], [row["status"] for row in rows])
        self.assertEqual(["setting variant=blocked, which is the point itself", "setting variant=blocked"],
                         [row["verified_by"] for row in rows])

    def test_a_file_is_right_or_has_another_shape_or_is_damaged(self):
        axes = (f"{{variant: naive, dtype: f32, {self.SHAPE}, input.a: 'integers(1, 1)', "
                "input.b: 'integers(1, 1)'}")
        # Each element is a sum of k = 5 products of 1 and 1.
        files = {"right.npy": (npy([5.0] * 12, shape=(1, 3, 4)), "ok"),
                 "flat.npy": (npy([5.0] * 12), "ok"),
                 "one.npy": (npy([5.0] * 6 + [6.0] + [5.0] * 5), "wrong_result"),
                 "few.npy": (npy([5.0] * 11), "wrong_result"),
                 "turned.npy": (npy([5.0] * 12, shape=(4, 3)), "wrong_result"),
                 "damaged.npy": (npy([5.0] * 12)[:-1], "failed_setup"),
                 "text.npy": (b"5 5 5", "failed_setup"),
                 "complex.npy": (npy([5.0] * 12).replace(b"<f8", b"<c8"), "failed_setup"),
                 "text.txt": (b"5 " * 12, "ok"),
                 "words.txt": (b"five " * 12, "wrong_result"),
                 "empty.txt": (b"\n", "failed_setup")}
        for file, (content, _) in files.items():
            self.write(file, content)
        rows = self.run_sweep("kernel: gemm", axes.replace("}", f", env.FILE: [{', '.join(files)}]}}"),
                              "{reference: {file: '{env.FILE}'}}")
        for row, (file, (_, status)) in zip(rows, files.items(), strict=True):
            with self.subTest(file):
                self.assertEqual(status, row["status"], row["reason"])
                if status != "ok":
                    self.assert_golden(file, row["reason"])

    def test_what_the_kernel_does_not_have_is_refused_before_anything_runs(self):
        what = "kernel: gemm"
        axes = f"{{variant: [naive, blas], dtype: f32, {self.SHAPE}}}"
        for name, verify in {"variant": "{reference: blass}", "setting": "{reference: {variant: blass}}",
                             "problem": "{reference: {m: 3}}"}.items():
            with self.subTest(name):
                self.assert_golden(name, self.refused(what, axes, verify))


if __name__ == "__main__":
    unittest.main()
