#!/usr/bin/env bash
# Makes the wheel for other machines: deploy/make_wheel.sh FOLDER [PIP-OPTION...]. `pip wheel .` alone makes
# a wheel for this machine, tagged linux_x86_64, which pip would install on any Linux; here auditwheel finds
# the glibc that its files need, and that becomes the tag. Needs python3 with venv, PyPI, and what a build
# needs (cmake/packages.txt).
set -euo pipefail

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?deploy/make_wheel.sh FOLDER}
shift
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Same options as ./kernsweep, so that both use one compiler cache.
export CXX=${CXX:-c++} CC=${CC:-cc} CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install auditwheel wheel
"$work/venv/bin/pip" -q wheel --no-deps -w "$work/made" "$@" "$top"
wheel=$(echo "$work"/made/*.whl)
# The libraries are next to its programs, so auditwheel finds only glibc as a dependency.
needed=$("$work/venv/bin/auditwheel" show "$wheel" 2> /dev/null | grep -oE 'GLIBC_2\.[0-9]+' |
  sort -Vu | tail -n 1)
[[ -n $needed ]] || { echo 'make_wheel: auditwheel names no version of glibc' >&2; exit 1; }
tag=manylinux_2_${needed#GLIBC_2.}_$(uname -m)
(cd "$work/made" && "$work/venv/bin/python" -m wheel tags --remove --platform-tag "$tag" "${wheel##*/}")
mv "$work"/made/*.whl "$folder"
