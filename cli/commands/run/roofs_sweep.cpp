#include "cli/commands/run/roofs_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

// Amounts of work for runs of about a millisecond, which is long compared with starting the threads.
constexpr std::uint64_t kOperationsPerThread = 1ULL << 27;
constexpr std::uint64_t kTrafficPerThread = 1ULL << 25;
constexpr std::uint64_t kMemoryLeast = 1ULL << 26;

// How many last-level caches are used by this many threads on the first cores, which slots use first.
std::uint64_t caches_used(const Topology& topology, std::uint64_t threads) {
  std::set<std::uint32_t> used;
  for (std::size_t i = 0; i < topology.cores.size() && i < threads; ++i)
    used.insert(topology.cores[i].cache);
  return std::max<std::size_t>(1, used.size());
}

void add_level(std::string& text, const char* label, std::uint64_t threads, std::uint64_t bytes,
               std::uint64_t passes) {
  text += fmt::format("    - {{label: {}, threads: {}, operations: null, bytes: {}, passes: {}}}\n", label,
                      threads, bytes, passes);
}

void add_cache(std::string& text, const char* label, std::uint64_t threads, std::uint64_t bytes) {
  const std::uint64_t passes = std::max<std::uint64_t>(1, threads * kTrafficPerThread / bytes);
  add_level(text, label, threads, bytes, passes);
}

void add_places(std::string& text, const Topology& topology, std::uint64_t threads) {
  text += fmt::format("    - {{label: core, threads: {}, operations: {}, bytes: null, passes: null}}\n",
                      threads, threads * kOperationsPerThread);
  const std::uint64_t l1 = topology.l1d_bytes, l2 = topology.l2_bytes;
  const std::uint64_t last = topology.llc_bytes * caches_used(topology, threads);
  if (l1 > 0) add_cache(text, "L1", threads, threads * l1 / 2);
  if (l2 > l1) add_cache(text, "L2", threads, threads * l2 / 2);
  if (topology.llc_bytes > l2 && last / 2 / threads >= 2 * l2) add_cache(text, "L3", threads, last / 2);
  std::uint64_t memory = std::max(4 * last, kMemoryLeast);
  if (topology.memory_bytes > 0) memory = std::min(memory, topology.memory_bytes / 4);
  add_level(text, "memory", threads, memory, 1);
}

}  // namespace

std::vector<std::uint32_t> thread_counts(const Topology& topology) {
  const auto cores = static_cast<std::uint32_t>(topology.cores.size());
  std::vector<std::uint32_t> counts;
  for (std::uint32_t n = 1; n < cores; n *= 2) counts.push_back(n);
  counts.push_back(std::max(cores, 1U));
  return counts;
}

Result<std::vector<std::uint32_t>> thread_counts(const std::string& list, const Topology& topology) {
  std::set<std::uint32_t> counts;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (true) {
    std::uint32_t count = 0;
    const auto [rest, error] = std::from_chars(at, end, count);
    if (error != std::errc() || count == 0 || (rest != end && *rest != ','))
      return failure("--threads is a list of whole numbers from 1, such as 1,2,8; not '" + list + "'");
    if (count > topology.cores.size())
      return failure(fmt::format("--threads {}: this process may use {} of this host", count,
                                 counted(topology.cores.size(), "core", "cores")));
    counts.insert(count);
    if (rest == end) break;
    at = rest + 1;
  }
  return std::vector<std::uint32_t>(counts.begin(), counts.end());
}

std::string roofs_sweep(const Topology& topology, const std::vector<std::uint32_t>& threads) {
  std::string text =
      "# What can this kind of host do at best, in arithmetic and from each level of its "
      "memory?\n"
      "sweep: 1\n"
      "name: roofs\n"
      "kernel: roof\n"
      "hosts: each\n\n"
      "axes:\n"
      "  place:                   # sizes are for all threads together\n";
  for (const std::uint32_t count : threads) add_places(text, topology, count);
  text += R"(  variant: [avx512, avx2, plain, stream]
  dtype: {values: [f64, f32, bf16, s8], when: 'label == "core"'}
  op: {values: [read, copy, triad], when: 'label != "core"'}
  non_temporal: {values: [false, true], when: 'variant == "stream" and label == "memory"'}

constraints:
  - {expr: label != "core" or variant != "stream", why: stream has no arithmetic}
  - expr: label == "core" or (op == "read") == (variant != "stream")
    why: stream copies and adds, the others read
  - expr: label != "core" or dtype in ["f64", "f32"] or variant == "avx512"
    why: only avx512 multiplies bf16 and s8
requires:
  - threads <= host.cores

measure:
  processes: 2
  warmup: {min_runs: 1, min_time: 20ms, max_time: 100ms}
  samples: {min: 5, max: 400, min_time: 100ms, max_time: 200ms}
)";
  return text;
}

// The amounts of work give runs of milliseconds on the largest cards, and below a second if f64 is slow.
std::string gpu_roofs_sweep() {
  std::string text =
      "# What can a GPU of this kind do at best, in arithmetic and from its memory?\n"
      "sweep: 1\n"
      "name: gpu-roofs\n"
      "kernel: roof\n"
      "hosts: each\n\n"
      "axes:\n"
      "  device: [gpu]\n"
      "  variant: [cuda]\n"
      "  place:\n";
  for (const auto& [dtype, operations] : {std::pair{"f64", 1ULL << 37},
                                          {"f32", 1ULL << 38},
                                          {"tf32", 1ULL << 40},
                                          {"bf16", 1ULL << 41},
                                          {"f16", 1ULL << 41},
                                          {"s8", 1ULL << 41}})
    text += fmt::format("    - {{label: core, dtype: {}, operations: {}, bytes: null, passes: null}}\n",
                        dtype, operations);
  for (const auto& [label, bytes, passes] :
       {std::tuple{"L2", 16ULL << 20, 256}, {"L2", 4ULL << 20, 1024}, {"memory", 4ULL << 30, 1}})
    text += fmt::format("    - {{label: {}, dtype: null, operations: null, bytes: {}, passes: {}}}\n",
                        label, bytes, passes);
  text += R"(  op: {values: [read, copy, triad], when: 'label != "core"'}
  non_temporal: {values: [false, true], when: 'label == "memory" and op != "read"'}

measure:
  processes: 2
  warmup: {min_runs: 1, min_time: 50ms, max_time: 500ms}
  samples: {min: 5, max: 400, min_time: 200ms, max_time: 1s}
)";
  return text;
}

}  // namespace kernsweep
