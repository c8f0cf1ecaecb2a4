"""axe-core finds no accessibility fault in a report, on a phone and a screen."""
import glob
import os
import unittest

from report_test import ReportTest

# The package axe-core-python carries the script; KERNSWEEP_PYTHON may name an environment that has it.
CARRIED = "lib/python3*/site-packages/axe_core_python/axe.min.js"


def script():
    """Its path; empty: there is none here."""
    return "".join(glob.glob(os.path.join(os.environ.get("KERNSWEEP_PYTHON", "/nowhere"), CARRIED))[:1])


@unittest.skipUnless(script(), "the environment that KERNSWEEP_PYTHON names has no axe-core-python")
class Axe(ReportTest):
    def test_a_report_has_no_fault(self):
        with open(script(), encoding="utf-8") as file:
            axe = file.read()
        for width in (360, 1600):
            self.show(width=width)
            for theme in ("light", "dark"):
                with self.subTest(width=width, theme=theme):
                    self.browser.run(f"document.documentElement.dataset.theme = '{theme}'")
                    self.browser.run(axe)
                    found = self.browser.run("return axe.run(document, {resultTypes: ['violations']})")
                    self.assertLess(10, len(found["passes"]))
                    self.assertEqual([], [(each["id"], each["impact"], [node["html"][:200] for node in
                                           each["nodes"]]) for each in found["violations"]])


del ReportTest

if __name__ == "__main__":
    unittest.main()
