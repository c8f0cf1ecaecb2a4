#!/usr/bin/env bash
# Proves that a bare Debian 12 needs nothing but our two commands. As root, with debootstrap installed:
#   tests/fresh/fresh_debian.sh [--worktree] [--keep] [--root FOLDER] [--cache FOLDER] [--logs FOLDER]
#                               [--at FOLDER] [--suite NAME] [--see FOLDER]... [--take NAME]...
#                               [--package FILE] [COMMAND...]
# Makes a minimal root in a folder, copies HEAD into it (--worktree: what is on disk and not ignored), and
# runs there `./kernsweep run sweeps/first_look.yaml` and `./test`, or the COMMANDs given, one after the
# other. With --package it installs that .deb, or that .whl into an environment of Python's, and asks it for
# its kernels; the wheel runs the sweep that it brings along, too.
#   --keep   leaves the root behind; --root uses one that is there already
#   --cache  a compiler cache of this machine: what is compiled on one side need not be on the other
#   --at     where the copy lies in the root, "/srv/a clone" otherwise; the cache serves tests, which know
#            where they are built, only if they are built at the same place on both sides
#   --suite  another Debian than bookworm: trixie
#   --see    a folder of this machine that all commands but the first have too, read-only, at the same place
#   --take   what of the copy's folder `build` is moved into this tree's at the end; with --at it serves here
#   --logs   where the logs of the build and of ctest go at the end
# The mirror is this machine's own, or $KERNSWEEP_MIRROR; proxies and apt's settings for downloads are this
# machine's. Mounts live in a namespace of their own, so that none is left, whatever ends this script.
# Status: 0, 1 where a command failed, 77 where this machine lets nobody make such a root, 125 otherwise.
# .ci/run is a user of all that.
set -euo pipefail

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
stop() { printf 'fresh_debian: %s\n' "$*" >&2; exit 125; }
impossible() { printf 'fresh_debian: no bare root can be made here: %s\n' "$*" >&2; exit 77; }

keep= worktree= bare= suite=bookworm package= cache= logs= seen= taken=() folder='/srv/a clone' commands=()
while (( $# )); do
  case $1 in
    --keep) keep=yes ;;
    --worktree) worktree=yes ;;
    --root) bare=${2:?--root needs a folder} keep=yes; shift ;;
    --cache) cache=$(readlink -e -- "${2:?--cache needs a folder}") || stop "no folder $2"; shift ;;
    --suite) suite=${2:?--suite needs a name}; shift ;;
    --logs) logs=${2:?--logs needs a folder}; shift ;;
    --see) seen+=${2:?--see needs a folder}$'\n'; shift ;;
    --take) taken+=("${2:?--take needs a name}"); shift ;;
    --at) folder=${2:?--at needs a folder}; shift ;;
    --package) package=$(readlink -e -- "${2:?--package needs a file}") || stop "no file $2"; shift ;;
    --*) stop "unknown option $1; the head of this file lists them" ;;
    *) commands+=("$1") ;;
  esac
  shift
done
(( EUID == 0 )) || impossible "only root may chroot; sudo $0"
command -v debootstrap > /dev/null || impossible "debootstrap is missing; apt-get install debootstrap"
unshare --mount --pid --fork mount --make-rprivate / 2> /dev/null || impossible "unshare is refused"

# mirror_of_apt: the first place of Debian 12 in apt's sources that debootstrap can read.
mirror_of_apt() {
  apt-get indextargets --format '$(CODENAME) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    while read -r codename release place; do
      [[ $codename == bookworm || $release == bookworm ]] || continue  # a mirror has every suite
      # A file that lists mirrors, as Debian's images for clouds have it.
      [[ $place == mirror+file:* ]] && place=$(grep -m 1 -oE '^https?://[^[:space:]]+' "${place#*:}")
      [[ $place == http*://* ]] && { printf '%s\n' "$place"; break; }
    done
}

# settle_apt MIRROR: downloads in the root go as they do on this machine.
settle_apt() {
  local settings='^Acquire::((https?|ftp)::|(Check-Valid-Until|Check-Date|Retries|ForceIPv[46]) )'
  apt-config dump | grep -E "$settings" | grep -viE '::(Proxy-Auto-Detect|CaInfo|SslCert|SslKey) ' \
    > "$bare/etc/apt/apt.conf.d/90machine" || true
  echo force-unsafe-io > "$bare/etc/dpkg/dpkg.cfg.d/unsafe-io"  # this root is not needed after a power cut
  if [[ $1 == https:* ]]; then  # minbase knows no authority
    install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$bare/etc/ssl/certs/ca-certificates.crt"
  fi
  rm -rf "$bare"/var/lib/apt/lists/*  # as in an image: the package lists are not there yet
}

make_root() {
  local mirror began=$SECONDS
  bare=$(mktemp -d "${TMPDIR:-/var/tmp}/kernsweep-fresh.XXXXXX")
  [[ -n $keep ]] || trap 'rm -rf --one-file-system "$bare" "$bare.log"' EXIT
  mirror=${KERNSWEEP_MIRROR:-$(mirror_of_apt)}
  [[ -n $mirror ]] || impossible "apt knows no mirror of bookworm; set KERNSWEEP_MIRROR"
  debootstrap --variant=minbase "$suite" "$bare" "$mirror" > "$bare.log" 2>&1 || {
    tail -n 5 "$bare.log" >&2
    impossible "debootstrap failed, with $mirror"
  }
  rm -f "$bare.log"
  settle_apt "$mirror"
  printf 'fresh_debian: bare root with %d packages in %d s\n' \
    "$(grep -c '^Package:' "$bare/var/lib/dpkg/status")" $((SECONDS - began))
}

# inside COMMAND: runs it in the bare root as a login of root would, with nothing of our environment but the
# proxies. The root is a mount point there, as on a machine, and process 1 a shell, which collects orphans.
inside() {
  local name proxies=()
  for name in {http,https,ftp,all,no}_proxy {HTTP,HTTPS,FTP,ALL,NO}_PROXY CCACHE_RECACHE; do
    [[ -z ${!name:-} ]] || proxies+=("$name=${!name}")
  done
  unshare --mount --pid --fork --kill-child bash -euc '
    bare=$1 folder=$2 cache=$3 seen=$4 command=$5
    shift 5
    mount --make-rprivate /
    mount --bind "$bare" "$bare"
    mount -t proc proc "$bare/proc"
    mount --rbind /sys "$bare/sys"
    mount --rbind /dev "$bare/dev"
    [[ $folder == /tmp/* ]] || mount -t tmpfs tmpfs "$bare/tmp"
    if [[ -n $cache ]]; then
      mkdir -p "$bare/root/.cache/ccache"
      mount --bind "$cache" "$bare/root/.cache/ccache"
    fi
    while read -r place && [[ -n $place ]]; do
      mkdir -p "$bare$place"
      mount --bind -o ro "$place" "$bare$place"
    done <<< "$seen"
    exec chroot "$bare" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" bash -c "$command"
  ' - "$bare" "$folder" "$cache" "$shown" "$1
exit \$?" "${proxies[@]}"
}

# copy_tree FOLDER: the sources, into it. Without git all of the tree is taken as sources but a build.
copy_tree() {
  mkdir -p "$1"
  if ! git -C "$top" rev-parse --verify -q HEAD > /dev/null 2>&1; then
    tar -C "$top" --exclude=./build --exclude=./.git -c . | tar -x -C "$1"
  elif [[ -n $worktree ]]; then
    (cd "$top" && git ls-files -z --cached --others --exclude-standard |
      tar --null --ignore-failed-read -cT - 2> /dev/null) | tar -x -C "$1"
  else
    git -C "$top" archive HEAD | tar -x -C "$1"
  fi
}

[[ -n $bare ]] || make_root
chmod 755 "$bare"  # mktemp denies access to other users, and some tests run as nobody
cp -L /etc/resolv.conf "$bare/etc/resolv.conf"
printf '127.0.0.1 localhost\n::1 localhost\n127.0.1.1 %s\n' "$(uname -n)" > "$bare/etc/hosts"
if [[ $package == *.whl ]]; then
  cp "$package" "$bare/srv/"
  commands=('apt-get -qq update'
            'apt-get -qq install -y --no-install-recommends python3-venv > apt.log 2>&1'
            "python3 -m venv venv && venv/bin/pip -q install --no-index ./${package##*/}"
            'venv/bin/kernsweep kernels'
            'venv/bin/kernsweep example first_look > first_look.yaml'
            'venv/bin/kernsweep run first_look.yaml --quick --patience 0'
            'venv/bin/python total.py')
  # A function, in whichever Python this Debian has.
  cat > "$bare/srv/total.py" << 'END'
import kernsweep

@kernsweep.kernel(n=[10, 1000], problem=["n"])
def total(n):
    return sum(range(n))

results = total.measure(patience="0")
print(results.best())
assert {row["status"] for row in results.rows()} == {"ok"}
END
  folder=/srv
elif [[ -n $package ]]; then
  cp "$package" "$bare/srv/kernsweep.deb"
  commands=('apt-get -qq update'
            'apt-get -qq install -y --no-install-recommends ./kernsweep.deb > apt.log 2>&1'
            'kernsweep kernels')
  folder=/srv
else
  copy_tree "$bare$folder"
  (( ${#commands[@]} )) || commands=('./kernsweep run sweeps/first_look.yaml' './test')
fi

failed=0 shown=
for command in "${commands[@]}"; do
  began=$SECONDS status=0
  printf 'fresh_debian: $ %s\n' "$command"
  inside "cd '$folder' && $command" < /dev/null || status=$?
  shown=$seen
  if (( status == 0 )); then verdict=PASS; else verdict=FAIL failed=1; fi
  printf 'fresh_debian: %s %s, status %d, %d s\n' "$verdict" "$command" "$status" $((SECONDS - began))
done
if [[ -n $logs ]]; then
  mkdir -p "$logs"
  find "$bare$folder/build" -maxdepth 2 -name '*.log' -exec cp -t "$logs" {} + || true
fi
for name in "${taken[@]}"; do
  [[ -d $bare$folder/build/$name ]] || continue
  mkdir -p "$top/build"
  rm -rf "${top:?}/build/$name"
  mv "$bare$folder/build/$name" "$top/build/$name"
done
[[ -n $keep ]] && printf 'fresh_debian: kept %s\n' "$bare"
exit "$failed"
