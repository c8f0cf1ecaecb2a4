"""Sweeps that measure until it is decided: what is run further, what is stored, what a kill costs."""
import contextlib
import json
import os
import shutil
import sqlite3

from sandbox import ProcessTest

# Each process says how long it took, and is too short to be watched: the machine has no part in it. Of
# problem 2 the first process of the faster setting is the slower one: ten blocks do not decide it, thirteen
# do.
SAYS = """n=$(wc -l < count.$1.$2)
sleep {nap}
seconds=$2
if [ "$1.$2.$n" = 2.0.010.1 ]; then seconds=0.0125; fi
echo "kernsweep: seconds=$seconds"
"""
SWEEP = """sweep: 1
name: said
command: sh says.sh {m} {t}
setup: sh -c 'echo x >> count.{m}.{t}'
axes: {m: [1, 2], t: [0.010, 0.012]}
problem: [m]
verify: {outputs: ignore}
retry: {max: 0}
measure: {order_seed: 1, processes: {min: 10, max: 13}, warmup: {min_time: 0ms, max_time: 1ms},
          samples: {min: 1, max: 1, min_time: 0ms, max_time: 10ms}}
"""


# Each process takes up to a quarter more than the setting says.
NOISY = """n=$(od -An -N2 -tu2 /dev/urandom)
echo "kernsweep: seconds=0.0$(($2 * 1000 + $2 * n / 262))"
"""
# The database after a kill just before a decision: nothing of later processes, and no later decision.
CUT = """create temp table gone as select job, result from said where process >= {process};
delete from outcome where job in (select job from gone);
delete from attempt_row where result in (select result from gone);
delete from sample where result in (select result from gone);
delete from conditions where result in (select result from gone);
delete from asked where round >= {round};
update sweep set state = 'stopped';
"""


class Decide(ProcessTest):
    def prepare(self, nap):
        self.write("says.sh", SAYS.replace("{nap}", nap))
        self.write("s.yaml", SWEEP)

    def asked(self, database="said.db"):
        rows = self.rows(database, "select * from asked order by round")
        return [(row["process_from"], row["process_until"], json.loads(row["points"]), row["why"])
                for row in rows]

    def expect_decided(self):
        further = "1 of 2 problems are decided; processes 11 to 13 of 2 points follow"
        end = "all 2 problems are decided"
        self.assertEqual([(10, 13, [2, 3], further), (13, 13, [], end)], self.asked())
        counts = self.rows("said.db", "select m, t, count(*) as n from said group by m, t order by m, t")
        self.assertEqual([(1, "0.010", 10), (1, "0.012", 10), (2, "0.010", 13), (2, "0.012", 13)],
                         [(row["m"], row["t"], row["n"]) for row in counts])
        verdicts = self.call("best", "said.db", "--json").json()["rows"]
        self.assertEqual(["wins", "wins"], [row["verdict"] for row in verdicts], verdicts)

    def test_only_what_is_open_is_measured_further(self):
        self.prepare("0")
        done = self.call("run", "s.yaml", "--patience", "0", "--json").json()
        self.assertEqual("all 2 problems are decided", done["decided"])
        self.expect_decided()
        again = self.call("run", "s.yaml", "--json").json()
        self.assertEqual((0, 46), (again["ok"], again["done"]))
        self.expect_decided()

    def test_a_killed_run_asks_nothing_twice(self):
        self.prepare("0.05")
        running = self.start("run", "s.yaml", "--patience", "0")
        self.until(lambda: "said.db" in self.files() and self.count_of("said.db", "sqlite_schema") > 9
                   and self.count_of("said.db", "asked") > 0, "a decision is stored")
        running.signal(9)
        running.wait()
        self.call("resume", "said.db", "--patience", "0")
        self.expect_decided()
        finals = self.rows("said.db", "select count(*) as n from attempt where final = 1 group by job")
        self.assertEqual([1] * 46, [row["n"] for row in finals])

    def test_each_decision_follows_from_the_stored_rows(self):
        self.write("says.sh", NOISY)
        setup = "setup: sh -c 'echo x >> count.{m}.{t}'\n"
        self.write("s.yaml", SWEEP.replace("max: 13", "max: 20").replace("[1, 2]", "[1, 2, 3]")
                   .replace("[0.010, 0.012]", "[10, 11]").replace(setup, ""))
        self.call("run", "s.yaml", "--patience", "0")
        whole = self.asked()
        for number, (process, *_) in enumerate(whole):
            cut = shutil.copy(os.path.join(self.folder, "said.db"), os.path.join(self.folder, "cut.db"))
            with contextlib.closing(sqlite3.connect(cut)) as database:
                database.executescript(CUT.format(process=process, round=number + 1))
            self.call("resume", "cut.db", "--patience", "0")
            self.assertEqual(whole[:number + 1], self.asked("cut.db")[:number + 1])

    def test_a_claim_is_measured_further_until_it_is_decided(self):
        self.prepare("0")
        # Each point is a problem of its own. As many processes as problem 2 took decide the second claim.
        self.write("s.yaml", SWEEP.replace("problem: [m]", "problem: [m, t]") + """claims:
  - {name: first, faster: {t: 0.010}, than: {t: 0.012}, where: m == 1}
  - {name: second, faster: {t: 0.010}, than: {t: 0.012}, where: m == 2}
""")
        self.call("run", "s.yaml", "--patience", "0")
        further = "1 of 2 claims are decided; processes 11 to 13 of 2 points follow"
        self.assertEqual([(10, 13, [2, 3], further), (13, 13, [], "all 2 claims are decided")], self.asked())
        answer = self.call("claims", "said.db", "--json", status=None).json()
        self.assertEqual(["confirmed", "confirmed"], [claim["verdict"] for claim in answer["claims"]])

    def test_a_claim_that_processes_cannot_decide_ends_the_sweep(self):
        self.prepare("0")
        self.write("s.yaml", SWEEP.replace("problem: [m]", "problem: [m, t]") + """claims:
  - {name: near, faster: {t: 0.010}, than: {t: 0.012}, by: 1.2, where: m == 1}
""")
        self.call("run", "s.yaml", "--patience", "0")
        self.assertEqual([(10, 10, [], "the claim is not decided, and further processes cannot decide it")],
                         self.asked())

    def test_a_budget_of_jobs_ends_it(self):
        self.prepare("0")
        self.call("run", "s.yaml", "--patience", "0", "--budget", "5 jobs")
        self.assertEqual([(10, 10, [], "1 of 2 problems are decided; 1 would take more than what is left of "
                           "measure.processes.budget")], self.asked())

    def test_a_number_of_processes_decides_nothing(self):
        self.prepare("0")
        done = self.call("run", "s.yaml", "--patience", "0", "--processes", "3", "--json").json()
        self.assertEqual((12, []), (done["ok"], self.asked()))
        self.assertNotIn("decided", done)
        self.assert_golden("refused", "".join(
            self.call("run", "s.yaml", *words, status=2).errors
            for words in (["--processes", "3", "--budget", "1m"], ["--quick", "--budget", "1m"],
                          ["--quick", "--decide"], ["--budget", "5 jbs"])))
