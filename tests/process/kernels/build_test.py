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
        return glob.glob(os.path.join(self.home, "cache", "kernsweep", "builds", "*"))

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
        self.assertLessEqual({"built", "built_from", "compiler", "linked"}, set(self.sources_of(rows[0])))
        files = {os.path.basename(line[2]) for line in self.sources_of(rows[0])["built_from"]}
        self.assertLessEqual({"kernel.c", "tile.h", "stdio.h"}, files)
        self.expect_nobody_left()

    def test_nothing_again_until_what_it_reads_has_changed(self):
        self.run_sweep()
        self.call("run", "b.yaml", "--db", "b.db")
        self.assertEqual(4, self.value("b.db", "select count(*) from attempt"))
        times = {entry: os.stat(os.path.join(entry, "built")).st_mtime_ns for entry in self.entries()}
        self.run_sweep(name="b2", options=("--again",))
        self.assertEqual(times, {entry: os.stat(os.path.join(entry, "built")).st_mtime_ns
                                 for entry in self.entries()}, "built files are used again")
        self.write("tile.h", "#define SCALE 2\n")
        changed = self.call("run", "b.yaml", "--db", "b.db")
        self.assert_golden("a header has changed", lines_with("measured again",
                                                              changed.out + changed.errors))
        self.assertEqual(2, self.value("b.db", "select count(distinct output_hash) from results"))
        self.assertEqual(4, len(self.entries()), "an entry is made again in its place")

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

    def test_of_revisions_of_a_repository(self):
        for text in ("1", "2"):
            self.write("tile.h", f"#define SCALE {text}\n")
            subprocess.run(["sh", "-c", "git init -q . 2>&1; git add kernel.c tile.h; git -c user.name=a "
                            f"-c user.email=a@b commit -qm {text}; git tag v{text}"],
                           cwd=self.folder, check=True)
        self.write("tile.h", "#define SCALE 3\n")
        rows = self.run_sweep(build="sh -c 'git archive {rev} | tar -xC $TMPDIR && cd $TMPDIR && "
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
        self.assert_golden("repro says", lines_with("built of", again.out + again.errors))
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

    def test_when_the_compiler_is_not_there_nothing_is_measured(self):
        self.write("f.yaml", "sweep: 1\nname: f\nbuild: no-such-compiler -o {out}\ncommand: '{build}'\n"
                   "axes: {n: [1]}\n")
        self.assert_golden("run says", self.call("run", "f.yaml", status=2).errors)

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

    def test_that_gives_other_bytes_for_the_same_sources_is_noted(self):
        """.incbin reads a file that no compiler lists."""
        self.write("data.bin", "1")
        self.write("kernel.c", KERNEL + '__asm__(".data\\n.incbin \\"data.bin\\"\\n");\n')
        self.assertEqual("", self.run_sweep(axes="{o: [1], tile: [4]}")[0]["notes"] or "")
        self.write("data.bin", "2")
        os.remove(os.path.join(self.entries()[0], "built"))
        rows = self.run_sweep(axes="{o: [1], tile: [4]}", name="c")
        self.assert_golden("note", rows[0]["notes"], hash=r"\b[0-9a-f]{32}\b")


if __name__ == "__main__":
    unittest.main()
