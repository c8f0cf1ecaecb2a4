"""Values as people write them: what a program receives is what was written, or `check` says otherwise."""
import json
import os
import random
import re
import shlex
from decimal import Decimal

from sandbox import BRISK, ProcessTest

SEEDS = 12
ROWS = 8
PRINTS = "#!/bin/sh\nprintf '%s\\n' \"$*\" >> words.txt\n"


def number(draw):
    """A number in one of the ways in which people and programs write one."""
    digits = str(draw.randrange(10 ** draw.randrange(1, 8)))
    fraction = str(draw.randrange(10 ** draw.randrange(1, 5))) + draw.choice(("", "0", "00"))
    return draw.choice(("", "", "-", "+")) + draw.choice((
        digits, "0" + digits, "00" + digits, f"{digits}.{fraction}", f".{fraction}", f"{digits}.",
        f"{digits}e{draw.randrange(1, 20)}", f"{digits}.{fraction}E{draw.randrange(1, 9)}",
        f"{digits}e-{draw.randrange(1, 9)}", f"{digits}e+0{draw.randrange(1, 9)}",
        f"{digits}.{fraction}e-0{draw.randrange(1, 9)}"))


def text(draw):
    """What looks like a number and is none, and other words."""
    return draw.choice((
        f"{draw.randrange(10)}e000{draw.randrange(100)}", f"{draw.randrange(9)}.{draw.randrange(20)}.0",
        f"0x{draw.randrange(256):x}", f"{draw.randrange(1 << 28):07x}z", f"12:{draw.randrange(60):02}",
        draw.choice(("on", "off", "yes", "NULL", "True", "-O2", "--fast", "nan", "inf", "1_000"))))


def passed(word):
    """The word that a program gets, by the rule of the documents."""
    if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)[eE]([-+]\d+|0|[1-9]\d*)", word):
        return word
    value = Decimal(word)
    whole = value == value.to_integral_value() and 0 < abs(value) < 2 ** 53
    return str(int(value)) if whole else word


def different(draw, kind):
    """Words that a program gets in another form."""
    words = {}
    while len(words) < ROWS:
        word = kind(draw)
        words.setdefault(passed(word), word)
    return list(words.values())


class Words(ProcessTest):
    def sweep_of(self, seed):
        """A sweep, the arguments for the command line, and the lines of words that its program is to get."""
        draw = random.Random(seed)
        names = ("listed", "texts", "field", "cell", "mark", "typed", "word")
        kinds = (number, text, number, number, text, number, text)
        columns = [different(draw, kind) for kind in kinds]
        listed, texts, field, cell, mark, typed, word = columns
        self.write("t.csv", "cell,mark\n" + "".join(f"{a},{b}\n" for a, b in zip(cell, mark)))
        records = ", ".join(f"{{field: {value}}}" for value in field)
        included = {name: kind(draw) for name, kind in zip(names, kinds)}
        file = self.write("s.yaml", "\n".join((
            "sweep: 1", "name: words", "command: ./got " + " ".join(f"{{{name}}}" for name in names),
            "axes:", f"  listed: [{', '.join(listed)}]", f"  texts: [{', '.join(texts)}]",
            f"  record: [{records}]", "  table: {table: t.csv}", "  typed: [1]", "  word: [x]",
            "zip: {rows: [listed, texts, record, table, typed, word]}",
            "include: [{" + ", ".join(f"{name}: {value}" for name, value in included.items()) + "}]",
            "verify: {outputs: ignore}", BRISK)))
        arguments = (file, "-a", f"typed=[{','.join(typed)}]", "-a", f"word=[{','.join(word)}]")
        return arguments, [*zip(*columns), tuple(included.values())]

    def test_reach_a_program_as_they_were_written(self):
        for seed in range(SEEDS):
            arguments, written = self.sweep_of(seed)
            wanted = [" ".join(map(passed, row)) for row in written]
            lines = self.call("expand", *arguments).out.splitlines()
            got = [" ".join(shlex.split(line.partition(" command=")[2])[1:]) for line in lines]
            self.assertEqual(wanted, got, f"seed {seed}")
            notes = self.call("check", *arguments).out
            for name, column in zip(("listed", "field", "cell", "typed"), (0, 2, 3, 5)):
                differ = any(passed(row[column]) != row[column] for row in written)
                self.assertEqual(differ, f"('{name}'" in notes, f"seed {seed}, {name}\n{notes}")
        # The last of these sweeps is run: the program writes what it got.
        self.write("got", PRINTS)
        os.chmod(os.path.join(self.folder, "got"), 0o755)
        self.call("run", *arguments)
        self.assertEqual(sorted(wanted), sorted(set(self.read("words.txt").splitlines())))
        stored = self.rows("words.db", "select command from words order by point")
        self.assertEqual(wanted, [" ".join(shlex.split(row["command"])[1:]) for row in stored])

    def test_that_were_imported_are_those_that_were_typed(self):
        draw = random.Random(1)
        words = different(draw, number)
        self.write("scan.json", json.dumps({"results": [
            {"command": f"./a {word}", "times": [0.1, 0.2], "parameters": {"n": word}} for word in words]}))
        self.call("import", "scan.json", "--db", "scan.db")
        self.assertEqual(words, [row["n"] for row in self.rows(
            "scan.db", "select n from scan where process = 0 order by point")])

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()
