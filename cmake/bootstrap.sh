# Sourced by ./kernsweep, ./test and .ci/run: from a bare Debian 12 to a build folder.
# Requires `root`, the top of the source tree. All messages go to stderr, as stdout belongs to the program
# that runs afterwards. Every failure here ends with status 125, which Kernsweep itself never returns.

# One compiler cache serves every checkout: paths below `root` are relative to it.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf 'kernsweep: %s\n' "$*" >&2; }
fail() { say "$*"; exit 125; }

# packages_of GROUP...: names, one per line, from the one list.
packages_of() {
  local group why names wanted
  while IFS='|' read -r group why names; do
    [[ $group == \#* ]] && continue
    for wanted in "$@"; do
      [[ ${group// /} == "$wanted" ]] && printf '%s\n' $names
    done
  done < "$root/cmake/packages.txt"
  return 0
}

# missing_of GROUP...: the packages of these groups that dpkg does not report as installed.
missing_of() {
  local names
  names=$(packages_of "$@")
  comm -23 <(sort <<< "$names") \
           <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $names 2> /dev/null |
               sed -n 's/ installed$//p' | sort -u)
}

# explain MISSING: the list's lines, each with only what is missing.
explain() {
  local group why names name some
  while IFS='|' read -r group why names; do
    [[ $group == \#* ]] && continue
    some=
    for name in $names; do
      grep -qxF -- "$name" <<< "$1" && some+=" $name"
    done
    [[ -n $some ]] && printf '   %s%s\n' "$why" "$some" >&2
  done < "$root/cmake/packages.txt"
  return 0
}

# typed MISSING: the command line by which a person installs these packages.
typed() { printf 'apt-get update && apt-get install --no-install-recommends %s' "$(paste -sd' ' <<< "$1")"; }

# install_packages GROUP...: installs missing packages with Debian's own tools, or prints the command for
# it.
install_packages() {
  local missing as_root=() log=$root/build/packages.log
  if ! command -v dpkg-query > /dev/null; then
    say "this is no Debian; cmake/packages.txt lists what must be installed. Trying to build."
    return 0
  fi
  missing=$(missing_of "$@")
  [[ -z $missing ]] && return 0
  say "these Debian packages are missing here, each for its reason:"
  explain "$missing"
  if (( EUID != 0 )); then
    command -v sudo > /dev/null || fail "only root can install them. As root, type:
   $(typed "$missing")"
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  local apt=("${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300)
  say "installing them with apt-get (log: $log)"
  # Outdated lists name packages that no longer exist: only then the lists are fetched again.
  local install=("${apt[@]}" install -y --no-install-recommends $missing)
  { "${install[@]}" || { "${apt[@]}" update && "${install[@]}"; }; } < /dev/null > "$log" 2>&1 9>&- &&
    return 0
  tail -n 15 "$log" >&2
  fail "apt-get could not install them (all of it: $log). Mend that, or as root type:
   $(typed "$missing")"
}

# lock_build: only one process at a time sets up and builds; the lock ends with this process or
# unlock_build.
lock_build() {
  mkdir -p "$root/build" 2> /dev/null && [[ -w $root/build ]] ||
    fail "$(id -un) cannot write to $root/build. Did another user make it? Use chown, or remove it."
  exec 9> "$root/build/.lock" || fail "cannot open $root/build/.lock; remove it and try again."
  flock --nonblock 9 || { say "waiting for another build in $root/build"; flock 9; }
}
unlock_build() { exec 9>&-; }

# ./kernsweep compares sources with this stamp. It is older than the build, so that files edited during the
# build are newer, and newer than the packages, whose list is compared with it too.
begin_stamp() { mkdir -p "$root/build/release" && touch "$root/build/release/.built.next"; }
end_stamp() { mv "$root/build/release/.built.next" "$root/build/release/.built"; }

# show_steps WORDS: copies ninja's lines to the log; shows the progress, on a terminal in one line.
show_steps() {
  local line shown=0 count total
  while IFS= read -r line; do
    printf '%s\n' "$line" >&4
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    count=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [[ -t 2 ]]; then
      printf '\r\033[Kkernsweep: %s, step %d of %d' "$1" "$count" "$total" >&2
    elif (( total >= 20 && count * 4 / total > shown )); then
      shown=$((count * 4 / total))
      say "$1, step $count of $total"
    fi
  done
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# build PRESET WORDS TARGETS [OPTION...]: configures if needed, builds TARGETS, writes all output to the
# log. OPTIONs are passed to CMake when the folder is new, or when one of them is not yet in its cache.
build() {
  local preset=$1 words=$2 targets=$3 folder=$root/build/$1 option began=$SECONDS
  local log=$folder/build.log
  shift 3
  mkdir -p "$folder"
  exec 4> "$log"
  local stale=
  [[ -f $folder/build.ninja && ! $root/CMakePresets.json -nt $folder/build.ninja ]] || stale=yes
  for option in "$@"; do
    option=${option#-D}
    grep -qE "^${option%%=*}:[A-Z]+=${option#*=}\$" "$folder/CMakeCache.txt" 2> /dev/null || stale=yes
  done
  if [[ -n $stale ]]; then
    # Starts from scratch: if a preset names another compiler, CMake would keep only the compiler.
    (cd "$root" && cmake --fresh --preset "$preset" "$@") >&4 2>&1 < /dev/null ||
      build_failed "$log" configuring
  fi
  # The output of `time` goes to the file, the output of ninja to the pipe.
  local cpu=$folder/build.cpu TIMEFORMAT='%U %S'
  (cd "$root" && export NINJA_STATUS='[%f/%t] ' && time ninja -C "$folder" $targets 2>&1) \
    2> "$cpu" < /dev/null | show_steps "$words"
  (( PIPESTATUS[0] == 0 )) || build_failed "$log" building
  exec 4>&-
  (( SECONDS - began < 20 )) ||
    say "$words took $((SECONDS - began)) s, $(awk 'END { printf "%.0f", $1 + $2 }' "$cpu") s of CPU time"
}

build_failed() {
  grep -A 12 -m 3 -E '^FAILED|error:|CMake Error' "$1" | tail -n 40 >&2 || tail -n 20 "$1" >&2
  fail "$2 failed; the whole of it is in $1"
}
