"""What `cmake --install` and the packages take from a build folder."""
import os
import re
import unittest


class Installed(unittest.TestCase):
    def test_a_test_to_go_that_was_not_built_is_left_out(self):
        script = os.path.join(os.environ["KERNSWEEP_BUILD"], "cmake_install.cmake")
        with open(script, encoding="utf-8") as file:
            rules = re.findall(r"INSTALL DESTINATION \S*/libexec/kernsweep/tests\" ([^)]*)\)", file.read())
        self.assertEqual([], [rule for rule in rules if " OPTIONAL " not in rule])


if __name__ == "__main__":
    unittest.main()
