#!/usr/bin/env bash
# What each stage of .ci/run does: stages.sh STAGE. CI_ONLY_STAGE: ctest's -R of the tests that are to run in
# it, CI_TARGETS_STAGE: what is built for them; all, if not set.
#
# The release is built once, in the bare root, and moved here: packages are made of it. A test of it runs
# once: in the root if it can, otherwise on this machine. Left over for this machine are the gates of speed
# and tests with daemons (Slurm, sshd) or a browser, which ./test does not install. Where no root can be made
# (not root, no mirror), stage bare says so, and all is built and tested here. The compiler's cache is shared
# with the root.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/cmake/bootstrap.sh"
cd "$root"
work=${CI_WORK:-$(mktemp -d)}

# only STAGE: ctest's words for what is to run in it.
only() {
  local name=CI_ONLY_$1
  [[ -z ${!name-} ]] || printf '%s\n' -R "${!name}"
}

# tests_of PRESET [CTEST-OPTION...]. ThreadSanitizer cannot place its memory where a kernel randomises
# addresses widely, so randomisation is off where that is allowed.
tests_of() {
  local preset=$1 plain=()
  shift
  if setarch -R true 2> /dev/null; then plain=(setarch -R); fi
  tests/run_ctest.py "build/$preset" "${plain[@]}" ctest --preset "$preset" "$@"
}

# twice COMMAND...: runs tests, and what failed once more, alone: machines here are shared, and may stand
# still for seconds. What passes then is a fault to find, of the test or of the product, which .ci/run names.
# What a sanitizer has reported fails in any case.
twice() {
  local status=0 report='(ERROR|WARNING): [A-Za-z]+Sanitizer|: runtime error: '
  "$@" || status=$?
  (( status != 0 )) || return 0
  ! grep -qsE "$report" build/[at]san/tests.log || return "$status"
  echo "$second_try"
  "$@" --rerun-failed -j 1
}
second_try='ci: what failed runs once more, alone'

# ahead STAGE...: builds what these stages test, one after the other, while earlier stages run tests, which
# leave a part of the processors idle. .ci/run gives it the lowest priority. In stage bare it begins after
# the first sweep, whose build is measured. What fails here fails again in the stage, which says so.
ahead() {
  local stage
  until [[ -e $work/ended.bare ]] || grep -qs '^fresh_debian: PASS' "$work/bare.log"; do sleep 2; done
  set -m  # a process group for each, which its stage can end
  for stage in "$@"; do
    mkdir "$work/build.$stage" 2> /dev/null || continue
    "build_$stage" > "build/ahead_$stage.log" 2>&1 < /dev/null &
    echo $! > "$work/build.$stage/group"
    wait $! || true
    touch "$work/build.$stage/ended"
  done
}

# built STAGE: builds it. What `ahead` has built of that is there; it goes to the next one.
built() {
  local mine=$work/build.$1
  if ! mkdir "$mine" 2> /dev/null; then
    until [[ -s $mine/group ]]; do sleep 0.1; done
    while [[ ! -e $mine/ended ]] || kill -0 -- "-$(< "$mine/group")" 2> /dev/null; do
      kill -TERM -- "-$(< "$mine/group")" 2> /dev/null || true
      sleep 0.2
    done
  fi
  "build_$1"
}

setup() {
  install_packages build run test ci arm64 cluster
}

# yardstick_s: the CPU time that this machine takes to compile one usual source when each core compiles one.
yardstick_s() {
  local cores
  cores=$(nproc)
  (
    for ((core = 0; core < cores; ++core)); do
      g++ -std=c++20 -O2 -c tests/fresh/usual_source.cpp -o /dev/null &
    done
    wait
    times
  ) | awk -v cores="$cores" '
    NR == 2 { split($1 "m" $2, t, "m"); printf "%.1f\n", (t[1] * 60 + t[2] + t[3] * 60 + t[4]) / cores }'
}

# bare: what a newcomer types, on a Debian that has nothing. build/bare gets the logs. What the first build
# may take is held here, in such sources, since machines differ by three times; what the compiler's cache has
# makes it less.
first_build_max=150
bare() {
  local cache cpu_s usual_s nvcc see=() status=0
  usual_s=$(yardstick_s)
  rm -rf build/bare
  cache=$(ccache --get-config cache_dir)
  mkdir -p "$cache"
  # The root itself has no nvcc, and the first command is without one.
  nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) && see=(--see "${nvcc%/bin/nvcc}")
  tests/fresh/fresh_debian.sh --worktree --at "$root" --cache "$cache" --logs build/bare --take release \
    "${see[@]+"${see[@]}"}" './kernsweep run sweeps/first_look.yaml' \
    "./test -LE gates || { echo '$second_try'; ./test --rerun-failed -j 1; }" 2>&1 |
    tee "$work/bare.log" || status=$?
  cpu_s=$(sed -n 's/.*building took [0-9]* s, \([0-9]*\) s of CPU time$/\1/p' "$work/bare.log" | head -n 1)
  echo "ci: the first build took ${cpu_s:-0} s of CPU time; one usual source takes $usual_s s"
  if awk "BEGIN { exit !(${cpu_s:-0} > $first_build_max * $usual_s) }"; then
    echo "ci: that is more than $first_build_max of them"
    return 1
  fi
  (( status == 77 )) || return "$status"
  echo 'ci: all tests run on this machine instead; that a bare Debian is enough was not shown'
}

# What needs packages of Python that stage engines has.
engine_suites='process\.(engines|tvm|training|bench|exported|model_inputs|onnx_nodes|python_arrays)'
engine_suites+='|exploits\.honest_engines'
engine_suites+='|browser\.axe|python\.results'

# cannot_anywhere: why a test that a bare root skips would be skipped on this machine, too: regular
# expressions, a line each.
cannot_anywhere() {
  sed -n '/^# What the processor/,$ { /^#/d; s/^\^//p }' .ci/cannot_here.txt
  ldconfig -p | grep -q 'libcuda\.so\.1' || echo 'no CUDA driver: '
}

# left_over LISTED LOG: the numbers of the tests that `ctest -N` lists and that did not pass in that log, but
# for those of stage engines, and what this machine cannot run either.
left_over() {
  awk -v log_of_root="$2" -v elsewhere="^(${engine_suites//\\/\\\\})_test\\\\." \
    -v cannot=": ($(cannot_anywhere | sed 's/\\/&&/g' | paste -sd '|'))" '
    BEGIN {
      while ((getline line < log_of_root) > 0)
        if (sub(/^ *([0-9]+\/[0-9]+ )?Test +#[0-9]+: /, "", line) && sub(/ \.\.\.+ +Passed .*$/, "", line))
          passed[line] = 1
        else if (line !~ cannot && sub(/^skipped: /, "", line))  # a test inside a program or a class
          for (name in passed) if (index(line, name ".") == 1) delete passed[name]
    }
    /^ *Test +#[0-9]+: / {
      number = name = $0
      sub(/^ *Test +#[0-9]+: /, "", name)
      gsub(/^ *Test +#|: .*$/, "", number)
      if (!(name in passed) && name !~ elsewhere) print number
    }' "$1"
}

# release: the tests of it that are left over.
release() {
  if [[ -n ${CI_ONLY_release-} || ! -s build/bare/tests.log ]]; then
    # shellcheck disable=SC2046 # several words
    twice ./test -LE gates $(only release)
    return
  fi
  ./test -N -LE gates > build/tests.txt
  left_over build/tests.txt build/bare/tests.log > build/left_over.txt
  printf 'ci: %d of %d tests are left over\n' "$(wc -l < build/left_over.txt)" \
    "$(grep -c '^ *Test *#' build/tests.txt)"
  [[ ! -s build/left_over.txt ]] || twice ./test -I "0,0,0,$(paste -sd, build/left_over.txt)"
}

# gates: what a job and a start cost, and what needs a quiet host, on a machine that does nothing else.
gates() {
  ./test -L '^(gates|alone)$'
}

# sanitized PRESET SANITIZERS: that it is built with them; tests that pass without them would say nothing.
sanitized() {
  grep -q "^KERNSWEEP_SANITIZE:STRING=$2\$" "build/$1/CMakeCache.txt"
}

# asan: the tests of code, each fuzz target for a moment more than its corpus takes, and the classes of
# processes that together reach every path of the programs. Not what is statistics, or the same code once
# more with other types: a sanitizer looks at code, not at promises.
build_asan() {
  build asan 'building with AddressSanitizer' "${CI_TARGETS_asan:-kernsweep_runtime all_tests}"
}
asan() {
  local long='-ClaimTrials.*:PowerLoss.*:RecoveryTest.FlippedBits*:RecoveryTest.AnyHalfPage*'
  long+=':GeneratorTest.NormalTails*:LinearSmallRows.HonestErrors*'
  long+=':MemoryBoundFamilies.SumsDoNotLose*:*/EveryPoint.*/onednn'
  long+=':*/Conv2dEveryShape.*/onednn_s8_*:*/LinearEveryShape.*_pass'
  export GTEST_FILTER=$long
  built asan
  sanitized asan address,undefined
  # shellcheck disable=SC2046 # several words
  twice tests_of asan -L '^(unit|kernels|fuzz|sanitized)$' $(only asan)
}

# lint: clang-tidy over every source of ours; a unit that was clean is kept while nothing of it changes.
lint() { tests/lint/clang_tidy.py; }

# tsan: only the rooms that have threads of their own, and the whole program at work with the packs that its
# classes use. The others would cost as long to build again as these, and have nothing to find.
rooms_with_threads='worker tensors transport coordinator_net'
build_tsan() {
  local targets='kernsweep kernsweep-slot pack_faulty pack_gemm pack_noop pack_probe pack_sleep' room
  for room in $rooms_with_threads; do targets+=" tests/unit/$room/all"; done
  build tsan 'building with ThreadSanitizer' "$targets"
}
tsan() {
  built tsan
  sanitized tsan thread
  tests_of tsan -R "^(unit_(${rooms_with_threads// /|})\$|process\.(run|kill|network)_)"
}

# arm64: what computes and what is stored, compiled for that processor and run under qemu. Packs among it:
# kernels have their own instructions there. What decides has none: asan tests it, with char unsigned as
# there. Not what is statistics or takes a minute there, and nothing that starts the programs or measures.
suites_of_arm64='unit_results unit_shared unit_tensors kernels_gemm kernels_conv2d kernels_stream
                 kernels_attention kernels_linear kernels_memory_bound
                 kernels_spmm kernels_process_transfer kernels_roof kernels_noop'
build_arm64() {
  tests/arm64/make_sysroot.sh build/arm64_root
  build arm64 'building for arm64' "$suites_of_arm64"
}
arm64() {
  local any long='-ClaimTrials.*:PowerLoss.*:RecoveryTest.*:EarlierResultsOfJobs.NoMoreAreStoredAtOnce*'
  long+=':GeneratorTest.NormalTails*:GemmTolerance.*:Roof.TheLargestWork*'
  any=$(printf '%s|' $suites_of_arm64)
  built arm64
  GTEST_FILTER=$long tests/run_ctest.py build/arm64 ctest --preset arm64 -R "^(${any%|})\$"
}

# packages: the .deb, the .tar.gz and the wheel are made. The first leaves libraries to Debian, the others
# bring them.
packages() {
  rm -rf build/packages
  [[ -f build/release/.built ]] || ./test -N > build/tests.txt
  (cd build/release && cpack -B "$root/build/packages") > build/cpack.log 2>&1 || {
    tail -n 20 build/cpack.log
    return 1
  }
  dpkg-deb --field build/packages/*.deb Package Version Depends Recommends
  dpkg-deb --contents build/packages/*.deb > build/deb.txt
  if grep 'lib/kernsweep/[^/]*\.so' build/deb.txt; then
    echo 'the .deb has libraries that are dependencies of it'
    return 1
  fi
  ls -l build/packages/*.deb build/packages/*.tar.gz
  deploy/make_wheel.sh build/packages
  # This machine is the older Debian, where both are tried; the bare root is the newer one. It is made beside
  # the tests here, and does not outlive a stage that fails.
  local status=0
  trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
  tests/fresh/fresh_debian.sh --suite trixie --package build/packages/*.whl \
    < /dev/null > build/packages/trixie.log 2>&1 &
  tests/package/bundle_test.py build/packages/kernsweep-*.tar.gz
  tests/package/wheel_test.py build/packages/*.whl
  wait $! || status=$?
  cat build/packages/trixie.log
  (( status == 77 )) || return "$status"
  echo '1 skipped: no bare root can be made here to try the wheel in'
}

# fetch: the packages of stage engines, in an environment of their own (5 GB). In the background,
# while other stages compile, because it mostly waits for the network; build/engines.status says how it
# ended. What is imported is compiled once, not all that there is: slots and tests write no bytecode.
fetch() {
  local wanted
  trap 'echo $? > build/engines.status' EXIT
  wanted=$(python3 -c "
import tomllib
extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']
engines = ('torch', 'onnxruntime', 'openvino', 'tvm', 'jax', 'numba', 'scipy', 'cython', 'pybind11',
           'pandas', 'polars')
print(*sorted({package for engine in engines for package in extras[engine]}))")
  [[ -x build/engines/bin/pip ]] || python3 -m venv --clear build/engines
  # shellcheck disable=SC2086 # several words
  nice -n 19 timeout 1500 "$root/build/engines/bin/pip" -q --disable-pip-version-check --retries 2 \
    install --no-compile $wanted axe-core-python==0.1.0 onnxscript==0.7.2 mypy
  # That they can be imported is for the tests to say.
  env -u PYTHONDONTWRITEBYTECODE nice -n 19 build/engines/bin/python3 -c '
import compileall, sysconfig
for package in ("onnx", "onnxruntime/quantization", "onnxscript", "openvino"):
    compileall.compile_dir(sysconfig.get_path("purelib") + "/" + package, quiet=2)
import cython, jax.numpy, numba, onnxruntime, openvino, scipy.sparse, tvm.relax.frontend.onnx, xgboost
import torch._dynamo, torch._inductor.compile_fx' || true
}

# engines: kernsweep.engines with all that it knows, in the versions that pyproject.toml names. Only where
# PyPI cannot be reached the stage is skipped, with that reason; a version that does not exist is a failure,
# and so is a test that finds no engine. The environment also has axe-core, which looks at reports.
engines() {
  local status waited=0
  while [[ ! -s build/engines.status ]] && (( waited < 900 )); do
    sleep 5
    waited=$((waited + 5))
  done
  status=$(cat build/engines.status 2> /dev/null || echo 124)
  if (( status != 0 )); then
    tail -n 5 build/engines.log
    (( status != 124 )) || { echo 'ci: PyPI was too slow to fetch the engines'; return 1; }
    grep -qE 'Max retries|NewConnectionError|ReadTimeout|ProxyError' build/engines.log || return "$status"
    echo '1 skipped: PyPI cannot be reached, so no engine was tested'
    return 0
  fi
  # Two at a time: each weighs 5 (tests/CMakeLists.txt).
  KERNSWEEP_PYTHON=$root/build/engines tests_of release -j 10 -R "^($engine_suites)_test\." |
    tee "$work/engines.log"
  if grep -q 'Skipped)$' "$work/engines.log"; then
    echo 'ci: an engine was installed and not tested'
    return 1
  fi
}

"$@"
