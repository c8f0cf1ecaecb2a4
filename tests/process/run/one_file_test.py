"""No further file is next to a database after kernsweep has ended."""
import signal

from sandbox import ProcessTest, sweep_text

NOOP = sweep_text("noop", "noop", "{i: {range: [1, 40]}}", "verify: false")
SLOW = sweep_text("slow", "sleep", "{i: {range: [1, 400]}, seconds: [0.05]}", "verify: false")


class OneFileRemains(ProcessTest):
    def databases(self):
        return [name for name in self.files() if ".db" in name]

    def test_after_a_run(self):
        self.call("run", self.write("noop.yaml", NOOP))
        self.assertEqual(["noop.db"], self.databases())

    def test_after_questions(self):
        self.call("run", self.write("noop.yaml", NOOP), "--quiet")
        for question in (("best", "noop.db"), ("sql", "noop.db", "select count(*) from noop"),
                         ("resume", "noop.db")):
            self.call(*question)
            self.assertEqual(["noop.db"], self.databases(), question)

    def test_after_ctrl_c_and_after_a_crash(self):
        sweep = self.write("slow.yaml", SLOW)
        stopped = self.start("run", sweep)
        self.until(lambda: self.count_of("slow.db") > 0, "a first row")
        stopped.signal(signal.SIGINT)
        self.assertEqual(3, stopped.wait(), stopped.complained())
        self.assertEqual(["slow.db"], self.databases())

        rows = self.count_of("slow.db")
        crashed = self.start("resume", "slow.db")
        self.until(lambda: self.count_of("slow.db") > rows, "a row of the second run")
        crashed.signal(signal.SIGKILL)
        crashed.wait()
        self.kill_what_is_left()
        rows = self.count_of("slow.db")
        # The content of the log is in the database, and the log is gone.
        answer = self.call("sql", "slow.db", "select count(*) as n from slow", "--json")
        self.assertEqual([{"n": rows}], answer.json())
        self.assertEqual([], [name for name in self.databases() if name.endswith(("-wal", "-shm"))])
