"""What a job has run and read, by content, as its slot reports it."""
import json
import math
import os
import py_compile
import shlex
import shutil
import struct
import subprocess
import unittest

from sandbox import BUILD, LIMIT_S, ProcessTest, sweep_text

SLOT = os.path.join(BUILD, "libexec", "kernsweep", "kernsweep-slot")
HAS_PYTHON = os.path.exists(os.path.join(BUILD, "lib", "kernsweep", "packs", "python.so"))
RULES = {"warmup": {"min_runs": 1, "min_time": "0ms", "max_time": "1ms"},
         "samples": {"min": 2, "max": 3, "min_time": "0ms"}}


def npy(*shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    count = math.prod(shape)
    numbers = struct.pack(f"<{count}f", *(i % 7 for i in range(count)))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers


class SourcesTest(ProcessTest):
    def once(self, family, values, status=0, **more):
        """Answer and sources, by role and name, of one job that a slot measures by hand."""
        job = {"family": family, "values": values, "measure": RULES, **more}
        done = subprocess.run([SLOT, "--once", "--json", json.dumps(job)], cwd=self.folder,
                              stdin=subprocess.DEVNULL, env=self.environment, capture_output=True,
                              encoding="utf-8", timeout=LIMIT_S)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        return answer, {(each["role"], each["name"]): each for each in answer["sources"]}

    def path_of(self, found, role, name):
        self.assertIn((role, name), found)
        return found[role, name].get("path")

    def test_of_a_command_are_its_program_and_every_word_that_is_a_file(self):
        self.write("data.txt", "a b c\n")
        self.write("more.txt", "d\n")
        answer, found = self.once(
            "command", {"command": "wc -c data.txt --files0-from=more.txt none.txt"}, status=1)
        self.assertEqual("failed_run", answer["outcome"])  # none.txt is not there
        self.assertTrue(self.path_of(found, "program", "wc").endswith("/wc"))
        self.assertEqual("./data.txt", self.path_of(found, "word", "data.txt"))
        self.assertEqual(6, found["word", "data.txt"]["bytes"])
        self.assertEqual("./more.txt", self.path_of(found, "word", "--files0-from=more.txt"))
        self.assertNotIn(("word", "none.txt"), found)
        before = found["word", "data.txt"]["hash"]
        self.write("data.txt", "c b a\n")
        _, found = self.once("command", {"command": "wc -c data.txt"}, environment={"PATH": "/bin:/usr/bin"})
        self.assertNotEqual(before, found["word", "data.txt"]["hash"])
        self.assertIn(("pack", "command"), found)
        self.assertEqual("/bin:/usr/bin", self.path_of(found, "variable", "PATH"))

    def test_of_a_program_behind_others_are_those_that_it_gets_of_them(self):
        with open("/proc/self/maps") as maps:
            libc = next(line.split()[-1] for line in maps if "/libc.so.6" in line)
        for folder in ("bin", "bin/lib"):
            os.mkdir(os.path.join(self.folder, folder))
        shutil.copy(libc, os.path.join(self.folder, "bin/lib"))
        shutil.copy(shutil.which("cat"), os.path.join(self.folder, "bin/m"))
        self.write("bin/data.txt", "a\n")
        name = "env env -C bin LD_LIBRARY_PATH=lib ./m"
        answer, found = self.once(
            "command", {"command": "nice env --chdir=bin LD_LIBRARY_PATH=lib ./m data.txt"})
        self.assertEqual("ok", answer["outcome"], answer)
        self.assertEqual("./bin/m", self.path_of(found, "started", name))
        self.assertIn("./bin/lib/libc.so.6", [each.get("path") for each in answer["sources"]])
        self.assertEqual("./bin/data.txt", self.path_of(found, "word", "data.txt"))
        _, found = self.once("command", {"command": "env PATH=bin m bin/data.txt"})
        self.assertEqual("./bin/m", self.path_of(found, "started", "env PATH=bin m"))
        with open(os.path.join(self.folder, "bin/m"), "rb") as program:
            code = program.read().replace(b"\0libc.so.6\0", b"\0libx.so.6\0")
        self.write("bin/x", code)
        os.chmod(os.path.join(self.folder, "bin/x"), 0o755)
        _, found = self.once("command", {"command": "true bin/x"})
        self.assertIn(("closed", "libx.so.6 (not found for bin/x)"), found)

    def test_of_a_shell_are_what_its_text_runs_and_reads(self):
        for name in ("prog", "inner"):
            self.write(name, "#!/bin/sh\ncat\n")
            os.chmod(os.path.join(self.folder, name), 0o755)
        self.write("data.txt", "a\n")
        self.write("script.sh", "#!/bin/sh\n./inner < data.txt\n")
        os.chmod(os.path.join(self.folder, "script.sh"), 0o755)
        for command, program in (("sh -c 'A=1 ./prog < data.txt > out.txt; cat out.txt'", "./prog"),
                                 ("./script.sh", "./inner"), ("sh script.sh", "./inner"),
                                 ("env B=1 sh -c './prog < data.txt'", "env B=1 ./prog")):
            answer, found = self.once("command", {"command": command})
            self.assertEqual("ok", answer["outcome"], answer)
            self.assertIn(("started", program), found)
            self.assertEqual("./data.txt", self.path_of(found, "word", "data.txt"))
            self.assertNotIn(("word", "out.txt"), found)
        _, found = self.once("command", {"command": "sh -c 'cat prog | nice ./inner'"})
        self.assertIn(("word", "nice"), found)
        self.assertEqual("./prog", self.path_of(found, "word", "prog"))

    def test_of_a_program_that_is_not_there_is_that_it_is_not(self):
        answer, found = self.once("command", {"command": "./no_such_program"}, status=1)
        self.assertEqual("failed_setup", answer["outcome"])
        self.assertEqual({"role": "program", "name": "./no_such_program"},
                         found["program", "./no_such_program"])

    @unittest.skipUnless(HAS_PYTHON, "built without Python's development files")
    def test_of_a_function_are_its_module_and_the_local_ones_that_it_imports(self):
        os.mkdir(os.path.join(self.folder, "inner"))
        os.makedirs(os.path.join(self.folder, "site-packages", "Some_Thing-1.2.dist-info"))
        os.makedirs(os.path.join(self.folder, "site-packages", "some_thing"))
        self.write("inner/__init__.py", "")
        self.write("inner/deep.py", "two = 2\n")
        self.write("late.py", "one = 1\n")
        self.write("unused.py", "")
        self.write("site-packages/some_thing/__init__.py", "")
        self.write("site-packages/some_thing/part.py", "")
        self.write("site-packages/Some_Thing-1.2.dist-info/METADATA", "Version: 1.2\n")
        self.write("bench.py", "import json, inner.deep, sys\n"
                               "sys.path.append('site-packages')\nimport some_thing.part\n"
                               "def f(n):\n    def kernel():\n        import late\n"
                               "        return late.one\n    return kernel\n")
        _, found = self.once("python", {"python": "bench:f", "n": 1})
        names = {name: each["path"] for (role, name), each in found.items() if role == "module"}
        self.assertEqual({"bench": "./bench.py", "inner": "./inner/__init__.py",
                          "inner.deep": "./inner/deep.py", "late": "./late.py"}, names)
        packages = {name: each["path"] for (role, name), each in found.items() if role == "package"}
        self.assertEqual("./site-packages/Some_Thing-1.2.dist-info/METADATA", packages["some_thing"])
        self.assertIn(("pack", "python"), found)

    @unittest.skipUnless(HAS_PYTHON, "built without Python's development files")
    def test_of_a_function_are_files_that_were_loaded_for_no_module_that_stays(self):
        for folder in ("plugins", "__pycache__", "site-packages"):
            os.mkdir(os.path.join(self.folder, folder))
        for name in ("plugins/spec.py", "ran.py", "ran_later.py", "popped.py", "cached.py",
                     "site-packages/installed.py"):
            self.write(name, "one = 1\n")
        py_compile.compile(os.path.join(self.folder, "cached.py"))
        self.write("bench.py", "import importlib.util, os, runpy, sys\n"
                               "def load(path):\n"
                               "    spec = importlib.util.spec_from_file_location('x', path)\n"
                               "    module = importlib.util.module_from_spec(spec)\n"
                               "    spec.loader.exec_module(module)\n"
                               "def f(n):\n"
                               "    load('plugins/spec.py')\n    load('site-packages/installed.py')\n"
                               "    import popped, cached\n"
                               "    del sys.modules['popped'], sys.modules['cached']\n"
                               "    runpy.run_path('ran.py')\n    os.chdir('plugins')\n"
                               "    return lambda: runpy.run_path('../ran_later.py')['one']\n")
        _, found = self.once("python", {"python": "bench:f", "n": 1})
        names = {name: each["path"] for (role, name), each in found.items() if role == "module"}
        self.assertEqual(
            {"bench": "./bench.py", "plugins/spec.py": "./plugins/spec.py", "ran.py": "./ran.py",
             "ran_later.py": "./ran_later.py", "popped.py": "./popped.py",
             "cached.py": "./cached.py"}, names)

    @unittest.skipUnless(HAS_PYTHON, "built without Python's development files")
    def test_of_a_module_that_cannot_be_imported_are_the_files_that_were_read(self):
        self.write("good.py", "")
        self.write("bad.py", "this is no Python\n")
        self.write("bench.py", "import good, bad\n")
        answer, found = self.once("python", {"python": "bench:f", "n": 1}, status=1)
        self.assertEqual("failed_setup", answer["outcome"])
        for name in ("bench", "good", "bad"):
            self.assertEqual(f"./{name}.py", self.path_of(found, "module", name))

    def test_of_a_pack_are_itself_and_the_files_of_its_operands(self):
        self.write("a.npy", npy(1, 8, 8))
        _, found = self.once("gemm", {"variant": "naive", "m": 8, "n": 8, "k": 8, "dtype": "f32",
                                      "input.a": "a.npy"})
        self.assertEqual("./a.npy", self.path_of(found, "input", "a"))
        self.assertEqual({"pack", "input"}, {role for role, _ in found})
        self.assertTrue(self.path_of(found, "pack", "gemm").endswith("/gemm.so"))


class Depends(ProcessTest):
    def test_a_file_that_is_not_there_is_the_reason_of_its_jobs(self):
        self.write("s.yaml", sweep_text("s", "noop", "{i: [1]}", "depends: [data.bin]"))
        self.call("run", "s.yaml", "-q", status=None)
        row, = self.rows("s.db", "select status, reason from s")
        self.assertEqual("failed_setup", row["status"])
        self.assert_golden("reason", row["reason"])
        self.write("data.bin", "x")
        self.call("run", "s.yaml", "-q", "--db", "t.db")
        row, = self.rows("t.db", "select status, grade_reasons from s join result using (result)")
        self.assertEqual("ok", row["status"])
        self.assertNotIn("changed", row["grade_reasons"])


class Staleness(ProcessTest):
    @unittest.skipUnless(HAS_PYTHON, "built without Python's development files")
    def test_a_module_that_is_edited_during_a_sweep_is_loaded_anew(self):
        """Points of one slot: once the file is another one, no later job runs what was loaded of it."""
        self.write("bench.py", "def f(n):\n    return lambda: b'old'\n")
        self.write("s.yaml", "\n".join([
            # A job that the machine disturbs is not tried again: it could be so after the edit.
            "sweep: 1", "name: s", "python: bench:f", "axes: {n: {range: [1, 150]}}", "retry: {max: 0}",
            "measure: {processes: 1, order: sequential, warmup: {min_time: 20ms, max_time: 30ms}, "
            "samples: {min: 2, max: 2, min_time: 0ms, max_time: 20s}}"]) + "\n")
        running = self.start("run", "s.yaml", "-q")
        self.until(lambda: os.path.exists(os.path.join(self.folder, "s.db")) and
                   self.stored("select count(*) as n from result"), "the first results")
        with open(os.path.join(self.folder, "new.py"), "w", encoding="utf-8") as file:
            file.write("def f(n):\n    return lambda: b'new'\n")
        os.replace(os.path.join(self.folder, "new.py"), os.path.join(self.folder, "bench.py"))
        self.assertEqual(0, running.wait(), running.complained())
        rows = self.rows("s.db", "select status, output_hash from s order by point")
        self.assertEqual({"ok"}, {row["status"] for row in rows})
        hashes = [row["output_hash"] for row in rows]
        self.assertEqual(1, len(set(hashes[-20:])))
        self.assertNotEqual(hashes[0], hashes[-1])
        self.expect_nobody_left()

    def stored(self, question):
        try:
            return self.rows("s.db", question)[0]["n"] > 3
        except Exception:  # pylint: disable=broad-except  # not made yet
            return False


class RebuiltPrograms(ProcessTest):
    """A program that a text starts is rebuilt: no earlier result of it counts."""

    BRIEF = ("{processes: 1, warmup: {min_runs: 0, min_time: 0ms, max_time: 1ms}, "
             "samples: {min: 1, max: 1, min_time: 0ms, max_time: 1ms}}")
    SEEN = ("cd build; ./bench", "cd build && ./bench", "(cd build; ./bench)", "$PWD/build/bench",
            "${PWD}/build/bench", "`pwd`/build/bench", "$(pwd)/build/bench", "${BENCH:-build/bench}",
            "build/ben*", "PATH=build:$PATH bench", "BIN=build; $BIN/bench", "if true; then build/bench; fi",
            "for i in 1 2; do build/bench; done", "for b in build/*nch; do $b; done",
            "echo | build/bench | cat",
            ". ./inc.sh; f", ". ./vars.sh; $BIN", "exec build/bench", "eval build/bench", "./script.sh",
            "./own_folder.sh", "export PATH=$PWD/build:$PATH; bench", "nice env -C build ./bench",
            "case $(uname) in Linux) build/bench;; *) exit 1;; esac", "f() { build/bench; }; f",
            "command build/bench")
    BASH = ("pushd build >/dev/null; ./bench", "source ./inc.sh; f", "[[ -x build/bench ]] && build/bench")
    WHOLE = ("timeout 5 sh -c 'cd build && ./bench'", "./script.sh", "sh script.sh",
             "setarch -R ./own_folder.sh",
             "xargs -a words sh -c 'cd build; ./bench'")
    UNKNOWN = ("sh -c '$(cat name)'", "sh -c 'read b < name; $b'", "make -s -C build", "sh -c 'make -s'",
               "sh -c 'cat script.sh | sh'", "sh inner.sh build/bench",
               "bash -c 'A=(build/bench); ${A[0]}'", "sh -c '$(cat name) || true'")
    UNCHANGED = ("echo a | cat | wc -l", "for i in 1 2 3; do echo $i; done",
                 "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
                 "if test -f words; then printf \"%s\\n\" x >/dev/null; fi", "cat <<X\ny it is\nX\n",
                 "case x in x|y) echo 1;; esac", "seq 1 3 | while read n; do echo $n; done 2>&1",
                 "{ echo a; echo b; } > /dev/null", "true && ! false || echo no",
                 "sort words | uniq -c # count",
                 "set -e; trap \"true\" EXIT; awk \"{print}\" words", "wc -c < words", "sleep 0 & wait",
                 "command -v cat >/dev/null && cat words", "test $(ls | wc -l) -gt 1 && [ -f words ]")

    def make_bench(self, text):
        os.makedirs(os.path.join(self.folder, "build"), exist_ok=True)
        self.write_program("build/bench", f"#!/bin/sh\necho {text} {text}\n")

    def write_program(self, name, text):
        self.write(name, text)
        os.chmod(os.path.join(self.folder, name), 0o755)

    def again(self, commands):
        """The commands that a second run reuses, by number; `build/bench` is built between them."""
        lines = "".join(f"  c{i}: {json.dumps(text.replace('{', '{{').replace('}', '}}'))}\n"
                        for i, text in enumerate(commands))
        self.write("r.yaml", f"sweep: 1\nname: r\ncommands:\n{lines}axes: {{z: [1]}}\nverify: false\n"
                             f"measure: {self.BRIEF}\n")
        self.make_bench("one")
        self.call("run", "r.yaml", "--db", "r.db", "--patience", "0")
        self.assertEqual({"ok"}, {row["status"] for row in self.rows("r.db", "select status from r")})
        self.make_bench("another")
        self.call("run", "r.yaml", "--db", "r.db", "--patience", "0")
        rows = self.rows("r.db", "select command, reused from r where sweep_id = 2")
        if not rows:  # there was nothing to do
            return list(range(len(commands)))
        return sorted(int(row["command"][1:]) for row in rows if row["reused"])

    def setUp(self):
        super().setUp()
        self.write("inc.sh", "f() { build/bench; }\n")
        self.write("vars.sh", "BIN=build/bench\n")
        self.write("inner.sh", "#!/bin/sh\n\"$1\"\n")
        self.write("words", "a\n")
        self.write("name", "build/bench\n")
        # A bare machine has no make; what counts is the name.
        os.makedirs(os.path.join(self.folder, "tools"), exist_ok=True)
        self.write_program("tools/make", "#!/bin/sh\nif [ \"$2\" = -C ]; then cd \"$3\"; exec ./bench; fi\n"
                                         "exec build/bench\n")
        self.environment["PATH"] = os.path.join(self.folder, "tools") + ":" + os.environ["PATH"]
        self.write_program("script.sh", "#!/bin/sh\ncd build\n./bench\n")
        self.write_program("own_folder.sh", "#!/bin/bash\nset -e\nD=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                                            "cd \"$(dirname \"$0\")/build\" && \"$D/build/bench\"\n")

    def sweeps_in(self, database):
        return self.value(database, "select count(*) from sweep")

    def noted(self, database):
        return self.value(database, "select count(*) from result where notes like '%never reused%'")

    def test_are_measured_again_where_the_text_names_them(self):
        commands = [shlex.join(["sh", "-c", text]) for text in self.SEEN]
        commands += [shlex.join(["bash", "-c", text]) for text in self.BASH] + list(self.WHOLE)
        reused = self.again(commands)
        self.assertEqual([], [commands[i] for i in reused])
        self.assertEqual(0, self.noted("r.db"))

    def test_are_measured_again_where_nobody_knows_them(self):
        reused = self.again(self.UNKNOWN)
        self.assertEqual([], [self.UNKNOWN[i] for i in reused])
        self.assertEqual(2 * len(self.UNKNOWN), self.noted("r.db"))
        self.assert_golden("note", self.value("r.db", "select notes from result where notes like '%make%'"))
        report = json.loads(self.call("check", "r.yaml", "--json").out)
        self.assert_golden("check", "\n".join(report["notes"]))

    def test_of_other_texts_do_not_count(self):
        commands = [shlex.join(["sh", "-c", text]) for text in self.UNCHANGED]
        reused = self.again(commands)
        self.assertEqual(commands, [commands[i] for i in reused])
        self.assertEqual(0, self.noted("r.db"))
        self.assertEqual(1, len(json.loads(self.call("check", "r.yaml", "--json").out)["notes"]))

    def test_that_the_sweep_lists_are_known(self):
        self.write("d.yaml", "sweep: 1\nname: d\ncommand: make -s\naxes: {z: [1]}\nverify: false\n"
                             f"depends: [build/bench]\nmeasure: {self.BRIEF}\n")
        self.make_bench("one")
        typed = ("run", "d.yaml", "--db", "d.db", "--patience", "0")
        self.call(*typed)
        self.call(*typed)
        self.assertEqual((1, 0), (self.sweeps_in("d.db"), self.noted("d.db")))
        self.make_bench("another")
        self.call(*typed)
        self.assertEqual(2, self.sweeps_in("d.db"))

    def test_of_python_are_its_modules(self):
        self.write("mm.py", "print(1)\n")
        self.write("d.yaml", "sweep: 1\nname: d\ncommands:\n  a: python3 -m mm\n"
                             "  b: sh -c 'python3 -m mm'\n  c: sh -c 'python3 mm.py'\n"
                             "axes: {z: [1]}\nverify: false\n"
                             f"measure: {self.BRIEF}\n")
        typed = ("run", "d.yaml", "--db", "d.db", "--patience", "0")
        self.call(*typed)
        self.call(*typed)
        self.assertEqual(1, self.sweeps_in("d.db"))
        self.write("mm.py", "print(1, 2)\n")
        self.call(*typed)
        self.assertEqual([(3, 0)], [tuple(row.values()) for row in self.rows(
            "d.db", "select count(*), sum(reused) from results where sweep_id = 2")])


if __name__ == "__main__":
    unittest.main()
