"""What a change can break: the stages of .ci/run and, inside these, the tests.

plan() is a pure function of the files that changed and of what each test uses. A test uses the files from
which its program is made, as ninja knows them, and the files that it reads, which its CMakeLists.txt names.
What no rule knows can break everything. .ci/run --changed is its user.
"""
import re

# Files that every stage depends on.
EVERYTHING = re.compile(r"(\.ci/|cmake/|.*CMakeLists\.txt$|CMakePresets\.json$|kernsweep$|test$"
                        r"|pyproject\.toml$|tests/(run_|selection|kept_|modules|ci/|fresh/|sanitizers/"
                        r"|golden_text/))")
SOURCE = re.compile(r".*\.(cpp|hpp|h|c|cu)(\.in)?$")
PRODUCT = re.compile(r"(shared|tensors|language|transport|kernels|results|coordinator|worker|cli)/")
TEXT = re.compile(r"(docs/|[^/]*\.md$|LICENSE$|\.git|\.clang-format$)")
# Rooms that start threads, and what they use of others.
THREADS = re.compile(r"(worker|tensors|transport|coordinator|shared)/|tests/(unit/(worker|tensors|transport"
                     r"|coordinator_net)|process/(sandbox|run/run_test|workers/))")
# Rooms of the suites that stage arm64 runs.
PROCESSORS = re.compile(r"(results|shared|tensors|kernels)/"
                        r"|tests/(arm64|bench|kernels|unit/(results|shared|tensors))/"
                        r"|tests/unit/parameter_kinds")
ENGINES = re.compile(r"(python/|kernels/python/|worker/slot/python/|sweeps/.*\.py$|results/page/site/"
                     r"|tests/(browser/|process/kernels/(engines|training|bench|onnx|python)"
                     r"|exploits/honest_engines))")
PACKAGES = re.compile(r"(deploy/|python/|sweeps/.*\.(py|csv|json)$|shared/base/installation|tests/package/)")
LINT = re.compile(r"((shared|tensors|language|transport|results|coordinator|worker|cli|kernels)/.*"
                  r"\.(cpp|hpp|h)$|\.clang-tidy$|tests/lint/)")
GATES = re.compile(PRODUCT.pattern + r"|tests/gates/")

STAGES = ("bare", "release", "asan", "packages", "lint", "tsan", "engines", "arm64", "gates")
# Stage, the changes that it checks, and its message if there is none.
RULES = (
    ("lint", LINT, "no source that clang-tidy reads has changed"),
    ("tsan", THREADS, "no room with threads has changed"),
    ("arm64", PROCESSORS, "nothing that stage arm64 runs has changed"),
    ("engines", ENGINES, "nothing that runs in a Python has changed"),
    ("packages", PACKAGES, "nothing that is only in a package has changed"),
    ("gates", GATES, "no product source has changed"),
)


class Test:
    """A test of ctest: `uses` has the files of the tree that can change what it finds."""

    def __init__(self, name, labels=(), uses=frozenset(), folders=()):
        self.name, self.labels = name, frozenset(labels)
        self.uses, self.folders = frozenset(uses), tuple(folders)

    def is_touched(self, changed):
        return any(file in self.uses or file.startswith(self.folders) for file in changed)


class Plan:
    """`stages`: those that run; of `release` and `asan` only `tests[stage]`, None: all. `left`: the stages
    that are left out, and why."""

    def __init__(self):
        self.stages, self.tests, self.left, self.why = [], {}, [], ""

    def leave(self, stage, why):
        self.left.append((stage, why))


def plan(changed, tests):
    """changed: paths from the root of the tree. tests: of the release, as [Test]."""
    out = Plan()
    decisive = next((file for file in changed if EVERYTHING.match(file) or not is_known(file, tests)), None)
    if decisive:
        out.stages, out.why = list(STAGES), f"{decisive} can break everything"
        return out
    touched = [test for test in tests if test.is_touched(changed)]
    out.leave("bare", "no package, no build file and no setup script has changed")
    choose(out, "release", touched, "no test uses what has changed")
    asan = [test for test in touched if test.labels & {"unit", "kernels", "fuzz", "sanitized"}]
    if any(SOURCE.match(file) for file in changed):
        choose(out, "asan", asan, "no test that it runs uses what has changed")
    else:
        out.leave("asan", "no source that a compiler reads has changed")
    for stage, pattern, why_not in RULES:
        if any(pattern.match(file) for file in changed):
            out.stages.append(stage)
        else:
            out.leave(stage, why_not)
    return out


def choose(out, stage, tests, why_not):
    if tests:
        out.stages.append(stage)
        out.tests[stage] = [test.name for test in tests]
    else:
        out.leave(stage, why_not)


def is_known(file, tests):
    """Whether a rule or a test knows what the file is for; a test that reads the whole tree does not. A file
    of the product is known by tests alone."""
    return bool(TEXT.match(file) or
                any(test.is_touched([file]) for test in tests if "" not in test.folders) or
                (not PRODUCT.match(file) and any(pattern.match(file) for _, pattern, _ in RULES)))


def expression(names):
    """For ctest's -R."""
    return "^(" + "|".join(re.escape(name) for name in names) + ")$"
