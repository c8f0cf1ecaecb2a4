"""kernsweep-slot in this Python: loads the module beside this file and hands it the words.

Run by the program kernsweep-slot (interpreter.hpp), with the path by which it found this Python and then its
own words. A Python that does not fit, however old, gives the words back to that program, with the reason in
KERNSWEEP_PYTHON_FLAW.
"""
import os
import sys


STDERR = os.dup(2)  # not inherited by programs; a function may close or redirect its own


def version():
    return "Python " + ".".join(str(part) for part in sys.version_info[:3])


def flaw():
    if sys.version_info < (3, 10):
        return "it is " + version() + "; 3.10 or newer is needed"
    if sys.implementation.name != "cpython":
        return "it is " + sys.implementation.name + ", not CPython"
    if "free-threading" in sys.version:
        return "it is " + version() + " without its lock (free-threaded); one with a lock is needed"
    return ""


def slot_module(path):
    import importlib.machinery
    import importlib.util
    loader = importlib.machinery.ExtensionFileLoader("kernsweep_slot", path)
    spec = importlib.util.spec_from_file_location("kernsweep_slot", path, loader=loader)
    return importlib.util.module_from_spec(spec)


def restore_environment():
    """LD_PRELOAD and stdout are the interpreter's own until here (interpreter.cpp)."""
    before = os.environ.pop("KERNSWEEP_PRELOAD_BEFORE", None)
    if before is not None:
        os.environ.pop("LD_PRELOAD", None)
    if before:
        os.environ["LD_PRELOAD"] = before
    sys.stdout.flush()
    kept = os.environ.pop("KERNSWEEP_STDOUT", None)
    if kept is not None:
        os.dup2(int(kept), 1)
        os.close(int(kept))


def look_ordinary():
    """What the user's code may look at is as in a Python that was started without a script. Processes that
    multiprocessing starts would run a script once more."""
    import __main__
    sys.argv = [""]
    sys.modules.pop("kernsweep_slot", None)
    for name in ("__file__", "__cached__"):
        __main__.__dict__.pop(name, None)
    # Children get signals as usual: a slot has blocked those that end it.
    import signal
    os.register_at_fork(after_in_child=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, ()))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # The worker sends this signal before it ends a slot that takes too long.
    import faulthandler
    faulthandler.register(signal.SIGQUIT, file=STDERR, all_threads=True)
    import inspect  # by the pack; before a folder of the user's may have a module of the same name


def add_package(script):
    """The package `kernsweep` of this installation, for kernsweep.engines; a package that the user has comes
    first."""
    installation = os.path.dirname(os.path.dirname(os.path.dirname(script)))
    folder = os.path.join(installation, "share", "kernsweep", "python")
    if os.path.isdir(folder) and folder not in sys.path:
        sys.path.append(folder)


RENEWS = 75  # renewal.hpp
NO_FORK = "KERNSWEEP_NO_FORK"


STATELESS = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}


def shared_state():
    """What processes that are forked from this one would share: open files, which have one position for all,
    pipes, sockets and devices by number and name; and memory that all may write."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add((number, os.readlink("/proc/self/fd/" + number)))
        except OSError:
            pass  # the folder that was listed
    with open("/proc/self/maps", "rb") as maps:
        found.update(line.split(b" ", 1)[0] for line in maps if line.split(b" ", 2)[1][1::2] == b"ws")
    return {each for each in found if each[1] not in STATELESS}


def uses_more_than_memory(shared_before):
    """Whether this process has threads or children, which a process that is forked from it would miss, or
    has since opened what such processes would share."""
    if len(os.listdir("/proc/self/task")) > 1:
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True
    except ChildProcessError:
        pass
    return not shared_state() <= shared_before


class Renewal:
    """A process of its own for each job of a function (renewal.hpp)."""

    def __init__(self, module, program):
        self.module, self.program, self.is_forked = module, program, False
        self.imports = os.environ.pop(NO_FORK, None) is None
        self.function = module.function(3)
        self.before = (dict(os.environb), os.sched_getaffinity(0), os.open(".", os.O_PATH), os.umask(0))
        os.umask(self.before[3])
        self.done = -1  # of a fork: a file that is not empty once its job is done; a function may exit, too

    def begin(self):
        """Returns in the process that measures."""
        if not self.function or not self.imports:
            return
        shared = shared_state()
        if not self.import_module():
            self.start_again()
        if uses_more_than_memory(shared):
            return
        files = []
        for module in list(sys.modules.values()):
            try:
                file = object.__getattribute__(module, "__dict__").get("__file__")
            except Exception:
                continue
            if isinstance(file, str):
                files.append(file)
        self.module.remember(files)
        self.fork()

    def import_module(self):
        """Whether a process can be forked afterwards that measures as if it had imported the module itself.
        What an import raises is the job's to report."""
        import importlib
        sys.path.insert(0, os.getcwd())
        try:
            importlib.import_module(self.function.partition(":")[0])
        except BaseException:
            return False
        return os.sched_getaffinity(0) == self.before[1]

    def fork(self):
        import faulthandler
        import signal
        child = 0
        faulthandler.unregister(signal.SIGQUIT)
        signal.signal(signal.SIGQUIT, lambda *_: child and os.kill(child, signal.SIGQUIT))
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGHUP))
        self.done = os.memfd_create("kernsweep-done")
        while True:
            os.ftruncate(self.done, 0)
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                break
            status = os.waitpid(child, 0)[1]
            child = 0
            self.module.end_children()
            if os.WIFSIGNALED(status):
                self.end_by(os.WTERMSIG(status))
            if os.fstat(self.done).st_size == 0:
                os._exit(os.WEXITSTATUS(status))
            if self.module.is_stale():
                self.start_again(imports=True)
        self.is_forked = True
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
        faulthandler.register(signal.SIGQUIT, file=STDERR, all_threads=True)

    def end_measuring(self):
        if not self.is_forked:
            self.start_again()
        os.write(self.done, b"1")

    def end_by(self, number):
        """The worker sees how the process ended that has measured."""
        import signal
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os._exit(1)

    def start_again(self, imports=False):
        """The program in place of this process, which has imported or measured; it finds the cores, the
        folder, the umask, the variables and the stderr that this one has found."""
        environment, cores, folder, mask = self.before
        if not imports:
            environment[os.fsencode(NO_FORK)] = b"1"
        self.module.end_children()
        os.sched_setaffinity(0, cores)
        os.fchdir(folder)
        os.umask(mask)
        os.dup2(STDERR, 2)
        for number in (3, 4):
            os.set_inheritable(number, True)
        os.execve(self.program, [self.program, "--serve"], environment)


def main():
    script = os.path.abspath(__file__)
    program = os.path.splitext(script)[0]
    found, words = sys.argv[1], sys.argv[2:]
    if os.path.abspath(sys.path[0]) == os.path.dirname(script):
        del sys.path[0]
    restore_environment()
    module = None
    why = flaw()
    try:
        module = None if why else slot_module(program + ".so")
    except Exception as error:
        why = str(error) or type(error).__name__
    if why:
        os.environ["KERNSWEEP_PYTHON_FLAW"] = why
        os.execv(program, [program] + words)
    look_ordinary()
    add_package(script)
    renewal = Renewal(module, program) if words == ["--serve"] else None
    if renewal:
        renewal.begin()
    status = module.run(found, words)
    sys.stdout.flush()
    sys.stderr.flush()
    if status == RENEWS:
        renewal.end_measuring()
    # What Python does at its end (atexit, taking modules apart) is left out: libraries crash or hang there.
    os._exit(status)


if __name__ == "__main__":
    main()
