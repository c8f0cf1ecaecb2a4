"""`source`: a function of a C or C++ file, compiled for each setting and called in the measuring process."""
import json
import re
import shutil
import unittest

from sandbox import ProcessTest

MEASURE = ("measure: {processes: 1, warmup: {min_time: 0ms, max_time: 20ms}, "
           "samples: {min: 3, max: 20, min_time: 0ms, max_time: 20s}}")

# Sums of rows in blocks. `rows_wrong` leaves the last row out, `rows_far` reads behind its operand.
ROWS = """
#include "scale.h"
#ifndef BLOCK
#define BLOCK 4
#endif
static float scaled(float x) { return SCALE * x; }
void rows(int n, const float* restrict x, float* restrict y) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j0 = 0; j0 < n; j0 += BLOCK)
      for (int j = j0; j < j0 + BLOCK && j < n; ++j) sum += scaled(x[i * n + j]);
    y[i] = sum;
  }
}
void rows_wrong(int n, const float* restrict x, float* restrict y) { rows(n - 1, x, y); y[n - 1] = 0; }
void rows_unwritten(int n, const float* x, float* y) { for (int i = 0; i < n - 1; ++i) y[i] = (float)n; }
void rows_far(int n, const float* x, float* y) { rows(n, x + 2048, y); }
void rows_writes(int n, float* x, float* y) { rows(n, x, y); x[0] = 1; }
#include <stdint.h>
uint64_t mixed(int n, const int* x, int last) {
  uint64_t h = 1;
  for (int i = 0; i < n; ++i) h = (h ^ (uint64_t)x[i]) * 1099511628211ull;
  return (h | 1ull << 63) ^ (uint64_t)last;
}
void halves(int n, const unsigned short* x, unsigned short* y) { for (int i = 0; i < n; ++i) y[i] = x[i]; }
void swaps(int n, double* x, double* y) {
  for (int i = 0; i < n; ++i) { const double kept = x[i]; x[i] = y[i]; y[i] = kept; }
}
static unsigned chain(unsigned n) {
  unsigned h = 1;
  for (unsigned i = 0; i < n; ++i) h = h * 1664525u + (h >> 7);
  return h;
}
double total(long n, const double* x) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += x[i];
  return sum;
}
void sorts(int n, int* x) {
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && x[j - 1] > x[j]; --j) { int kept = x[j]; x[j] = x[j - 1]; x[j - 1] = kept; }
}
void keeps(int z, int* y) { static int kept; if (!kept) kept = z; *y = kept; }
void matrix(int n, double x[n][n], double y[n]) { for (int i = 0; i < n; ++i) y[i] = x[i][i]; }
void endless(int* x) { for (volatile int i = 1; i; i = 1) *x = i; }
"""

CPP = """
#include <cmath>
#include <cstddef>
namespace mine {
template <class T, int unrolled>
void axpy(std::size_t n, T a, const T* x, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = a * x[i] + unrolled * 0;
}
void roots(int n, const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}
struct Four { float at[4]; };
bool fours(int n, const Four* x, float* y) { for (int i = 0; i < n; ++i) y[i] = x[i].at[0]; return true; }
}
"""


@unittest.skipUnless(shutil.which("gcc") and shutil.which("g++"), "this host has no gcc")
class SourceTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.write("rows.c", ROWS)
        self.write("scale.h", "#define SCALE 1\n")
        self.write("more.cpp", CPP)

    def sweep(self, call, *lines, file="rows.c", operands='{x: "f32[{n}, {n}]", y: "f32[{n}] output"}',
              axes="{n: [40]}"):
        return self.write("s.yaml", "\n".join([
            "sweep: 1", "name: s", f"source: {file}", f"call: {json.dumps(call)}", f"axes: {axes}",
            *([f"operands: {operands}"] if operands else []), MEASURE, *lines]) + "\n")

    def run_it(self, *arguments, status=0):
        return self.call("run", "s.yaml", "-q", *arguments, status=status)

    def told(self, what="status, reason"):
        rows = self.rows("s.db", f"select {what} from results order by result")
        return [tuple(row.values()) for row in rows]


class Sources(SourceTest):
    def test_are_compiled_for_each_setting_and_verified_by_one(self):
        self.sweep("rows(n, x, y)", "compile: gcc -O{o} -DBLOCK={block}", "problem: [n]",
                   "derive: {flops: n * n, bytes: 4 * n * n}",
                   "verify: {reference: {setting: {o: 0, block: 1}}}",
                   axes="{n: [40, 64], o: [0, 3], block: [1, 8]}")
        self.run_it()
        rows = self.rows("s.db", "select status, source, gflops > 0 as rate from s")
        self.assertEqual(8, len(rows))
        self.assertEqual({"ok"}, {row["status"] for row in rows})
        self.assertEqual({"rows.c: rows(n, x, y)"}, {row["source"] for row in rows})
        self.assertEqual({1}, {row["rate"] for row in rows})
        for name in ("rows.c", "scale.h", "call.c", "compiler\t"):
            self.assertEqual(1, self.value("s.db", "select count(*) > 0 from software where sources like "
                                                   f"'%{name}%'"), name)
        self.assertEqual(0, self.value("s.db", "select count(*) from result where runtime not like '%.%'"))
        self.run_it()
        self.assertEqual(8, self.value("s.db", "select count(*) from results"))
        self.write("scale.h", "#define SCALE 2\n")
        self.run_it()
        self.assertEqual(16, self.value("s.db", "select count(*) from results"))

    def test_that_compute_something_else_are_wrong(self):
        self.sweep("{how}(n, x, y)", "verify: {reference: {setting: {how: rows}}}",
                   axes="{n: [40], how: [rows, rows_wrong]}")
        self.run_it(status=1)
        self.assertEqual(["ok", "wrong_result"], sorted(row[0] for row in self.told()))

    def test_that_leave_their_output_unwritten_are_wrong(self):
        self.sweep("rows_unwritten(n, x, y)")
        self.run_it(status=1)
        self.assertEqual("wrong_result", self.told()[0][0])

    def test_may_return_their_output(self):
        self.sweep("total(n, x)", operands='{x: "f64[{n}]"}', axes="{n: [0, 1000]}")
        self.run_it()
        self.assertEqual([("ok", 32), ("ok", 32)], self.told("status, length(output_hash)"))

    def test_of_c_may_be_compiled_as_cpp(self):
        self.write("c.c", "int twice(int n) { return 2 * n; }\n")
        self.sweep("twice(n)", "compile: g++ -O1", file="c.c", operands="")
        self.run_it()

    def test_may_return_whole_numbers_of_64_bits(self):
        self.sweep("mixed(n, x, last)", "problem: [n]", "verify: {reference: {setting: {last: 0}}}",
                   operands='{x: "s32[{n}]"}', axes="{n: [100], last: [0, 255]}")
        self.run_it(status=1)
        self.assertEqual(["ok", "wrong_result"], sorted(row[0] for row in self.told()))

    def test_have_references_of_16_bits(self):
        for dtype in ("bf16", "f16", "f8e4m3"):
            call = "halves(n, x, y)" if dtype != "f8e4m3" else "halves(m, x, y)"
            self.sweep(call, "compile: gcc -O{o}", "problem: [n]", "derive: {m: n / 2}",
                       "verify: {reference: {setting: {o: 0}}}", axes="{n: [64], o: [0, 2]}",
                       operands=f'{{x: "{dtype}[{{n}}]", y: "{dtype}[{{n}}] output"}}')
            self.run_it("--db", f"{dtype}.db")

    def test_may_compute_in_two_places(self):
        self.sweep("swaps(n, x, y)", operands='{x: "f64[{n}] in_place", y: "f64[{n}] in_place"}')
        self.run_it()

    def test_of_written_numbers_are_computed_in_each_call(self):
        """A compiler could compute the call of a constant."""
        self.sweep("chain(30000)", "compile: gcc -O2", operands="")
        self.run_it()
        self.assertLess(1e-6, self.value("s.db", "select min(median_s) from results"))

    def test_may_compute_in_place(self):
        self.sweep("sorts(n, x)", operands='{x: "s32[{n}] in_place"}', axes="{n: [200]}")
        self.run_it()
        self.assertEqual([("ok", 32)], self.told("status, length(output_hash)"))

    def test_of_one_file_are_one_setting_unless_a_call_differs(self):
        self.sweep("rows(n, x, y)", "compile: gcc -O2 -DUNUSED={unused}", "problem: [n]",
                   axes="{n: [40], unused: [1, 2]}")
        self.run_it()
        self.assertEqual([1], [len(row["same_build"]) for row in self.best("s.db")])
        self.sweep("rows(m, x, y)", "problem: []", operands='{x: "f32[40, 40]", y: "f32[40] in_place"}',
                   axes="{m: [20, 40]}")
        self.run_it("--db", "t.db")
        self.assertEqual([[]], [row.get("same_build", []) for row in self.best("t.db")])

    def best(self, database):
        return self.call("best", database, "--grade", "C", "--json").json()["rows"]

    def test_take_arrays_of_arrays(self):
        self.sweep("matrix(n, x, y)", operands='{x: "f64[{n}, {n}]", y: "f64[{n}] output"}')
        self.run_it()
        self.assertEqual([("ok", 32)], self.told("status, length(output_hash)"))

    def test_of_cpp_have_templates_and_namespaces(self):
        self.sweep("mine::axpy<{type}, {u}>(n, 2.5, x, y)", "compile: [g++, -O2]", file="more.cpp",
                   axes="{n: [100], u: [1, 2], type: [float]}",
                   operands='{x: "f32[{n}]", y: "f32[{n}] output"}')
        self.run_it()
        self.assertEqual({"ok"}, {row[0] for row in self.told()})
        self.sweep("mine::fours(m, x, y)", "derive: {m: n / 4}", file="more.cpp", axes="{n: [100]}",
                   operands='{x: "f32[{n}]", y: "f32[{n}] output"}')
        self.run_it("--db", "t.db", status=1)
        self.assertEqual("wrong_result", self.value("t.db", "select status from results"))

    def test_have_libraries_and_threads(self):
        self.write("threads.c", "#include <math.h>\n#include <omp.h>\n"
                                "void f(int threads, const double* x, double* y) {\n"
                                "#pragma omp parallel\n"
                                "{ y[omp_get_thread_num()] = exp(x[0]) * threads; }\n}\n")
        self.sweep("f(threads, x, y)", "compile: gcc -O1 -fopenmp -lm", file="threads.c",
                   axes="{threads: [1]}", operands='{x: "f64[4]", y: "f64[{threads}] output"}')
        self.run_it()
        self.assertEqual([("ok", 32)], self.told("status, length(output_hash)"))

    def test_begin_with_their_first_values_in_each_job(self):
        self.sweep("keeps(z, y)", operands='{y: "s32[] output"}', axes="{z: [1, 2, 3]}")
        self.run_it()
        self.assertEqual(3, self.value("s.db", "select count(distinct output_hash) from results"))

    def test_are_measured_again_by_hand(self):
        self.sweep("rows(n, x, y)", "compile: gcc -O2")
        self.run_it()
        replayed = self.call("replay", "s.db", "1", "--patience", "0", "--json", status=None).json()
        self.assertEqual("same", replayed["bits"])
        self.call("repro", "s.db", "1")


class WrongSources(SourceTest):
    def test_that_leave_their_arrays_cost_their_own_job(self):
        self.sweep("{how}(n, x, y)", axes="{n: [40], how: [rows_far, rows, rows_writes]}")
        self.run_it(status=1)
        self.assertEqual(["ok", "signal", "signal"], sorted(row[0] for row in self.told()))

    def test_that_never_end_cost_their_own_job(self):
        self.sweep("endless(x)", "timeout: {run: 500ms}", operands='{x: "s32[] output"}')
        self.run_it(status=1)
        self.assertEqual("timeout_run", self.told()[0][0])

    def flaw(self, text):
        self.write("f.yaml", text)
        return self.call("check", "f.yaml", status=2).errors.strip()

    def test_are_named_before_anything_is_built(self):
        usual = {"source": "rows.c", "call": "rows(n, x, y)", "axes": "{n: [4]}",
                 "operands": '{x: "f32[{n}]", y: "f32[{n}] output"}'}
        flaws = [{"source": "rows.f90"}, {"source": "[a]"}, {"call": None}, {"call": "rows"},
                 {"call": "rows(n, x, y + 1)"}, {"call": "rows(m, x, y)"}, {"call": "rows(n, x)"},
                 {"call": "{how}(n, x, y)"}, {"compile": "gcc '"}, {"compile": "{}"},
                 {"compile": "sh -c 'gcc'"}, {"build": "gcc -o {out}"}, {"launch": "{global: 1}"},
                 {"kernel": "gemm"}, {"operands": '{x: "f32[{n}]", y: "f32[{n}] normal(0, 1) output"}'},
                 {"operands": '{n: "f32[4]"}', "call": "rows(n)"}, {"setup": "true"}]
        told = []
        for flaw in flaws:
            keys = {**usual, **flaw}
            lines = [f"{key}: {json.dumps(value) if key == 'call' else value}"
                     for key, value in keys.items() if value is not None]
            told.append(self.flaw("\n".join(["sweep: 1", "name: f", *lines]) + "\n"))
        told.append(self.flaw("sweep: 1\nname: f\ncommand: ./a\ncall: f()\naxes: {n: 1}\n"))
        told.append(self.flaw("sweep: 1\nname: f\npython: a:b\noperands: {y: 'f32[4] output'}\n"
                              "axes: {n: 1}\n"))
        self.assert_golden("flaws", "\n".join(told))

    def test_that_do_not_compile_say_why(self):
        self.sweep("{how}(n, x, y)", axes="{n: [4], how: [rows, row, sorts]}")
        self.run_it(status=1)
        rows = self.rows("s.db", "select how, reason from s where status <> 'ok'")
        reasons = {row["how"]: row["reason"] for row in rows}
        self.assert_golden("reasons", "\n".join(f"{how}: {reasons[how]}" for how in sorted(reasons)))

    def test_with_other_types_say_so(self):
        self.sweep("mine::roots(n, x, y)", file="more.cpp",
                   operands='{x: "f32[{n}]", y: "f64[{n}] output"}')
        self.run_it(status=1)
        self.assert_golden("type", self.told()[0][1])

    def test_with_texts_or_large_numbers_say_so(self):
        said = set()
        for number, value in enumerate(("fast", "9007199254740993")):
            self.sweep("rows(n, x, y)", axes=f"{{n: [{value}]}}",
                       operands='{x: "f32[4]", y: "f32[4] output"}')
            self.run_it("--db", f"{number}.db", status=1)
            said.add(self.value(f"{number}.db", "select reason from results"))
        self.assert_golden("numbers", "\n".join(sorted(said)))

    def test_with_several_outputs_say_so(self):
        self.sweep("rows(n, x, y)", operands='{x: "f32[{n}] output", y: "f32[{n}] output"}')
        self.run_it(status=1)
        self.assert_golden("outputs", self.told()[0][1])

    def test_without_a_library_say_so(self):
        self.write("lacks.c", "double other(double); void f(double* y) { *y = other(1); }\n")
        self.sweep("f(y)", file="lacks.c", operands='{y: "f64[] output"}')
        self.run_it(status=1)
        self.assertEqual("failed_setup", self.told()[0][0])
        self.assert_golden("library", re.sub("builds/[0-9a-f]+", "builds/<hash>", self.told()[0][1]))


if __name__ == "__main__":
    unittest.main()
