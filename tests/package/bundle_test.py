#!/usr/bin/env python3
"""What the .tar.gz promises: bundle_test.py PACKAGE.tar.gz. Unpacked into a folder with a blank in its name,
it runs on a system that has glibc, a shell and the usual tools, and no library of ours."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from command import run

SIZE_MAX = 60 << 20
HERE = "else where"
# The system that another machine may be expected to be, at the least.
TOOLS = ("sh basename cat date dirname env getconf grep head ls mkdir mv nproc readlink rm sed sort tail "
         "timeout tr uname").split()
GLIBC = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util))\.so\.\d+")
SWEEP = """# Do all libraries that come along compute?
sweep: 1
name: along
kernel: gemm
axes:
  variant: [blocked, blas, onednn]
  dtype: [f32, s8]
  m: 64
  n: 64
  k: 64
  threads: [1, 2]
  blas.library: {values: [libopenblas.so.0, libblis.so.4], when: 'variant == "blas"'}
constraints: ['dtype == "f32" or variant == "onednn"', 'threads == 1 or variant == "onednn"']
requires: [threads <= host.cores]
measure: {processes: 1, warmup: {min_time: 0ms, max_time: 1ms}, samples: {min: 2, max: 3, min_time: 0ms}}
"""


class Unpacked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bare = os.path.realpath(tempfile.mkdtemp(prefix="kernsweep-bundle-"))
        cls.addClassCleanup(shutil.rmtree, cls.bare)
        cls.root = os.path.join(cls.bare, HERE)
        os.mkdir(cls.root)
        run(["tar", "-xzf", PACKAGE, "-C", cls.root, "--strip-components=1"])
        cls.libraries = os.path.join(cls.root, "lib", "kernsweep")
        cls.slot = os.path.join(cls.root, "libexec", "kernsweep", "kernsweep-slot")
        cls.pack = os.path.join(cls.libraries, "packs", "gemm.so")

    def runtime(self, variant, *more, **environment):
        """What the library says of itself, with what the loader says."""
        words = [self.slot, "--runtime", self.pack, "gemm", variant, "dtype=f32", "m=8", "n=8", "k=8", *more]
        return run(words, env={"PATH": os.environ["PATH"], **environment})


class Package(Unpacked):
    def test_is_small_enough_to_be_copied_to_a_machine(self):
        self.assertLess(os.path.getsize(PACKAGE), SIZE_MAX)

    def test_has_the_terms_of_what_it_brings(self):
        terms = os.listdir(os.path.join(self.root, "share", "doc", "kernsweep", "licenses"))
        for name in ("libzmq5", "libdnnl2", "libopenblas0-pthread", "libstdc++6", "common-licenses"):
            self.assertIn(name, terms)
        self.assertGreater(len(terms), len(glob.glob(self.libraries + "/*.so.*")))

    def test_has_the_package_for_any_python(self):
        path = os.path.join(self.root, "share", "kernsweep", "python")
        said = run([sys.executable, "-B", "-c", "import kernsweep.engines as e; print(e.__file__)"],
                   env={**os.environ, "PYTHONPATH": path})
        self.assertEqual(os.path.join(path, "kernsweep", "engines", "__init__.py"), said.strip())

    def test_brings_no_part_of_glibc(self):
        brought = [os.path.basename(path) for path in glob.glob(self.libraries + "/*.so*")]
        self.assertIn("libzmq.so.5", brought)
        self.assertEqual([], [name for name in brought if GLIBC.fullmatch(name)])

    def test_loads_nothing_else_from_the_system_that_has_it_too(self):
        for question in (["onednn"], ["blas", "blas.library=libopenblas.so.0"],
                         ["blas", "blas.library=libblis.so.4"]):
            said = self.runtime(*question, LD_DEBUG="files")
            loaded = re.findall(r"calling init: (.*)", said)
            self.assertIn(self.pack, {os.path.realpath(path) for path in loaded}, said[-2000:])
            others = [path for path in loaded if not os.path.realpath(path).startswith(self.root)]
            self.assertEqual([], [path for path in others if not GLIBC.fullmatch(os.path.basename(path))])

    def test_is_not_misled_by_a_library_path_but_lets_it_choose_the_blas(self):
        path = tempfile.mkdtemp(dir=self.bare)
        for name in ("libzmq.so.5", "libstdc++.so.6", "libfmt.so.9"):
            open(os.path.join(path, name), "wb").close()  # the loader would complain
        shutil.copy(os.path.join(self.libraries, "libblis.so.4"), os.path.join(path, "libopenblas.so.0"))
        self.assertIn("BLIS", self.runtime("blas", "blas.library=libopenblas.so.0", LD_LIBRARY_PATH=path))
        run([os.path.join(self.root, "bin", "kernsweep"), "kernels", "noop"], env={"LD_LIBRARY_PATH": path})

    def test_takes_the_systems_cpp_library_when_its_own_is_removed(self):
        for name in ("libstdc++.so.6", "libgcc_s.so.1"):
            path = os.path.join(self.libraries, name)
            self.addCleanup(os.rename, path + ".away", path)
            os.rename(path, path + ".away")
        self.assertIn("oneDNN", self.runtime("onednn"))


class OwnPack(Unpacked):
    @unittest.skipUnless(shutil.which("cmake") and shutil.which("c++"), "cmake or a compiler is missing")
    def test_is_built_and_tried_by_what_new_pack_prints(self):
        folder = tempfile.mkdtemp(dir=self.bare)
        program = os.path.join(self.root, "bin", "kernsweep")
        lines = run([program, "new-pack", "scale"], cwd=folder).splitlines()
        enter, build, attempt, sweep = lines[lines.index("") + 2:]
        said = run(["bash", "-euc", f"{enter}\n{build}\n{attempt} --quick\n{sweep} --quick"], cwd=folder)
        self.assertRegex(said, r"(?m)^loop +ok ")
        with open(os.path.join(folder, "scale", "build", "CMakeCache.txt"), encoding="utf-8") as file:
            found = re.search(r"(?m)^Kernsweep_DIR:PATH=(.*)$", file.read())[1]
        self.assertEqual(os.path.join(self.root, "lib", "cmake", "Kernsweep"), found)


class BareSystem(Unpacked):
    """A root folder of its own: the loader finds there only what the package brings, and glibc."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tried = subprocess.run(["unshare", *cls.spaces(), "true"], stderr=subprocess.DEVNULL, check=False)
        if tried.returncode != 0:
            raise unittest.SkipTest("this system gives nobody a mount namespace")
        brought = set(os.listdir(cls.libraries))
        for tool in TOOLS:
            cls.copy(shutil.which(tool), "/bin/" + tool)
            for path in re.findall(r"(/\S+) \(0x", run(["ldd", shutil.which(tool)])):
                assert os.path.basename(path) not in brought, path
                cls.copy(path, path)
        for name in ("proc", "sys", "dev", "tmp", "etc"):
            os.makedirs(cls.bare + "/" + name, exist_ok=True)
        # glibc is whole everywhere, so what tools do not need of it is there, too.
        folder = os.path.dirname(re.search(r"(/\S+/libc\.so\.6)", run(["ldd", shutil.which("ls")]))[1])
        for name in os.listdir(folder):
            if GLIBC.fullmatch(name):
                cls.copy(os.path.join(folder, name), os.path.join(folder, name))

    @staticmethod
    def spaces():
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return [*user, "--mount", "--pid", "--fork", "--kill-child"]

    @classmethod
    def copy(cls, path, to):
        os.makedirs(os.path.dirname(cls.bare + to), exist_ok=True)
        shutil.copy(path, cls.bare + to)

    def inside(self, script, status=0):
        enter = ("mount --make-rprivate /; mount -t proc proc \"$0/proc\"; mount --rbind /sys \"$0/sys\"; "
                 "mount --rbind /dev \"$0/dev\"; "
                 "exec chroot \"$0\" /bin/env -i PATH=/bin HOME=/tmp TMPDIR=/tmp /bin/sh -euc \"$1\"")
        script = f"cd '/{HERE}'; {script}"
        return run(["unshare", *self.spaces(), "sh", "-euc", enter, self.bare, script], status)

    def test_measures_with_every_library_that_comes_along(self):
        with open(os.path.join(self.root, "along.yaml"), "w", encoding="utf-8") as file:
            file.write(SWEEP)
        self.inside("bin/kernsweep run along.yaml --db /tmp/along.db")
        rows = json.loads(self.inside("bin/kernsweep sql /tmp/along.db --json \"select r.variant, r.status, "
                                      "s.runtime from results r join result s using (result)\""))
        self.assertEqual({"ok"}, {row["status"] for row in rows})
        runtimes = {row["runtime"].split()[0]: row["runtime"] for row in rows if row["variant"] != "blocked"}
        self.assertEqual({"OpenBLAS", "BLIS", "oneDNN"}, set(runtimes))
        self.assertIn(f"file=/{HERE}/lib/kernsweep/libopenblas.so.0", runtimes["OpenBLAS"])
        # The page of reports comes along, with its chart library.
        self.inside("bin/kernsweep report /tmp/along.db -o /tmp/r.html; grep -q d3-scale /tmp/r.html")

    def test_knows_the_example_sweep_and_every_family_but_pythons(self):
        self.inside("bin/kernsweep check share/kernsweep/sweeps/first_look.yaml")
        kernels = self.inside("bin/kernsweep kernels")
        for family in ("attention", "command", "conv2d", "gather", "gemm", "linear", "noop",
                       "process_transfer", "softmax", "spmm", "stream"):
            self.assertRegex(kernels, f"(?m)^{family} ")
        if os.path.exists(os.path.join(self.libraries, "packs", "python.so")):
            self.assertRegex(kernels, r"(?m)^broken pack: .*/python\.so: there is no python3 in \$PATH")

    def test_finds_the_libraries_for_the_doctor(self):
        self.inside("bin/kernsweep doctor --json > /tmp/doctor || [ $? = 1 ]")
        with open(self.bare + "/tmp/doctor", encoding="utf-8") as file:
            found = json.load(file)
        said = [each["found"] for each in found if each["id"] == "library.blas"]
        self.assertTrue([text for text in said if text.startswith("libopenblas.so.0: OpenBLAS")], said)

    def test_has_tests_that_find_its_packs(self):
        tests = glob.glob(self.root + "/libexec/kernsweep/tests/*_gpu")
        if not tests:
            self.skipTest("this package has none: it was made without CUDA or without tests")
        for test in tests:
            said = self.inside(f"libexec/kernsweep/tests/{os.path.basename(test)}")
            self.assertRegex(said, r"\[  PASSED  \] [1-9]")

    def test_is_checked_without_a_gpu_too(self):
        said = self.inside("bin/kernsweep-check-gpu /tmp/checked", status=3)
        self.assertIn("No GPU", said)
        with open(self.bare + "/tmp/checked/summary.md", encoding="utf-8") as file:
            self.assertIn("NO GPU that CUDA can use", file.read())


if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.path.isfile(sys.argv[1]):
        sys.exit("bundle_test.py PACKAGE.tar.gz [unittest's options]")
    PACKAGE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
