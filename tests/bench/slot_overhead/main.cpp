// How much a slot adds to the median of what it measures, compared with the same calls in a bare loop.
//
//   build/.../tests/bench_slot_overhead [--repetitions 15] [--json] [Google Benchmark's own options]
//
// bare     a Google Benchmark loop over the pack's run(), the clock read after every call
// sampler  worker/slot's timed section on the same prepared state
// job      a whole job in a JobRunner: operands, guarded memory, samples
// run      the real binary: `kernsweep run` on that point, the median from its database
//
// All four are repeated in random order, each time with fresh memory, bound to the first core, with the
// environment that a slot has; the medians over the repetitions are compared.
#include <benchmark/benchmark.h>
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "results/sqlite/sqlite.hpp"
#include "shared/stats/statistics.hpp"
#include "tests/bench/end_to_end/figures.hpp"
#include "tests/bench/end_to_end/program.hpp"
#include "tests/bench/slot_overhead/prepared.hpp"

namespace kernsweep::bench {
namespace {

std::string kernsweep_path() {
  namespace fs = std::filesystem;
  return (fs::canonical("/proc/self/exe").parent_path().parent_path() / "bin/kernsweep").string();
}

// Binds this thread to the first of its cores, where the worker puts its first slot, while it lives. The
// whole runs need all cores.
class Bound {
 public:
  Bound() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t first;
    CPU_ZERO(&first);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &first);
    }
    sched_setaffinity(0, sizeof first, &first);
  }
  ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  cpu_set_t before_{};
};

constexpr const char* kMedian = "median_us";

// The clock is read after each call, so that a repetition has a median: its mean would count what else the
// machine did meanwhile, which the slot's median leaves out. A reading costs 1e-4 of the shortest call
// here.
void bare(benchmark::State& state, const Case& point) {
  const Bound bound;
  const Prepared ready(point);
  const auto run = ready.variant().run;
  void* const what = ready.state();
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(point.samples / 4, 1); ++i) run(what);
  std::vector<double> seconds;
  seconds.reserve(point.samples);
  double before = clock_s();
  for (auto _ : state) {
    benchmark::DoNotOptimize(run(what));
    const double after = clock_s();
    seconds.push_back(after - before);
    before = after;
  }
  state.counters[kMedian] = summarise(seconds).median * 1e6;
}

void by_sampler(benchmark::State& state, const Case& point) {
  const Bound bound;
  const Prepared ready(point);
  for (auto _ : state) state.counters[kMedian] = median_by_sampler(point, ready) * 1e6;
}

void by_job_runner(benchmark::State& state, const Case& point) {
  const Bound bound;
  for (auto _ : state) state.counters[kMedian] = median_by_job_runner(point) * 1e6;
}

void write_sweep(const Case& point, const std::string& path) {
  std::ofstream file(path);
  const std::string count = std::to_string(point.samples);
  file << "# What does a slot add?\nsweep: 1\nname: overhead\nkernel: " << point.family
       << "\naxes:\n  variant: [" << point.variant << "]\n";
  for (const auto& [name, size] : point.sizes) file << "  " << name << ": [" << size << "]\n";
  file << "verify: false\nmeasure: {processes: 1, warmup: {min_runs: 1, min_time: 20ms},\n          "
          "samples: {min: "
       << count << ", max: " << count << ", min_time: 0}}\n";
}

void by_whole_run(benchmark::State& state, const Case& point) {
  std::string folder = std::filesystem::temp_directory_path().string() + "/kernsweep-bench-XXXXXX";
  if (!mkdtemp(folder.data())) return state.SkipWithError("no temporary folder");
  write_sweep(point, folder + "/overhead.yaml");
  const std::string database = folder + "/overhead.db";
  for (auto _ : state) {
    Program program(kernsweep_path(), {"run", folder + "/overhead.yaml", "--db", database, "--quiet"},
                    folder);
    if (program.wait() != 0) {
      state.SkipWithError(program.errors().c_str());
      break;
    }
    auto read = sqlite::Connection::open(database, sqlite::Connection::Mode::read).value();
    auto medians = read.prepare("select median_s from outcome where status = 'ok'").value();
    if (medians.step() != sqlite::Step::row) {
      state.SkipWithError("the run left no row that is ok");
      break;
    }
    state.counters[kMedian] = medians.real(0) * 1e6;
  }
  std::filesystem::remove_all(folder);
}

// Keeps every repetition's time per call; the aggregates of Google Benchmark are not what is compared.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) {
        std::fprintf(stderr, "%s: %s\n", run.run_name.function_name.c_str(), run.error_message.c_str());
        failed = true;
        continue;
      }
      medians[run.run_name.function_name].push_back(run.counters.at(kMedian));
    }
  }
  std::map<std::string, std::vector<double>> medians;  // us per call, one of each repetition
  bool failed = false;
};

void add_benchmarks(int repetitions) {
  for (const Case& point : cases()) {
    const auto add = [&](const char* how, void (*what)(benchmark::State&, const Case&)) {
      auto* const added =
          benchmark::RegisterBenchmark((point.name + ", " + how).c_str(),
                                       [what, &point](benchmark::State& state) { what(state, point); });
      added->Repetitions(repetitions);
      return added;
    };
    add("bare", bare)->Iterations(static_cast<std::int64_t>(point.samples));
    add("sampler", by_sampler)->Iterations(1);
    add("job", by_job_runner)->Iterations(1);
    add("run", by_whole_run)->Iterations(1);
  }
}

Figures compared(const std::map<std::string, std::vector<double>>& medians) {
  Figures figures;
  for (const Case& point : cases()) {
    const std::string bare_name = point.name + ", bare";
    for (const double median : medians.at(bare_name)) figures.add(bare_name, "us", median);
    for (const char* how : {"sampler", "job", "run"}) {
      const std::string name = point.name + ", " + how;
      for (const double median : medians.at(name)) figures.add(name, "us", median);
      const double ratio = figures.median(name) / figures.median(bare_name);
      figures.add(name + " adds", "%", (ratio - 1) * 100);
    }
  }
  return figures;
}

}  // namespace
}  // namespace kernsweep::bench

int main(int argc, char** argv) {
  using namespace kernsweep::bench;
  // Our options go first, the rest is Google Benchmark's.
  int repetitions = 15;
  bool json = false;
  std::vector<char*> rest{argv[0]};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--repetitions") == 0 && i + 1 < argc) {
      repetitions = std::max(1, std::atoi(argv[++i]));
    } else {
      rest.push_back(argv[i]);
    }
  }
  char interleaving[] = "--benchmark_enable_random_interleaving=true";
  rest.push_back(interleaving);
  int count = static_cast<int>(rest.size());
  // The packs' libraries read these when they are loaded, as in a slot.
  for (const char* name :
       {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"})
    setenv(name, "1", 1);
  setenv(
      "KERNSWEEP_PACKS",
      (std::filesystem::path(kernsweep_path()).parent_path().parent_path() / "lib/kernsweep/packs").c_str(),
      0);
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  add_benchmarks(repetitions);
  Collector collector;
  try {
    benchmark::RunSpecifiedBenchmarks(&collector);
    if (collector.failed) return 1;
    const Figures figures = compared(collector.medians);
    std::printf("%s\n", json ? figures.json({}).c_str() : figures.table().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_slot_overhead: %s\n", error.what());
    return 1;
  }
  return 0;
}
