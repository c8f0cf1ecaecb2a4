#!/usr/bin/env bash
# How long a sweep takes on this machine as it is, and with a permanent neighbour on each core, and how many
# tries its jobs took (docs/internals/measurement.md, Waiting for quiet).
#   tests/bench/neighbour/busy_sweep.sh KERNSWEEP [OPTIONS OF run...]
set -euo pipefail

kernsweep=$(realpath "$1")
shift
folder=$(mktemp -d)
burners=()
trap 'kill "${burners[@]}" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
cat > busy.yaml << 'END'
sweep: 1
name: busy
kernel: gemm
axes: {variant: onednn, m: [64, 128], n: 256, k: [128, 256, 384, 512]}
measure: {processes: 1}
END

timed() {  # NAME OPTIONS...
  local name=$1 start=$EPOCHREALTIME status=0
  shift
  "$kernsweep" run busy.yaml --db "$name.db" -q "$@" > /dev/null || status=$?
  echo "$name: $(awk "BEGIN {print $EPOCHREALTIME - $start}") s, exit status $status"
  "$kernsweep" sql "$name.db" "select count(*) tries from attempt"
  "$kernsweep" sql "$name.db" "select grade, count(*) jobs from results group by grade"
}

timed as-it-is "$@"
for _ in $(seq "$(nproc)"); do
  nice -n 0 bash -c 'while :; do :; done' &
  burners+=($!)
done
timed beside-a-neighbour "$@"
