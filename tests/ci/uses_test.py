"""Which files a test uses, in a made-up tree."""
import os
import tempfile
import unittest

from changed import Test
from uses import Products, imported, of_class, of_program

TREE = {
    "results/store.cpp": "", "results/page/site/chart.js": "", "worker/slot/python/slot.py": "",
    "kernels/gemm/gemm.cpp": "", "kernels/noop/noop.cpp": "", "docs/guides/start.md": "", "README.md": "",
    "tests/unit/results/store_test.cpp": "",
    "tests/run_class.py": "import nothing_of_ours\n",
    "tests/process/sandbox.py": "import os\n",
    "tests/process/run/base_test.py": "from sandbox import ProcessTest\nKERNEL = 'gemm'\n",
    "tests/process/run/base_test.golden": "",
    "tests/process/run/other_test.py": "KERNEL = 'noop'\n",
    "tests/process/workers/middle_test.py": "import json, base_test\n",
    "tests/exploits/own_test.py": "def later():\n    from middle_test import Middle\n",
}


class ForTest(Products):
    def __init__(self):
        self.programs = {"cli/main.cpp"}
        self.packs = []
        for name in ("gemm", "noop"):
            self.add_pack([name], {f"kernels/{name}/{name}.cpp"})


class MadeGraph:
    """Of one program, which is made of two sources."""

    def __init__(self, root):
        self.root, self.build = root, os.path.join(root, "build/release")

    def inside(self, path):
        file = os.path.relpath(path, self.root)
        return None if file.startswith(("../", "build/")) else file

    def files_of(self, target):
        return {"results/store.cpp", "tests/unit/results/store_test.cpp"}


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for file, text in TREE.items():
            path = os.path.join(self.root, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as made:
                made.write(text)


class Classes(TreeTest):
    def class_of(self, name, folder, products=None):
        return of_class(name, [], os.path.join(self.root, folder), products or ForTest(), self.root)

    def test_use_the_tests_that_they_import_in_any_number_of_steps(self):
        used = self.class_of("exploits.own_test.Own", "tests/exploits").uses
        self.assertLessEqual({"tests/exploits/own_test.py", "tests/process/workers/middle_test.py",
                              "tests/process/run/base_test.py", "tests/process/run/base_test.golden",
                              "tests/process/sandbox.py"}, used)
        self.assertFalse("tests/process/run/other_test.py" in used)

    def test_use_the_packs_that_imported_tests_name(self):
        used = self.class_of("exploits.own_test.Own", "tests/exploits").uses
        self.assertEqual((True, False), ("kernels/gemm/gemm.cpp" in used, "kernels/noop/noop.cpp" in used))

    def test_that_import_each_other_end(self):
        with open(os.path.join(self.root, "tests/process/sandbox.py"), "w", encoding="utf-8") as file:
            file.write("import base_test\n")
        self.assertEqual({"tests/process/run/base_test.py", "tests/process/sandbox.py"},
                         set(imported("tests/process/run/base_test.py", self.root)))

    def test_use_files_of_the_product_that_ninja_does_not_know(self):
        products, unit = ForTest(), Test("unit_results", ["unit"], ["results/store.cpp"])
        products.add_unknown([unit], self.root)
        used = self.class_of("process.other_test.Other", "tests/process/run", products).uses
        self.assertLessEqual({"results/page/site/chart.js", "worker/slot/python/slot.py"}, used)
        self.assertFalse({"results/store.cpp", "kernels/gemm/gemm.cpp", "README.md"} & used)


class Programs(TreeTest):
    def test_use_their_data(self):
        data = [os.path.join(self.root, path) for path in ("README.md", "docs", "build/made.cpp")]
        graph = MadeGraph(self.root)
        program = of_program("unit_results", ["unit"], graph.build + "/tests/unit_results",
                             [*data, "/usr/include/cuda.h"], graph)
        for file in ("README.md", "docs/guides/start.md", "results/store.cpp"):
            self.assertTrue(program.is_touched([file]), file)
        self.assertEqual(graph.files_of("tests/unit_results") | {"README.md"}, program.uses)
        self.assertFalse(program.is_touched(["results/page/site/chart.js"]))


if __name__ == "__main__":
    unittest.main()
