"""`kernsweep completion`: bash's own function is called as bash calls it."""
import os
import shutil
import subprocess
import unittest

from sandbox import ProcessTest

ASK = r"""
set -u
source "$SCRIPT"
complete -p kernsweep >/dev/null
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_kernsweep
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completion(ProcessTest):
    def setUp(self):
        super().setUp()
        self.script = os.path.join(self.home, "script")
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(self.call("completion", "bash").out)
        for name in ("two words.db", "a.yaml", "b.json", "c.txt"):
            self.write(name, "")
        os.mkdir(os.path.join(self.folder, "folder"))

    def completed(self, *words):
        done = subprocess.run(["bash", "-c", ASK, "bash", "kernsweep", *words], cwd=self.folder,
                              env={**self.environment, "SCRIPT": self.script}, capture_output=True,
                              check=False, encoding="utf-8", timeout=60)
        self.assertEqual(("", 0), (done.stderr, done.returncode))
        return sorted(filter(None, done.stdout.split("\n")))

    def test_bash_completes_commands_options_values_and_files(self):
        for words, expected in (
                (("comp",), ["compare", "completion"]),
                (("keys", ""), ["add", "list", "revoke", "rotate"]),
                (("keys", "add", "--ro"), ["--role"]),
                (("keys", "add", "--role", ""), ["client", "worker"]),
                (("keys", "add", "--role", "=", "c"), ["client"]),
                (("--log", "file", "piv"), ["pivot"]),
                (("pivot", "--co"), ["--columns"]),
                (("pivot", "x.db", "--better", "l"), ["larger"]),
                (("best", "two words.db", "--better", "="), ["larger", "smaller"]),
                (("best", ""), ["folder", "two words.db"]),
                (("run", ""), ["a.yaml", "b.json", "folder"]),
                (("trace", "x.db", "-o", "c"), ["c.txt"]),
                (("completion", ""), ["bash", "fish", "zsh"]),
                (("no such", "$(touch broken)"), [])):
            with self.subTest(words):
                self.assertEqual(expected, self.completed(*words))
        self.assertNotIn("broken", self.files())

    def test_bash_completes_each_command_and_option_that_the_help_has(self):
        listed = {line.split()[0] for line in self.call("--help").out.split("\nExamples:")[0].splitlines()
                  if line.startswith("  ") and line[2] not in " -"}
        self.assertEqual(sorted(listed), self.completed(""))
        for name in ("run", "worker", "status", "compare"):
            said = self.call(name, "--help").out.split("Options:\n")[1]
            options = {word for line in said.splitlines() if line.startswith("  -")
                       for word in line.split()[0].split(",")}
            self.assertLessEqual({word.split("{")[0] for word in options if word.startswith("--")},
                                 set(self.completed(name, "--")), name)

    def test_the_others_are_scripts_that_their_shells_accept(self):
        for shell in ("zsh", "fish"):
            said = self.call("completion", shell).out
            self.assertGreater(said.count("pivot"), 1)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=said.encode(), check=True, timeout=60)
        self.assert_golden("unknown", self.call("completion", "csh", status=2).errors)


if __name__ == "__main__":
    unittest.main()
