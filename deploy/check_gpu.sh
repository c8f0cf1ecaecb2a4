#!/bin/sh
# kernsweep-check-gpu: is Kernsweep right on the GPUs of this machine, and how fast are they?
#   kernsweep-check-gpu [--minutes N | --seconds N] [--in-all N] [--quick] [--sweeps FOLDER] [FOLDER]
# Runs on a machine that has the content of the .tar.gz, a driver, and /bin/sh with the usual tools.
# Installs nothing, needs no root, changes no setting of a card. docs/guides/gpus.md explains the options
# and the answer. Each step runs even if an earlier one failed, and summary.md is complete after each step,
# even if this script is killed.
# this.
set -u
export LC_ALL=C

usage() {
  cat <<'END'
Check a machine with GPUs: run the tests and sweeps for GPUs, and sum up
Usage: kernsweep-check-gpu [OPTIONS] [FOLDER]

FOLDER gets gpu.db (all results), summary.md, and the output of each step. With a folder from an earlier
call, the check continues: what was measured is not measured again. Default: a new folder kernsweep-gpu-...

  --minutes N      Time limit of each sweep (default 10); --seconds N: the same in seconds
  --in-all N       Time limit in minutes of all together; what is not begun then is left out
  --quick          A first look: one process for each point, few samples
  --sweeps FOLDER  Take gpu_*.yaml and claims/G*.yaml from this folder

Exit status: 0 nothing failed, 1 something did, 2 bad usage or Kernsweep does not start here, 3 no GPU.
END
}

refuse() {
  printf 'kernsweep-check-gpu: %s\n' "$1" >&2
  exit 2
}

is_number() {
  case $1 in '' | 0* | *[!0-9]* | ???????*) return 1 ;; esac
}

limit_s=600 in_all='' quick='' sweeps='' folder=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) quick=--quick ;;
    --minutes | --seconds | --in-all | --sweeps)
      [ $# -ge 2 ] || refuse "$1 needs a value; see --help"
      [ "$1" = --sweeps ] || is_number "$2" || refuse "$1 $2: give a whole number, 1 or more"
      case $1 in
        --minutes) limit_s=$(($2 * 60)) ;;
        --seconds) limit_s=$2 ;;
        --in-all) in_all=$2 ;;
        --sweeps) sweeps=$2 ;;
      esac
      shift ;;
    -*) refuse "there is no option '$1'; see --help" ;;
    *) [ -z "$folder" ] || refuse "one folder is enough: '$folder' or '$1'"; folder=$1 ;;
  esac
  shift
done

# CUDA's libraries outside the loader's path: of a toolkit, of conda, and of pip's packages.
of_pip='import glob, sys; [print(lib) for path in sys.path for lib in glob.glob(path + "/nvidia/*/lib")]'
for lib in "${CUDA_HOME:-/usr/local/cuda}/lib64" "${CONDA_PREFIX:-/nowhere}/lib" \
  $(python3 -c "$of_pip" 2> /dev/null); do
  there=$(find "$lib" -maxdepth 1 \( -name 'libcublasLt.so.1[23]' -o -name libcudnn.so.9 \) 2> /dev/null)
  [ -n "$there" ] || continue
  export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$lib"
done

root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
program=$root/bin/kernsweep
[ -n "$sweeps" ] || sweeps=$root/share/kernsweep/sweeps
[ -d "$sweeps" ] || refuse "there is no folder $sweeps"
[ -n "$folder" ] || folder=kernsweep-gpu-$(date +%Y%m%d-%H%M%S)
mkdir -p -- "$folder/logs" || refuse "cannot write into $folder; name another folder"
sweeps=$(cd -- "$sweeps" && pwd) && folder=$(cd -- "$folder" && pwd) || exit 2
database=$folder/gpu.db
parts=$folder/logs/summary  # the parts of summary.md: .head, .gpus, .steps, .details, .failed
began=$(date +%s)
failed=0 gpus=0 child='' state='UNDER WAY: this check has not ended'

say() { printf '%s\n' "$*"; }
add() { file=$parts.$1; shift; printf '%s\n' "$@" >> "$file"; }
now_s() { echo $(($(date +%s) - began)); }
for part in head gpus steps details failed; do : > "$parts.$part"; done

write_summary() {
  {
    printf '# Check of GPUs\n\n%s.\n\n' "$state"
    cat "$parts.head" "$parts.gpus"
    if [ -s "$parts.failed" ]; then printf '\n## What failed\n\n'; cat "$parts.failed"; fi
    if [ -s "$parts.steps" ]; then
      printf '\n## Steps\n\n| step | outcome | took |\n|---|---|---|\n'
      cat "$parts.steps"
    fi
    cat "$parts.details"
  } > "$parts.new" && mv -- "$parts.new" "$folder/summary.md"
}

# step NAME OUTCOME SECONDS
step() {
  add steps "| $1 | $2 | $3 s |"
  say "  $2, $3 s"
  write_summary
}

# fail NAME REASON: counts it, and puts it at the head of the summary.
fail() {
  failed=$((failed + 1))
  add failed "- **$1**: $2"
}

# block TITLE FILE [LINES]: the end of the output, unchanged.
block() {
  [ -s "$2" ] || return 0
  { printf '\n%s\n\n```\n' "$1"; tail -n "${3:-40}" -- "$2"; printf '```\n'; } >> "$parts.details"
}

# seconds_left LIMIT: at most the rest of the total; 0: nothing.
seconds_left() {
  left=$1
  if [ -n "$in_all" ]; then
    rest=$((in_all * 60 - $(now_s)))
    [ "$left" -le "$rest" ] || left=$rest
    [ "$left" -gt 0 ] || left=0
  fi
  echo "$left"
}

# limited SECONDS LOG COMMAND...: returns its status; 124: there was no time, or it was stopped at the
# limit, first with SIGTERM. It runs in the background, so that a signal to this script is handled at once.
# (SIGINT is ignored there.)
limited() {
  limit=$1 log=$2
  shift 2
  if [ "$limit" -eq 0 ]; then : > "$log"; return 124; fi  # `timeout` takes 0 as no limit
  timeout -k 60 "$limit" "$@" > "$log" 2>&1 < /dev/null &
  child=$!
  wait "$child"
  ended=$?
  child=''
  return "$ended"
}

# ask SQL: the database's answer without its header; empty if there is none.
ask() {
  [ ! -e "$database" ] || "$program" sql "$database" "$1" --csv 2> /dev/null | tr -d '\r' | sed 1d
}

# value_of KEY: of the check gpu.devices in doctor.json.
value_of() {
  sed -n '/"id": "gpu.devices"/,/^  }/s/^ *"'"$1"'": "\{0,1\}\(.*[^",]\)"\{0,1\},\{0,1\}$/\1/p' \
    "$folder/doctor.json" | head -n 1
}

stopped() {
  trap '' INT TERM HUP
  [ -z "$child" ] || { kill "$child" 2> /dev/null; wait "$child"; }
  state="STOPPED by a signal after $(now_s) s; the same command continues"
  write_summary
  exit 1
}
trap stopped INT TERM HUP

look_at_machine() {
  system=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' /etc/os-release 2> /dev/null)
  cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1)
  memory=$(sed -n 's/^MemTotal: *//p' /proc/meminfo 2> /dev/null)
  add head "| | |" "|---|---|" "| host | $(uname -n) |" "| date | $(date -u '+%Y-%m-%d %H:%M:%S') UTC |" \
    "| system | ${system:-unknown}, $(uname -srm), $(getconf GNU_LIBC_VERSION 2> /dev/null) |" \
    "| processor | ${cpu:-unknown}, $(nproc) processors, ${memory:-unknown} of memory |"
  if ! version=$("$program" --version 2>&1); then
    add head "| Kernsweep | does not start |"
    fail "Kernsweep does not start here" "$version; docs/guides/install.md says what a machine must have"
    state="Kernsweep does not start on this machine"
    write_summary
    refuse "$program does not start: $version"
  fi
  add head "| Kernsweep | $version |"
  write_summary
}

ask_doctor() {
  say "Is this machine fit to be measured on? (kernsweep doctor)"
  start=$(now_s)
  limited "$(seconds_left 300)" "$folder/doctor.txt" "$program" doctor
  status=$?
  limited "$(seconds_left 300)" "$folder/doctor.json" "$program" doctor --json
  answered=$?
  gpus=$(value_of usable)
  is_number "$gpus" || gpus=0
  add gpus "| GPUs | $(value_of found) |"
  verdict=$(tail -n 1 "$folder/doctor.txt")
  case $status in
    0 | 1) ;;
    124) fail doctor "did not end in time" ;;
    *) fail doctor "status $status: $verdict" ;;
  esac
  step doctor "$verdict" $(($(now_s) - start))
  grep -E '^  (BAD|warning) ' "$folder/doctor.txt" > "$parts.bad"
  block "What would make numbers from here worse (doctor.txt says why, and what to do):" "$parts.bad"
  if command -v nvidia-smi > /dev/null; then
    limited "$(seconds_left 60)" "$folder/nvidia-smi.txt" nvidia-smi -q
  fi
}

# count_of WORD LOG: the number in GoogleTest's closing lines, "[  PASSED  ] 5 tests."
count_of() {
  count=$(sed -n "s/^\[ *$1 *\] \([0-9]*\) tests\{0,1\}[.,].*/\1/p" "$2" | tail -n 1)
  echo "${count:-0}"
}

# run_test PROGRAM: prints the comparisons of a passed test ("... 1.002 times"), else its output.
run_test() {
  name=${1##*/} log=$folder/logs/${1##*/}.txt start=$(now_s)
  say "Test program $name"
  limit=$(seconds_left 900)
  [ "$limit" -gt 0 ] || { leave_out "$name"; return; }
  limited "$limit" "$log" "$1" --gtest_color=no
  status=$?
  good=$(count_of PASSED "$log") skipped=$(count_of SKIPPED "$log") bad=$(count_of FAILED "$log")
  step "tests: $name" "$good passed, $bad failed, $skipped skipped" $(($(now_s) - start))
  if [ "$status" -eq 0 ]; then
    grep ' times$' "$log" > "$parts.said"
    block "What $name measured:" "$parts.said"
    return
  fi
  names=$(sed -n 's/^\[  FAILED  \] \([A-Za-z0-9_]*\.[A-Za-z0-9_/]*\)$/\1/p' "$log" | tr '\n' ' ')
  last=$(sed -n 's/^\[ RUN      \] //p' "$log" | tail -n 1)
  case $status in
    124) fail "$name" "did not end in $limit s; it was at: $last" ;;
    1) fail "$name" "$names" ;;
    *) fail "$name" "ended with status $status at: $last" ;;
  esac
  block "### What $name said" "$log" 60
}

run_tests() {
  set -- "$root"/libexec/kernsweep/tests/*_gpu
  if [ ! -x "$1" ]; then
    say "Tests: this package was made without them"
    add steps "| tests | not in this package | |"
    return
  fi
  for test in "$@"; do run_test "$test"; done
}

leave_out() {
  add steps "| $1 | not begun: the time for all is up | |"
  fail "$1" "not begun: the $in_all minutes for all were up"
  say "  $1: not begun, the time for all is up"
  write_summary
}

# judge_claims NAME ID LOG: the verdicts of one sweep; a refuted one is a failure.
judge_claims() {
  "$program" claims "$database" --sweep "$2" > "$3" 2>&1
  status=$?
  [ "$status" -ne 1 ] || sed -n 's/^\(.*\): refuted$/\1/p' "$3" | sort -u > "$parts.refuted"
  [ "$status" -ne 1 ] || fail "$1" "refuted: $(tr '\n' ';' < "$parts.refuted")"
  block "Claims:" "$3" 80
}

# tell_of_sweep NAME ID QUESTION: prints what the database has of it.
tell_of_sweep() {
  counts='nothing stored'
  is_number "$2" || return 0
  counts=$(ask "select group_concat(text, ', ') from (select count(*) || ' ' || status as text from outcome
    where sweep_id = $2 group by status order by status <> 'ok', status)" | tr -d '"')
  grades=$(ask "select group_concat(text, ', ') from (select count(*) || ' ' || grade as text from outcome
    where sweep_id = $2 and grade is not null group by grade order by grade)" | tr -d '"')
  reused=$(ask "select nullif(sum(reused), 0) from outcome where sweep_id = $2" | tr -d '"')
  speed=$(ask "select round(count(*) / (max(finished_unix_s) - min(sent_unix_s)), 1) from attempt
    where sweep_id = $2 having count(*) > 1" | tr -d '"')
  share=$(ask "select round(100 * sum(run_s) / (max(finished_unix_s) - min(sent_unix_s))) from attempt
    where sweep_id = $2 having count(*) > 1" | tr -d '"' | sed 's/[.]0$//')
  counts="${counts:-nothing measured}${reused:+; $reused known before}${grades:+; grades: $grades}"
  counts="$counts${speed:+; $speed jobs/s}${share:+; measuring $share % of the time}"
  # A missing feature of a card, too little memory, and too few cards are not failures, unless nothing
  # works.
  wrong=$(ask "select count(*) from outcome where sweep_id = $2 and status not in ('ok', 'unsupported',
    'out_of_memory', 'unplaceable', 'skipped', 'cancelled')")
  [ "${wrong:-0}" -eq 0 ] || fail "$1" "$wrong jobs failed; the reasons are below"
  none=$(ask "select sum(status in ('unsupported', 'out_of_memory')) > 0 and sum(status = 'ok') = 0
    from outcome where sweep_id = $2")
  [ "$none" != 1 ] || fail "$1" "no job of it can run here; the reasons are below"
  printf '\n## %s: %s\n\n%s\n' "$1" "$3" "$counts" >> "$parts.details"
  ask "select count(*) as jobs, status, coalesce(reason, '') as reason from results where sweep_id = $2
    and status <> 'ok' group by status, reason order by jobs desc limit 20" > "$parts.reasons"
  block "Without a result (jobs, status, reason):" "$parts.reasons"
}

# end_of_sweep NAME STATUS LOG SECONDS LIMIT: records its step, and a failure if it did not end well.
end_of_sweep() {
  case $2 in
    0 | 1) step "$1" "$counts" "$4" ;;
    124)
      fail "$1" "stopped at its limit of $5 s; --minutes gives it more"
      step "$1" "$counts; not ended" "$4" ;;
    *)
      fail "$1" "status $2: $(tail -n 1 "$3")"
      block "### What $1 said" "$3" 20
      step "$1" "failed, status $2; $counts" "$4" ;;
  esac
}

# measure_roofs: every later result of the database is compared with them.
measure_roofs() {
  log=$folder/logs/roofs.txt start=$(now_s)
  if [ ! -e "$root/lib/kernsweep/packs/cuda.so" ]; then
    say "Roofs: this package has no pack cuda"
    add steps "| roofs | this package has no pack cuda | |"
    return
  fi
  say "Roofs: what can the first GPU do at best? (kernsweep roofs --gpu)"
  limit=$(seconds_left "$limit_s")
  [ "$limit" -gt 0 ] || { leave_out roofs; return; }
  # shellcheck disable=SC2086  # $quick is one word or none
  limited "$limit" "$log" "$program" roofs --gpu --quiet --db "$database" $quick
  status=$?
  took=$(($(now_s) - start))
  id=$(ask "select max(id) from sweep where name = 'gpu-roofs'")
  tell_of_sweep roofs "$id" "What can the first GPU do at best?"
  [ "$status" -gt 1 ] || block "Roofs:" "$log"
  [ "$status" -ne 1 ] || fail roofs "some roofs are not known; the reasons are below"
  end_of_sweep roofs "$status" "$log" "$took" "$limit"
}

# tell_of_results NAME ID FILE: best settings, fractions of the roofs, verdicts.
tell_of_results() {
  "$program" best "$database" --sweep "$2" > "$folder/logs/$1.best.txt" 2>&1
  block "Best (logs/$1.best.txt has all):" "$folder/logs/$1.best.txt" 30
  # Without any roofs this would measure the processor's.
  roofs=$(ask "select count(*) from outcome where status = 'ok' and sweep_id in (select id from sweep
    where name = 'gpu-roofs')")
  if [ "${roofs:-0}" -gt 0 ]; then
    "$program" roofs --db "$database" --of "$2" > "$folder/logs/$1.shares.txt" 2>&1
    block "Shares of the roofs (logs/$1.shares.txt has all):" "$folder/logs/$1.shares.txt" 30
  fi
  if grep -q '^claims:' "$3"; then judge_claims "$1" "$2" "$folder/logs/$1.claims.txt"; fi
}

run_sweep() {
  name=$(basename -- "$1" .yaml) log=$folder/logs/$(basename -- "$1" .yaml).txt start=$(now_s)
  question=$(sed -n '1s/^# *//p' "$1")
  say "Sweep $name: $question"
  limit=$(seconds_left "$limit_s")
  [ "$limit" -gt 0 ] || { leave_out "$name"; return; }
  # shellcheck disable=SC2086  # $quick is one word or none
  limited "$limit" "$log" "$program" run "$1" --db "$database" $quick
  run_status=$?
  took=$(($(now_s) - start))
  quoted=$(printf '%s' "$1" | sed "s/'/''/g")
  id=$(ask "select max(id) from sweep where file = '$quoted'")
  tell_of_sweep "$name" "$id" "$question"
  ! is_number "$id" || tell_of_results "$name" "$id" "$1"
  end_of_sweep "$name" "$run_status" "$log" "$took" "$limit"
}

run_sweeps() {
  found=0
  for file in "$sweeps"/gpu_*.yaml "$sweeps"/claims/G*.yaml; do
    case $file in */gpu_bench_*) continue ;; esac
    [ ! -f "$file" ] || { found=$((found + 1)); run_sweep "$file"; }
  done
  # Benchmarks of Kernsweep itself come last: they use the rest of the time.
  for file in "$sweeps"/gpu_bench_*.yaml; do
    [ ! -f "$file" ] || { found=$((found + 1)); run_sweep "$file"; }
  done
  if [ "$found" -eq 0 ]; then
    say "Sweeps: none for GPUs in $sweeps"
    add steps "| sweeps | none for GPUs in this package | |"
  fi
}

say "Results and summary: $folder"
look_at_machine
ask_doctor
if [ "$gpus" -eq 0 ] && [ "$answered" -eq 124 ]; then
  say "The time was up before it was known which GPUs are here"
  state="NO TIME: it was up before it was known which GPUs are here"
  write_summary
  exit 1
fi
if [ "$gpus" -eq 0 ]; then
  say "No GPU that CUDA can use here: nothing to check (doctor.txt says more)"
  state="NO GPU that CUDA can use: nothing was checked"
  write_summary
  exit 3
fi
run_tests
measure_roofs
run_sweeps
state="Nothing failed. Took $(now_s) s"
[ "$failed" -eq 0 ] || state="$failed things FAILED. Took $(now_s) s"
write_summary
say "$state; $folder/summary.md"
[ "$failed" -eq 0 ]
