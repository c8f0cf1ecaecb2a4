"""The pages about commands say what `--help` says: each command, and each exit status."""
import os
import re
import unittest

from sandbox import SOURCE, ProcessTest

GROUPS = ["Run", "Ask the results", "Cluster", "Repair"]


def page(name):
    with open(os.path.join(SOURCE, "docs", "reference", name), encoding="utf-8") as file:
        return file.read()


class Pages(ProcessTest):  # labels: smoke
    def commands(self):
        """{group: [(name, what it does)]} of `kernsweep --help`."""
        text = self.call("--help").out
        return {title: re.findall(r"  (\S+) +(.*)\n", rows)
                for title, rows in re.findall(r"(?m)^(\w[\w ]*):\n((?:  \w.*\n)+)", text)
                if title != "Examples"}

    def test_commands_are_those_of_the_help_in_the_same_groups(self):
        groups = self.commands()
        self.assertEqual(GROUPS, list(groups))
        text = page("commands.md")
        for title, commands in groups.items():
            section = text[text.index(f"## {title}\n"):].split("\n## ")[0]
            rows = re.findall(r"(?m)^\| `([\w-]+)[^`]*` \| (.*) \| .* \|$", section)
            self.assertEqual(commands, rows, title)

    def test_each_exit_status_is_one_that_the_help_has(self):
        told = {}
        for line in page("exit-statuses.md").split("\n## ")[0].splitlines():
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if len(cells) != 6 or not cells[0].startswith("`"):
                continue
            for name in re.findall(r"`([\w-]+)`", cells[0]):
                told[name] = {number for number, cell in enumerate(cells[1:]) if cell}
        names = [name for commands in self.commands().values() for name, _ in commands]
        self.assertEqual(sorted(names), sorted(told))
        for name in names:
            footer = self.call(name, "--help").out.split("Exit status: ")[1]
            said = {int(number) for number in re.findall(r"(?<![\w.-])([0-9]) (?=[a-zA-Z])", footer)}
            self.assertEqual(told[name], said, name)


if __name__ == "__main__":
    unittest.main()
