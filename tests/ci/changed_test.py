"""What .ci/run --changed chooses, by made-up tests of a made-up tree."""
import unittest

from changed import PROCESSORS, STAGES, Test, expression, plan

TESTS = [
    Test("unit_results", ["unit"], ["results/answer/best/best.cpp", "shared/stats/contest.hpp"],
         ["tests/unit/results/answer/", "docs/"]),
    Test("unit_tensors", ["unit"], ["tensors/arena.cpp"], ["tests/unit/tensors/"]),
    Test("process.run_test.Runs", ["process", "sanitized"],
         ["results/answer/best/best.cpp", "tensors/arena.cpp", "tests/process/run/run_test.py"]),
    Test("process.drain_test.Drains", ["process", "waits"],
         ["results/answer/best/best.cpp", "tensors/arena.cpp", "tests/process/workers/drain_test.py"]),
    Test("process.main_test.Main", ["process"], ["cli/main.cpp", "worker/slots.cpp"]),
    Test("tidy", ["tidy"], (), [""]),
]


def chosen(*changed):
    return plan(changed, TESTS)


class Plans(unittest.TestCase):
    def test_a_source_runs_the_tests_that_contain_it(self):
        out = chosen("results/answer/best/best.cpp")
        self.assertEqual(["unit_results", "process.run_test.Runs", "process.drain_test.Drains", "tidy"],
                         out.tests["release"])

    def test_asan_runs_only_its_own_share_of_them(self):
        out = chosen("results/answer/best/best.cpp")
        self.assertEqual(["unit_results", "process.run_test.Runs"], out.tests["asan"])

    def test_rooms_choose_the_stages(self):
        self.assertEqual(["release", "asan", "lint", "arm64", "gates"],
                         chosen("results/answer/best/best.cpp").stages)
        self.assertEqual(["release", "asan", "lint", "tsan", "arm64", "gates"],
                         chosen("tensors/arena.cpp").stages)
        self.assertEqual(["release", "lint", "gates"], chosen("cli/main.cpp").stages)

    def test_arm64_runs_for_the_rooms_of_its_suites(self):
        rooms = ("results/store", "shared/lists", "tensors", "kernels/api", "tests/unit/results",
                 "tests/kernels/gemm", "tests/bench")
        self.assertEqual([], [room for room in rooms if not PROCESSORS.match(room + "/a.cpp")])
        others = ("cli", "language/plan", "worker/host", "coordinator/core", "coordinator/net",
                  "transport", "tests/unit/worker", "docs")
        self.assertEqual([], [room for room in others if PROCESSORS.match(room + "/a.cpp")])

    def test_each_stage_is_chosen_or_left_with_a_reason(self):
        for file in ("results/answer/best/best.cpp", "docs/glossary.md", "python/kernsweep/api.py",
                     "tests/process/run/run_test.py", "deploy/check_gpu.sh", ".clang-tidy"):
            out = chosen(file)
            left = [stage for stage, why in out.left if why]
            self.assertEqual(sorted(STAGES), sorted([*out.stages, *left]), file)

    def test_a_text_is_read_by_tests_alone(self):
        out = chosen("docs/reference/results.md")
        self.assertEqual(["release"], out.stages)
        self.assertEqual(["unit_results", "tidy"], out.tests["release"])

    def test_a_test_of_python_runs_alone(self):
        out = chosen("tests/process/workers/drain_test.py")
        self.assertEqual(["process.drain_test.Drains", "tidy"], out.tests["release"])
        self.assertNotIn("asan", out.stages)

    def test_what_all_rests_on_runs_everything(self):
        for file in ("CMakeLists.txt", "cmake/rooms.cmake", "tests/run_ctest.py", ".ci/run", "test",
                     "results/CMakeLists.txt"):
            out = chosen("docs/glossary.md", file)
            self.assertEqual(list(STAGES), out.stages, file)
            self.assertEqual({}, out.tests)
            self.assertIn(file, out.why)

    def test_what_no_rule_knows_runs_everything(self):
        self.assertEqual(list(STAGES), chosen("new/thing.xyz").stages)

    def test_a_product_file_that_no_test_uses_runs_everything(self):
        for file in ("results/answer/new.cpp", "worker/slot/python/new.py"):
            self.assertEqual(list(STAGES), chosen("docs/glossary.md", file).stages, file)

    def test_nothing_changed_runs_nothing(self):
        self.assertEqual([], chosen().stages)


class Expressions(unittest.TestCase):
    def test_match_whole_names(self):
        self.assertEqual(r"^(unit_a|process\.run_test\.Runs)$",
                         expression(["unit_a", "process.run_test.Runs"]))


if __name__ == "__main__":
    unittest.main()
