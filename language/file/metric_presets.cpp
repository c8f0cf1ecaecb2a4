// What some programs print: each text is what a user would write in `metrics`. The presets were tested with
// output of the programs (tests/kernels/command/printed).
#include <iterator>

#include "language/file/metrics.hpp"

namespace kernsweep {
namespace {

constexpr MetricPreset kPresets[] = {{"benchmark-app", R"(
values:
  seconds: {regex: 'Median: +(?<value>[0-9.]+) (?<unit>[mu]?s)'}
  throughput: {regex: 'Throughput: +(?<value>[0-9.]+) FPS', unit: inferences/s, better: larger}
hint: it is the summary that OpenVINO's benchmark_app prints at its end
)"},
                                     {"benchdnn", R"(
values:
  seconds:
    regex: '^perf,.*?(?<problem>--[^,]*),(?:[^,]+,){0,2}(?<value>[0-9.e+-]+)(?:,[^,]+,[^,]+)?,[^,]+$'
    unit: ms
hint: 'benchdnn of oneDNN prints it with --mode=P; of several problems say, as in its output,
  row: {problem: --matmul --mode=P 64x64:64x64}'
)"},
                                     {"fftw-bench", R"(
values:
  seconds: {regex: '^Problem: (?<problem>\S+), setup: .*, time: (?<value>[0-9.]+) (?<unit>[num]?s)'}
  setup: {regex: '^Problem: (?<problem>\S+), setup: (?<value>[0-9.]+) (?<unit>[num]?s)', better: smaller}
hint: 'the program bench of FFTW prints it with -s PROBLEM; of several -s say row: {problem: 4096}'
)"},
                                     {"fio", R"(
rows: /jobs
values:
  seconds:
    regex: '"(?<direction>read|write|trim)\" : \{[^{}]*"bw_bytes" : (?<value>[1-9][0-9]*)'
    unit: B/s
  iops:
    regex: '"(?<direction>read|write|trim)\" : \{[^{}]*"iops" : (?<value>[0-9.]*[1-9][0-9.]*)'
    better: larger
hint: 'fio prints it with --output-format=json; where it reads and writes say row: {direction: write};
  several jobs need --group_reporting'
)"},
                                     {"google-benchmark", R"(
rows: /benchmarks
row: {run_type: iteration}
samples_of: name
values:
  seconds: {json: /real_time, unit: {json: /time_unit}}
  items_per_s: {json: /items_per_second, better: larger, optional: true}
  bytes_per_s: {json: /bytes_per_second, better: larger, optional: true}
hint: 'a program of Google Benchmark prints it with --benchmark_format=json'
)"},
                                     {"hyperfine", R"(
rows: /results
values:
  seconds: {json: /times}
hint: 'hyperfine prints it with --style none --export-json /dev/stdout'
)"},
                                     {"llama-bench", R"(
rows: ''
values:
  seconds: {json: /samples_ns, unit: ns}
  tokens_per_s: {json: /avg_ts, better: larger}
hint: 'llama-bench prints it with -o json; each of -p, -n and -pg is a row: row: {n_prompt: 512, n_gen: 0}'
)"},
                                     {"openssl-speed", R"(
values:
  seconds: {regex: '^(?<name>\S+) +(?<value>[0-9.]+)k$', unit: kB/s}
hint: 'openssl speed prints one number with one algorithm and one size: -bytes 1024 sha256; of several
  algorithms say row: {name: sha256}'
)"},
                                     {"pytest-benchmark", R"(
from: benchmark.json
rows: /benchmarks
values:
  seconds: {json: /stats/data}
hint: 'pytest writes it with --benchmark-json=benchmark.json; another file: from: FILE'
)"},
                                     {"stream", R"(
row: {function: Triad}
values:
  seconds: {regex: '^(?<function>\w+): +(?<value>[0-9.]+) +[0-9.]+ +[0-9.]+ +[0-9.]+', unit: MB/s}
hint: it is the table that STREAM prints, with the functions Copy, Scale, Add and Triad
)"},
                                     {"timeit", R"(
values:
  seconds: {regex: 'best of [0-9]+: (?<value>[0-9.e+-]+) (?<unit>nsec|usec|msec|sec) per loop'}
hint: it is the line that python3 -m timeit prints
)"},
                                     {"zstd", R"(
values:
  seconds:
    regex: '^.*: +[0-9]+ -> +[0-9]+ \(x[0-9.]+\), +(?<value>[0-9.]+) MB/s(?:.*\r *(?<level>-?[0-9]+)#)?'
    unit: MB/s
  decompressed_mb_per_s:
    regex: '^.*MB/s, +(?<value>[0-9.]+) MB/s(?:.*\r *(?<level>-?[0-9]+)#)?'
    better: larger
    optional: true
hint: 'zstd prints it with -b; each level of -b1 -e3 is a row: row: {level: 3}, or rows_by: level'
)"}};

}  // namespace

std::vector<MetricPreset> metric_presets() {
  return {std::begin(kPresets), std::end(kPresets)};
}

}  // namespace kernsweep
