"""For which points one output of a reference serves: for all that agree in what the function takes."""
import ast
import os
import textwrap
import unittest

from reference_test import PYTHON, ReferenceTest

MODULE = textwrap.dedent('''
    import array

    def counting(n):
        return array.array("d", [float(i) for i in range(n)])

    def kernel(n, at, by):
        return lambda: counting(n)

    def noted(*values):
        with open("computed", "a") as file:
            file.write(repr(values) + "\\n")

    def counted(n):
        noted(n)
        return counting(n)

    def counted_at(n, at=None, threads=None):
        noted(n, at)
        return counting(n)

    def counted_any(n, **others):
        noted(n, others.get("at"))
        return counting(n)

    class Counted:
        reference_params = ["n"]

        def setup(self, params, inputs):
            return params

        def run(self, params):
            return counting(params["n"])

        def reference(self, params, inputs):
            noted(params["n"], params.get("at"))
            return counting(params["n"])

    class CountedAny(Counted):
        reference_params = None

    class Unnamed(Counted):
        reference_params = "n"
''')


@unittest.skipUnless(PYTHON, "this build has no pack for Python functions")
class Shared(ReferenceTest):  # labels: sanitized
    def setUp(self):
        super().setUp()
        self.write("kernels.py", MODULE)

    def test_it_is_computed_once_for_points_that_agree_in_what_it_takes(self):
        # All cores for each job: one after the other.
        axes = f"{{n: [30, 31], at: [1, 2, 3], by: 0.0, threads: {len(os.sched_getaffinity(0))}}}"
        each = [(n, at) for n in (30, 31) for at in (1, 2, 3)]
        for function, computed in (("counted", [(30,), (31,)]), ("counted_at", each), ("counted_any", each),
                                   ("Counted", [(30, None), (31, None)]), ("CountedAny", each)):
            self.assertEqual(["ok"] * 6, self.statuses("python: kernels:kernel", axes,
                                                       f"{{reference: {{python: 'kernels:{function}'}}}}",
                                                       name=function))
            with open(os.path.join(self.folder, "computed"), encoding="utf-8") as file:
                said = sorted(map(ast.literal_eval, file))
            os.remove(os.path.join(self.folder, "computed"))
            self.assertEqual(computed, said[::2], function)  # a short one is computed twice
            self.assertEqual(computed, said[1::2], function)

    def test_what_is_no_list_of_names_is_refused(self):
        rows = self.run_sweep("python: kernels:kernel", "{n: 3, at: 1, by: 0}",
                              "{reference: {python: 'kernels:Unnamed'}}")
        self.assertEqual("failed_setup", rows[0]["status"])
        self.assert_golden("unnamed", rows[0]["reason"])


del ReferenceTest
