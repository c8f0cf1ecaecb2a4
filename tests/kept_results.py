"""Results of GoogleTest programs, kept by all that a program can see: the same bytes need not pass twice.

ks_needs (cmake/rooms.cmake) says what a program opens and reads. It runs in a mount namespace that has no
other file of ours and an empty /usr/local, so a file that is not named makes it fail. Files of Debian
packages are compared by package version. Where the tree lies does not count: a program that depends on it
has the path in its bytes. A result is kept where all tests passed, or were skipped for what the processor or
the build cannot do, which the key has; where cmake/kept.py keeps things. Without root, and for a tree among
the system's folders, nothing is.
"""
import ctypes
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CMAKE = os.path.join(os.path.dirname(HERE), "cmake")
sys.path.insert(0, CMAKE)
import kept as contents  # noqa: E402

SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc", "/proc", "/dev", "/sys")
WRITABLE = ("/proc", "/dev", "/sys")
LOCAL, ALTERNATIVES = "/usr/local", "/etc/alternatives"  # what no package has the version of
PASSED_ON = re.compile(r"GTEST_|KERNSWEEP_(?!KEPT|RESULTS)|\w+SAN_OPTIONS$|LANG$|LC_|QEMU_|LD_LIBRARY_PATH$")
REASONS = os.path.join(os.path.dirname(HERE), ".ci", "cannot_here.txt")
OF_PROCESSOR = "# What the processor"
RUNNER = ("run_program.py", "selection.py", "kept_results.py", "sanitizers")
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC = 1, 32, 4096, 16384


class Kept:
    """The place of one program's result: `found()`, or run `command` in `environment` and `keep()`."""

    def __init__(self, store, needs, command, environment):
        self.store, self.needs = store, needs
        self.words = [os.path.abspath(shutil.which(command[0]) or command[0]), *command[1:]]
        self.environment = {name: value for name, value in environment.items() if PASSED_ON.match(name)}
        self.environment.update(PATH="/usr/bin:/bin:/usr/sbin:/sbin", HOME="/tmp")
        self.key, visible = self.look()
        self.root = tempfile.TemporaryDirectory()  # the new root is mounted on it
        self.command = [shutil.which("unshare"), "--mount", "--propagation", "private", sys.executable, "-B",
                        os.path.abspath(__file__), self.root.name, os.getcwd(), *visible, "--", *self.words]

    def look(self):
        """(the key of what is there now, the paths that the program sees)"""
        programs = [word for word in self.words if word.startswith("/")]
        opened, read, trusted = read_needs(self.needs)
        read += [os.path.join(HERE, name) for name in RUNNER] + [os.path.join(CMAKE, "kept.py")]
        files = {os.path.realpath(path) for path in [*programs, *opened]}
        # By the name that the program uses, and by that to which it leads.
        seen = sorted({*files, *libraries_of(files), *programs, *opened, *read}, key=contents.placed)
        trees = [[name, *outside(name)] for path in trusted for name in files_in(path)]
        words = [self.words, sorted(self.environment.items()), machine(), trees, seen]
        return digest(seen, words), [*seen, *trusted]

    def found(self):
        data = self.store.get(self.key)
        return json.loads(data) if data is not None else None

    def keep(self, result):
        """Nothing is kept where a test was skipped for another reason than the processor, or where a file
        has changed since the program began."""
        may_repeat = all(is_of_processor(why) for _, why in result["skipped"])
        if may_repeat and self.look()[0] == self.key:
            self.store.put(self.key, json.dumps(result).encode())


def is_of_processor(why):
    """Whether a test that was skipped for this reason would be skipped again on an equal processor."""
    with open(REASONS, encoding="utf-8") as file:
        lines = file.read().splitlines()
    patterns = lines[next(at for at, line in enumerate(lines) if line.startswith(OF_PROCESSOR)):]
    return any(re.search(line, why) for line in patterns if line and not line.startswith("#"))


def kept(needs, command, environment):
    """The Kept of this program, or None where nothing can be kept."""
    if not needs or "KERNSWEEP_WRITE_GOLDEN" in environment or not all(map(is_ours, places(needs))):
        return None
    store = contents.store()
    return Kept(store, needs, command, environment) if store and can_hide() else None


def places(needs):
    """A path in the tree of the sources and one in that of the build, and where links lead them."""
    named = [HERE, os.path.abspath(needs)]
    return [*named, *map(os.path.realpath, named)]


def can_hide():
    """Whether a program can be run where only some files exist."""
    trial = ["unshare", "--mount", "--propagation", "private", "true"]
    return (os.geteuid() == 0 and shutil.which("unshare") is not None and
            subprocess.run(trial, capture_output=True, check=False).returncode == 0)


def read_needs(path):
    """From lines `opens PATH`, `reads PATH`, and `trusts PATH` for a large tree that counts by the sizes and
    times of its files."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split(maxsplit=1) for line in file.read().splitlines() if line]
    return [[path for kind, path in lines if kind == wanted] for wanted in ("opens", "reads", "trusts")]


def is_ours(path):
    return path.startswith("/") and (path.startswith(LOCAL + "/") or
                                     not path.startswith(tuple(folder + "/" for folder in SYSTEM)))


def libraries_of(files):
    """Ours of the shared objects that these need, by ldd; one that is for another processor has none."""
    found = set()
    for path in files:
        said = subprocess.run(["ldd", path], capture_output=True, text=True, errors="replace",
                              check=False).stdout
        found |= set(filter(is_ours, re.findall(r"(?m)(?:=> |^\s*)(/\S+) \(0x", said)))
    return found | {os.path.realpath(path) for path in found}


def digest(paths, words):
    """Of words, and of the names and bytes of files and of all that is in folders."""
    whole = hashlib.sha256(contents.placed(json.dumps(words)).encode())
    for path in paths:
        for name in files_in(path):
            whole.update(f"\0{contents.placed(name)}\0".encode())
            if os.path.islink(name):
                whole.update(contents.placed(os.readlink(name)).encode())
            elif os.path.exists(name):
                with open(name, "rb") as file:
                    whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def files_in(path):
    if not os.path.isdir(path) or os.path.islink(path):
        return [path]
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)


def outside(path):
    """What counts of a file that is trusted: its size and time, or where a link leads."""
    return [os.readlink(path)] if os.path.islink(path) else os.lstat(path)[6:9:2]


def machine():
    """The processor, the kernel, and what Debian installed and a person chose of it, libc among it."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        processor = sorted({line for line in file if re.match(r"model name|flags|CPU|Features", line)})
    packages = subprocess.run(["dpkg-query", "-W"], capture_output=True, text=True, check=False).stdout
    links = filter(os.path.islink, glob.glob(f"{ALTERNATIVES}/*"))
    chosen = sorted((name, os.readlink(name)) for name in links)
    return [*processor, os.uname().release, str(os.cpu_count()), packages, chosen]


def mount(source, target, kind, flags):
    if ctypes.CDLL(None, use_errno=True).mount(source.encode(), target.encode(), kind, flags, None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def show(root, path, writable):
    """The same path below `root`; a link stays one."""
    target = root + path
    if os.path.lexists(target):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(path):
        os.mkdir(target)
    else:
        open(target, "w", encoding="utf-8").close()
    mount(path, target, None, MS_BIND | MS_REC)
    if not writable:
        mount(path, target, None, MS_BIND | MS_REMOUNT | MS_RDONLY)


def become(root, folder, *words):
    """In a mount namespace of its own: hides all but the system and these paths, and becomes the command."""
    at = words.index("--")
    mount("none", root, b"tmpfs", 0)
    for path in filter(os.path.lexists, SYSTEM):
        show(root, path, path in WRITABLE)
    if os.path.isdir(root + LOCAL) and not os.path.islink(root + LOCAL):
        mount("none", root + LOCAL, b"tmpfs", 0)
    # A folder is shown before what lies in it, which then is there.
    for path in sorted(filter(os.path.lexists, words[:at])):
        show(root, path, False)
    os.makedirs(root + "/tmp", mode=0o1777, exist_ok=True)
    os.makedirs(root + "/var/tmp", mode=0o1777, exist_ok=True)
    os.makedirs(root + folder, exist_ok=True)
    os.chroot(root)
    os.chdir(folder)
    os.execv(words[at + 1], words[at + 1:])


if __name__ == "__main__":
    become(*sys.argv[1:])
