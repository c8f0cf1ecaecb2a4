// What an input costs: to make it, and to map it into one more process.
//
//   generate/...    bytes per second on 2 threads over memory that is already touched, and `of_copy`: the
//                   median time of memcpy on 2 threads over as many bytes, also already touched, in the
//                   same run, divided by the median of this. To reach, where nothing is sparse: 1/3.
//   generate_avx2/  the same with AVX2.
//   first_touch     the same for memory that does not exist yet: both make a shared buffer first, whose
//   pages
//                   the kernel allocates and zeroes. `pages`: the share of that in the whole.
//   obtain          a new tensor in the arena, all included: pages from the kernel, content hash, seal.
//   map_in_child    microseconds that a new process needs to open and map 1 GiB. To reach: < 100. `copies`:
//                   how often the gigabyte is in memory once the child has read all of it (proportional
//                   shares of both).
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tensors/arena.hpp"
#include "tensors/generator.hpp"
#include "tensors/mapping.hpp"
#include "tensors/sealed_buffer.hpp"

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

void copy_to(std::byte* to) {
  const auto from = touched(source_memory);
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([=] {
      std::memcpy(to + t * (kBytes / kThreads), from.data() + t * (kBytes / kThreads), kBytes / kThreads);
    });
}

double copy_seconds() {
  touched(source_memory);
  const auto to = touched(target_memory);
  return seconds_of([&] { copy_to(to.data()); });
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

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

void generate(benchmark::State& state, TensorSpec spec, Instructions instructions) {
  if (!usable(instructions)) return state.SkipWithError("this processor lacks the instructions");
  const auto out = touched(target_memory);
  copy_seconds();
  std::vector<double> making;
  std::vector<double> copying;
  for (auto _ : state) {
    // One after the other, so that what disturbs the machine disturbs both.
    making.push_back(seconds_of([&] {
      if (!kernsweep::generate(spec, out, kThreads, instructions)) state.SkipWithError("not generated");
    }));
    copying.push_back(copy_seconds());
    state.SetIterationTime(making.back());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kBytes));
  state.counters["of_copy"] = median(copying) / median(making);
}

// Every element type with every distribution; kaiming is normal and xavier is uniform.
struct Case {
  const char* name;
  Dtype dtype;
  Distribution distribution;
  double a, b;
  double density = 1.0;
};
constexpr Case kCases[] = {
    {"f32_uniform", Dtype::f32, Distribution::uniform, -1, 1},
    {"f64_uniform", Dtype::f64, Distribution::uniform, -1, 1},
    {"bf16_uniform", Dtype::bf16, Distribution::uniform, -1, 1},
    {"f16_uniform", Dtype::f16, Distribution::uniform, -1, 1},
    {"f8e4m3_uniform", Dtype::f8e4m3, Distribution::uniform, -1, 1},
    {"f8e5m2_uniform", Dtype::f8e5m2, Distribution::uniform, -1, 1},
    {"f32_normal", Dtype::f32, Distribution::normal, 0, 1},
    {"f64_normal", Dtype::f64, Distribution::normal, 0, 1},
    {"bf16_normal", Dtype::bf16, Distribution::normal, 0, 1},
    {"f16_normal", Dtype::f16, Distribution::normal, 0, 1},
    {"f8e4m3_normal", Dtype::f8e4m3, Distribution::normal, 0, 1},
    {"f8e5m2_normal", Dtype::f8e5m2, Distribution::normal, 0, 1},
    {"s8_integers", Dtype::s8, Distribution::integers, -8, 8},
    {"u8_integers", Dtype::u8, Distribution::integers, 0, 255},
    {"s32_integers", Dtype::s32, Distribution::integers, -1000, 1000},
    {"s64_integers", Dtype::s64, Distribution::integers, -1000, 1000},
    {"f64_integers", Dtype::f64, Distribution::integers, -1000, 1000},
    {"f32_integers", Dtype::f32, Distribution::integers, -1000, 1000},
    {"bf16_integers", Dtype::bf16, Distribution::integers, -8, 8},
    {"f16_integers", Dtype::f16, Distribution::integers, -8, 8},
    // Ranges that take more random bits for an element.
    {"bf16_integers_512", Dtype::bf16, Distribution::integers, -256, 256},
    {"f16_integers_4096", Dtype::f16, Distribution::integers, -2048, 2048},
    {"s32_integers_all", Dtype::s32, Distribution::integers, -0x1p31, 0x1p31 - 1},
    {"f32_integers_2p25", Dtype::f32, Distribution::integers, -0x1p24, 0x1p24},
    {"s64_integers_2p54", Dtype::s64, Distribution::integers, -0x1p53, 0x1p53},
    {"f64_integers_2p54", Dtype::f64, Distribution::integers, -0x1p53, 0x1p53},
    {"f32_sparse", Dtype::f32, Distribution::uniform, -1, 1, 0.1},
    {"f64_sparse", Dtype::f64, Distribution::uniform, -1, 1, 0.1},
    {"f32_normal_sparse", Dtype::f32, Distribution::normal, 0, 1, 0.1},
    {"bf16_normal_sparse", Dtype::bf16, Distribution::normal, 0, 1, 0.1},
    {"s8_sparse", Dtype::s8, Distribution::integers, -8, 8, 0.1},
};

[[maybe_unused]] const bool registered = [] {
  for (const auto& [group, instructions] :
       {std::pair("generate/", widest_instructions()), std::pair("generate_avx2/", Instructions::avx2)})
    for (const Case& each : kCases) {
      TensorSpec spec = gigabyte(each.dtype, each.distribution, each.a, each.b);
      spec.density = each.density;
      benchmark::RegisterBenchmark((std::string(group) + each.name).c_str(), generate, spec, instructions)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->Iterations(7);
    }
  return true;
}();

void first_touch(benchmark::State& state) {
  const TensorSpec spec = gigabyte(Dtype::f32, Distribution::uniform, -1, 1);
  touched(source_memory);
  target_memory.reset();
  std::vector<double> making;
  std::vector<double> copying;
  std::vector<double> allocating;
  for (auto _ : state) {
    for (const bool copies : {false, true}) {
      std::optional<SealedBuffer> buffer;
      allocating.push_back(seconds_of([&] {
        if (auto made = SealedBuffer::create(kBytes)) buffer = *std::move(made);
      }));
      if (!buffer) return state.SkipWithError("no memory");
      const double filling = seconds_of([&] {
        if (copies)
          copy_to(buffer->writable().data());
        else if (!kernsweep::generate(spec, buffer->writable(), kThreads))
          state.SkipWithError("not generated");
      });
      (copies ? copying : making).push_back(allocating.back() + filling);
    }
    state.SetIterationTime(making.back());
  }
  state.counters["of_copy"] = median(copying) / median(making);
  state.counters["pages"] = median(allocating) / median(making);
}
BENCHMARK(first_touch)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

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
