"""Texts that people read, stored next to the tests: a sentence can be improved without a change of tests.

    self.assert_golden("refused", answer.errors)

holds when the text is the one that NAME_test.golden, next to NAME_test.py, has under "== Class.test
refused". With KERNSWEEP_WRITE_GOLDEN=1 in the environment each such line writes its text and holds; read
the difference before you commit it. What differs between machines, builds and processes is written as
<here>, <home>, <build>, <source>, <port>, <pid>, <time>. What else differs is named: cores=r"\\d+(?=
cores)" as a third argument writes <cores> for what the expression matches. tests/golden_text has the same
for C++.
"""
import fcntl
import os
import re
import socket
import sys

MARK = "== "
INDENT = "  "
# The placeholder and what it replaces. An address that a test invents has a port of few digits.
ALWAYS = (("time", r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"),
          ("port", r"(?<=tcp://127\.0\.0\.1:)\d{4,5}\b"),
          ("pid", r"(?<=\bpid )\d+\b|(?<=/proc/)\d+\b"))
# For texts that name it; it may be a word of any other: assert_golden("reason", reason, host=HOST).
HOST = rf"(?<![\w.-]){re.escape(socket.gethostname())}(?![\w.-])"


def read_texts(path):
    """{place: text}; empty where there is no file yet."""
    texts, place = {}, None
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except FileNotFoundError:
        return texts
    for line in lines:
        if line.startswith(MARK):
            place = line[len(MARK):]
            texts[place] = []
        elif place is not None:
            texts[place].append(line[len(INDENT):])
    return {place: "\n".join(lines).rstrip("\n") for place, lines in texts.items()}


def write_text(path, place, text):
    """One process at a time: ctest runs each class in a process of its own, several at once."""
    with open(path, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        texts = {**read_texts(path), place: text}
        file.truncate(0)
        for name, kept in sorted(texts.items()):
            lines = "".join(f"{INDENT}{line}".rstrip() + "\n" for line in kept.split("\n"))
            file.write(f"{MARK}{name}\n{lines}")


class GoldenText:
    """For a unittest.TestCase that has `home` and `folder`, its own folders, and `build` and `source`."""

    def assert_golden(self, name, text, **volatile):
        path = os.path.splitext(sys.modules[type(self).__module__].__file__)[0] + ".golden"
        place = f"{type(self).__name__}.{self._testMethodName} {name}".replace("\n", "\\n")
        self.assertNotIn(place, self.__dict__.setdefault("golden_places", set()), "a name for two texts")
        self.golden_places.add(place)
        now = self.without_place(text, volatile)
        if os.environ.get("KERNSWEEP_WRITE_GOLDEN"):
            write_text(path, place, now)
            return
        self.assertEqual(read_texts(path).get(place), now,
                         f"not the text of {path}, {place}; if it is the better one, run the test with "
                         "KERNSWEEP_WRITE_GOLDEN=1 and read the difference")

    def without_place(self, text, volatile):
        """The same on every machine, in every build and in every process."""
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        for mark, real in (("here", self.folder), ("home", self.home), ("build", self.build),
                           ("source", self.source)):
            text = text.replace(real, f"<{mark}>")
        for mark, expression in (*volatile.items(), *ALWAYS):
            text = re.sub(expression, f"<{mark}>", text)
        return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
