#!/usr/bin/env python3
"""clang-tidy over every source of ours, several at a time: clang_tidy.py. Status 1 on a finding.

A unit that was clean is not read again while all that it depends on is the same: the bytes of its source and
of every file that it includes, the compile command, each .clang-tidy, and clang-tidy itself (cmake/kept.py).
Findings are not kept.
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "cmake"))

import kept  # noqa: E402

ROOMS = "shared|tensors|language|transport|results|coordinator|worker|cli|kernels"
TIDY = "clang-tidy-14"
LINES_MAX = 80  # of findings that are shown


def say(*words):
    """What such a command printed; its last lines end this program where it fails."""
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("\n".join((done.stdout + done.stderr).splitlines()[-20:]))
    return done.stdout


def configured(folder):
    """Configures, and makes what protoc writes: it is needed, not judged."""
    say("cmake", "--preset", "tidy", "-B", folder)
    targets = say("ninja", "-C", folder, "-t", "targets", "all")
    headers = re.findall(r"^(.*\.pb\.h): ", targets, re.MULTILINE)
    if headers:
        say("ninja", "-C", folder, *headers)


class Unit:
    """One source as it is compiled once."""

    def __init__(self, entry):
        self.source = entry["file"]
        words = shlex.split(entry["command"])[1:]
        output = words.index("-o")
        dropped = ("-c", self.source)
        self.flags = [word for word in words[:output] + words[output + 2:] if word not in dropped]
        self.folder = entry["directory"]

    def searched(self):
        """Where its flags say that headers are."""
        return {*re.findall(r"(?:-I|-isystem )(\S+)", " ".join(self.flags))}


def units(folder):
    ours = re.compile(rf"{re.escape(ROOT)}/(build/tidy/)?({ROOMS})/.*\.c(pp|xx)")
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if ours.fullmatch(entry["file"])]
    # A source that is compiled for several instruction sets is read once.
    found = {entry["file"]: Unit(entry) for entry in reversed(entries)}.values()
    # Those that have several sources take longest, and begin first.
    return sorted(found, key=lambda unit: ("/Unity/" not in unit.source, unit.source))


class Lint:
    def __init__(self, wanted):
        program = os.path.realpath(shutil.which(TIDY))
        libraries = re.findall(r"=> (\S*/lib(?:LLVM|clang)\S*)", say("ldd", program))
        searched = set().union(*(unit.searched() for unit in wanted))
        self.store = kept.store()
        self.tree = kept.Tree({*searched, os.path.join(os.path.dirname(program), "..", "lib", "clang")})
        self.tool = ["clang-tidy", kept.stated(program, *libraries), self.configurations()]

    def configurations(self):
        """Every .clang-tidy in the tree by its place, and those of the folders above it by their order."""
        names = sorted(self.tree.names.get(".clang-tidy", ()))
        inside = [(name, self.tree.digest(kept.found(name))) for name in names]
        above, folder = [], ROOT
        while folder != "/":
            folder = os.path.dirname(folder)
            above.append(self.tree.digest(os.path.join(folder, ".clang-tidy")))
        return inside + [found for found in above if found]

    def __call__(self, unit):
        """(what clang-tidy found, whether that was kept)"""
        runs = self.store and kept.Runs(self.store, self.tree, unit.source, self.tool, unit.flags)
        if runs and runs.same():
            return "", True
        with tempfile.NamedTemporaryFile(suffix=".d") as depfile:
            # clang's tools drop -MD, but not what is meant for the preprocessor.
            words = [TIDY, "-quiet", unit.source, "--", *unit.flags, f"-Wp,-MD,{depfile.name}"]
            done = subprocess.run(words, cwd=unit.folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return done.stdout or done.stderr or "failed", False
            if runs:
                runs.add(kept.read_by(depfile.name))
        return "", False


def main(folder):
    configured(folder)
    wanted = units(folder)
    lint = Lint(wanted)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        done = list(pool.map(lint, wanted))
    findings = "".join(said for said, _ in done).splitlines()
    print(*findings[:LINES_MAX], sep="\n", end="\n" if findings else "")
    if len(findings) > LINES_MAX:
        print(f"... {len(findings) - LINES_MAX} lines of findings are left out ...")
    clean = sum(not said for said, _ in done)
    taken = sum(was for _, was in done)
    print(f"clang-tidy: {clean} of {len(wanted)} units clean, {taken} of them kept")
    return 0 if clean == len(wanted) > 0 else 1


if __name__ == "__main__":
    sys.exit(main(os.path.join(ROOT, "build", "tidy")))
