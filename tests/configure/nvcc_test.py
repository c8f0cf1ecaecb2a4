"""Where there is no nvcc that will do: AUTO builds all but the pack, ON says what to do. cmake/cuda.cmake"""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(looks_for_nvcc NONE)
include(cuda)
ks_find_nvcc(found)
message(STATUS "found: ${found}")
"""


class Nvcc(unittest.TestCase):
    def configure(self, choice, nvcc):
        """What CMake says where `nvcc` is the shell script that CUDACXX names, and its status."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("CMakeLists.txt", PROJECT), ("nvcc", f"#!/bin/sh\n{nvcc}\n")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            compiler = os.path.join(folder, "nvcc")
            os.chmod(compiler, 0o755)
            done = subprocess.run(
                ["cmake", "-G", "Ninja", "-S", folder, "-B", os.path.join(folder, "build"),
                 f"-DKERNSWEEP_CUDA={choice}",
                 f"-DCMAKE_MODULE_PATH={os.path.join(ROOT, 'cmake')}", "-DKERNSWEEP_SANITIZE="],
                env={**os.environ, "CUDACXX": compiler}, capture_output=True, text=True, check=False)
            return " ".join((done.stdout + done.stderr).split()), done.returncode

    OLD = "echo 'Cuda compilation tools, release 11.8, V11.8.89'"

    def test_one_that_is_too_old_is_as_none(self):
        said, status = self.configure("AUTO", self.OLD)
        self.assertEqual(0, status, said)
        self.assertRegex(said, r"CUDA pack: not built \(\S+/nvcc is 11.8, older than 12.0\)")
        self.assertIn("found: FALSE", said)

    def test_one_that_cannot_say_its_version_is_none_either(self):
        said, status = self.configure("AUTO", "exit 1")
        self.assertEqual(0, status, said)
        self.assertIn("found: FALSE", said)

    def test_who_insists_is_told_what_to_do(self):
        said, status = self.configure("ON", self.OLD)
        self.assertNotEqual(0, status)
        self.assertRegex(said, r"KERNSWEEP_CUDA is ON, but: \S+/nvcc is 11.8, older than 12.0. Install the "
                               r"CUDA Toolkit 12.0 or later, name its nvcc in CUDACXX, or configure with "
                               r"-DKERNSWEEP_CUDA=OFF")

    def test_who_does_not_want_it_is_not_asked(self):
        said, status = self.configure("OFF", self.OLD)
        self.assertEqual(0, status, said)
        self.assertIn("CUDA pack: not built (KERNSWEEP_CUDA is OFF) -- found: FALSE", said)


if __name__ == "__main__":
    unittest.main()
