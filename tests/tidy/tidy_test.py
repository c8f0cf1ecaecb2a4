#!/usr/bin/env python3
"""Every tidy rule is broken once in a made-up tree; a rule that does not notice fails here."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import documents  # noqa: E402
import rooms  # noqa: E402
import style  # noqa: E402
import tidy  # noqa: E402
import wording  # noqa: E402

HEADER = "#pragma once\n"
BODY = "  step();\n"

# (rule, path, text): each text breaks exactly this rule, exactly once.
BROKEN = [
    ("rooms", "worker/shell.cpp", '#include "coordinator/core/core.hpp"\n'),
    ("rooms", "coordinator/net/shell.cpp", '#include "worker/slot/pack/pack.hpp"\n'),
    ("rooms", "coordinator/core/core.cpp", '#include "kernels/api/pack.h"\n'),
    ("rooms", "language/sweep.cpp", '#include "results/sqlite/schema.hpp"\n'),
    ("rooms", "shared/base/value.cpp", '#include "results/sqlite/schema.hpp"\n'),
    ("rooms", "results/sqlite/schema.cpp", '#include "results/answer/best/best.hpp"\n'),
    ("rooms", "cli/commands/a.cpp", '#include "worker/slot/slot.hpp"\n'),
    ("rooms", "results/answer/best/best.cpp", '#include "cli/table.hpp"\n'),
    ("rooms", "worker/slot/pack/pack.cpp", '#include "kernels/cpu/libraries/cblas.hpp"\n'),
    ("rooms", "kernels/cpu/gemm/naive.cpp", '#include "shared/base/result.hpp"\n'),
    ("rooms", "kernels/reference/gemm.cpp", '#include "kernels/cpu/gemm/blocked.hpp"\n'),
    ("rooms", "kernels/reference/gemm.cpp", '#include "kernels/cpu/libraries/dnnl.hpp"\n'),
    ("rooms", "kernels/api/check.cpp", '#include "shared/base/value.hpp"\n'),
    ("rooms", "cli/main.cpp", '#include "transport/socket.hpp"\n'),
    ("rooms", "cli/run.cpp", '#include "../results/answer/best/best.hpp"\n'),
    ("rooms", "cli/best.cpp", '#include "table.hpp"\n'),
    ("rooms", "cli/show.cpp", "#include <shared/base/result.hpp>\n"),
    ("cores", "coordinator/core/core.cpp", "#include <thread>\n"),
    ("cores", "worker/core/leases.cpp", "auto t = clock::now();\n"),
    ("cores", "coordinator/core/placement.cpp", "using C = std::chrono::steady_clock;\n"),
    ("adapters", "results/query.cpp", "#include <SQLiteCpp/Database.h>\n"),
    ("adapters", "shared/base/value.cpp", "#include <nlohmann/json.hpp>\n"),
    ("adapters", "worker/slot/wire.cpp", "#include <zmq.hpp>\n"),
    ("adapters", "shared/text.hpp", HEADER + "#include <fmt/format.h>\n"),
    ("adapters", "worker/host/cuda.cpp", "#include <cuda.h>\n"),
    ("adapters", "kernels/cuda/stream/kernel.cpp", "#include <cuda.h>\n"),
    ("adapters", "kernels/cpu/gemm/cublas.cpp", "#include <cublas_v2.h>\n"),
    ("rooms", "kernels/cuda/stream.cu", '#include "shared/base/result.hpp"\n'),
    ("size", "cli/table.cpp", "int x;\n" * 401),
    ("size", "cli/table.cpp", "// " + "x" * 107 + "\n"),
    ("size", "test", "#!/bin/bash\n" + "x" * 110 + "\n"),
    ("function", "cli/table.cpp", "int f(int a) {\n" + BODY * 68 + "}\n"),
    ("function", "cli/table.cpp", "namespace a {\nstruct B {\n  void f() {\n" + BODY * 68 + "  }\n};\n}\n"),
    ("function", "cli/table.cpp", "A::A(int b)\n    : b_{b} {\n" + BODY * 68 + "}\n"),
    ("function", "cli/table.cpp", 'void f() {\n  say("}");\n  int c = 1\'000;  // }\n' + BODY * 67 + "}\n"),
    ("function", "cli/table.cpp", "#define M(x) \\\n  { x(\n\nvoid f() {\n" + BODY * 68 + "}\n"),
    ("function", "cli/table.py", "def f():\n" + "    step()\n" * 69),
    ("function", "cli/table.sh", "f() {\n" + BODY * 68 + "}\n"),
    ("header", "shared/base/value.hpp", "int f();\n"),
    ("types", "shared/base/value.hpp", HEADER + "struct A {\n};\nclass A final {\n};\n"),
    ("header", "shared/base/value.hpp", HEADER + "using namespace std;\n"),
    ("names", "shared/base/value.cpp", "class SlotManager;\n"),
    ("names", "shared/base/value.cpp", "struct HostInfo { int a; };\n"),
    ("names", "shared/base/value.cpp", "void process(int job);\n"),
    ("names", "shared/string_utils.cpp", "int x;\n"),
    ("words", "shared/base/value.cpp", "// TO" "DO: later\n"),
    ("words", "README.md", "This is not imple" "mented.\n"),
    ("words", "cli/run.cpp", 'const char* k = "/home/' 'someone/x";\n'),
    ("turns", "cli/run.cpp", 'auto s = "measure an" "ew";\n'),
    ("turns", "cli/run.cpp", 'auto s = R"(held\nagainst it)";\n'),
    ("turns", "results/a.cpp", 'auto s = "it t" /* in two pieces */\n  "ells";\n'),
    ("turns", "shared/a.hpp", HEADER + 'inline auto s = "to go\\non: resume";\n'),
    ("turns", "python/a.py", 'a = f"{b} stands twice"\n'),
    ("turns", "deploy/a.sh", "say nobody answers  # a comment\n"),
    ("turns", "cmake/a.cmake", 'message("no cuda.h beside it")\n'),
    ("turns", "results/page/site/a.js", "const s = 'These may be the best';\n"),
    ("turns", "sweeps/a.yaml", "# Is it fast by itself?\nsweep: 1\n"),
    ("turns", "README.md", "The workers who are here.\n"),
    ("turns", "README.md", "A job, of\nwhich one fails.\n"),
    ("turns", "CONTRIBUTING.md", "Mainly because of it.\n"),
    ("turns", "README.md", "That is all that may.\n"),
    ("turns", "README.md", "Of rates a larger number is better.\n"),
    ("using", "tests/unit/a_test.cpp", "using testing::HasSubstr;  // HasSubstr\nint x;\n"),
    ("assert", "shared/base/value.cpp", "void f() { assert(true); }\n"),
    ("assert", "shared/base/value.cpp", "#include <cassert>\n"),
    ("result", "results/a.cpp", "Status f() {\n  if (!x) return tl::unexpected(x.error());\n}\n"),
    ("sleep", "tests/unit/a_test.cpp", "void f() { this_thread::sle" "ep_for(x); }\n"),
    ("sleep", "tests/process/a.py", "import time\ntime.sle" "ep(1)\n"),
    ("sleep", "tests/process/a.sh", "sle" "ep 1\n"),
    ("blanks", "cli/run.cpp", "int x; \n"),
    ("blanks", "cli/run.cpp", "int x;"),
    ("blanks", "cli/run.cpp", "\tint x;\n"),
    ("sweeps", "sweeps/a.yaml", "sweep: 1\n"),
    ("sweeps", "sweeps/a.yaml", "# A statement.\n# Why?\nsweep: 1\n"),
    ("sweeps", "sweeps/problems/a.csv", "m,n\n1,2\n"),
    ("links", "README.md", "[gone](docs/gone.md)\n"),
    ("links", "README.md", "# A b\n[here](#a-c)\n"),
    ("links", "docs/lonely.md", "# Lonely\n"),
    ("pieces", "tests/unit/a_test.cpp", "EXPECT_THAT(f(), HasSubstr(a));\n" * 176),
    ("pieces", "tests/process/a_test.py", 'self.assertIn("of words", a)\n' * 73),
]

# Correct files must give no message: one file per rule that could be too strict.
RIGHT = {
    "README.md": "# Two `words`\n[docs](docs/README.md#a-b), [web](https://example.org/x), "
                 "[here](#two-words)\n",
    "docs/README.md": "[a](a.md)\n## A, b\n",
    "docs/a.md": "# A\n",
    "sweeps/a.yaml": "# Which library is fastest on this machine?\n# And why.\nsweep: 1\n",
    "sweeps/problems/a.csv": "# Shapes.\nm\n1\n",
    "shared/a.hpp": '// What it is.\n#pragma once\n#include <tl/expected.hpp>\n'
                    '#include "shared/b.hpp"\n'
                    "using namespace std::chrono_literals;\n",
    "shared/b.cpp": '#include <fmt/format.h>\n// process( and SlotManager in words\nauto s = "handle(x)";\n'
                    "static_assert(sizeof(int) == 4);\n",
    "shared/h.cpp": "using std::move;\nauto f = move(g);\n",
    "shared/c.cpp": "int f() {\n" + BODY * 67 + "}\n" + "int g() {\n" + BODY * 67 + "}\n",
    "shared/d.cpp": "const Row kRows[] = {\n" + "    {1, f(2)},\n" * 80 + "};\n",
    "shared/e.cpp": "#if defined(A) && \\\n    defined(B)\n#endif\nnamespace {\n" + "int x;\n" * 80 + "}\n",
    "shared/f.cpp": "template <class T>\nstruct alignas(T) A {\n" + "  int x;\n" * 80 + "};\n",
    "shared/g_body.hpp": "// Included once for each instruction set.\nint f();\n",
    "kernels/api/pack.h": "/* C. */\n#ifndef PACK_H\n#define PACK_H\n#endif\n",
    "kernels/api/pack.hpp": '#pragma once\n#include "pack.h"\n',
    "kernels/cpu/gemm/a.cpp": '#include "kernels/api/pack.h"\n#include "kernels/reference/gemm.hpp"\n',
    "kernels/cuda/cuda_api.hpp": "#pragma once\n#include <cuda.h>\n",
    "kernels/reference/gemm.cpp": '#include "kernels/cpu/libraries/params.hpp"\n'
                                  '#include "kernels/cpu/parallel/tbb.hpp"\n',
    "results/sqlite/sqlite.cpp": '#include <SQLiteCpp/Database.h>\n#include "results/sqlite/sqlite.hpp"\n',
    "coordinator/core/core.cpp": '#include "shared/base/rules.hpp"\n'
                                 "void apply(Instant now) { f(now); }\n",
    "tests/unit/b_test.cpp": "// HasSubstr\n" * 176,
    "tests/process/b_test.py": 'self.assertIn("SIGSEGV", a)\n' * 73,
    "cli/turns.cpp": "// Told anew, beside it.\n"
                     'auto s = "{build} stands for a file; people who ask; all of which; besides";\n',
    "cli/go.cpp": '#include "cli/beside.hpp"\nauto s = "--to-go-on";\n',
    "cli/beside.hpp": HEADER,
    "python/turns.py": '"""Holds it against others."""\na = results.told\n',
    "cmake/turns.cmake": "# Told anew.\nset(a beside.cpp)\n",
    "kernels/a.cpp": 'auto s = "def tell(text):";\n',
    "CHANGELOG.md": "- `--again` measures anew.\n",
    "CONTRIBUTING.md": "Each source is compiled by itself: `results.told`, stand-ins, people who read.\n",
    "build/generated.cpp": "class BadManager;\t\n",
}


def found_in(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return tidy.check(root)


class Tidy(unittest.TestCase):
    def test_each_broken_rule_is_found_and_nothing_else(self):
        for rule, path, text in BROKEN:
            with self.subTest(rule=rule, path=path, text=text[:60]):
                found = found_in({path: text})
                self.assertEqual([(path, rule)], [(where, name) for where, _, name, _ in found], found)

    def test_what_is_right_is_left_alone(self):
        self.assertEqual([], found_in(RIGHT))

    def test_every_rule_is_broken_here_at_least_once(self):
        rules = {rule.__name__.removeprefix("rule_")
                 for module in (rooms, style, wording, documents) for rule in module.RULES}
        self.assertEqual(rules, {rule for rule, _, _ in BROKEN} | {"folders", "architecture", "goldens"})

    def test_the_rooms_of_the_page_are_those_of_the_tree(self):
        page = "| `transport` | carries | `socket.hpp` | `transport`, `shared` |\n"
        files = {"docs/README.md": "[a](architecture.md)\n", "docs/architecture.md": page,
                 "transport/socket.hpp": HEADER}
        self.assertEqual([], found_in(files))
        for path, text in (("docs/architecture.md", page + "| `attic` | nothing |  |  |\n"),
                           ("docs/architecture.md", page.replace("socket.hpp", "gone.hpp")),
                           ("docs/architecture.md", page.replace("`transport`, ", "")),
                           ("transport/cellar/a.cpp", "int x;\n")):
            found = found_in({**files, path: text})
            self.assertEqual(["architecture"], [rule for _, _, rule, _ in found], found)

    def test_a_folder_of_too_many_things_is_found(self):
        files = {f"results/answer/a{i}.cpp": "int x;\n" for i in range(documents.STEMS_MAX)}
        files["results/answer/a0.hpp"] = HEADER + "int f();\n"
        self.assertEqual([], found_in(files))
        files["results/answer/more.cpp"] = "int x;\n"
        self.assertEqual(["folders"], [rule for _, _, rule, _ in found_in(files)])

    def test_a_golden_file_has_the_texts_of_its_tests_and_no_others(self):
        test = 'class A:\n    def test_a(self):\n        self.assert_golden("one", f())\n'
        for places, said in ((["A.test_a one"], []), (["A.test_a two"], [3]),
                             (["A.test_a one", "A.test_b one"], [1])):
            golden = "".join(f"== {place}\n  text\n" for place in places)
            found = found_in({"tests/a_test.py": test, "tests/a_test.golden": golden})
            self.assertEqual([("tests/a_test.py", line, "goldens") for line in said],
                             [place[:3] for place in found])

    def test_the_line_that_is_named_is_the_line_that_is_wrong(self):
        found = found_in({"cli/a.cpp": "int x;\n\nvoid f() {\n" + BODY * 68 + "}\n"})
        self.assertEqual(3, found[0][1])


if __name__ == "__main__":
    unittest.main()
