// What an input costs: to make it, and to map it into one more process.
//
//   generate/...    bytes per second on 2 threads over memory that is already touched, and `of_copy`, its
//   share of what
//                   memcpy moves on 2 threads over as many bytes in the same run. To reach for f32 uniform:
//                   1/3.
//   obtain          a new tensor in the arena, all included: pages from the kernel, content hash, seal.
//   map_in_child    microseconds that a new process needs to open and map 1 GiB. To reach: < 100. `copies`:
//   how often
//                   the gigabyte is in memory once the child has read all of it (proportional shares of
//                   both).
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "shared/tensors/arena.hpp"
#include "shared/tensors/generator.hpp"
#include "shared/tensors/mapping.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
constexpr int kThreads = 2;

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::span<std::byte> touched(std::unique_ptr<std::byte[]>& owner) {
  if (!owner) owner.reset(new std::byte[kBytes]());
  return {owner.get(), kBytes};
}

std::unique_ptr<std::byte[]> source_memory, target_memory;

double copy_seconds() {
  const auto from = touched(source_memory);
  const auto to = touched(target_memory);
  return seconds_of([&] {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([=] {
        std::memcpy(to.data() + t * (kBytes / kThreads), from.data() + t * (kBytes / kThreads),
                    kBytes / kThreads);
      });
  });
}

TensorSpec gigabyte(Dtype dtype, Distribution distribution, double a, double b) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = {static_cast<std::int64_t>(kBytes / size_of(dtype))};
  spec.distribution = distribution;
  spec.a = a;
  spec.b = b;
  spec.fan_in = 1024;
  return spec;
}

void copy(benchmark::State& state) {
  copy_seconds();
  for (auto _ : state) state.SetIterationTime(copy_seconds());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kBytes));
}
BENCHMARK(copy)->UseManualTime()->Unit(benchmark::kMillisecond);

void generate(benchmark::State& state, TensorSpec spec) {
  const auto out = touched(target_memory);
  copy_seconds();
  double making = 0;
  double copying = 0;
  for (auto _ : state) {
    // One after the other, so that what disturbs the machine disturbs both.
    const double made = seconds_of([&] {
      if (!kernsweep::generate(spec, out, kThreads)) state.SkipWithError("not generated");
    });
    making += made;
    copying += copy_seconds();
    state.SetIterationTime(made);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kBytes));
  state.counters["of_copy"] = copying / making;
}
#define KS_GENERATE(name, ...) \
  BENCHMARK_CAPTURE(generate, name, gigabyte(__VA_ARGS__))->UseManualTime()->Unit(benchmark::kMillisecond)
KS_GENERATE(f32_uniform, Dtype::f32, Distribution::uniform, -1, 1);
KS_GENERATE(f64_uniform, Dtype::f64, Distribution::uniform, -1, 1);
KS_GENERATE(bf16_uniform, Dtype::bf16, Distribution::uniform, -1, 1);
KS_GENERATE(f16_uniform, Dtype::f16, Distribution::uniform, -1, 1);
KS_GENERATE(f32_normal, Dtype::f32, Distribution::normal, 0, 1);
KS_GENERATE(bf16_normal, Dtype::bf16, Distribution::normal, 0, 1);
KS_GENERATE(s8_integers, Dtype::s8, Distribution::integers, -8, 8);
KS_GENERATE(s32_integers, Dtype::s32, Distribution::integers, -1000, 1000);

void obtain(benchmark::State& state) {
  TensorArena arena(kBytes, kThreads);  // room for one: each new one evicts the last
  TensorSpec spec = gigabyte(Dtype::f32, Distribution::uniform, -1, 1);
  for (auto _ : state) {
    ++spec.seed;
    if (const auto placed = arena.obtain(spec); !placed)
      state.SkipWithError(placed.error().message.c_str());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kBytes));
}
BENCHMARK(obtain)->UseRealTime()->Unit(benchmark::kMillisecond);

// Kilobytes of this process, each page divided by the number of processes that have it.
double proportional_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;)
    if (double kib = 0; word == "Pss:" && file >> kib) return kib;
  return 0;
}

struct Report {
  double microseconds = -1;
  double kib_gained = 0;  // in the child, from mapping and reading all
};

Report map_in_child_process(const Placed& placed) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    Report report;
    const double before = proportional_kib();
    const auto begin = std::chrono::steady_clock::now();
    const auto mapping = TensorMapping::open(placed.path, placed.bytes);
    const auto end = std::chrono::steady_clock::now();
    if (mapping) report.microseconds = std::chrono::duration<double, std::micro>(end - begin).count();
    std::uint64_t sum = 0;
    if (mapping)
      for (std::size_t i = 0; i < mapping->bytes().size(); i += 4096)
        sum += std::to_integer<std::uint64_t>(mapping->bytes()[i]);
    benchmark::DoNotOptimize(sum);
    report.kib_gained = proportional_kib() - before;
    _exit(write(ends[1], &report, sizeof report) == sizeof report ? 0 : 1);
  }
  Report report;
  close(ends[1]);
  if (child < 0 || read(ends[0], &report, sizeof report) != sizeof report) report = {};
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return report;
}

void map_in_child(benchmark::State& state) {
  TensorArena arena(kBytes, kThreads);
  const auto placed = arena.obtain(gigabyte(Dtype::f32, Distribution::uniform, -1, 1));
  // Mapped here as well and read, as by a slot that already runs: the child shares these pages.
  const auto first = placed ? TensorMapping::open(placed->path, placed->bytes) : failure("no tensor");
  if (!first) return state.SkipWithError(first.error().message.c_str());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBytes; i += 4096) sum += std::to_integer<std::uint64_t>(first->bytes()[i]);
  benchmark::DoNotOptimize(sum);
  std::vector<double> times;
  double copies = 0;
  for (auto _ : state) {
    const Report report = map_in_child_process(*placed);
    if (report.microseconds < 0) return state.SkipWithError("the child could not map the tensor");
    times.push_back(report.microseconds);
    // The child's proportional share is half of the gigabyte if both have the same pages, all of it if it
    // has its own.
    copies = 2 * report.kib_gained * 1024 / static_cast<double>(kBytes);
    state.SetIterationTime(report.microseconds * 1e-6);
  }
  std::sort(times.begin(), times.end());
  state.counters["median_us"] = times[times.size() / 2];
  state.counters["slowest_us"] = times.back();
  state.counters["copies"] = copies;
}
BENCHMARK(map_in_child)->UseManualTime()->Unit(benchmark::kMicrosecond)->Iterations(20);

}  // namespace
}  // namespace kernsweep
