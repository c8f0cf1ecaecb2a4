#!/usr/bin/env python3
"""The texts that Kernsweep shows: golden.py [--write] BUILD_FOLDER [NAME...].

Each *.txt here is a session: lines that begin with "$ kernsweep " are run, one after the other, in a folder
with copies of the files in inputs/, and what follows must be what they answer: stdout, then stderr, then
"[2]" for an exit status that is not 0. Lines before the first command are comments. --write runs the
commands and writes the answers in place: read the difference before it is kept. Where a run measures, times
become <time>.
"""
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROMPT = "$ kernsweep "
TIME = re.compile(r"\b\d[\d.]* ?(ns|µs|ms|s|min|h)\b( +\d+ ?(ms|s|min)\b)?")
# The results of a run differ from run to run; the tables of stored results are compared elsewhere.
FOUND = re.compile(r"\nBest setting.*?\n(?=\n\d[\d,]* jobs? in |\[\d+\]\n|\Z)", re.DOTALL)


def without_gpu_packs(build, home):
    """The same installation, but for packs that a build has only where nvcc is."""
    packs = os.path.join("lib", "kernsweep", "packs")
    if not os.path.exists(os.path.join(build, packs, "cuda.so")):
        return build
    copy = os.path.join(home, "build")
    slot = os.listdir(os.path.join(build, "libexec", "kernsweep"))
    for folder, names in (("bin", ["kernsweep"]), ("libexec/kernsweep", slot)):
        os.makedirs(os.path.join(copy, folder))
        for name in names:
            shutil.copy2(os.path.join(build, folder, name), os.path.join(copy, folder, name))
    os.makedirs(os.path.join(copy, packs))
    for pack in os.listdir(os.path.join(build, packs)):
        if pack != "cuda.so":
            os.symlink(os.path.join(build, packs, pack), os.path.join(copy, packs, pack))
    return copy


def add_ssh(home):
    """Kernsweep looks for an ssh client, which need not be here: none of the sessions calls it."""
    folder = os.path.join(home, "tools")
    os.mkdir(folder)
    with open(os.open(os.path.join(folder, "ssh"), os.O_CREAT | os.O_WRONLY, 0o755), "w",
              encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 255\n")


def answer(build, command, folder):
    # Help is laid out the same everywhere; no pack and no variable of this machine shows through.
    path = os.path.join(os.path.dirname(folder), "tools") + os.pathsep + os.environ["PATH"]
    environment = {"PATH": path, "HOME": folder, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    environment.update({name: value for name, value in os.environ.items()
                        if name.endswith("SAN_OPTIONS") or name == "KERNSWEEP_PYTHON"})
    program = os.path.join(build, "bin", "kernsweep")
    done = subprocess.run([program, *shlex.split(command)], cwd=folder, env=environment, timeout=100,
                          stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    text = done.stdout + done.stderr
    if done.returncode != 0:
        text += f"[{done.returncode}]\n"
    text = text.replace(f"'{build}/bin/kernsweep'", f"{build}/bin/kernsweep")  # quoted for its blanks
    text = text.replace(build, "<build>")
    if command.split()[0] in ("run", "resume"):
        text = FOUND.sub("", TIME.sub("<time>", text))
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def play(build, path):
    """The session as it goes now."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(PROMPT))
    played = "".join(line + "\n" for line in lines[:first])
    with tempfile.TemporaryDirectory() as home:
        build = without_gpu_packs(build, home)
        add_ssh(home)
        folder = os.path.join(home, "here")
        shutil.copytree(os.path.join(HERE, "inputs"), folder)
        for line in lines[first:]:
            if line.startswith(PROMPT):
                played += line + "\n" + answer(build, line[len(PROMPT):], folder)
    return played


def main(arguments):
    write = "--write" in arguments
    build, *names = [argument for argument in arguments if argument != "--write"]
    names = names or sorted(name[:-4] for name in os.listdir(HERE)
                            if name.endswith(".txt") and name != "CMakeLists.txt")
    differ = 0
    for name in names:
        path = os.path.join(HERE, name + ".txt")
        with open(path, encoding="utf-8") as file:
            expected = file.read()
        played = play(os.path.abspath(build), path)
        if played == expected:
            continue
        differ += 1
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), played.splitlines(True),
                                                   f"{name}.txt", "now"))
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(played)
    if differ and not write:
        print(f"\nif that is as it should be: python3 tests/golden/golden.py --write {build}")
    return 1 if differ and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
