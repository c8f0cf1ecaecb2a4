#!/usr/bin/env bash
# The figures of docs/internals/performance.md that no gate holds, measured on this machine, as markdown.
#   tests/bench/run_all.sh [BUILD_FOLDER] [ROUNDS] > table.md
# Needs a release build of everything (./test, then `ninja -C build/release`) and a machine with nothing else
# to do: the load is printed before and after. Databases are put below $TMPDIR (default /tmp), which should
# be a real disk.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:-$here/../../build/release}" && pwd)
rounds=${2:-5}
answers=$(mktemp -d)
trap 'rm -rf "$answers"' EXIT

load() { uptime | sed "s/.*load average: //"; }
load > "$answers/load_before"
"$build/tests/bench_end_to_end" --rounds "$rounds" --json > "$answers/end_to_end.json"
"$build/tests/bench_slot_overhead" --repetitions $((3 * rounds)) --json > "$answers/slot_overhead.json"
"$build/tests/bench_tensors" --benchmark_filter=-generate_avx2/ --benchmark_format=json \
  > "$answers/tensors.json"
"$build/tests/bench_results" --benchmark_format=json --benchmark_repetitions=1 > "$answers/results.json"
load > "$answers/load_after"
python3 "$here/table.py" "$answers"
