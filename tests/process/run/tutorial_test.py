"""Commands and code of docs/guides/own-pack.md and tune-your-function.md work as they stand there."""
import os
import re
import sys

from new_pack_test import PackTest
from sandbox import BUILD, SOURCE

BLOCK = re.compile(r"(?ms)^```(\w*)\n(.*?)^```$")
PROMPT = "$ "


class GuideTest(PackTest):
    """Runs what follows each prompt of a page, in one folder; subclasses say what is done with code."""

    def setUp(self):
        super().setUp()
        self.environment.update(PATH=os.path.join(BUILD, "bin") + os.pathsep + self.environment["PATH"],
                                CMAKE_PREFIX_PATH=BUILD, PYTHONPATH=os.path.join(SOURCE, "python"))

    def follow(self, page, name):
        """{command: what it said}. Code and sweep of the page are those of the pack `name`."""
        with open(os.path.join(SOURCE, "docs", "guides", page), encoding="utf-8") as file:
            blocks = BLOCK.findall(file.read())
        answers = {}
        for language, text in blocks:
            if language in ("cpp", "yaml"):
                self.code(f"{name}/{name}.{language}", text)
            elif not language:
                self.session(text, answers)
        return answers

    def session(self, text, answers):
        for part in re.split(r"(?m)^(?=\$ )", text):
            command, _, shown = part.removeprefix(PROMPT).partition("\n")
            if not part.startswith(PROMPT):
                self.assertEqual("", part)
            elif command.startswith("cd "):
                self.folder = os.path.join(self.folder, command[3:])
            else:
                quickly = " -q --quick --patience 0" if "kernsweep run" in command else ""
                quickly = " --quick" if "kernsweep try" in command else quickly
                answers[command] = self.shell(command + quickly)
                if "kernsweep try" in command:  # the same variants, as well as on the page
                    self.assertEqual(*([line.split()[:2] for line in each.splitlines()]
                                       for each in (shown, answers[command])))


class OwnPack(GuideTest):
    def code(self, path, text):
        """The page shows what was written."""
        with open(os.path.join(self.folder, os.path.basename(path)), encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_works_as_the_page_says(self):
        said = self.follow("own-pack.md", "axpy")
        self.assertEqual(5, len(said))
        self.assertRegex(said["KERNSWEEP_PACKS=$PWD/build kernsweep kernels axpy"], "(?m)^axpy: ")
        rows = self.rows("axpy.db", "select status, count(*) as jobs from results group by status")
        self.assertEqual([{"status": "ok", "jobs": 6}], rows)


class Tuning(GuideTest):
    def code(self, path, text):
        self.write(os.path.basename(path), text)

    def test_finds_the_best_setting_and_a_slip_as_the_page_says(self):
        said = self.follow("tune-your-function.md", "transpose")
        self.assertEqual(6, len(said))
        rows = self.rows("transpose.db", "select status, count(*) as jobs from results group by status")
        self.assertEqual([{"status": "ok", "jobs": 12}], rows)
        best = self.call("best", "transpose.db", "--grade", "C", "--json").json()
        self.assertEqual([1000, 1024], sorted(row["n"] for row in best["rows"]))

        path = os.path.join(self.folder, "transpose.cpp")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        slip = "column < left + block"
        self.assertEqual(1, text.count("column < std::min(left + block, n)"))
        self.write("transpose.cpp", text.replace("column < std::min(left + block, n)", slip))
        self.shell("cmake --build build")
        tried = self.call("try", "build/transpose.so", "-a", "n=1000", "-a", "block=16", "--quick", "--json",
                          status=1).json()
        outcomes = {each["variant"]: each["outcome"] for each in tried["variants"]}
        self.assertEqual("ok", outcomes["plain"])
        self.assertIn(outcomes["blocked"], ("wrong_result", "signal"))


class TuningAKernel(GuideTest):
    def session(self, text, answers):
        for command in (line.removeprefix(PROMPT) for line in text.splitlines() if line.startswith(PROMPT)):
            quickly = " -q --quick --patience 0" if "kernsweep run" in command else ""
            answers[command] = self.shell(command + quickly)

    def follow(self, page, name):
        with open(os.path.join(SOURCE, "docs", "guides", page), encoding="utf-8") as file:
            blocks = BLOCK.findall(file.read())
        answers, sources = {}, iter(("matmul.c", "bench.c"))
        for language, text in blocks:
            if language == "c":
                self.write(next(sources), text)
            elif language == "python":
                self.write("tune.py", text.replace("measure()", "measure(quick=True)"))
                self.shell(f"{sys.executable} tune.py")
            elif text.startswith("sweep:"):
                self.write(f"{name}.yaml", text)
            elif not language:
                self.session(text, answers)
        return answers

    def test_finds_the_best_parameters_of_an_unchanged_file(self):
        said = self.follow("tune-a-kernel.md", "matmul")
        self.assertEqual(4, len(said))
        rows = self.rows("matmul.db", "select status, count(*) as jobs from results group by status")
        self.assertEqual([{"status": "ok", "jobs": 16}], rows)
        best = self.call("best", "matmul.db", "--grade", "C", "--json").json()
        self.assertEqual([256], [row["n"] for row in best["rows"]])
        self.assertEqual(16, self.value("matmul.db", "select count(*) from attempt where verified_by like "
                                                     "'setting%'"))
        self.assertEqual(1, self.value("blocked.db", "select count(distinct output_hash) from results"))
