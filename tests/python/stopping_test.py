"""What is left of a run whose Python is interrupted or killed."""
import os
import signal
import subprocess
import sys

from package import BRISK, PACKAGE, QUICKLY, PackageTest
from sandbox import LIMIT_S, PROGRAM

LONG = f"""import kernsweep
sweep = {{'name': 's', 'kernel': 'noop', 'axes': {{'a': range(100000)}}, 'verify': False,
         'measure': {BRISK}}}
try:
    kernsweep.run(sweep, **{QUICKLY})
except kernsweep.Interrupted as stopped:
    print(stopped.results.told["ok"])
"""


class Stopping(PackageTest):
    def hidden(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".kernsweep-")]

    def test_a_run_ends_with_its_python(self):
        self.write("long.py", LONG)
        for number in (signal.SIGKILL, signal.SIGTERM):
            before = self.count_of("s.db")
            environment = dict(os.environ, PYTHONPATH=PACKAGE)
            with subprocess.Popen([sys.executable, "-B", "long.py"], env=environment) as child:
                self.until(lambda: self.count_of("s.db") > before or child.poll() is not None, "a row")
                self.assertEqual(1, len(self.hidden()))
                child.send_signal(number)
                self.assertEqual(-number, child.wait(LIMIT_S))
            self.until(lambda: not self.ours(), "the end of all that it started")
            self.assertEqual([], self.hidden())

    def test_ctrl_c_at_any_moment_gives_the_results(self):
        # This program interrupts its Python twice before it measures, which passes it on, and again when it
        # is asked for the results.
        self.write("program", "#!/bin/sh\ntrap 'got=yes' INT\nfor time in 1 2; do\n"
                   "  got=\n  kill -INT $PPID\n  while [ \"$1$got\" = run ]; do :; done\ndone\n"
                   f"exec {PROGRAM} \"$@\"\n")
        os.chmod("program", 0o755)
        os.environ["KERNSWEEP_PROGRAM"] = os.path.abspath("program")
        self.write("script.py", LONG.replace("range(100000)", "[1, 2]"))
        done = self.python("script.py")
        self.assertEqual(("2\n", ""), (done.stdout, done.stderr))
        self.assertEqual([], self.hidden())

    def test_ctrl_c_is_passed_on_while_python_waits_and_another_thread_gets_it(self):
        # This program interrupts its Python, which waits for its output, and records whether it gets the
        # signal.
        self.write("program", f"#!{sys.executable}\nimport os, signal, sys\n"
                   "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
                   "if sys.argv[1] == 'run':\n"
                   "    os.kill(os.getppid(), signal.SIGINT)\n"
                   f"    told = signal.sigtimedwait([signal.SIGINT], {LIMIT_S / 4})\n"
                   "    open('told', 'w').write('told' if told else 'not told')\n"
                   f"os.execv('{PROGRAM}', sys.argv)\n")
        os.chmod("program", 0o755)
        os.environ["KERNSWEEP_PROGRAM"] = os.path.abspath("program")
        self.write("script.py", "import signal, threading\n"
                   "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
                   "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
                   + LONG.replace("range(100000)", "[1, 2]"))
        done = self.python("script.py")
        self.assertEqual(("2\n", ""), (done.stdout, done.stderr))
        with open("told", encoding="utf-8") as file:
            self.assertEqual("told", file.read())
