"""kernsweep-slot in this Python: loads the module beside this file and hands it the words.

Run by the program kernsweep-slot (interpreter.hpp), with the path by which it found this Python and then its
own words. A Python that does not fit, however old, gives the words back to that program, with the reason in
KERNSWEEP_PYTHON_FLAW.
"""
import os
import sys


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
    faulthandler.register(signal.SIGQUIT, file=2, all_threads=True)
    import inspect  # by the pack; before a folder of the user's may have a module of the same name


def add_package(script):
    """The package `kernsweep` of this installation, for kernsweep.engines; a package that the user has comes
    first."""
    installation = os.path.dirname(os.path.dirname(os.path.dirname(script)))
    folder = os.path.join(installation, "share", "kernsweep", "python")
    if os.path.isdir(folder) and folder not in sys.path:
        sys.path.append(folder)


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
    status = module.run(found, words)
    sys.stdout.flush()
    sys.stderr.flush()
    # What Python does at its end (atexit, taking modules apart) is left out: libraries crash or hang there.
    os._exit(status)


if __name__ == "__main__":
    main()
