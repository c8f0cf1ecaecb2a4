"""`source` with a file of OpenCL, on the processor by PoCL."""
import json
import os
import re
import subprocess
import unittest

from sandbox import BUILD, ProcessTest

PACK = os.path.join(BUILD, "lib", "kernsweep", "packs", "opencl.so")
MEASURE = ("measure: {processes: 1, warmup: {min_time: 0ms, max_time: 20ms}, "
           "samples: {min: 3, max: 20, min_time: 0ms, max_time: 20s}}")

KERNELS = """
#include "tile.h"
#ifndef BLOCK
#define BLOCK 16
#endif
__kernel void add(__global float* c, __global const float* a, __global const float* b, int n) {
  const int i = get_global_id(0);
  if (i < n) c[i] = a[i] + SCALE * b[i];
}
// The edge keeps what was there.
__kernel void smooth(__global float* to, __global const float* from, uint width, uint height) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
  const uint at = y * width + x;
  to[at] = (from[at] + from[at - 1] + from[at + 1] + from[at - width] + from[at + width]) / 5.0f;
}
__kernel void product(__global double* c, __global const double* a, __global const double* b, long n) {
  __local double left[BLOCK][BLOCK], right[BLOCK][BLOCK];
  const int x = get_local_id(0), y = get_local_id(1);
  double sum = 0;
  for (long k = 0; k < n; k += BLOCK) {
    left[y][x] = a[get_global_id(1) * n + k + x];
    right[y][x] = b[(k + y) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < BLOCK; ++i) sum += left[y][i] * right[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(1) * n + get_global_id(0)] = sum;
}
__kernel void sums(__global float* out, __global const float* x, int n, __local float* shared) {
  const int at = get_local_id(0), size = get_local_size(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];
  shared[at] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = size / 2; step > 0; step /= 2) {
    if (at < step) shared[at] += shared[at + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (at == 0) out[get_group_id(0)] = shared[0];
}
__kernel void half_written(__global float* c, int n) {
  const int i = get_global_id(0);
  if (i < n / 4) c[i] = i;
}
__kernel void scaled(__global float* c, float factor) { c[get_global_id(0)] *= factor; }
"""


def has_pocl():
    if not os.path.exists(PACK):
        return False
    asked = [os.path.join(BUILD, "bin", "kernsweep"), "kernels", "opencl"]
    shown = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return "opencl:" in shown and "cannot run here" not in shown


@unittest.skipUnless(has_pocl(), "this host has no OpenCL")
class Opencl(ProcessTest):
    def setUp(self):
        super().setUp()
        self.write("k.cl", KERNELS)
        self.write("tile.h", "#define SCALE 1\n")
        # PoCL keeps what it compiles.
        self.environment["POCL_CACHE_DIR"] = os.path.join(self.home, "pocl")

    def sweep(self, call, launch, operands, *lines, axes="{n: [64]}"):
        self.write("s.yaml", "\n".join([
            "sweep: 1", "name: s", "source: k.cl", f"call: {json.dumps(call)}", f"launch: {launch}",
            f"operands: {operands}", f"axes: {axes}", MEASURE, *lines]) + "\n")

    def count(self, table, condition="1"):
        return self.value("s.db", f"select count(*) from {table} where {condition}")

    def run_it(self, status=0):
        return self.call("run", "s.yaml", "-q", status=status)

    def rows_of(self, what="status, reason"):
        rows = self.rows("s.db", f"select {what} from results order by result")
        return [tuple(row.values()) for row in rows]

    def test_runs_with_the_device_s_compiler_and_clock(self):
        self.sweep("add(c, a, b, n)", "{global: '{all}', local: '{block}'}",
                   '{a: "f32[{n}]", b: "f32[{n}]", c: "f32[{n}] output"}',
                   "derive: {all: 'ceil_div(n, block) * block', bytes: 12 * n}", "problem: [n]",
                   "verify: {reference: {setting: {block: 1}}}", axes="{n: [1000], block: [1, 32, 64]}")
        self.run_it()
        self.assertEqual(["ok"] * 3, [row[0] for row in self.rows_of()])
        of_pocl = "gbps > 0 and runtime like '%Portable Computing Language%'"
        self.assertEqual(3, self.count("results join result using (result)", of_pocl))
        self.assertLess(0, self.count("software", "sources like '%k.cl%' and sources like '%tile.h%'"))
        self.run_it()
        self.assertEqual(3, self.count("results"))
        self.write("tile.h", "#define SCALE 2\n")
        self.run_it()
        self.assertEqual(6, self.count("results"))

    def test_is_measured_again_when_an_included_file_has_changed(self):
        os.mkdir(os.path.join(self.folder, "inc"))
        self.write("inc/k.h", "#define K 2\n")
        self.write("k.cl", "#include <k.h>\n"
                           "__kernel void f(__global float* c) { c[get_global_id(0)] = K; }\n")
        self.sweep("f(c)", "{global: '{n}'}", '{c: "f32[{n}] output"}', "compile: -I inc")
        self.run_it()
        self.run_it()
        self.assertEqual(1, self.count("results"))
        self.write("inc/k.h", "#define K 3\n")
        self.run_it()
        self.assertEqual(2, self.count("results"))

    def test_checks_the_types_of_arrays(self):
        self.sweep("add(c, a, b, n)", "{global: '{n}'}",
                   '{a: "f64[{n}]", b: "f32[{n}]", c: "f32[{n}] output"}')
        self.run_it(status=1)
        self.assert_golden("type", self.rows_of()[0][1])

    def test_restores_what_a_call_overwrites(self):
        self.sweep("smooth(to, from, w, h)", "{global: ['{w}', '{h}'], local: ['{x}', 2]}",
                   '{from: "f32[{h}, {w}]", to: "f32[{h}, {w}] in_place"}', "problem: [w, h]",
                   "verify: {reference: {setting: {x: 1}}}", axes="{w: 64, h: 32, x: [1, 16]}")
        self.run_it()
        self.assertEqual(["ok"] * 2, [row[0] for row in self.rows_of()])
        self.sweep("scaled(c, 0.5)", "{global: '{n}'}", '{c: "f32[{n}] in_place"}')
        self.call("run", "s.yaml", "-q", "--db", "t.db")

    def test_has_memory_of_groups(self):
        self.sweep("product(c, a, b, n)", "{global: ['{n}', '{n}'], local: ['{block}', '{block}']}",
                   '{a: "f64[{n}, {n}]", b: "f64[{n}, {n}]", c: "f64[{n}, {n}] output"}',
                   "compile: -DBLOCK={block}", "derive: {flops: 2 * n ** 3}", "problem: [n]",
                   "verify: {reference: {setting: {block: 1}}}", axes="{n: 64, block: [1, 8, 16]}")
        self.run_it()
        self.assertEqual({"ok"}, {row[0] for row in self.rows_of()})
        self.sweep("sums(out, x, n, shared)", "{global: '{all}', local: 64}",
                   '{x: "f32[{n}]", out: "f32[{groups}] output"}',
                   "derive: {all: groups * 64, shared: 64 * 4}", axes="{n: 10000, groups: [1, 4]}")
        self.call("run", "s.yaml", "-q", "--db", "t.db")

    def test_what_is_wrong_costs_its_own_job(self):
        self.sweep("{what}(c, n)", "{global: '{n}', local: '{local}'}", '{c: "f32[{n}] output"}',
                   "compile: -DBLOCK={block}",
                   axes="{n: 64, what: [half_written, none, add], block: [1], local: [1, 7, 100000]}")
        self.run_it(status=1)
        told = self.rows("s.db", "select what, local, status, reason from s order by what, local")
        lines = [": ".join(str(part) for part in row.values()) for row in told]
        self.assert_golden("reasons", "\n".join(lines))

    def test_what_does_not_compile_says_why(self):
        self.sweep("add(c, a, b, n)", "{global: '{n}'}",
                   '{a: "f32[{n}]", b: "f32[{n}]", c: "f32[{n}] output"}', "compile: -DSCALE={scale}",
                   axes="{n: 8, scale: [1, 'no']}")
        self.write("tile.h", "\n")
        self.run_it(status=1)
        rows = self.rows("s.db", "select scale, status, reason from s order by status")
        self.assertEqual(["failed_setup", "ok"], [row["status"] for row in rows])
        self.assert_golden("does not compile", re.sub(r"/\S+tempfile_\w+", "<file>", rows[0]["reason"]))

    def test_files_are_wrong_before_anything_runs(self):
        usual = {"source": "k.cl", "call": "add(c, a, b, n)", "launch": "{global: 64}", "axes": "{n: [4]}",
                 "operands": '{a: "f32[{n}]", b: "f32[{n}]", c: "f32[{n}] output"}'}
        flaws = [{"launch": None}, {"launch": "64"}, {"launch": "{local: 1}"},
                 {"launch": "{global: {a: 1}}"}, {"launch": "{global: 1, grid: 2}"},
                 {"compile": "clang -O2"}, {"launch": "{global: '{m}'}"}, {"source": "k.c"}]
        told = []
        for flaw in flaws:
            lines = [f"{key}: {json.dumps(value) if key == 'call' else value}"
                     for key, value in {**usual, **flaw}.items() if value is not None]
            self.write("f.yaml", "\n".join(["sweep: 1", "name: f", *lines]) + "\n")
            told.append(self.call("check", "f.yaml", status=2).errors.strip())
        self.assert_golden("flaws", "\n".join(told))


if __name__ == "__main__":
    unittest.main()
