#!/usr/bin/env python3
"""Which files of the tree each test of a build uses, as ninja and the sources of the tests know them.

uses.py BUILD LIST prints what .ci/run --changed does with the files that LIST names, a line each: "say TEXT"
for a person, "stage NAME" to run it, "set NAME=VALUE" for its environment.
"""
import ast
import glob
import json
import os
import re
import subprocess
import sys

from changed import PRODUCT, SOURCE, Test, expression, plan

# Folders of files that tests read; one that names such a folder may read all of it.
READ = ("docs", "sweeps", "python", "deploy", "kernels/python", "kernels/api", "cmake")
PROGRAMS = ("kernsweep", "kernsweep-slot", "kernsweep-slot-python")
SHARED = ("tests/process/sandbox.py", "tests/process/golden_text.py", "tests/run_class.py")
DEPFILE = re.compile(r"^(\S.*): #deps \d+, deps mtime \d+ \((VALID|STALE)\)$")


def said_by(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


class Graph:
    """What each output of a build folder is made of: `ninja -t inputs` and `ninja -t deps`, as paths from
    the root of the tree. What lies outside of the tree or in a build folder is left out."""

    def __init__(self, build, root):
        self.build, self.root = build, root
        self.headers = {}
        out = None
        for line in said_by("ninja", "-C", build, "-t", "deps").splitlines():
            if head := DEPFILE.match(line):
                out = self.headers.setdefault(head[1], set())
            elif line.startswith("    ") and (file := self.inside(line.strip())):
                out.add(file)

    def inside(self, path):
        whole = os.path.normpath(os.path.join(self.build, path))
        file = os.path.relpath(whole, self.root)
        return None if file.startswith(("../", "build/")) else file

    def files_of(self, target):
        out = set()
        for path in said_by("ninja", "-C", self.build, "-t", "inputs", target).splitlines():
            out |= self.headers.get(path, set())
            if file := self.inside(path):
                out.add(file)
        return out


def unknown_to(known, root):
    """Files of the product that are not among these: what is read when the build is configured, or runs."""
    rooms = [room for room in os.listdir(root) if PRODUCT.match(room + "/")]
    inside = {os.path.relpath(os.path.join(at, file), root)
              for room in rooms for at, _, files in os.walk(os.path.join(root, room)) for file in files}
    return inside - known


class Products:
    """What is installed: the programs, which every class of processes uses, and packs, which those use that
    name the pack or one of its families. A file of the product that ninja does not know belongs to the
    programs."""

    def __init__(self, graph):
        known = said_by("ninja", "-C", graph.build, "-t", "targets", "all")
        named = [name for name in PROGRAMS if f"{name}: phony" in known]
        self.programs = set().union(*(graph.files_of(name) for name in named))
        self.packs = []
        families = json.loads(said_by(f"{graph.build}/bin/kernsweep", "kernels", "--json"))["families"]
        for pack in {family["pack"] for family in families}:
            name = os.path.basename(pack).removesuffix(".so")
            words = [name, *(family["name"] for family in families if family["pack"] == pack)]
            self.add_pack(words, graph.files_of(f"pack_{name}"))

    def add_pack(self, words, files):
        self.packs.append((re.compile(r"\b(" + "|".join(sorted(set(words))) + r")\b"), files))

    def add_unknown(self, of_programs, root):
        """of_programs: the tests that are programs; others, too, may read a text that one of them uses."""
        packs = set().union(*(files for _, files in self.packs))
        sources = {file for test in of_programs for file in test.uses if SOURCE.match(file)}
        self.programs |= unknown_to(self.programs | packs | sources, root)

    def used_by(self, text):
        return self.programs.union(*(files for pattern, files in self.packs if pattern.search(text)))


def read_by(text):
    """Folders that the text of a test names, each with a slash."""
    return [folder + "/" for folder in READ if re.search(rf"[\"'/]{folder}[\"'/]", text)]


def text_of(root, files):
    out = ""
    for file in files:
        with open(os.path.join(root, file), encoding="utf-8", errors="replace") as source:
            out += source.read()
    return out


def imported(file, root):
    """The modules of tests that a file imports, itself first, as Python finds them (tests/modules.py)."""
    shared = glob.glob(os.path.join(root, "tests/process/**/"), recursive=True)
    out, left = [], [file]
    while left:
        file = left.pop()
        if file in out:
            continue
        out.append(file)
        names = []
        for node in ast.walk(ast.parse(text_of(root, [file]))):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.append(node.module)
        for folder in [os.path.join(root, os.path.dirname(file)), *shared]:
            paths = (os.path.join(folder, name + ".py") for name in names)
            left += [os.path.relpath(path, root) for path in paths if os.path.exists(path)]
    return out


def of_program(name, labels, program, data, graph):
    """Of a GoogleTest program or a fuzz target: its sources, the texts next to them, and the data that its
    CMakeLists.txt names."""
    files = graph.files_of(os.path.relpath(program, graph.build))
    own = [file for file in files if file.startswith("tests/")]
    folders = {os.path.dirname(file) + "/" for file in own if file.endswith("_test.cpp")}
    read = {file for path in data if (file := graph.inside(path))}
    opened = {file for file in read if os.path.isdir(os.path.join(graph.root, file))}
    folders |= {folder + "/" for folder in opened}
    folders.update(read_by(text_of(graph.root, own)))
    return Test(name, labels, files | (read - opened), sorted(folders))


def of_class(name, labels, folder, products, root):
    """Of a class of Python or a session of golden.py: programs and packs, its file and the tests that it
    imports with the texts next to them, and modules of its folders."""
    own = os.path.relpath(os.path.join(folder, name.split(".")[1]), root)
    kind = "/".join(os.path.relpath(folder, root).split("/")[:2])
    inside = [os.path.relpath(os.path.join(at, file), root)
              for at, _, files in os.walk(os.path.join(root, kind)) for file in files]
    modules = [file for file in inside if file.endswith(".py") and not file.endswith("_test.py")]
    tested = {os.path.dirname(file) for file in inside if file.endswith("_test.py")}
    data = [file for file in inside if os.path.dirname(file) not in tested]  # of no class alone
    whole = imported(own + ".py", root) if os.path.exists(os.path.join(root, own + ".py")) else []
    stems = {own, *(os.path.splitext(file)[0] for file in whole if file.endswith("_test.py"))}
    beside = [path for stem in sorted(stems) for path in files_beside(stem, root)]
    text = text_of(root, beside)
    files = {*beside, *whole, *modules, *data, *SHARED} | products.used_by(text)
    return Test(name, labels, files, read_by(text))


def files_beside(stem, root):
    folder = os.path.dirname(stem)
    return [os.path.join(folder, file) for file in sorted(os.listdir(os.path.join(root, folder)))
            if os.path.splitext(file)[0] == os.path.basename(stem)
            and os.path.isfile(os.path.join(root, folder, file))]


def tests_of(build, root):
    """[Test] of all that ctest knows in a build folder in which all_tests is built."""
    graph = Graph(build, root)
    products = Products(graph)
    out, classes = [], []
    for test in json.loads(said_by("ctest", "--test-dir", build, "--show-only=json-v1"))["tests"]:
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        labels = properties.get("LABELS", [])
        folder = properties.get("WORKING_DIRECTORY", root)
        command = test.get("command", [])
        program = next((word for word in command if word.startswith(build + "/tests/")), None)
        if program and os.path.exists(program):
            data = properties.get("REQUIRED_FILES", [])
            out.append(of_program(test["name"], labels, program, data, graph))
        elif folder.startswith(root + "/tests/") and "." in test["name"]:
            classes.append((test["name"], labels, folder))
        else:  # a script of its own: whatever it looks at
            out.append(Test(test["name"], labels, (), [""]))
    products.add_unknown(out, root)
    return [*out, *(of_class(*each, products, root) for each in classes)]


def targets_of(tests):
    """What is built so that these tests of a sanitized build can run."""
    programs = [test.name for test in tests
                if test.labels & {"unit", "kernels"} and "." not in test.name]
    fuzzed = [test.name.replace(".", "_") for test in tests if "fuzz" in test.labels]
    classes = any("sanitized" in test.labels for test in tests)
    return " ".join([*programs, *fuzzed, *(["kernsweep_runtime", "process_tests"] if classes else [])])


def print_plan(changed, out, tests):
    all_of_it = f"; {out.why}, so all stages run" if out.why else ""
    print(f"say ci: {len(changed)} changed file{'s' * (len(changed) != 1)}{all_of_it}")
    known = {test.name: test for test in tests}
    for stage in out.stages:
        print(f"stage {stage}")
        chosen = out.tests.get(stage)
        if chosen is None:
            continue
        print(f"say ci: {stage} runs {len(chosen)} of {len(tests)} tests, which use what has changed")
        print(f"set CI_ONLY_{stage}={expression(chosen)}")
        if stage == "asan":
            print(f"set CI_TARGETS_asan={targets_of([known[name] for name in chosen])}")
    for stage, why in out.left:
        print(f"say ci: {stage} is left out: {why}")


def main(build, listed):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(listed, encoding="utf-8") as file:
        changed = sorted({line for line in file.read().splitlines() if line})
    tests = tests_of(os.path.abspath(build), root) if changed else []
    print_plan(changed, plan(changed, tests), tests)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("uses.py BUILD LIST")
    main(*sys.argv[1:])
