"""Which function is measured, where several have its name, and with which values."""
import os

from package import BRISK, QUICKLY, PackageTest

import kernsweep
from kernsweep._measuring import DIFFERENT

HEAD = f"""import kernsweep, sys
BRISK = dict(measure={BRISK!r}, setup=True)
def measured(kernel, **more):
    try:
        return kernel.measure(progress=False, patience="0", **more).rows()[0]["output_hash"]
    except kernsweep.FunctionError as error:
        return str(error)
"""
WORK = """@kernsweep.kernel(n=[1], **BRISK)
def work(n): return lambda: float(SIZE)
"""
ANOTHER = "work has changed since the statement in line"


class Measured(PackageTest):
    def setUp(self):
        super().setUp()
        self.hashes = {}

    def hash_of(self, number):
        """The hash of an output that is this number."""
        if number not in self.hashes:
            self.write("exact.py", "def work(n): return lambda: float(n)\n")
            sweep = {"name": f"exact{number}", "python": "exact:work", "axes": {"n": [number]}}
            results = kernsweep.run({**sweep, "measure": BRISK}, **QUICKLY)
            self.hashes[number] = results.rows()[0]["output_hash"]
        return self.hashes[number]

    def script(self, text, *words, name="script.py"):
        """The lines that the script prints."""
        self.write(name, HEAD + text)
        done = self.python(name, *words)
        self.assertEqual("", done.stderr)
        return done.stdout.splitlines()

    def test_the_second_function_of_a_name(self):
        lines = self.script(f"SIZE = 1\n{WORK}print(measured(work))\n"
                            f"{WORK.replace('SIZE', '2')}print(measured(work))\n")
        self.assertEqual([self.hash_of(1), self.hash_of(2)], lines)

    def test_a_function_after_its_constant_has_changed(self):
        lines = self.script(f"SIZE = 1\n{WORK}print(measured(work))\nSIZE = 2\nprint(measured(work))\n")
        self.assertEqual([self.hash_of(1), self.hash_of(2)], lines)

    def test_the_first_function_of_a_name_after_the_second(self):
        one, = self.script(f"SIZE = 1\n{WORK}first = work\n{WORK}print(measured(first))\n")
        self.assertIn(DIFFERENT, one)

    def test_a_loop_measures_once(self):
        loop = "for SIZE in (1, 2):\n    print(measured(work))\n"
        for text in (WORK + loop, WORK.replace("float(SIZE)", "float(SIZES[0])") + loop.replace(
                "    print", "    SIZES = [SIZE]\n    print")):
            first, second = self.script(text)
            self.assertEqual(self.hash_of(1), first)
            self.assertIn(ANOTHER, second)
        first, second = self.script(f"SIZE = 1\n{WORK}for again in (1, 2): print(measured(work))\n")
        self.assertEqual([self.hash_of(1)] * 2, [first, second])

    def test_a_value_of_the_main_block_is_none_of_the_function(self):
        text = f"SIZE = 1\n{WORK}if __name__ == '__main__':\n    SIZE = 2\n    print(measured(work))\n"
        one, = self.script(text)
        self.assertIn(DIFFERENT, one)
        self.assertRegex(one, "SIZE is 2 there, 1 here")
        one, = self.script(text.replace("    SIZE = 2\n", ""))
        self.assertEqual(self.hash_of(1), one)

    def test_a_counter_of_the_function_may_differ(self):
        counting = WORK.replace("return", "global SIZE; SIZE += 1; return")
        called = "if __name__ == '__main__': work(1); print(measured(work))\n"
        one, = self.script(f"SIZE = 0\n{counting}{called}")
        self.assertEqual(self.hash_of(1), one)

    def test_arguments_of_the_script_are_measured(self):
        text = f"SIZE = int(sys.argv[1])\n{WORK}if __name__ == '__main__': print(measured(work))\n"
        self.assertEqual([self.hash_of(5)], self.script(text, "5"))
        self.assertEqual([self.hash_of(6)], self.script(text, "6"))
        self.assertEqual(2, len(kernsweep.open("work.db").sweeps()))
        self.script(text, "6")
        self.assertEqual(2, len(kernsweep.open("work.db").sweeps()))  # the same jobs

    def test_arguments_of_a_module_are_measured(self):
        self.write("mine.py", HEAD + f"SIZE = int(sys.argv[1])\n{WORK}"
                   "if __name__ == '__main__': print(measured(work))\n")
        done = self.python("-m", "mine", "7")
        self.assertEqual((self.hash_of(7) + "\n", ""), (done.stdout, done.stderr))

    def test_scripts_of_a_folder_share_no_module(self):
        for size, name in ((1, "a.py"), (2, "b.py")):
            self.script(f"SIZE = {size}\n{WORK}print(measured(work, db='{name}.db'))\n", name=name)
        files = [name for name in os.listdir("kernsweep_functions") if name.endswith(".py")]
        self.assertEqual(2, len(files), files)
        for size, name in ((1, "a.py"), (2, "b.py")):
            self.assertEqual(self.hash_of(size), kernsweep.open(f"{name}.db").rows()[0]["output_hash"])

    def test_the_sweep_names_the_module_that_was_written(self):
        self.write("script.py", HEAD + f"SIZE = 3\n{WORK}\nmeasured(work)\n"
                   "print(kernsweep.run({**work.sweep(), 'name': 'o'}, patience='0').told['ok'])\n")
        self.assertEqual("1\n", self.python("script.py").stdout)

    def test_operands_are_arguments(self):
        self.write("script.py", f"""import kernsweep
@kernsweep.kernel(n=[4], setup=True, measure={BRISK!r}, keys={{"operands": {{"x": "f64[{{n}}]"}}}})
def work(n, x): return lambda: float(sum(x))
print(work.measure(progress=False, patience="0").rows()[0]["status"])
""")
        done = self.python("script.py")
        self.assertEqual(("ok\n", ""), (done.stdout, done.stderr))

    def test_a_name_that_no_sweep_can_have_is_told_before_a_file_is_written(self):
        for name in ("_private", "café", "__init__"):
            self.write("script.py", "import kernsweep\n"
                       f"@kernsweep.kernel(n=[1], measure={BRISK!r}, **MORE)\n"
                       f"def {name}(n): return 1.0\n"
                       f"print({name}.measure(progress=False, patience='0').rows()[0]['status'])\n")
            with open("script.py", encoding="utf-8") as file:
                text = file.read()
            self.write("script.py", text.replace("**MORE", "keys={}"))
            done = self.python("script.py")
            self.assertRegex(done.stderr.splitlines()[-1], "FunctionError: .*; give @kernel another name=")
            self.assertEqual(["script.py"], self.files())
            self.write("script.py", text.replace("**MORE", "name='other'"))
            done = self.python("script.py")
            self.assertEqual(("ok\n", ""), (done.stdout, done.stderr))
            for path in ("other.db", "other.db-lock"):
                if os.path.exists(path):
                    os.remove(path)
            for path in os.listdir("kernsweep_functions"):
                os.remove(os.path.join("kernsweep_functions", path))
            os.rmdir("kernsweep_functions")


class Sessions(PackageTest):
    def cell(self, text):
        """What a session prints that runs this as a cell."""
        self.write("cell.txt", text + "print([row['status'] for row in work.measure(progress=False, "
                   "patience='0').rows()])\n")
        done = self.python("-c", "import linecache\ntext = open('cell.txt').read()\n"
                           "linecache.cache['<cell>'] = (len(text), None, text.splitlines(True), '<cell>')\n"
                           "exec(compile(text, '<cell>', 'exec'))")
        return done.stdout + done.stderr

    def test_a_local_may_be_called_like_a_variable_of_the_session(self):
        text = f"""import kernsweep
values = [1, 2]
@kernsweep.kernel(n=[1], measure={BRISK!r})
def work(n):
    values = [value for value in range(n)]
    def within(): return len(values)
    return float(within())
"""
        self.assertEqual("['ok']\n", self.cell(text))

    def test_a_class_of_the_session_goes_along(self):
        text = f"""import kernsweep
FACTOR = 2.0
class Scale:
    kind = "scale"
    def of(self, n): return n * FACTOR
@kernsweep.kernel(n=[1], measure={BRISK!r})
def work(n):
    return Scale().of(n)
"""
        self.assertEqual("['ok']\n", self.cell(text))
        without = text.replace("    def of(self, n): return n * FACTOR\n", "")
        self.assertRegex(self.cell(without), "FunctionError: the source of Scale cannot be had")
