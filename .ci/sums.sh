# What .ci/run reads out of the logs of its stages, and sums up. Requires `work`, a folder, and the counts
# `passed` and `failed`; runs at the top of the tree.

# count LOG: ctest's own closing lines, "97% tests passed, 2 tests failed out of 80", which count what was
# skipped as passed. The first has how many there were, the last how many failed, also at a second try.
count() {
  local lines skipped out_of=' tests failed out of '
  mapfile -t lines < <(grep -aoE "[0-9]+${out_of}[0-9]+" "$1")
  (( ${#lines[@]} > 0 )) || return 0
  skipped=$(grep -acE '^[[:space:]]+[0-9]+ - .* \(Skipped\)$' "$1") || true
  failed=$((failed + ${lines[-1]%%"$out_of"*}))
  passed=$((passed + ${lines[0]##*"$out_of"} - ${lines[-1]%%"$out_of"*} - skipped))
}

# at_second_try LOG: the tests that passed only then.
at_second_try() {
  sed -n '/^The following tests FAILED:/,/^ci: what failed runs once more/p' "$1" |
    sed -nE 's/^[[:space:]]+[0-9]+ - ([^ ]+) \((Failed|Timeout|.*exception.*)\).*$/\1/p' |
    sort -u | paste -sd ' '
}

# unlisted NAME: fails where tests were skipped for reasons that cannot_here.txt does not list. What the bare
# root skips runs on this machine afterwards; what stage release skips for want of a package of Python is for
# stage engines, which must run it.
unlisted() {
  local others python='^no Python here has |^[a-z]+ is not installed here$|^the environment that KERNSWEEP_'
  [[ $1 != bare || ! -s build/bare/tests.log ]] || return 0
  sed -nE 's/^([0-9]+) skipped: (.*)$/\1 \2/p' "$work/stage.log" >> "$work/skipped"
  sed -nE 's/^[0-9]+ skipped: (.*)$/\1/p' "$work/stage.log" > "$work/reasons"
  [[ $1 != release ]] || sed -i -E "/$python/d" "$work/reasons"
  others=$(grep -vEf <(grep -vE '^(#|$)' .ci/cannot_here.txt) "$work/reasons") || return 0
  printf 'ci: skipped for a reason that .ci/cannot_here.txt does not list: %s\n' "$others"
  return 1
}

# not_here: what this machine cannot do, as the tests have said it.
not_here() {
  [[ -s $work/skipped ]] || return 0
  echo 'ci: not shown on this machine:'
  awk '{ count = $1; $1 = ""; tests[$0] += count }
       END { for (why in tests) printf "ci:   %d skipped:%s\n", tests[why], why }' "$work/skipped" | sort
}
