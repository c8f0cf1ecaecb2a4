"""Python functions in an interpreter of the user's choice: environments, versions, and what is none."""
import glob
import os
import shutil
import subprocess
import sys
import unittest

from python_test import HERE, PythonTest
from sandbox import BUILD, SANITIZED, UNHURRIED

VARIABLES = ("VIRTUAL_ENV", "CONDA_PREFIX", "KERNSWEEP_PYTHON")
MODULE = '''
import sys

def which():
    return lambda: sys.executable.encode() + b" " + sys.version.encode()

def has(module):
    __import__(module)
    return lambda: module.encode()

def libraries():
    with open("/proc/self/maps") as maps:
        names = {line.split()[-1] for line in maps if "libstdc++" in line}
    return lambda: " ".join(sorted(names)).encode()
'''

# Is called with -B and a script, which it runs in the real one, after these lines.
PRETENDER = '''#!/bin/sh
shift
exec {python} -B -c "import sys
{lines}
del sys.argv[0]
__file__ = sys.argv[0]
exec(open(__file__).read())" "$@"
'''


def other_interpreters():
    """Interpreters of this machine from version 3.10 on, except the one that runs this."""
    found = [shutil.which(f"python3.{minor}") for minor in range(10, 20)]
    found += glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))
    fit = "import sys; sys.exit(sys.version_info < (3, 10))"
    return [path for path in found if path and os.path.realpath(path) != os.path.realpath(sys.executable)
            and subprocess.run([path, "-c", fit], capture_output=True, check=False).returncode == 0]


@unittest.skipUnless(HERE, "this build has no pack for Python functions")
class InterpreterTest(PythonTest):
    def setUp(self):
        super().setUp()
        self.write("look.py", MODULE)
        for variable in () if SANITIZED else VARIABLES:
            self.environment.pop(variable, None)

    def pretend(self, name, lines):
        self.write(name, PRETENDER.format(python=sys.executable, lines=lines))
        path = os.path.join(self.folder, name)
        os.chmod(path, 0o755)
        return path

    def environment_with(self, name, module):
        """A folder as `python3 -m venv` makes it, with a module of its own."""
        folder = os.path.join(self.folder, name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        site = glob.glob(os.path.join(folder, "lib", "python3*", "site-packages"))[0]
        with open(os.path.join(site, f"{module}.py"), "w", encoding="utf-8") as file:
            file.write("x = 1\n")
        return folder

    def interpreter_of(self, number=1):
        shown = self.call("show", "p.db", str(number), "-v").out
        return [line for line in shown.splitlines() if "interpreter" in line]


@unittest.skipIf(SANITIZED, "only one Python has the sanitizer")
class Chosen(InterpreterTest):
    def test_by_an_axis(self):
        folder = self.environment_with("env", "only_here")
        row, = self.run_sweep("look:has", f"{{module: [only_here], python.interpreter: [{folder}]}}")
        self.assertEqual(("ok", folder), (row["status"], row["python.interpreter"]), row["reason"])

    def test_by_the_active_environment(self):
        self.environment_with("env", "only_here")
        for variable in VARIABLES:
            with self.subTest(variable):
                self.environment[variable] = os.path.join(self.folder, "env")
                row, = self.run_sweep("look:has", "{module: [only_here]}", name=variable)
                self.assertEqual("ok", row["status"], row["reason"])
                del self.environment[variable]
        row, = self.run_sweep("look:has", "{module: [only_here]}", name="none", status=1)
        self.assertEqual("failed_setup", row["status"])

    def test_newer_than_the_one_of_an_old_system(self):
        folder = os.path.join(self.folder, "bin")
        os.mkdir(folder)
        self.write("bin/python3.9", "#!/bin/sh\nexit 1\n")
        os.chmod(os.path.join(folder, "python3.9"), 0o755)
        os.symlink("python3.9", os.path.join(folder, "python3"))
        os.symlink(sys.executable, os.path.join(folder, "python3.%d" % sys.version_info[1]))
        self.environment["PATH"] = folder
        row, = self.run_sweep("look:has", "{module: [json]}")
        self.assertEqual("ok", row["status"], row["reason"])

    def test_of_several_versions(self):
        others = other_interpreters()
        if not others:
            self.skipTest("this machine has one Python only")
        rows = self.run_sweep("look:which", f"{{python.interpreter: [{', '.join(others)}]}}",
                              "problem: [python.interpreter]")
        self.assertEqual(["ok"] * len(others), [row["status"] for row in rows], rows)
        self.assertEqual(len(others), len({row["output_hash"] for row in rows}))
        for row in rows:
            said = subprocess.run([row["python.interpreter"], "-c", "import platform as p; "
                                   "print('CPython', p.python_version(), end='')"],
                                  stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertEqual(said, row["runtime"].split(";")[0])

    def test_is_part_of_what_was_measured(self):
        self.run_sweep("look:which", "{label: [x]}")
        found = self.interpreter_of()
        self.assertEqual(1, len(found), found)
        self.environment_with("env", "only_here")
        self.environment["KERNSWEEP_PYTHON"] = os.path.join(self.folder, "env")
        self.call("run", "p.yaml")
        self.assertEqual(2, self.value("p.db", "select count(*) from result"))

    def measured_again(self, axes, change):
        """How many results there are after a second run, with something changed before it."""
        self.run_sweep("look:which", axes)
        change()
        self.call("run", "p.yaml")
        return self.value("p.db", "select count(*) from result")

    def test_that_is_replaced_is_measured_anew(self):
        others = other_interpreters()
        if not others:
            self.skipTest("this machine has one Python only")
        link = os.path.join(self.folder, "link")
        os.symlink(sys.executable, link)

        def lead_elsewhere():
            os.remove(link)
            os.symlink(others[0], link)
        axes = f"{{label: [x], python.interpreter: [{link}]}}"
        self.assertEqual(2, self.measured_again(axes, lead_elsewhere))
        self.assertEqual(1, self.measured_again_by_script(others[0], False))
        self.assertEqual(2, self.measured_again_by_script(others[0], True))

    def measured_again_by_script(self, other, elsewhere):
        script = os.path.join(self.folder, "start")

        def write(python):
            self.write("chosen", python)
            self.write("start", f"#!/bin/sh\nPATH=/nowhere:$PATH\nread python < {self.folder}/chosen\n"
                                "echo hello\nexec \"$python\" \"$@\"\n")
            os.chmod(script, 0o755)
        write(sys.executable + "\n")
        if os.path.exists(os.path.join(self.folder, "p.db")):
            os.remove(os.path.join(self.folder, "p.db"))
        self.environment["KERNSWEEP_PYTHON"] = script
        then = other if elsewhere else sys.executable
        return self.measured_again("{label: [x]}", lambda: write(then + "\n"))

    def test_measures_again_by_hand(self):
        self.environment["KERNSWEEP_PYTHON"] = self.environment_with("env", "only_here")
        self.run_sweep("look:has", "{module: [only_here]}")
        del self.environment["KERNSWEEP_PYTHON"]
        line = self.call("repro", "p.db", "1").out
        done = subprocess.run(["sh"], input=line, cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_of_a_reference_is_part_of_what_was_measured(self):
        self.write("right.py", "def text(n): return f'{n}\\n'\n")
        self.write("p.yaml", "sweep: 1\nname: p\ncommand: echo {n}\naxes: {n: [7]}\n" + UNHURRIED +
                             "verify: {reference: {python: 'right:text'}}\n")
        for python in ("", "", self.environment_with("env", "only_here")):
            self.environment["KERNSWEEP_PYTHON"] = python
            self.call("run", "p.yaml")
            self.assertEqual(2 if python else 1, self.value("p.db", "select count(*) from result"))

    def test_the_newest_cpp_library_counts(self):
        folder = self.environment_with("env", "only_here")
        own = os.path.join(folder, "lib", "libstdc++.so.6")
        system = glob.glob("/usr/lib/*-linux-gnu/libstdc++.so.6")[0]
        with open(system, "rb") as file:
            content = file.read()
        with open(own, "wb") as file:
            file.write(content + b"GLIBCXX_3.4.99\\0")
        row, = self.run_sweep("look:libraries", f"{{python.interpreter: [{folder}]}}")
        self.write("same.py", f"def f():\n    return lambda: {own.encode()!r}\n")
        self.assertEqual(self.hash_of("same:f", "{label: [x]}", "expected"), row["output_hash"])


class Refused(InterpreterTest):
    def expect(self, name, interpreter):
        works = os.environ["KERNSWEEP_PYTHON"] if SANITIZED else sys.executable
        axes = f"{{python.interpreter: [{works}, '{interpreter}']}}"
        good, row = self.run_sweep("look:which", axes, status=1)
        self.assertEqual(("ok", "failed_setup"), (good["status"], row["status"]), good["reason"])
        told = [line for line in self.answer.errors.splitlines() if line.startswith("cannot be")]
        text = "\n".join([*told, row["reason"]])
        self.assert_golden(name, text.replace(self.folder, "<here>").replace(BUILD, "<build>"))

    def test_that_is_not_there(self):
        self.expect("nowhere", "/nowhere/python3")

    def test_that_does_not_fit(self):
        for name, lines in (("old", "sys.version_info = (3, 9, 1)"),
                            ("pypy", "sys.implementation.name = 'pypy'"),
                            ("unlocked", "sys.version_info, sys.version = (3, 13, 1), 'free-threading'")):
            self.expect(name, self.pretend(name, lines))

    def test_that_is_no_python(self):
        self.expect("true", "/bin/true")
        self.write("broken", "#!/bin/sh\necho 'no such module: encodings' >&2\nexit 3\n")
        os.chmod(os.path.join(self.folder, "broken"), 0o755)
        self.expect("broken", os.path.join(self.folder, "broken"))

    def test_where_a_worker_has_none(self):
        self.environment["KERNSWEEP_PYTHON"] = "/nowhere/python3"
        self.write("p.yaml", "sweep: 1\nname: p\npython: look:which\naxes: {label: [x]}\n")
        for verb in ("check", "run"):
            said = self.call(verb, "p.yaml", status=2).errors.replace(BUILD, "<build>")
            self.assert_golden(verb, said.splitlines()[-1])
        listed = [line for line in self.call("kernels").out.splitlines() if "broken" in line]
        self.assertEqual(1, len(listed), listed)

    def test_that_two_axes_name(self):
        self.write("p.yaml", "sweep: 1\nname: p\npython: look:which\naxes: {python.interpreter: [a], "
                             "env.KERNSWEEP_PYTHON: [b]}\n")
        self.assert_golden("two", self.call("check", "p.yaml", status=2).errors)

    def test_for_another_kernel(self):
        self.write("p.yaml", "sweep: 1\nname: p\nkernel: stream\naxes: {variant: loop, "
                             "python.interpreter: [python3]}\n")
        self.assert_golden("stream", self.call("check", "p.yaml", status=2).errors)


del PythonTest, InterpreterTest
