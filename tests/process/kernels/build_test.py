"""`build`: what a command runs is made by the host that measures, before it measures."""
import glob
import os
import shutil
import subprocess
import unittest

from sandbox import UNHURRIED, ProcessTest, lines_with

# A sum over tiles: what it prints is the same at every setting.
KERNEL = """
#include <stdio.h>
#include <stdlib.h>
#include "tile.h"
int main(int count, char** words) {
  const long n = count > 1 ? atol(words[1]) : 1000;
  double sum = 0;
  for (long tile = 0; tile < n; tile += TILE)
    for (long i = tile; i < tile + TILE && i < n; ++i) sum += SCALE * (double)i;
  printf("%.0f\\n", sum);
  return 0;
}
"""
BUILD = "gcc -O{o} -DTILE={tile} kernel.c -o {out}"


@unittest.skipUnless(shutil.which("gcc"), "this host has no gcc")
class BuildTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.write("kernel.c", KERNEL)
        self.write("tile.h", "#define SCALE 1\n")

    def run_sweep(self, *more, command="'{build} 500'", build=BUILD, axes="{o: [0, 2], tile: [4, 8]}",
                  status=0, name="b", options=()):
        """All sweeps are in b.db."""
        lines = ["sweep: 1", f"name: {name}", f"build: {build}", f"command: {command}", f"axes: {axes}",
                 UNHURRIED.rstrip("\n"), *more]
        self.write(f"{name}.yaml", "\n".join(lines) + "\n")
        self.answer = self.call("run", f"{name}.yaml", "--db", "b.db", *options, status=status)
        return self.rows_of(name)

    def rows_of(self, name):
        return self.rows("b.db", f'select c.*, a.stderr, r.notes, s.sources from "{name}" c '
                         "join attempt a using (result) left join result r using (result) "
                         "left join software s on s.id = a.software_id order by c.point, c.process")

    def entries(self):
        """Folders of what was built, by content."""
        return glob.glob(os.path.join(self.home, "cache", "kernsweep", "builds", "[0-9a-f]*"))

    @staticmethod
    def sources_of(row):
        """{role: lines of cells}"""
        roles = {}
        for line in row["sources"].split("\n"):
            roles.setdefault(line.split("\t")[0], []).append(line.split("\t"))
        return roles

    def metric(self, name, database="b.db"):
        return [row["value"] for row in
                self.rows(database, "select value from metric where name = ? order by result", name)]


class Builds(BuildTest):  # labels: smoke
    def test_each_setting_once_and_measures_what_was_built(self):
        rows = self.run_sweep(options=("--set", "measure.processes=2"))
        self.assertEqual(["ok"] * 8, [row["status"] for row in rows], self.answer.errors)
        self.assertEqual({"{build} 500"}, {row["command"] for row in rows})
        self.assertEqual("gcc -O0 -DTILE=4 kernel.c -o {out}", rows[0]["command.build"])
        self.assertEqual(4, len(self.entries()))
        self.assertEqual(1, self.value("b.db", "select count(distinct output_hash) from results"))
        self.assertEqual(8, len([seconds for seconds in self.metric("build_s") if seconds > 0]))
        self.assertTrue(all(size > 1000 for size in self.metric("build_bytes")))
        self.assertLessEqual({"build", "built", "built_from", "compiler", "linked"},
                             set(self.sources_of(rows[0])))
        files = {os.path.basename(line[2]) for line in self.sources_of(rows[0])["built_from"]}
        self.assertLessEqual({"kernel.c", "tile.h", "stdio.h"}, files)
        self.expect_nobody_left()

    def expect_measured_again(self, database, line, count, change):
        """Nothing as long as all is as it was; all jobs after the change."""
        self.call("run", line, "--db", database)
        attempts = "select count(*) from attempt"
        self.assertEqual(count, self.value(database, attempts))
        change()
        said = self.call("run", line, "--db", database)
        self.assertEqual(2 * count, self.value(database, attempts), said.out + said.errors)
        self.assertEqual(2, self.value(database, "select count(distinct output_hash) from results"))
        return said

    def test_nothing_again_until_what_it_reads_has_changed(self):
        self.run_sweep()
        said = self.expect_measured_again("b.db", "b.yaml", 4,
                                          lambda: self.write("tile.h", "#define SCALE 2\n"))
        self.assert_golden("a header has changed", lines_with("measured again", said.out + said.errors))
        self.assertEqual(8, len(self.entries()))

    def test_nothing_again_of_a_script_whose_file_is_the_same(self):
        self.run_sweep(build="sh -c 'gcc -DTILE=4 kernel.c -o {out}'", axes="{n: [1]}")
        self.expect_measured_again("b.db", "b.yaml", 1, lambda: self.write("tile.h", "#define SCALE 2\n"))

    def test_again_whatever_has_changed_that_no_compiler_lists(self):
        """A header that is found first, an archive, data of .incbin, a variable."""
        def archive(value):
            self.write("part.c", f"int part(void) {{ return {value}; }}\n")
            subprocess.run(["sh", "-c", "gcc -c part.c -o part.o && ar rcs libpart.a part.o"],
                           cwd=self.folder, check=True)
        for folder in ("first", "second", "third"):
            os.mkdir(os.path.join(self.folder, folder))
        self.write("second/h.h", "#define V 1\n")
        self.write("third/h.h", "#define V 3\n")
        self.write("shown.c", '#include <stdio.h>\n#include "h.h"\nint main(void) { printf("%d\\n", V); }\n')
        self.write("linked.c", '#include <stdio.h>\nint part(void);\n'
                   'int main(void) { printf("%d\\n", part()); }\n')
        self.write("data.txt", "one")
        self.write("data.c", '''#include <stdio.h>
extern const char data[];
__asm__(".pushsection .rodata\\n.globl data\\n"
        "data: .incbin \\"data.txt\\"\\n.byte 0\\n.popsection\\n");
int main(void) { puts(data); }
''')
        archive(1)
        self.environment["CPATH"] = "second"
        cases = {
            "header": ("gcc -Ifirst -Isecond shown.c", lambda: self.write("first/h.h", "#define V 2\n")),
            "archive": ("gcc linked.c -L. -lpart", lambda: archive(2)),
            "data": ("gcc data.c", lambda: self.write("data.txt", "two")),
            "variable": ("gcc shown.c", lambda: self.environment.update(CPATH="third")),
        }
        for name, (build, change) in cases.items():
            with self.subTest(name):
                self.run_sweep(build=f"{build} -o {{out}}", axes="{n: [1]}", command="'{build}'", name=name)
                self.call("run", f"{name}.yaml", "--db", f"{name}.db")
                self.expect_measured_again(f"{name}.db", f"{name}.yaml", 1, change)

    def test_from_the_command_line_beside_a_program_that_is_there(self):
        self.call("run", "-c", "{build} 500", "--name", "mine", "-c", "true", "--name", "theirs", "--build",
                  "gcc -O{o} -DTILE=4 kernel.c -o {out}", "-a", "o=[0, 2]", "--db", "b.db", "--set",
                  "measure.processes=1", "--threads", "1", "--save", "saved.yaml", "--set",
                  "verify.outputs=ignore", "--quick")
        rows = self.rows("b.db", "select status from results order by point")
        self.assertEqual(["ok"] * 3, [row["status"] for row in rows])
        self.assertEqual(2, len(self.entries()))

    def test_for_a_reference_that_is_another_setting(self):
        rows = self.run_sweep("verify: {reference: {setting: {o: 0}}}")
        self.assertEqual(["ok"] * 4, [row["status"] for row in rows],
                         "\n".join(row["reason"] or "" for row in rows))

    def test_of_archives_of_revisions(self):
        for text in ("1", "2"):
            self.write("tile.h", f"#define SCALE {text}\n")
            subprocess.run(["tar", "-cf", f"v{text}.tar", "kernel.c", "tile.h"], cwd=self.folder, check=True)
        self.write("tile.h", "#define SCALE 3\n")
        rows = self.run_sweep(build="sh -c 'tar -xf {rev}.tar -C $TMPDIR && cd $TMPDIR && "
                              "gcc -DTILE=4 kernel.c -o {out}'", axes="{rev: [v1, v2, v3]}", status=1)
        self.assertEqual(["ok", "ok", "failed_build"], [row["status"] for row in rows], self.answer.errors)
        self.assertIn("v3", rows[2]["reason"])
        self.assertEqual(2, self.value("b.db", "select count(distinct output_hash) from results"))

    def test_what_setup_uses(self):
        rows = self.run_sweep("setup: 'sh -c \"{build} 500 > made.txt\"'", command="cat made.txt")
        self.assertEqual(["ok"] * 4, [row["status"] for row in rows])


class AgainBuilt(BuildTest):
    def test_by_hand_it_runs_the_same_file_or_says_what_differs(self):
        self.run_sweep()
        result = self.value("b.db", "select min(result) from results")
        line = self.call("repro", "b.db", str(result)).out.strip().split("\n")[-1]
        said = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, check=True,
                              capture_output=True, encoding="utf-8").stdout
        self.assertEqual("", lines_with("another file", said))
        self.write("tile.h", "#define SCALE 2\n")
        again = self.call("repro", "b.db", str(result))
        self.assert_golden("repro says", lines_with("built from", again.out + again.errors))
        said = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, check=False,
                              capture_output=True, encoding="utf-8").stdout
        self.assert_golden("the job says", lines_with("another file", said), hash=r"\b[0-9a-f]{32}\b")

    def test_by_replay_too(self):
        self.run_sweep()
        result = self.value("b.db", "select min(result) from results")
        same = self.call("replay", "b.db", str(result), status=None)
        self.assertEqual("", lines_with("tile.h", same.out + same.errors))
        self.write("tile.h", "#define SCALE 2\n")
        other = self.call("replay", "b.db", str(result), status=None)
        self.assertNotEqual("", lines_with("tile.h", other.out + other.errors))


    def test_by_hand_it_is_built_with_the_variables_of_the_worker(self):
        os.mkdir(os.path.join(self.folder, "include"))
        os.rename(os.path.join(self.folder, "tile.h"), os.path.join(self.folder, "include", "tile.h"))
        self.environment["CPATH"] = "include"
        self.run_sweep(axes="{o: [0], tile: [4]}", build=BUILD.replace("kernel.c", "-x c ./kernel.c"))
        line = self.call("repro", "b.db", "1").out.strip().split("\n")[-1]
        del self.environment["CPATH"]
        said = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, check=True,
                              capture_output=True, encoding="utf-8").stdout
        self.assertEqual("", lines_with("another file", said))


class SameBuild(BuildTest):
    def test_is_one_setting_and_never_faster(self):
        rows = self.run_sweep(build="gcc -O1 -DTILE=4 -DUNUSED={o} kernel.c -o {out}", axes="{o: [1, 2, 3]}",
                              options=("--set", "measure.processes=2"))
        self.assertEqual(1, len({self.sources_of(row)["built"][0][4] for row in rows}))
        best = self.call("best", "b.db", "--grade", "C", "--json").json()
        self.assertEqual([["o=2", "o=3"]], [row["same_build"] for row in best["rows"]])
        self.assertEqual([1], [row["o"] for row in best["rows"]])
        compared = self.call("compare", "b.db", "o=1", "o=2", "--all-grades", "--json", status=None).json()
        self.assertEqual("SAME", compared["verdict"])


class FailedBuild(BuildTest):
    def test_names_the_line_and_what_the_compiler_says_and_costs_the_others_nothing(self):
        self.write("kernel.c", KERNEL.replace("int main", "#if TILE == 8\n#error eight\n#endif\nint main"))
        rows = self.run_sweep(status=1)
        self.assertEqual(["ok", "failed_build", "ok", "failed_build"], [row["status"] for row in rows])
        self.assert_golden("reason", rows[1]["reason"])
        self.assertEqual("kernel.c:6", rows[1]["stderr"].split(": error")[0][:10])

    def test_is_built_again_by_the_next_run(self):
        self.write("kernel.c", KERNEL.replace("int main", "int main("))
        self.run_sweep(axes="{o: [0], tile: [4]}", status=1)
        self.write("kernel.c", KERNEL)
        rows = self.run_sweep(axes="{o: [0], tile: [4]}")
        self.assertEqual(["ok"], [row["status"] for row in rows])

    def test_when_something_is_not_defined_names_it(self):
        self.write("kernel.c", "int other(void);\nint main(void) { return other(); }\n")
        rows = self.run_sweep(axes="{n: [1]}", build="gcc kernel.c -o {out}", status=1)
        self.assert_golden("reason", rows[0]["reason"], place=r"\S+kernel\.c:\S+")

    def test_when_it_makes_no_program(self):
        rows = self.run_sweep(axes="{n: [1]}", build="gcc -DTILE=4 -c kernel.c -o {out}", status=1)
        self.assertEqual("failed_setup", rows[0]["status"])
        self.assert_golden("reason", rows[0]["reason"], path=r"/\S*/built")

    def test_when_no_compiler_is_there_nothing_is_measured(self):
        self.write("f.yaml", "sweep: 1\nname: f\nbuild: no-such-compiler -o {out}\ncommand: '{build}'\n"
                   "axes: {n: [1]}\n")
        self.assert_golden("run says", self.call("run", "f.yaml", status=2).errors)

    def test_when_one_of_two_compilers_is_not_there(self):
        rows = self.run_sweep(build="'{cc} -DTILE=4 kernel.c -o {out}'", axes="{cc: [gcc, no-such-cc]}",
                              status=1)
        self.assertEqual(["ok", "failed_build"], [row["status"] for row in rows])
        self.assert_golden("run says", lines_with("cannot be measured", self.answer.errors))

    def test_when_it_never_ends(self):
        rows = self.run_sweep("timeout: {build: 1s}", build="sh -c 'sleep 600 & sleep 601' {out}",
                              axes="{n: [1]}", status=1)
        self.assertEqual("failed_build", rows[0]["status"])
        self.assert_golden("reason", rows[0]["reason"])
        self.expect_nobody_left()

    def test_when_it_writes_outside_of_its_folder(self):
        rows = self.run_sweep(build="sh -c 'echo stolen > kernel.c; cp /bin/true {out}'", axes="{n: [1]}",
                              command="'{build}'")
        with open(os.path.join(self.folder, "kernel.c"), encoding="utf-8") as file:
            kept = file.read()
        if rows[0]["notes"]:
            self.skipTest("this host has no Landlock")
        self.assertEqual(KERNEL, kept)
        failed = self.run_sweep(build="sh -c 'echo stolen > kernel.c && cp /bin/true {out}'",
                                axes="{n: [1]}", command="'{build}'", name="c", status=1)
        self.assert_golden("reason", failed[0]["reason"])

    def test_when_it_asks_the_network(self):
        rows = self.run_sweep(build="sh -c 'ls /sys/class/net > {out}; cat /proc/net/dev > {out}'",
                              axes="{n: [1]}", command="'cat {build}'")
        if rows[0]["notes"]:
            self.skipTest("this host permits no namespaces")
        with open(os.path.join(self.entries()[0], "built"), encoding="utf-8") as file:
            devices = [line.split(":")[0].strip() for line in file if ":" in line]
        self.assertEqual(["lo"], devices)

    def test_when_it_writes_nothing(self):
        rows = self.run_sweep(build="true {out}", axes="{n: [1]}", command="'{build}'", status=1)
        self.assert_golden("reason", rows[0]["reason"])

    def test_in_a_file_before_anything_is_started(self):
        for number, line in enumerate(("build: gcc kernel.c", "build: gcc {build} -o {out}",
                                       "build: gcc -o {out} -D{x}", "build: gcc '", "build: 7")):
            self.write("f.yaml", f"sweep: 1\nname: f\n{line}\ncommand: '{{build}}'\naxes: {{n: [1]}}\n")
            self.assert_golden(f"flaw {number}", self.call("check", "f.yaml", status=2).errors)
        self.write("f.yaml", "sweep: 1\nname: f\nbuild: gcc -o {out}\ncommand: 'true'\naxes: {n: [1]}\n")
        self.assert_golden("nothing uses it", self.call("check", "f.yaml", status=2).errors)
        self.write("f.yaml", "sweep: 1\nname: f\nkernel: noop\nbuild: gcc -o {out}\naxes: {n: [1]}\n")
        self.assert_golden("no command", self.call("check", "f.yaml", status=2).errors)
        self.write("f.yaml", "sweep: 1\nname: f\nbuild: gcc -o {out}\ncommand: '{build}'\n"
                   "axes: {env.CFLAGS: [-O0, -O3]}\n")
        self.assert_golden("a variable of compilers", self.call("check", "f.yaml", status=2).errors)


LIBRARY = """
double total(long n) {
  double sum = 0;
  for (long tile = 0; tile < n; tile += TILE)
    for (long i = tile; i < tile + TILE && i < n; ++i) sum += (double)i;
  return sum;
}
"""
MODULE = """
import ctypes


def total(n, build, tile, o):
    function = ctypes.CDLL(build).total
    function.restype = ctypes.c_double
    return lambda: function(ctypes.c_long(n))


def drawn(n, build, tile, o, x):
    of_library = total(n, build, tile, o)
    return lambda: of_library() + sum(x)


def expected(n, x, **settings):
    return lambda: n * (n - 1) / 2 + sum(x)
"""
SHARED = "gcc -shared -fPIC -O{o} -DTILE={tile} total.c -o {out}"


@unittest.skipUnless(shutil.which("gcc"), "this host has no gcc")
class PythonFunctions(BuildTest):
    """They get the path of what was built."""

    def setUp(self):
        super().setUp()
        self.write("total.c", LIBRARY)
        self.write("totals.py", MODULE)

    def sweep(self, *more, build=SHARED, axes="{n: [1000], o: [0, 2], tile: [4, 8]}", python="totals:total"):
        self.write("f.yaml", "\n".join(["sweep: 1", "name: f", f"build: {build}", f"python: {python}",
                                        f"axes: {axes}", "problem: [n]", *more, UNHURRIED]))

    def test_call_the_library_of_their_setting(self):
        self.sweep("verify: {reference: {o: 0, tile: 4}}")
        said = self.call("run", "f.yaml", "--db", "b.db")
        rows = self.rows_of("f")
        self.assertEqual(["ok"] * 4, [row["status"] for row in rows], said.errors)
        self.assertEqual({"{build}"}, {row["build"] for row in rows})
        self.assertEqual(4, len(self.entries()))
        self.assertEqual(1, self.value("b.db", "select count(distinct output_hash) from results"))
        self.assertEqual(4, len({str(self.sources_of(row)["built"]) for row in rows}))
        self.assertNotIn("{build}", said.out)
        again = self.call("run", "f.yaml", "--db", "b.db")
        self.assert_golden("again", lines_with("already", again.out + again.errors))
        self.call("repro", "b.db", str(rows[0]["result"]), status=None)

    def test_of_which_one_does_not_build(self):
        self.sweep(axes="{n: [10], o: [0, broken], tile: 4}")
        self.call("run", "f.yaml", "--db", "b.db", status=1)
        self.assertEqual({"ok", "failed_build"}, {row["status"] for row in self.rows_of("f")})

    def test_say_what_is_wrong_before_anything_is_built(self):
        said = []
        for keys in ({"build": "no-such-cc -O{o} {tile} -o {out}"}, {"build": "gcc -O{o} total.c"},
                     {"axes": "{n: [10], o: [0], tile: 4, build: [a]}"}, {"python": "totals:missing"},
                     {"python": "totals:{build}"}):
            self.sweep(**keys)
            said.append(self.call("run", "f.yaml", "--db", "b.db", status=2).errors)
        self.sweep("setup: 'true'")
        said.append(self.call("check", "f.yaml", status=2).errors)
        self.write("totals.py", "def total(n, o, tile):\n    return lambda: n\n")
        self.sweep(python="totals:total")
        said.append(self.call("run", "f.yaml", "--db", "b.db", status=2).errors)
        self.assert_golden("said", "".join(said))
        self.assertEqual([], [name for name in self.files() if name.endswith(".db")])

    def test_that_are_distrusted(self):
        self.sweep("operands: {x: 's8[100]'}",
                   "verify: {distrust: true, reference: {python: 'totals:expected'}}",
                   python="totals:drawn", axes="{n: [10], o: [0, 2], tile: 4}")
        self.call("run", "f.yaml", "--db", "b.db")
        self.assertEqual(["ok"] * 2, [row["status"] for row in self.rows_of("f")])


if __name__ == "__main__":
    unittest.main()
