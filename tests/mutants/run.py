#!/usr/bin/env python3
"""Plants each fault of this folder into a copy of the tree and waits for a test to fail: run.py [NAME...].

A check by hand after tests were removed, merged or moved. A patch is a fault that a person may make; its
first line names the test or the stage that catches it. NAME: the beginning of a patch's name, such as 07.
For each patch this builds what the line names and runs that. If that passes, all tests are built; then
those run that the patch has rebuilt, then all others, up to the first that fails. With --changed, each
patch is a change for `.ci/run --changed` instead. Status 1 if a fault is not caught, or does not build.

The copy is build/mutants, a clone of the present tree with what is changed and not committed; new files are
not in it. It is kept, so that the next run compiles little.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COPY = os.path.join(ROOT, "build", "mutants")
LOG = os.path.join(ROOT, "build", "mutants.log")
CAUGHT_BY = re.compile(r"Caught by: (?:(asan|tsan) )?(\S+)\n")
FAILED = re.compile(r"^\s+\d+ - (\S+).* \((?!Skipped|Disabled|Not Run)[^()]*\)$", re.MULTILINE)
OPTIONS = {"release": ["-DKERNSWEEP_TESTS=ON"]}
BUILD_FAILED = 125  # of cmake/bootstrap.sh
PROGRAM = r"(unit|kernels)_\w+"  # a name of a program with GoogleTest
STAGES = ("lint",)


class DoesNotBuild(Exception):
    """The compiler rejects the fault, so it does not test the tests."""


def patches(names):
    """Paths, in order, of those whose names begin with one of `names`; all without names."""
    found = sorted(glob.glob(os.path.join(HERE, "*.patch")))
    return [path for path in found if not names or os.path.basename(path).startswith(tuple(names))]


def caught_by(path):
    """What the first line of a patch names: (preset or stage, test)."""
    with open(path, encoding="utf-8") as file:
        match = CAUGHT_BY.fullmatch(file.readline())
    if not match:
        sys.exit(f"{path}: the first line is not `Caught by: TEST`, `Caught by: asan TEST` or the like")
    preset, test = match.groups()
    return (test, "") if test in STAGES else (preset or "release", test)


def run(*words, **more):
    """The status and the output of a command in the copy."""
    done = subprocess.run(words, cwd=COPY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **more)
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(words)}\n{done.stdout}\n")
    return done.returncode, done.stdout


def git(*words, folder=COPY):
    return subprocess.run(["git", "-C", folder, *words], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def make_copy():
    """The copy as the tree is now. It shares the objects of the tree, so each commit is known to it."""
    if not os.path.exists(os.path.join(ROOT, ".git")):
        sys.exit("run.py works in a checkout; this tree has no .git")
    now = git("stash", "create", folder=ROOT) or git("rev-parse", "HEAD", folder=ROOT)
    if not os.path.isdir(COPY):
        git("clone", "--quiet", "--shared", "--no-checkout", ROOT, COPY, folder=ROOT)
    git("checkout", "--quiet", "--force", "--detach", now)


def build(preset, targets):
    """Builds as ./test does; the programs with tests that were linked again."""
    began = time.time()
    words = f"{preset} building '{targets}' {' '.join(OPTIONS.get(preset, []))}"
    status, _ = run("bash", "-c", f"root=$PWD; . cmake/bootstrap.sh; build {words}")
    if status == BUILD_FAILED:
        raise DoesNotBuild
    return [os.path.basename(path) for path in glob.glob(os.path.join(COPY, "build", preset, "tests", "*"))
            if os.path.isfile(path) and os.access(path, os.X_OK) and os.path.getmtime(path) >= began]


def failing(preset, *arguments):
    """The first test that fails; an empty text if none does. Addresses as .ci/run has them for tsan."""
    fixed = ["setarch", "-R"] if run("setarch", "-R", "true")[0] == 0 else []
    _, said = run(*fixed, "ctest", "--preset", preset, "--stop-on-failure", "-j", str(os.cpu_count()),
                  *arguments)
    found = FAILED.search(said)
    return found[1] if found else ""


def only(names):
    return f"^({'|'.join(map(re.escape, names))})(\\.|$)"


def catch(path):
    """What fails with the fault planted; an empty text if nothing does."""
    preset, test = caught_by(path)
    if preset in STAGES:
        return f"stage {preset}" if run(".ci/run", preset)[0] != 0 else ""
    program = test.split(".")[0]
    is_program = re.fullmatch(PROGRAM, program)
    build(preset, program if is_program else "process_tests")
    found = failing(preset, "-R", only([test]))
    if found or preset != "release":
        return found
    linked = [name for name in build(preset, "all_tests") if re.fullmatch(PROGRAM, name)]
    return (failing(preset, "-R", only([program, *linked])) if linked else "") or \
        failing(preset, "-E", only([program, *linked]))


def catch_changed(_):
    status, said = run(".ci/run", "--changed")
    if status == 0:
        return ""
    found = FAILED.search(said)
    return found[1] if found else ".ci/run --changed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--changed", action="store_true", help="by `.ci/run --changed`")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the beginning of a patch's name")
    given = parser.parse_args()
    chosen = patches(given.names)
    if not chosen:
        parser.error(f"there is no patch {' '.join(given.names)}")
    make_copy()
    open(LOG, "w", encoding="utf-8").close()
    caught = 0
    for path in chosen:
        name, began = os.path.basename(path).removesuffix(".patch"), time.monotonic()
        git("checkout", "--quiet", ".")
        git("apply", path)
        try:
            found = (catch_changed if given.changed else catch)(path)
            what = f"caught by {found}" if found else "NOT CAUGHT"
        except DoesNotBuild:
            found, what = "", "DOES NOT BUILD"
        caught += bool(found)
        print(f"{name} {what} in {time.monotonic() - began:.0f} s", flush=True)
    git("checkout", "--quiet", ".")
    print(f"{caught} of {len(chosen)} faults were caught; {LOG} has what was run")
    return 0 if caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
