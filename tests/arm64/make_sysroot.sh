#!/usr/bin/env bash
# Makes a folder with what Debian has for arm64 of the libraries that Kernsweep needs, to compile and link
# against and to run under qemu. Needs no root: the packages are unpacked, nothing is installed.
#   tests/arm64/make_sysroot.sh FOLDER
# A FOLDER that has all of them already is left as it is. The mirror is this machine's own.
set -euo pipefail

sysroot=$(mkdir -p -- "${1:?a folder}" && cd -- "$1" && pwd)
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/cmake/bootstrap.sh"

# From the one list the packages for linking, not the tools; and the C and C++ libraries.
mapfile -t wanted < <(packages_of build run test | grep -E '^lib|-dev$' | grep -vE '^python3$' | sort -u)
wanted+=(libc6-dev libstdc++-12-dev)
[[ "$(cat "$sysroot/.packages" 2> /dev/null)" != "${wanted[*]}" ]] || exit 0

work=$sysroot/.apt
rm -rf "$work"
mkdir -p "$work"/{lists/partial,archives/partial}
: > "$work/status"  # nothing is there yet, so all that is depended on is fetched too
cat > "$work/apt.conf" << END
#clear APT::Architectures;
APT::Architectures { "arm64"; };
APT::Architecture "arm64";
Dir::State "$work";
Dir::State::status "$work/status";
Dir::State::lists "$work/lists";
Dir::Cache "$work";
Dir::Cache::archives "$work/archives";
END
export APT_CONFIG=$work/apt.conf
apt-get -qq update
apt-get -qq -y --no-install-recommends --download-only install "${wanted[@]}"

# As on a current Debian, /lib is /usr/lib.
mkdir -p "$sysroot/usr"/{lib,bin,sbin}
for name in lib bin sbin; do ln -sfn "usr/$name" "$sysroot/$name"; done
for package in "$work"/archives/*.deb; do
  # A package need not have each of the three.
  dpkg-deb --fsys-tarfile "$package" |
    tar -x --keep-directory-symlink -C "$sysroot" ./usr ./lib ./etc 2> /dev/null || true
done
# A link to /lib/x is one to a file of this machine until it is made relative to the folder.
find "$sysroot/usr/lib" -type l -lname '/*' -printf '%p\t%l\n' |
  while IFS=$'\t' read -r link to; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot$to")" "$link"
  done
rm -rf "$work"
printf '%s' "${wanted[*]}" > "$sysroot/.packages"
touch -d @0 "$sysroot/.packages"  # the same folder at any time: results are kept by times of files
