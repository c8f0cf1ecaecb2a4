"""Databases that cannot be used: said before anything is measured, and left as they are."""
import errno
import hashlib
import os
import resource
import shutil
import signal
import sqlite3
import tempfile
import unittest

from sandbox import BRISK, BUILD, ProcessTest, read_bytes, sweep_text

QUERIES = (("resume", "{}"), ("best", "{}"), ("show", "{}", "1"), ("sql", "{}", "select 1"),
           ("export", "{}"))
# On cores of their own, so that the short job never waits for the long one's end.
LONG = sweep_text("x", "sleep", "{seconds: [0.001, 300]}",
                  measure=BRISK.replace("{", "{alone_on: core, ", 1))


class BadDatabaseTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("x.yaml", sweep_text("x", "noop", "{a: [1, 2]}"))

    def refused(self, *arguments, words=(), **surroundings):
        before = self.contents()
        answer = self.call(*arguments, status=2, **surroundings)
        self.assertRegex(answer.errors, r"(?m)^kernsweep: ")
        for word in words:
            self.assertIn(word, answer.errors)
        self.assertEqual(before, self.contents(), arguments)
        self.assertNotIn("joined", answer.errors)
        return answer

    def contents(self):
        """Hashes of all files except SQLite's extra files of an open database."""
        return {name: hashlib.sha256(self.content(name)).hexdigest() for name in self.files()
                if not name.endswith(("-shm", "-wal"))}

    def content(self, name):
        return read_bytes(os.path.join(self.folder, name))

    def refused_by_all(self, database, *words):
        self.refused("run", self.file, "--db", database, words=words)
        for question in QUERIES:
            with self.subTest(question):
                self.refused(*(word.format(database) for word in question), words=words)


class OnAFileSystemThatLacks(BadDatabaseTest):  # labels: waits
    WITHOUT = os.path.join(BUILD, "tests", "poor_files", "libpoor_files.so")

    def without(self, what, error, after=0):
        self.environment |= {"LD_PRELOAD": self.WITHOUT, "POOR_FILES": what,
                             "POOR_ERRNO": str(getattr(errno, error)), "POOR_AFTER": str(after)}

    def test_locks_or_shared_maps(self):
        self.call("run", self.file, "--db", "old.db")
        for missing, error, words in (
                ("locks", "ENOLCK", "cannot be locked: No locks available"),
                ("locks", "EACCES", "cannot be locked: Permission denied"),
                ("locks", "EAGAIN", "cannot be locked: Resource temporarily unavailable"),
                ("maps", "ENODEV", "cannot share memory by a file on it: No such device")):
            self.without(missing, error)
            before = self.files()
            for arguments in (("run", self.file, "--db", "new.db"), ("resume", "old.db")):
                with self.subTest((missing, error, *arguments)):
                    self.refused(*arguments, words=[words, "keep it on a local disk"])
            with self.subTest((missing, error)):
                self.assertEqual([{"n": 2}], self.call("sql", "old.db", "select count(*) as n from results",
                                                       "--json").json(), "a finished one is answered from")
            self.write("old.db-wal", "")
            self.refused("best", "old.db", words=[words, "copy it, together with its -wal"])
            os.remove(os.path.join(self.folder, "old.db-wal"))
            self.assertEqual(before, self.files())

    def test_locks_after_some_is_not_taken_for_another_program(self):
        for error, after in (("ENOLCK", 5), ("ENOLCK", 20), ("EACCES", 20), ("ENOLCK", 60)):
            with self.subTest((error, after)):
                self.without("locks", error, after)
                answer = self.call("run", self.file, "-a", "a[range]=[1:300]",
                                   "--db", f"{error}{after}.db", status=None)
                self.assertIn(answer.status, (2, 3))
                for words, is_said in (("cannot be locked", True), ("another program", False)):
                    self.assertEqual(is_said, words in answer.errors, answer.errors)

    def test_writes_or_syncs_names_the_error_of_the_system(self):
        for what, error, words in (("writes", "EDQUOT", "raise the quota"), ("writes", "EFBIG", "ulimit -f"),
                                   ("syncs", "EDQUOT", "raise the quota"),
                                   ("syncs", "EINVAL", "full or broken"),
                                   ("syncs", "ENOSYS", "full or broken")):
            for after in (0, 3, 12):
                with self.subTest((what, error, after)):
                    self.without(what, error, after)
                    answer = self.call("run", self.file, "--db", "new.db", status=None)
                    if answer.status == 0:  # it has fewer of them
                        self.assertEqual("syncs", what)
                        continue
                    self.assertIn(answer.status, (2, 3))
                    self.assertIn(os.strerror(getattr(errno, error)), answer.errors)
                    self.assertIn(words, answer.errors)
                    for name in self.files():
                        if name.startswith("new.db"):
                            os.remove(os.path.join(self.folder, name))

    def test_removal(self):
        self.without("removal", "EPERM")
        answer = self.call("run", self.file, "--db", "new.db", status=2)
        left, = set(self.files()) - {"x.yaml"}
        self.assert_golden("refused", answer.errors.replace(left, "<left>"))

    def test_removal_of_the_lock_alone(self):
        self.without("removal", "EBUSY")
        self.environment["POOR_NAME"] = ".db-lock"
        answer = self.call("run", self.file, "--db", "new.db", "-q")
        self.assert_golden("warned", "".join(line + "\n" for line in answer.errors.splitlines()
                                             if "-lock" in line))

    def test_writing_is_said_as_that(self):
        self.call("run", self.file, "--db", "old.db")
        self.without("access", "EROFS")
        answer = self.refused("run", self.file, "--db", "old.db")
        self.assert_golden("refused", answer.errors, system=r"\S+ at \S+(?= is mounted)")

    def test_room_for_a_new_database(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
        self.refused("run", self.file, "--db", "new.db", words=["new.db", "--again", "ulimit -f"],
                     limits=small_files)
        self.assertEqual(["x.yaml"], self.files())


class Files(BadDatabaseTest):
    def test_one_that_is_missing_is_missing_to_every_question(self):
        for question in QUERIES:
            with self.subTest(question):
                self.refused(*(word.format("nowhere.db") for word in question), words=["nowhere.db"])

    def test_one_that_is_no_database(self):
        self.write("text.db", "This is a text, and a rather long one, so that it has a page's worth. " * 100)
        self.refused_by_all("text.db", "text.db")

    def test_one_of_another_program(self):
        connection = sqlite3.connect(os.path.join(self.folder, "foreign.db"))
        connection.executescript("create table sweep(a); insert into sweep values (1);")
        connection.close()
        self.refused_by_all("foreign.db", "foreign.db")

    def test_one_of_a_newer_version(self):
        self.call("run", self.file, "-q", "--db", "new.db")
        connection = sqlite3.connect(os.path.join(self.folder, "new.db"))
        connection.execute("pragma user_version = 9999")
        connection.close()
        self.refused_by_all("new.db", "new.db", "newer")

    def test_a_folder(self):
        os.mkdir(os.path.join(self.folder, "folder.db"))
        self.refused_by_all("folder.db", "folder.db")

    def test_one_in_a_folder_that_is_missing(self):
        self.refused("run", self.file, "--db", "no/where.db", words=["no/where.db"])

    def test_one_that_is_damaged_is_told_and_not_made_worse(self):
        self.call("run", self.file, "-q", "--db", "torn.db", "-a", "a[range]=[1:300]")
        connection = sqlite3.connect(os.path.join(self.folder, "torn.db"))
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.close()
        whole = self.content("torn.db")
        self.write("torn.db", whole[:4096] + b"\xff" * 8192 + whole[12288:])
        for name in ("torn.db-wal", "torn.db-shm"):
            if name in self.files():
                os.remove(os.path.join(self.folder, name))
        answer = self.call("run", self.file, "--db", "torn.db", status=None)
        self.assertIn(answer.status, (2, 3), answer.errors)
        self.assertIn("torn.db", answer.errors + answer.out)
        for question in QUERIES[1:3]:
            self.call(*(word.format("torn.db") for word in question), status=2)


class Recovered(BadDatabaseTest):  # labels: sanitized
    def test_one_that_can_be_saved_is_told_from_one_that_cannot(self):
        self.call("run", self.file, "-q", "--db", "whole.db", "-a", "a[range]=[1:300]")
        whole = self.content("whole.db")
        self.write("cut.db", whole[:len(whole) // 2])
        self.write("text.db", "This is a text. " * 1000)
        self.write("new.db", whole[:60] + (9999).to_bytes(4, "big") + whole[64:])
        before = self.contents()
        for name, status, words in (("whole.db", 0, "no damage found"), ("cut.db", 1, "cut short"),
                                    ("text.db", 2, "is not a Kernsweep database"), ("new.db", 2, "newer"),
                                    ("none.db", 2, "no such file")):
            with self.subTest(name):
                answer = self.call("recover", "--check", name, status=status)
                self.assertIn(words, answer.out + answer.errors)
                self.assertEqual(status == 1, "`kernsweep recover cut.db` saves" in answer.out)
        self.assertEqual(before, self.contents())
        self.call("recover", "cut.db", status=1)
        self.call("recover", "text.db", status=2)

    def test_one_is_not_refused_with_an_option_that_the_command_does_not_have(self):
        for question in QUERIES:
            answer = self.refused(*(word.format(self.file) for word in question))
            self.assertNotIn("--db", answer.errors)


class Places(BadDatabaseTest):
    """Root may write anywhere, so a user is needed who may not: nobody, if we are root."""

    def as_nobody(self):
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    def test_a_folder_that_is_read_only(self):
        # The way to the program and to the packs must be open to that user.
        place = tempfile.mkdtemp(dir=self.home)
        os.chmod(self.home, 0o755)
        os.chmod(self.folder, 0o755)
        os.chmod(place, 0o555)
        try:
            answer = self.call("run", self.file, "--db", os.path.join(place, "x.db"), status=None,
                               limits=self.as_nobody)
        except PermissionError:
            self.skipTest("the build folder is closed to other users")
        self.assertEqual(2, answer.status, answer.errors)
        self.assertIn("x.db", answer.errors)
        self.assertEqual([], os.listdir(place))

    def test_a_disk_that_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.refused("run", self.file, "--db", "/dev/full", words=["/dev/full"])

    def test_a_file_that_may_grow_no_more_stops_the_run_and_what_is_there_stays(self):
        def small_files():
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        answer = self.call("run", self.file, "-a", "a[range]=[1:2000]", status=None, limits=small_files)
        self.assertEqual(3, answer.status, answer.errors + answer.out)
        self.assertIn("kernsweep resume x.db", answer.out)
        self.assertRegex(answer.errors, "could not be written")
        self.expect_nobody_left()
        stored = self.count_of("x.db")
        self.call("resume", "x.db", "-q")
        self.assertEqual(2000, self.count_of("x.db"))
        self.assertEqual(2000, self.count_of("x.db", "attempt where final = 1"))
        self.assertLess(stored, 2000)


class InUse(BadDatabaseTest):  # labels: waits
    def test_by_another_coordinator_is_said_with_its_pid(self):
        self.write("long.yaml", LONG)
        first = self.start("run", "long.yaml")
        self.until(lambda: self.count_of("x.db") == 1, "the first result")
        for arguments in (("run", "long.yaml"), ("run", self.file), ("resume", "x.db"),
                          ("coordinator", self.file, "--listen", "tcp://127.0.0.1:*")):
            with self.subTest(arguments):
                answer = self.call(*arguments, status=2)
                self.assertIn(str(first.pid), answer.errors)
                self.assert_golden(" ".join(arguments), answer.errors)
        counted = self.call("sql", "x.db", "select count(*) as n from results", "--json")
        self.assertEqual([{"n": 1}], counted.json())
        self.assertIsNone(first.child.poll())
        first.signal(signal.SIGINT)
        self.assertEqual(3, first.wait())

    def test_by_one_that_was_killed_is_free(self):
        first = self.start("run", self.write("long.yaml", LONG))
        self.until(lambda: self.count_of("x.db") == 1, "the first result")
        first.signal(signal.SIGKILL)
        first.wait()
        self.expect_nobody_left()
        self.call("run", self.file)

    def test_a_copy_made_while_it_is_written_has_whole_rows(self):
        running = self.start("run", self.file, "-a", "a[range]=[1:20000]")
        self.until(lambda: self.count_of("x.db") > 0, "the first results")
        for suffix in ("", "-wal"):
            shutil.copy(*(os.path.join(self.folder, name + suffix) for name in ("x.db", "y.db")))
        self.assertIsNone(running.child.poll())
        running.signal(signal.SIGINT)
        self.assertEqual(3, running.wait())
        broken = "select count(*) from results where status <> 'ok' or median_s is null"
        self.assertEqual(0, self.value("y.db", broken))


if __name__ == "__main__":
    unittest.main()
