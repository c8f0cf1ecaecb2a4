"""Rows, frames and answers of a results database."""
import json
import os
import re
import subprocess

from package import PACKAGE, PackageTest, needs
from sandbox import PROGRAM, SOURCE

import kernsweep
from kernsweep._columns import read_columns
from kernsweep._views import VIEWS

AXES = {"a": [1, 2], "t": ["x", None], "status": ["<b>\"'"], "f": [0.5],
        "e": {"values": [3], "when": "a == 1"}}


class Rows(PackageTest):
    @staticmethod
    def columns(query):
        command = [PROGRAM, "sql", "small.db", query, "--columns"]
        return read_columns(subprocess.run(command, capture_output=True, check=True).stdout)

    def test_rows_are_those_of_the_export(self):
        results = self.small(AXES)
        told = self.call("export", "small.db", "--jsonl").out
        expected = [json.loads(line) for line in told.splitlines()]
        self.assertEqual(4, len(expected))
        self.assertEqual(expected, results.rows())

    def test_an_axis_keeps_its_kind_and_its_name(self):
        rows = sorted(self.small(AXES).rows(), key=lambda row: row["point"])
        self.assertEqual([1, 1, 2, 2], [row["a"] for row in rows])
        self.assertEqual([3, 3, None, None], [row["e"] for row in rows])
        self.assertEqual({"x", None}, {row["t"] for row in rows})
        self.assertEqual({"<b>\"'"}, {row["axis.status"] for row in rows})
        self.assertIs(float, type(rows[0]["f"]))
        self.assertIs(int, type(rows[0]["a"]))

    def test_a_sweep_is_named_as_on_the_command_line(self):
        self.small()
        self.small({"b": [7]}, name="other")
        os.rename("other.db", "two.db")
        results = self.small()
        self.assertEqual(["small"], [sweep["name"] for sweep in results.sweeps()])
        self.assertEqual(2, len(kernsweep.open("small.db", "small").rows()))
        self.assertEqual(2, len(results.rows(sweep="small@1")))
        for question in (results.rows, results.best):
            with self.assertRaises(kernsweep.NotFound):
                question(sweep="nothing")

    def test_every_kind_of_column_is_read(self):
        self.small()
        query = ("select 1 as i, null as n, 2.5 as r, 'é\n' as t, x'00ff' as b, 1 as m, "
                 "9007199254740993 as big union all values (null, null, 3, null, null, 'x', 0.5), "
                 "(2, null, 1.5, 'u', x'01', 2, 1);")
        read = {column.name: column.list() for column in self.columns(query)}
        self.assertEqual({"i": [1, None, 2], "n": [None] * 3, "r": [2.5, 3.0, 1.5], "t": ["é\n", None, "u"],
                          "b": [b"\0\xff", None, b"\1"], "m": [1, "x", 2],
                          "big": [9007199254740993, 0.5, 1]}, read)

    def test_many_texts_have_wider_codes(self):
        self.small()
        for count in (127, 128, 40000):
            text, number = self.columns("with recursive n(i) as (values (0) union all select i + 1 from n "
                                        f"where i < {count - 1}) select 't' || i as t, i from n")
            self.assertEqual([f"t{i}" for i in range(count)], text.list())
            self.assertEqual(list(range(count)), number.list())

    def test_columns_refuse_what_they_cannot_say(self):
        self.small()
        for query in ("explain select 1", "select 1 as a, 2 as a", "select nothing", "delete from sweep"):
            self.call("sql", "small.db", query, "--columns", status=2)
        self.call("export", "small.db", "--columns", "--csv", status=2)


class Answers(PackageTest):  # labels: smoke
    def test_answers_are_those_of_the_command_line(self):
        results = self.small()
        for answer, arguments in ((results.best(grade="C"), ("best", "small.db", "--grade", "C")),
                                  (results.best(by=["a"]), ("best", "small.db", "--by", "a")),
                                  (results.show(1), ("show", "small.db", "1")),
                                  (results.compare("a=1", "a=2", all_grades=True),
                                   ("compare", "small.db", "a=1", "a=2", "--all-grades"))):
            self.assertEqual(self.call(*arguments, "--json", status=None).json(), dict(answer))
            self.assertEqual(self.call(*arguments, status=None).out.rstrip("\n"), repr(answer))

    def test_claims_have_a_verdict(self):
        results = self.small(claims=[{"name": "<i>", "ends_as": "timeout_run"}])
        self.assertEqual("refuted", results.claims(all_grades=True).verdict)
        self.assertEqual(["<i>"], [row["name"] for row in results.claims(all_grades=True).rows])
        self.assertEqual(1, self.call("claims", "small.db", "--all-grades", status=None).status)
        with self.assertRaises(kernsweep.QuestionError):
            self.small(name="none").claims()

    def test_a_comparison_has_a_verdict(self):
        results = self.small()
        answer = results.compare("a=1", "a=2", all_grades=True)
        self.assertEqual(("UNDECIDED", 1), (answer.verdict, len(answer.rows)))
        with self.assertRaises(kernsweep.QuestionError):
            results.compare("a=1", "a=7")

    def test_what_is_shown_in_a_notebook_is_text(self):
        results = self.small({"a": ["<script>&"]})
        for shown in (results._repr_html_(), results.best(grade="C")._repr_html_()):
            self.assertNotIn("<script>", shown)
        self.assertIn("&lt;script&gt;&amp;", results.best(grade="C", by=["a"])._repr_html_())


class Errors(PackageTest):
    def test_a_file_that_is_no_database(self):
        with self.assertRaises(kernsweep.NotFound):
            kernsweep.open("nothing.db")
        for text in (b"", b"not one", b"SQLite format 3\0" + b"x" * 5000):
            self.write("bad.db", text)
            with self.assertRaises(kernsweep.DatabaseError):
                kernsweep.open("bad.db")
        with self.assertRaises(kernsweep.DatabaseError):
            kernsweep.open(self.folder)

    def test_no_program(self):
        self.small()
        os.environ["PATH"] = self.folder
        for path in ("/nothing", self.folder, "small.db", ""):
            os.environ["KERNSWEEP_PROGRAM"] = path
            with self.assertRaises(kernsweep.ProgramNotFound):
                kernsweep.open("small.db")

    def test_a_question_that_is_none(self):
        results = self.small()
        for ask in (lambda: results.best(metric="nothing"), lambda: results.best(by="nothing")):
            with self.assertRaises(kernsweep.QuestionError):
                ask()
        with self.assertRaises(kernsweep.NotFound):
            results.show(99)
        with self.assertRaises(kernsweep.FrameError):
            results.results(frame="something")

    def test_without_pandas_and_polars_the_error_says_what_to_install(self):
        self.small()
        done = self.python("-c", "import sys\nsys.modules['pandas'] = sys.modules['polars'] = None\n"
                           "import kernsweep\nr = kernsweep.open('small.db')\n"
                           "print(len(r.rows()))\ntry: r.results()\n"
                           "except kernsweep.FrameError as error: print(error)")
        self.assertEqual("2\nneither pandas nor polars is installed: pip install pandas (or polars); rows() "
                         "gives plain dicts without either\n", done.stdout, done.stderr)


class Documents(PackageTest):
    def test_types_and_units_are_those_of_the_reference(self):
        with open(os.path.join(SOURCE, "docs", "reference", "results.md"), encoding="utf-8") as file:
            page = file.read()
        for view, columns in VIEWS.items():
            part = re.search(rf"### View `{view}`\n(.*?)\n### ", page, re.S)[1]
            listed = re.findall(r"^\| `([^`]+)` \| (\w+) \| ([^|]*) \|", part, re.M)
            self.assertEqual([(name, kind, unit.strip()) for name, kind, unit in listed],
                             [(name, *said) for name, said in columns.items()])

    def test_examples_in_the_code_hold(self):
        for module in ("_kernel", "_call"):
            done = self.python("-c", f"import doctest, kernsweep.{module} as m\n"
                               "print(doctest.testmod(m).failed, doctest.testmod(m).attempted > 0)")
            self.assertEqual("0 True\n", done.stdout, done.stderr)

    @needs("mypy")
    def test_types_hold(self):
        done = self.python("-m", "mypy", "--strict", os.path.join(PACKAGE, "kernsweep"))
        self.assertEqual(0, done.returncode, done.stdout)


class Frames(PackageTest):
    @needs("pandas")
    def test_pandas_has_typed_columns(self):
        results = self.small(AXES)
        frame = results.results(frame="pandas")
        kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
        self.assertEqual(("int64", "category", "category", "float64", "Int64"),
                         tuple(kinds[name] for name in ("a", "t", "axis.status", "f", "e")))
        self.assertEqual("float64", kinds["gflops"])  # NULL everywhere
        self.assertEqual({"median_s": "s", "gflops": "GFLOP/s", "gbps": "GB/s"}, frame.attrs["units"])
        self.assertEqual([row["median_s"] for row in results.rows()], list(frame["median_s"]))
        points = results.points(frame="pandas")
        self.assertEqual(4, len(points))
        shown = [results.show(row["result"]) for row in results.rows()]
        self.assertEqual(sum(answer["measured"]["samples"] for answer in shown),
                         len(results.samples(frame="pandas")))

    @needs("polars")
    def test_polars_has_typed_columns(self):
        results = self.small(AXES)
        frame = results.results(frame="polars")
        kinds = {name: str(kind).split("(")[0] for name, kind in zip(frame.columns, frame.dtypes)}
        self.assertEqual(("Int64", "Categorical", "Categorical", "Float64", "Int64", "Float64"),
                         tuple(kinds[name] for name in ("a", "t", "axis.status", "f", "e", "gflops")))
        self.assertEqual([row["e"] for row in results.rows()], frame["e"].to_list())
        self.assertEqual([row["t"] for row in results.rows()], frame["t"].to_list())
        self.assertEqual(4, len(results.points(frame="polars")))
