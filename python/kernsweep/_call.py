"""Calls of the program."""
from __future__ import annotations

import json
import mmap
import os
import re
import subprocess
from collections.abc import Iterable
from typing import Any, NamedTuple

from ._program import environment
from ._program import program as _found
from .errors import DatabaseError, KernsweepError, NotFound, ProgramNotFound, QuestionError


OTHER = "the program does not answer as kernsweep of this version does; see $KERNSWEEP_PROGRAM and $PATH"


class Said(NamedTuple):
    """How the program ended, and what it wrote."""

    status: int
    out: bytes | mmap.mmap
    errors: str

    def json(self) -> Any:
        """The answer of --json."""
        try:
            return json.loads(self.text())
        except ValueError as error:
            raise ProgramNotFound(OTHER) from error

    def text(self) -> str:
        """The answer as text."""
        return self.out[:].decode("utf-8", "replace")


def message_of(errors: str) -> str:
    """The program's error message, without its own name.

    >>> message_of("kernsweep: x.db: no such file")
    'x.db: no such file'
    """
    lines = [line for line in errors.splitlines() if line.strip()]
    at = next((i for i, line in enumerate(lines) if line.startswith("kernsweep: ")), None)
    return "\n".join(lines if at is None else lines[at:]).removeprefix("kernsweep: ")


def program() -> str:
    """The path of the command: $KERNSWEEP_PROGRAM, else that of this package, else that of $PATH."""
    try:
        return _found()
    except FileNotFoundError as error:
        raise ProgramNotFound(str(error)) from error


def refuse_words(words: Iterable[str], error: type[KernsweepError]) -> None:
    """Raises an error if a word cannot be passed to a program, or is an option without its value."""
    for word in words:
        if re.fullmatch("--[a-z-]+=", word):
            raise error(f"{word[2:-1].replace('-', '_')} is empty; leave it out")
        if "\0" in word:
            raise error(f"{word!r} contains a NUL, which cannot be passed to the program")
        try:
            os.fsencode(word)
        except UnicodeEncodeError as why:
            raise error(f"{word!r} is not a text that can be passed to the program: {why.reason}") from why


def call(arguments: list[str]) -> Said:
    """Runs the program to its end, with nothing on stdin. Its output stays in memory, and is not copied."""
    refuse_words(arguments, QuestionError)
    out = os.memfd_create("kernsweep", os.MFD_CLOEXEC)
    try:
        done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.PIPE, check=False, start_new_session=True,
                              env=environment())
        size = os.fstat(out).st_size
        said = mmap.mmap(out, size, access=mmap.ACCESS_READ) if size else b""
    except (OSError, ValueError) as error:
        raise ProgramNotFound(f"the program kernsweep does not start: {error}") from error
    finally:
        os.close(out)
    return Said(done.returncode, said, done.stderr.decode("utf-8", "replace"))


def ask(command: str, database: str, options: list[str], words: list[str]) -> Said:
    """The answer of a command that reads a database; `words` follow the database. Status 2 is an error."""
    if not os.path.exists(database):
        raise NotFound(f"{database}: no such file; kernsweep.run() makes one")
    said = call([command, *options, "--", database, *words])
    if said.status == 2 or said.status < 0:
        raise error_of(said, database)
    return said


def error_of(said: Said, database: str) -> KernsweepError:
    """The exception for the program's error message."""
    text = message_of(said.errors) or f"kernsweep ended with status {said.status}"
    if call(["sql", "--columns", "--", database, "select count(*) from sweep"]).status != 0:
        return DatabaseError(text)  # the database is the problem, not the question
    what = text.removeprefix(f"{database}: ")
    if what.startswith(("there is no sweep", "there is no result", "there is no job", "holds no sweep")):
        return NotFound(text)
    return QuestionError(text)
