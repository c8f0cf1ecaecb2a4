#!/usr/bin/env bash
# Proves that a bare Debian 12 needs nothing but our two commands. As root, with debootstrap installed:
#   tests/fresh/fresh_debian.sh [--worktree] [--keep] [--root FOLDER] [--package FILE.deb] [COMMAND...]
# Makes a minimal root in a folder, copies HEAD into it (--worktree: what is on disk and not ignored), and
# runs there `./kernsweep run sweeps/first_look.yaml` and `./test`, or the COMMANDs given, one after the
# other. With --package it installs that .deb and asks it for its kernels instead. --keep leaves the root,
# and --root uses one that is there already. The mirror is this machine's own, or $KERNSWEEP_MIRROR. Mounts
# live in a namespace of their own, so that none is left, whatever ends this script. It is no part of CI.
set -euo pipefail

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
stop() { printf 'fresh_debian: %s\n' "$*" >&2; exit 125; }

keep= worktree= bare= package= commands=()
while (( $# )); do
  case $1 in
    --keep) keep=yes ;;
    --worktree) worktree=yes ;;
    --root) bare=${2:?--root needs a folder} keep=yes; shift ;;
    --package) package=$(readlink -e -- "${2:?--package needs a file}"); shift ;;
    --*) stop "unknown option $1; the head of this file lists them" ;;
    *) commands+=("$1") ;;
  esac
  shift
done
(( EUID == 0 )) || stop "needs root, for chroot: sudo $0"
command -v debootstrap > /dev/null || stop "needs debootstrap: apt-get install debootstrap"

if [[ -z $bare ]]; then
  bare=$(mktemp -d "${TMPDIR:-/tmp}/kernsweep-fresh.XXXXXX")
  mirror=${KERNSWEEP_MIRROR:-$(
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
      awk '$1 == "bookworm" { print $2; exit }')}
  [[ -n $mirror ]] || stop "apt knows no mirror of bookworm; set KERNSWEEP_MIRROR"
  [[ -n $keep ]] || trap 'rm -rf --one-file-system "$bare"' EXIT
  began=$SECONDS
  debootstrap --variant=minbase bookworm "$bare" "$mirror" > "$bare.log" 2>&1 ||
    stop "debootstrap failed; see $bare.log"
  rm -f "$bare.log"
  rm -rf "$bare"/var/lib/apt/lists/*  # as in an image: the package lists are not there yet
  printf 'fresh_debian: bare root with %d packages in %d s\n' \
    "$(grep -c '^Package:' "$bare/var/lib/dpkg/status")" $((SECONDS - began))
fi
chmod 755 "$bare"  # mktemp shuts everybody else out, and some tests run as nobody
cp -L /etc/resolv.conf "$bare/etc/resolv.conf"

# inside COMMAND: runs it in the bare root as a login of root would, with nothing of our environment.
inside() {
  unshare --mount --pid --fork --kill-child bash -euc '
    bare=$1
    mount --make-rprivate /
    mount -t proc proc "$bare/proc"
    mount --rbind /sys "$bare/sys"
    mount --rbind /dev "$bare/dev"
    mount -t tmpfs tmpfs "$bare/tmp"
    exec chroot "$bare" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      ${http_proxy:+http_proxy="$http_proxy"} bash -c "$2"
  ' - "$bare" "$1"
}

if [[ -n $package ]]; then
  cp "$package" "$bare/srv/kernsweep.deb"
  commands=('apt-get -qq update'
            'apt-get -qq install -y --no-install-recommends ./kernsweep.deb > apt.log 2>&1'
            'kernsweep kernels')
  folder=/srv
else
  folder='/srv/a clone'
  mkdir -p "$bare$folder"
  if [[ -n $worktree ]]; then
    (cd "$top" && git ls-files -z --cached --others --exclude-standard |
      tar --null --ignore-failed-read -cT - 2> /dev/null) | tar -x -C "$bare$folder"
  else
    git -C "$top" archive HEAD | tar -x -C "$bare$folder"
  fi
  (( ${#commands[@]} )) || commands=('./kernsweep run sweeps/first_look.yaml' './test')
fi

failed=0
for command in "${commands[@]}"; do
  began=$SECONDS status=0
  inside "cd '$folder' && $command" < /dev/null || status=$?
  if (( status == 0 )); then verdict=PASS; else verdict=FAIL failed=1; fi
  printf 'fresh_debian: %s %s, status %d, %d s\n' "$verdict" "$command" "$status" $((SECONDS - began))
done
[[ -n $keep ]] && printf 'fresh_debian: kept %s\n' "$bare"
exit "$failed"
