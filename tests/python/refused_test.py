"""What cannot be asked or run, and the error that says so."""
import fcntl
import os

from package import QUICKLY, PackageTest

import kernsweep

SWEEP = {"name": "refused", "kernel": "noop", "axes": {"a": [1]}}


class Refused(PackageTest):
    def test_an_option_without_a_value(self):
        for name in ("db", "only", "sample", "patience", "again"):
            with self.assertRaisesRegex(kernsweep.SweepError, f"^{name} is empty"):
                kernsweep.run(SWEEP, progress=False, **{name: ""})
        self.assertEqual([], self.files())
        results = self.small()
        for ask in (lambda: results.best(by=[]), lambda: results.best(margin=""),
                    lambda: results.compare("a=1", "a=2", where=""), lambda: results.rows(sweep="")):
            with self.assertRaisesRegex(kernsweep.QuestionError, " is empty"):
                ask()

    def test_a_text_that_cannot_be_passed(self):
        results = self.small()
        for text in ("select '\0'", "select '\ud800'"):
            with self.assertRaises(kernsweep.QuestionError):
                results.sql(text)
            with self.assertRaises(kernsweep.SweepError):
                kernsweep.run(SWEEP, only=text, **QUICKLY)
        with self.assertRaises(kernsweep.SweepError):
            kernsweep.run({**SWEEP, "axes": {"a": ["\ud800"]}}, **QUICKLY)

    def test_a_database_in_use(self):
        self.small()
        with open("small.db-lock", "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            for more in ({}, {"db": "small.db"}, {"db": os.path.abspath("small.db")}):
                with self.assertRaisesRegex(kernsweep.DatabaseError, "is in use by"):
                    kernsweep.run({**SWEEP, "name": "small"}, **QUICKLY, **more)

    def test_a_program_that_is_none(self):
        os.environ["KERNSWEEP_PROGRAM"] = "/nothing/kernsweep"
        with self.assertRaisesRegex(kernsweep.ProgramNotFound, "KERNSWEEP_PROGRAM is /nothing/kernsweep"):
            kernsweep.program()

    def test_a_program_that_is_another(self):
        results = self.small()
        os.environ["KERNSWEEP_PROGRAM"] = "/bin/true"
        for ask in (results.rows, results.best, lambda: kernsweep.open("small.db"),
                    lambda: kernsweep.run(SWEEP, **QUICKLY)):
            with self.assertRaisesRegex(kernsweep.ProgramNotFound, "does not answer as kernsweep"):
                ask()
