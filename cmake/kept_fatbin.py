#!/usr/bin/env python3
"""nvcc, unless what it would make is kept (kept.py): kept_fatbin.py OUTPUT DEPFILE NVCC ARGUMENT... SOURCE

Every path among the arguments is absolute: the folder in which it runs makes no difference. What nvcc says
is not kept; its warnings are errors.
"""
import glob
import os
import shutil
import subprocess
import sys

import kept


def programs(nvcc):
    """All tools that take part: nvcc's own, and the compiler of the host, which reads the headers."""
    here = os.path.dirname(os.path.realpath(nvcc))
    own = [*glob.glob(f"{here}/*"), *glob.glob(f"{here}/../nvvm/**", recursive=True)]
    host = shutil.which("gcc") or nvcc
    parts = [subprocess.run([host, f"-print-prog-name={name}"], capture_output=True, text=True,
                            check=False).stdout.strip() for name in ("cc1plus", "cc1")]
    return kept.stated(host, *filter(os.path.isfile, [*own, *parts]))


def rule(*files):
    """A make rule: the first file depends on the others."""
    output, *read = (file.replace("$", "$$").replace(" ", "\\ ") for file in files)
    return f"{output}: " + " \\\n  ".join(read) + "\n"


def compiled(output, depfile, words):
    where = kept.store()
    if where is None or os.environ.get("NVCC_CCBIN"):
        return subprocess.run(words, check=False).returncode
    nvcc = shutil.which(words[0]) or words[0]
    folders = [os.path.join(os.path.dirname(os.path.realpath(nvcc)), "..", "targets")]
    # Their names do not change their content.
    flags = ["<output>" if word == output else "<depfile>" if word == depfile else word for word in words]
    runs = kept.Runs(where, kept.Tree(folders), words[-1], programs(nvcc), flags)
    run = runs.same()
    made = run and where.get(run["result"])
    if made:
        with open(output, "wb") as file:
            file.write(made)
        with open(depfile, "w", encoding="utf-8") as file:
            file.write(rule(output, *(kept.found(path) for path, _ in run["read"])))
        return 0
    status = subprocess.run(words, check=False).returncode
    if status == 0:
        with open(output, "rb") as file:
            runs.add(kept.read_by(depfile), file.read())
    return status


if __name__ == "__main__":
    sys.exit(compiled(sys.argv[1], sys.argv[2], sys.argv[3:]))
