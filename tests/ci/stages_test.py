"""What .ci/run reads out of logs, and how it ends, by made-up logs and stages."""
import collections
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = ("run", "stages.sh", "sums.sh")


def text_of(name):
    with open(os.path.join(ROOT, ".ci", name), encoding="utf-8") as file:
        return file.read()


class Logs(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = work.name

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def shell(self, script):
        done = subprocess.run(["bash", "-c", f"set -euo pipefail; {script}"], cwd=ROOT, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                              env={**os.environ, "work": self.work})
        return done.returncode, done.stdout

    def sums(self, script):
        return self.shell(f". .ci/sums.sh; passed=1 failed=0; {script}")

    def test_what_ctest_counted_is_added_without_what_was_skipped(self):
        log = self.write("stage.log", "90% tests passed, 1 tests failed out of 10\n"
                                      "\t  3 - a.b.C (Skipped)\n\t  4 - a.b.D (Skipped)\n")
        self.assertEqual((0, "8 1\n"), self.sums(f"count {log}; echo $passed $failed"))

    def test_a_second_try_counts_once_and_is_named(self):
        log = self.write("stage.log", "80% tests passed, 2 tests failed out of 10\n"
                                      "The following tests FAILED:\n"
                                      "\t  3 - a.b.C (Failed)\n\t 4 - d (Timeout)\n"
                                      "ci: what failed runs once more, alone\n"
                                      "100% tests passed, 0 tests failed out of 2\n")
        self.assertEqual((0, "11 0\na.b.C d\n"),
                         self.sums(f"count {log}; echo $passed $failed; at_second_try {log}"))

    def test_a_stage_without_tests_counts_nothing(self):
        log = self.write("stage.log", "clang-tidy: 3 units clean\n")
        self.assertEqual((0, "1 0\n"), self.sums(f"count {log}; echo $passed $failed"))

    def test_a_reason_to_skip_that_is_not_listed_fails_the_stage(self):
        self.write("stage.log", "2 skipped: no CUDA driver: libcuda.so.1\n1 skipped: it is Monday\n")
        self.assertEqual((1, "ci: skipped for a reason that .ci/cannot_here.txt does not list: "
                             "it is Monday\n"), self.sums("unlisted asan"))

    def test_only_stage_release_may_lack_packages_of_python(self):
        self.write("stage.log", "2 skipped: no Python here has numpy and jax\n"
                                "1 skipped: mypy is not installed here\n")
        self.assertEqual((0, ""), self.sums("unlisted release"))
        self.assertEqual(1, self.sums("unlisted engines")[0])

    def test_a_listed_reason_is_named_at_the_end(self):
        self.write("stage.log", "2 skipped: no CUDA driver: libcuda.so.1\n")
        self.assertEqual((0, "ci: not shown on this machine:\n"
                             "ci:   2 skipped: no CUDA driver: libcuda.so.1\n"),
                         self.sums("unlisted asan; not_here"))

    def test_left_over_are_tests_that_did_not_pass_in_the_root(self):
        listed = self.write("listed", "".join(f"  Test #{number}: {name}\n" for number, name in enumerate(
            ("unit_a", "unit_b", "process.run_test.A", "slurm.slurm_test.B", "process.engines_test.C",
             "kernels_d"), 1)))
        log = self.write("log", "1/5 Test #1: unit_a ......   Passed    1.0 sec\n"
                                "2/5 Test #2: unit_b ......   Passed    1.0 sec\n"
                                "3/5 Test #3: process.run_test.A ....***Failed    1.0 sec\n"
                                "4/5 Test #4: slurm.slurm_test.B ....***Skipped    1.0 sec\n"
                                "5/5 Test #6: kernels_d ......   Passed    1.0 sec\n"
                                "skipped: unit_b.Suite.Test: no such device\n"
                                "skipped: kernels_d.Any.Test: isa avx512f: this processor does not have it\n"
                                "skipped: kernels_d.Any.Sum: oneDNN 2.6.3 isa=avx2 has no VNNI here: its\n")
        self.assertEqual((0, "2\n3\n4\n"),
                         self.shell(f"set -- true; . .ci/stages.sh; left_over {listed} {log}"))

    def test_a_stage_ends_what_is_built_ahead_for_it_and_builds_the_rest(self):
        script = """set -- true; . .ci/stages.sh
            build_asan() {
              echo asan >> "$work/log"
              [[ -e $work/second ]] || { touch "$work/second"; tail -f /dev/null; }
            }
            build_tsan() { echo tsan >> "$work/log"; touch "$work/third"; }
            mkdir -p "$work/tree/build"; cd "$work/tree"; touch "$work/ended.bare"
            ahead asan tsan 2> /dev/null & until [[ -e $work/second ]]; do sleep 0.05; done
            built asan; until [[ -e $work/third ]]; do sleep 0.05; done; wait; built tsan; sort "$work/log"
        """
        with unittest.mock.patch.dict(os.environ, CI_WORK=self.work):
            self.assertEqual((0, "asan\nasan\ntsan\ntsan\n"), self.shell(script))

    def test_each_function_is_defined_once(self):
        for name in SCRIPTS:
            names = collections.Counter(re.findall(r"(?m)^([a-z_0-9]+)\(\)", text_of(name)))
            self.assertEqual([], [each for each, count in names.items() if count > 1], name)

    def test_each_stage_has_a_function(self):
        stages = re.search(r"(?m)^all=\((.*)\)$", text_of("run"))[1].split()
        self.assertEqual([], [stage for stage in stages if f"\n{stage}() {{" not in text_of("stages.sh")])


class Ends(unittest.TestCase):
    """.ci/run in a tree of its own, whose stages are made up."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = folder.name
        os.makedirs(os.path.join(self.tree, ".ci"))
        os.makedirs(os.path.join(self.tree, "cmake"))
        for name in ("run", "sums.sh", "cannot_here.txt"):
            shutil.copy(os.path.join(ROOT, ".ci", name), os.path.join(self.tree, ".ci", name))
        with open(os.path.join(self.tree, "cmake", "bootstrap.sh"), "w", encoding="utf-8"):
            pass

    def start(self, stages, *names, **environment):
        with open(os.path.join(self.tree, ".ci", "stages.sh"), "w", encoding="utf-8") as file:
            file.write("setup() { :; }\n" + stages + '\n"$@"\n')
        return subprocess.Popen(["bash", os.path.join(self.tree, ".ci", "run"), *names],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                                env={**os.environ, **environment})

    def run_all(self, *words, **environment):
        running = self.start(*words, **environment)
        said = running.communicate()[0]
        return running.returncode, said

    def test_a_failed_stage_ends_the_run_and_names_what_did_not_run(self):
        status, said = self.run_all("lint() { return 3; }\ntsan() { echo never; }", "lint", "tsan")
        self.assertEqual(3, status)
        self.assertRegex(said, r'stage "lint" failed, status 3')
        self.assertRegex(said, r"ci: tsan +not run\n")
        self.assertEqual(0, said.count("never"))
        self.assertTrue(said.endswith("0 passed, 1 failed\n"), said)

    def test_a_stage_that_takes_too_long_is_ended_and_fails_the_run(self):
        status, said = self.run_all("lint() { tail -f /dev/null; }\ntsan() { :; }", "lint", "tsan",
                                    KERNSWEEP_CI_LONGEST_S="11")
        self.assertEqual(124, status)
        self.assertRegex(said, r"ci: lint +\d+ s +status 124: it took longer than the 1\d s that were left")
        self.assertRegex(said, r"ci: tsan +not run\n")

    def test_what_a_later_stage_tests_is_built_meanwhile(self):
        built = os.path.join(self.tree, "built")
        stages = (f"lint() {{ until [[ -e {built} ]]; do sleep 0.05; done; }}\ntsan() {{ :; }}\n"
                  f"ahead() {{ [[ $* == tsan ]] && touch {built}; tail -f /dev/null; }}")
        status, said = self.run_all(stages, "lint", "tsan")
        self.assertEqual(0, status, said)

    def test_a_green_run_ends_with_the_sum(self):
        status, said = self.run_all("lint() { echo '100% tests passed, 0 tests failed out of 4'; }", "lint")
        self.assertEqual(0, status, said)
        self.assertTrue(said.endswith("4 passed, 0 failed\n"), said)

    def test_a_signal_ends_the_stage_as_well(self):
        running = self.start("lint() { echo $BASHPID; exec tail -f /dev/null; }", "lint")
        for line in running.stdout:
            if re.fullmatch(r"\d+\n", line):
                break
        stage = os.pidfd_open(int(line))
        running.send_signal(signal.SIGTERM)
        said = running.communicate()[0]
        self.assertEqual(143, running.returncode, said)
        ended = select.select([stage], [], [], 30)[0]
        os.close(stage)
        self.assertTrue(ended, "the stage still runs")

    def test_the_gates_are_alone_and_a_signal_meanwhile_leaves_nothing(self):
        ahead = os.path.join(self.tree, "ahead")
        running = self.start(f"ahead() {{ echo $BASHPID > {ahead}; exec tail -f /dev/null; }}\n"
                             "lint() { until [[ -s %s ]]; do sleep 0.05; done; }\n"
                             "gates() { read -r pid < %s; until grep -q 'stopped' /proc/$pid/status; do "
                             "sleep 0.05; done; echo stopped; exec tail -f /dev/null; }\n"
                             "tsan() { :; }" % (ahead, ahead), "lint", "gates", "tsan")
        for line in running.stdout:
            if line == "stopped\n":
                break
        with open(ahead, encoding="utf-8") as file:
            builder = os.pidfd_open(int(file.read()))
        running.send_signal(signal.SIGTERM)
        self.assertEqual(143, running.wait())
        running.stdout.close()
        ended = select.select([builder], [], [], 30)[0]
        os.close(builder)
        self.assertTrue(ended, "what is built in the background still runs")

    def test_an_unknown_stage_is_refused(self):
        status, said = self.run_all("", "lnit")
        self.assertEqual((2, "ci: there is no stage 'lnit'; the stages are bare release gates asan packages "
                             "lint tsan engines arm64"), (status, said.splitlines()[0]))


if __name__ == "__main__":
    unittest.main()
