"""kernsweep.engines:Training: all ways to compute a step give the gradients that NumPy gives."""
import unittest

from engines_test import EnginesTest

VERIFIED = "verify: {reference: {python: 'kernsweep.engines:Training'}, tolerance: {f64: 1e-3}}"


class TrainingTest(EnginesTest):
    kernel = "kernsweep.engines:Training"

    def agree(self, axes, verified=VERIFIED, count=1):
        return super().agree(axes, verified, count)


class Steps(TrainingTest):
    def test_of_numpy(self):
        self.agree("engine: [numpy], workload: [mlp, cnn], size: [9], activation: [relu, tanh], "
                   "init: [kaiming, default]", count=8)
        self.assertEqual(8, self.value("p.db", "select count(*) from metric where name = 'loss'"))

    def test_what_does_not_fit_together(self):
        said = []
        for outcome, axes in (
                ("failed_setup", "optimizer: [adam]"), ("failed_setup", "init: [he]"),
                ("failed_setup", "accumulate: [0]"), ("failed_setup", "checkpoint: [1]"),
                ("failed_setup", "work: [-1]"), ("unsupported", "engine: [numpy], processes: [2]"),
                ("unsupported", "processes: [2], accumulate: [2]"), ("unsupported", "loaders: [1]"),
                ("unsupported", "processes: [2], threads: [1]"),
                ("unsupported", "workload: [mlp], work: [1]"),
                ("unsupported", "workload: [cnn], work: [1], loaders: [0], prefetch: [2]")):
            row, = self.points(axes, status=1)
            self.assertEqual(outcome, row["status"], row["reason"])
            said.append(row["reason"].split(" (")[0])
        self.assert_golden("does-not-fit", "\n".join(said) + "\n")


class StepsOfTorch(TrainingTest):
    needed = ("numpy", "torch")

    def test_in_parts_and_computed_anew(self):
        self.agree("workload: [mlp, cnn], size: [10], depth: [4], batch: [7], accumulate: [1, 3], "
                   "checkpoint: [false, true]", count=8)

    def test_by_several_processes(self):
        self.agree("workload: [mlp, cnn], size: [10], batch: [7], processes: [2], threads: [2]", count=2)
        self.expect_nobody_left()

    def test_with_images_that_others_load(self):
        self.agree("workload: [cnn], size: [12], batch: [4], work: [2], loaders: [null, 0, 1, 2]", count=4)


del EnginesTest, TrainingTest
