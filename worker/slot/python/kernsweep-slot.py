"""kernsweep-slot in this Python: loads the module next to this file and hands it the words.

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


def show_stacks():
    """The worker sends this signal before it ends a slot that takes too long."""
    import faulthandler
    import signal
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    faulthandler.register(signal.SIGQUIT, file=STDERR, all_threads=True)


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
    show_stacks()
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
FORKERS_MAX = 8  # processes that wait with imported modules
HANDS_OVER = b">"  # in Renewal.done, before names of modules

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


def end_own_threads():
    """OpenBLAS ends its threads before a fork, and starts them again when it computes."""
    if len(os.listdir("/proc/self/task")) > 1:
        process = os.fork()
        if process == 0:
            os._exit(0)
        os.waitpid(process, 0)


def process_state():
    """What a process has in addition to memory and open files, and passes to what is forked from it."""
    import signal
    mask = os.umask(0)
    os.umask(mask)
    handlers = [str(signal.getsignal(number)) for number in signal.valid_signals()]
    folder = os.stat(".")
    return (os.sched_getaffinity(0), folder.st_dev, folder.st_ino, mask,
            signal.pthread_sigmask(signal.SIG_BLOCK, ()), handlers)


def named_imports(function, settings):
    """The modules that `imports` of the function names. What is wrong with it is the pack's to report."""
    module, _, path = function.partition(":")
    try:
        found = sys.modules[module]
        for part in path.split("."):
            found = getattr(found, part)
        named = getattr(found, "imports", ())
        named = named(settings) if callable(named) else named
        names = [each.replace(".", "_") for each in named]
        is_list = isinstance(named, (list, tuple)) and all(map(str.isidentifier, names))
        return tuple(named) if is_list else ()
    except Exception:
        return ()


class Renewal:
    """A process of its own for each job of a function (renewal.hpp)."""

    def __init__(self, module, program):
        self.module, self.program, self.is_forked = module, program, False
        self.imports = os.environ.pop(NO_FORK, None) is None
        self.function = module.function(3)
        self.before = (dict(os.environb), os.sched_getaffinity(0), os.open(".", os.O_PATH), os.umask(0))
        os.umask(self.before[3])
        self.done = -1  # of a fork: a file that is not empty once its job is done; a function may exit, too
        self.child = 0  # that is waited for
        self.names = ()  # what `imports` of the function has named, and this process has imported
        self.next = None  # such names, if a process that has imported them is to measure
        self.forkers = {}  # by such names: (process, what asks it, what it answers); None: not to be forked

    def begin(self):
        """Returns in the process that measures."""
        if not self.function or not self.imports:
            return
        shared = shared_state()
        if not self.import_module():
            self.start_again()
        if uses_more_than_memory(shared):
            return
        self.remember_files()
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

    def remember_files(self):
        files = []
        for module in list(sys.modules.values()):
            try:
                file = object.__getattribute__(module, "__dict__").get("__file__")
            except Exception:
                continue
            if isinstance(file, str):
                files.append(file)
        self.module.remember(files)

    def fork(self):
        self.wait_only()
        self.done = os.memfd_create("kernsweep-done")
        names = ()
        while True:
            os.ftruncate(self.done, 0)
            if names not in self.forkers and names:
                self.start_forker(names)
            if not self.is_forked:
                status, stale = self.ask(names) if self.forkers.get(names) else self.fork_job()
            if self.is_forked:
                break
            if os.WIFSIGNALED(status):
                self.end_by(os.WTERMSIG(status))
            done = os.pread(self.done, 1 << 16, 0)
            if not done:
                os._exit(os.WEXITSTATUS(status))
            if stale:
                self.start_again(imports=True)
            if done[:1] == HANDS_OVER:
                names = tuple(os.fsdecode(done[1:]).split())
        show_stacks()
        sys._kernsweep_imports = self.names

    def wait_only(self):
        """Signals are for the child."""
        import faulthandler
        import signal
        faulthandler.unregister(signal.SIGQUIT)
        signal.signal(signal.SIGQUIT, lambda *_: self.child and os.kill(self.child, signal.SIGQUIT))
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGHUP))

    def fork_job(self):
        """How the process has ended that measures, and whether a file that was imported was replaced. In
        that process is_forked is true."""
        sys.stdout.flush()
        sys.stderr.flush()
        self.child = os.fork()
        if self.child == 0:
            self.is_forked = True
            self.close_forkers()
            return 0, False
        status = os.waitpid(self.child, 0)[1]
        self.child = 0
        self.module.end_children([each[0] for each in self.forkers.values() if each])
        return status, self.module.is_stale()

    def close_forkers(self):
        for forker in filter(None, self.forkers.values()):
            os.close(forker[1])
            os.close(forker[2])
        self.forkers = {names: None for names, forker in self.forkers.items() if not forker}

    def start_forker(self, names):
        """A process that imports these modules, and then forks those that measure."""
        alive = [each for each, forker in self.forkers.items() if forker]
        if len(alive) == FORKERS_MAX:
            self.end_forker(alive[0])
        asked, asks = os.pipe()
        answer, answers = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.child = os.fork()
        if self.child == 0:
            os.close(asks)
            os.close(answer)
            self.close_forkers()
            return self.serve(names, asked, answers)
        os.close(asked)
        os.close(answers)
        self.forkers[names] = (self.child, asks, answer)
        if not os.read(answer, 1):
            self.end_forker(names)
            self.forkers[names] = None
        return None

    def end_forker(self, names):
        process, asks, answer = self.forkers.pop(names)
        os.close(asks)
        os.close(answer)
        os.waitpid(process, 0)

    def serve(self, names, asked, answers):
        """Returns in processes that measure."""
        import importlib
        self.child = 0
        show_stacks()
        self.module.function(3)  # ends with its parent, and adopts orphans
        shared, state = shared_state(), process_state()
        try:
            for name in names:
                importlib.import_module(name)
            end_own_threads()
            good = process_state() == state and not uses_more_than_memory(shared)
        except BaseException:
            good = False
        if not good:
            self.module.end_children([])
            os._exit(1)
        self.names = names
        self.remember_files()
        self.wait_only()
        os.write(answers, b"1")
        while os.read(asked, 1):
            status, stale = self.fork_job()
            if self.is_forked:
                os.close(asked)
                os.close(answers)
                return
            os.write(answers, b"%d %d" % (status, stale))
        os._exit(0)

    def ask(self, names):
        """As fork_job(), of the process that has imported these modules."""
        self.child, asks, answer = self.forkers[names]
        os.write(asks, b"1")
        said = os.read(answer, 64).split()
        status, stale = map(int, said) if said else (os.waitpid(self.child, 0)[1], 0)
        self.child = 0
        return status, bool(stale) or self.module.is_stale()

    def hands_over(self, settings):
        """Whether a process that has imported what these settings name is to measure them."""
        names = named_imports(self.function, settings) if self.is_forked else ()
        if names == self.names or (names in self.forkers and not self.names):
            return False  # the second: such a process cannot be forked, and this one has imported nothing
        self.next = names
        return True

    def end_measuring(self):
        if not self.is_forked:
            self.start_again()
        said = b"1" if self.next is None else HANDS_OVER + os.fsencode(" ".join(self.next))
        os.pwrite(self.done, said, 0)

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
        self.module.end_children([])
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
    status = module.run(found, words, renewal and renewal.hands_over)
    sys.stdout.flush()
    sys.stderr.flush()
    if status == RENEWS:
        renewal.end_measuring()
    # What Python does at its end (atexit, taking modules apart) is left out: libraries crash or hang there.
    os._exit(status)


if __name__ == "__main__":
    main()
