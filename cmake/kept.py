"""Keeps the output of a tool by the content of its sources, in a folder next to ccache's cache: for every
checkout and build folder.

A first key names the tool, its flags and one source. Under it are the runs seen so far: each has the files
that the tool read, with their digests, and a result. Where the same bytes would be read again, the result
is taken, as in ccache's direct mode. A run is also bound to the names that an #include could find instead:
a new file is a miss where a file of its name was read, or asked for by __has_include. Not seen: a macro
that names the file of __has_include, __DATE__ and __TIME__.

The folder is $KERNSWEEP_KEPT, otherwise `kernsweep` in ccache's own, where ccache does not look. Nothing is
kept where $KERNSWEEP_KEPT is empty, where CCACHE_DISABLE is set, or without ccache. With CCACHE_RECACHE
nothing is taken, and all is kept again.
"""
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "")
TOP = re.compile(re.escape(ROOT) + r"(?![^/=:;,\s\"'])")  # the tree's own path, but no longer name
ASKED = re.compile(rb"__has_include(?:_next)?\s*\(\s*[<\"]([^>\"\n]+)")
ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
SYSTEM = ("/usr/include", "/usr/local/include", "/usr/lib/gcc")
RUNS_MAX = 12  # under one first key; the oldest are removed
UNUSED_S = 30 * 24 * 3600
BYTES_MAX = 2 << 30
TRIM_EVERY_S = 24 * 3600
CLOCK_S = 0.02  # how much a file's clock may lag


def digest(data):
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def placed(text):
    """The same in every checkout."""
    return TOP.sub("<top>", text)


def found(text):
    return text.replace("<top>", ROOT)


def stated(*files):
    """Programs by size and time, as ccache identifies the compiler: each has many megabytes."""
    real = sorted({os.path.realpath(file) for file in files})
    return [(os.path.basename(file), os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in real]


def read_by(depfile):
    """The files that a make rule, as compilers write it, lists after its target."""
    with open(depfile, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ")
    names = re.findall(r"(?:\\.|[^\s\\])+", text.split(": ", 1)[1])
    return [re.sub(r"\\(.)", r"\1", name).replace("$$", "$") for name in names]


class Store:
    """Bytes by key, each in a file of its own that starts with their digest. Several may use it at once."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, key):
        return os.path.join(self.folder, key[:2], key[2:])

    def get(self, key):
        """None if there is nothing, or the entry is damaged."""
        if os.environ.get("CCACHE_RECACHE"):
            return None
        try:
            with open(self.path(key), "rb") as file:
                data = file.read()
        except OSError:
            return None
        with contextlib.suppress(OSError):  # another user's file
            os.utime(self.path(key))
        return data[32:] if data[:32] == digest(data[32:]).encode() else None

    def put(self, key, data):
        folder = os.path.dirname(self.path(key))
        try:
            os.makedirs(folder, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                file.write(digest(data).encode() + data)
            os.replace(file.name, self.path(key))
            self.trim()
        except OSError:  # a full disk, or another user's folder: the result still exists
            pass

    def trim(self):
        """Once a day: removes what was not used for long, then the least recently used files beyond the
        budget."""
        stamp, now = os.path.join(self.folder, "trimmed"), time.time()
        if os.path.exists(stamp) and now - os.stat(stamp).st_mtime < TRIM_EVERY_S:
            return
        with open(stamp, "wb"):
            os.utime(stamp)
        entries, kept = [], 0
        for folder, _, names in os.walk(self.folder):
            for path in (os.path.join(folder, name) for name in names):
                with contextlib.suppress(FileNotFoundError):  # another program has just removed it
                    if path != stamp:
                        state = os.stat(path)
                        entries.append((state.st_mtime, state.st_size, path))
        for used, size, path in sorted(entries, reverse=True):
            kept += size
            if now - used > UNUSED_S or kept > BYTES_MAX:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def store():
    """The store of this user; None if nothing is kept."""
    folder = os.environ.get("KERNSWEEP_KEPT")
    if folder is None and not os.environ.get("CCACHE_DISABLE") and shutil.which("ccache"):
        cache = subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True,
                               check=False)
        folder = os.path.join(cache.stdout.strip(), "kernsweep") if cache.returncode == 0 else None
    return Store(folder) if folder else None


class Tree:
    """The files that compilers may read, at one moment: their names, and their bytes on request."""

    def __init__(self, folders):
        time.sleep(CLOCK_S)  # a file that was made just before counts as older, too
        self.began = time.time() - CLOCK_S
        self.digests = {}
        self.names = {}
        self.walk(ROOT, skipped={os.path.join(ROOT, "build"), os.path.join(ROOT, ".git")})
        for folder in sorted({os.path.normpath(folder) for folder in (*SYSTEM, *folders)} - {ROOT}):
            self.walk(folder)

    def walk(self, top, skipped=()):
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if os.path.join(folder, name) not in skipped]
            for name in names:
                self.names.setdefault(name, set()).add(placed(os.path.join(folder, name)))

    def digest(self, path):
        """None if it cannot be read. What CMake generates names sources by the tree's own path, which is
        replaced, so that it is the same in every checkout."""
        if path not in self.digests:
            try:
                with open(path, "rb") as file:
                    data = file.read()
                if path.startswith(BUILD):
                    data = placed(data.decode("latin-1")).encode("latin-1")
                self.digests[path] = digest(data)
            except OSError:
                self.digests[path] = None
        return self.digests[path]

    def alike(self, names):
        """A digest of where files with these names are."""
        return digest(json.dumps([sorted(self.names.get(name, ())) for name in sorted(names)]).encode())


class Runs:
    """The runs of one tool on one source: what it read, and the key of what it made. `tool` and `flags` are
    all else that it depends on."""

    def __init__(self, where, tree, source, tool, flags):
        environment = [os.environ.get(name) for name in ENVIRONMENT]
        self.store, self.tree, self.source = where, tree, source
        self.key = digest(placed(json.dumps([1, environment, source, tool, flags])).encode())

    def seen(self):
        data = self.store.get(self.key)
        return json.loads(data) if data else []

    def same(self):
        """The one that read what is there now, or None."""
        for run in self.seen():
            if (all(self.tree.digest(found(path)) == then for path, then in run["read"])
                    and self.alike(run["read"], run["asked"]) == run["alike"]):
                return run
        return None

    def alike(self, read, asked):
        searched = {os.path.basename(path) for path, _ in read if path != placed(self.source)}
        return self.tree.alike(searched | set(asked))

    def add(self, files, result=None):
        """Keeps a run, unless a file is newer than the tree: then it is unknown which bytes it read."""
        read, asked = [], set()
        for path in sorted(set(files)):
            state = os.stat(path)
            if max(state.st_mtime, state.st_ctime) >= self.tree.began:
                return
            with open(path, "rb") as file:
                asked.update(os.path.basename(os.fsdecode(name)) for name in ASKED.findall(file.read()))
            read.append((placed(path), self.tree.digest(path)))
        run = {"read": read, "asked": sorted(asked), "alike": self.alike(read, asked), "result": None}
        if result is not None:
            run["result"] = digest(self.key.encode() + json.dumps(run).encode())
            self.store.put(run["result"], result)
        self.store.put(self.key, json.dumps([run, *self.seen()][:RUNS_MAX]).encode())
