"""Which tests inside GoogleTest programs ctest's -R and -E mean, and what became of all of them and of the
methods of Python classes that were skipped.

Such a program is one test of ctest, run by run_program.py; NAME.Suite.Test is one of its own tests. Where -R
or -E match only some of these, a variable of the environment names them for run_program.py.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess

RUNNER = "run_program.py"
SELECTED, RESULTS = "KERNSWEEP_ONLY_", "KERNSWEEP_RESULTS"
NOTES = "notes.txt"
OPTIONS = {"-R": "-R", "--tests-regex": "-R", "-E": "-E", "--exclude-regex": "-E"}


def tests_of(command, environment):
    """The names of a program's tests, as $GTEST_FILTER leaves them; None where it cannot say them."""
    try:
        said = subprocess.run([*command, "--gtest_list_tests"], env=environment, capture_output=True,
                              encoding="utf-8", errors="replace", check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    names, suite = [], ""
    for line in said.splitlines():
        word = line.split(" #")[0].rstrip()
        if not line.startswith(" ") and word.endswith("."):
            suite = word
        elif line.startswith("  ") and "DISABLED_" not in suite + word:
            names.append(suite + word.strip())
    return names


def environment_of(name):
    """The environment in which a program runs the tests that were selected."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(SELECTED)}
    environment["KERNSWEEP_SOURCE_DIR"] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if chosen := os.environ.get(SELECTED + name):
        environment["GTEST_FILTER"] = chosen
    return environment


def write_result(name, **result):
    if folder := os.environ.get(RESULTS):
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(result, file)


def note(text):
    """A line of a test that run_ctest.py shows, whether or not the test passes."""
    print(text)
    if folder := os.environ.get(RESULTS):
        with open(os.path.join(folder, NOTES), "a", encoding="utf-8") as file:
            file.write(text + "\n")


class Results:
    """What programs and classes wrote into a folder; a class writes only what was skipped."""

    def __init__(self, folder):
        self.of, self.notes = {}, []
        for entry in sorted(os.listdir(folder)):
            with open(os.path.join(folder, entry), encoding="utf-8") as file:
                if entry == NOTES:
                    self.notes = file.read().splitlines()
                else:
                    self.of[entry.removesuffix(".json")] = json.load(file)

    def skipped(self):
        """[(NAME.Suite.Test or NAME.method, why)]"""
        return [(f"{name}.{test}", why)
                for name, result in self.of.items() for test, why in result["skipped"]]

    def line(self):
        """How many tests the GoogleTest programs had; empty: there was no program."""
        programs = [result for result in self.of.values() if "passed" in result]
        counts = {key: sum(result[key] for result in programs) for key in ("passed", "failed", "missing")}
        missing = f", {counts['missing']} did not run" if counts["missing"] else ""
        kept = sum("kept" in result for result in programs)
        missing += f"; {kept} programs kept" if kept else ""
        skipped = sum(len(result["skipped"]) for result in programs)
        return (f"in {len(programs)} GoogleTest programs: {counts['passed']} passed, "
                f"{counts['failed']} failed, {skipped} skipped{missing}\n") if programs else ""


class Selection:
    """ctest's words, changed so that they mean programs; os.environ gets what they mean inside these."""

    def __init__(self, words):
        self.words = list(words)
        for key in [key for key in os.environ if key.startswith(SELECTED)]:
            del os.environ[key]
        self.chosen = {}  # program -> names, where not all of its tests are meant
        rest, patterns = split(words)
        if not patterns:
            return
        try:
            compiled = {key: re.compile(pattern) for key, pattern in patterns.items()}
        except re.error:
            return  # ctest's own message is the better one
        wanted, refused = compiled.get("-R"), compiled.get("-E")
        added, left_out = [], []
        for name, tests in listed(rest, lambda name: refused or not wanted.search(name)):
            chosen = [test for test in tests if meant(name, test, wanted, refused)]
            if not chosen:
                left_out.append(name)
                continue
            if wanted and not wanted.search(name):
                added.append(name)
            if len(chosen) < len(tests):
                self.chosen[name] = chosen
                os.environ[SELECTED + name] = filter_of(chosen, tests)
        self.words = rest
        for key, names in (("-R", added), ("-E", left_out)):
            each = [f"({patterns[key]})"] if key in patterns else []
            each += [f"^({'|'.join(names)})$"] if names else []
            # Without -R all are meant, so nothing is to be added.
            self.words += [key, "|".join(each)] if each else []


def split(words):
    """ctest's words without -R and -E, and the last value of each of these."""
    rest, patterns = [], {}
    each = iter(words)
    ctest = False
    for word in each:
        value = next(each, None) if ctest and word in OPTIONS else None
        if value is not None:
            patterns[OPTIONS[word]] = value
        else:
            rest.append(word)
        ctest = ctest or os.path.basename(word) == "ctest"  # setarch has an -R of its own
    return rest, patterns


def meant(name, test, wanted, refused):
    def matches(pattern):
        return pattern.search(name) or pattern.search(f"{name}.{test}")
    return (wanted is None or matches(wanted)) and not (refused and matches(refused))


def filter_of(chosen, tests):
    """In GoogleTest's form, the shorter way round."""
    left_out = sorted(set(tests) - set(chosen))
    return ":".join(chosen) if len(chosen) <= len(left_out) else "-" + ":".join(left_out)


def listed(words, wanted):
    """[(name, its tests)] of the programs that ctest would run and whose name is wanted. One that is not
    built counts as a test without a name, so that it is missed where it is meant."""
    plain = [word for word in words if word not in ("-N", "-V", "-VV", "--show-only")]
    said = subprocess.run([*plain, "--show-only=json-v1"], capture_output=True, text=True,
                          check=False).stdout
    try:
        tests = json.loads(said[said.index("{"):])["tests"]
    except (ValueError, KeyError):
        return []
    programs = {}
    for test in tests:
        command = test.get("command", [])
        at = next((at for at, word in enumerate(command) if os.path.basename(word) == RUNNER), None)
        if at is not None and wanted(test["name"]):
            programs[test["name"]] = command[command.index(test["name"], at) + 2:]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        names = pool.map(lambda command: tests_of(command, dict(os.environ)) or [""], programs.values())
        return list(zip(programs, names))


def reasons(pairs):
    """[(why, how many)], the most frequent first."""
    return collections.Counter(why for _, why in pairs).most_common()
