#include "kernels/cpu/memory_bound/own.hpp"

#include <fmt/format.h>

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kernsweep::memory_bound {
namespace {

#if defined(__x86_64__)
constexpr bool kHasNonTemporal = true;
#else
constexpr bool kHasNonTemporal = false;
#endif

// The size of the last cache of this core. By CPUID, because glibc multiplies it on some AMD processors,
// and files of the system cannot be read in an isolated process. 32 MiB if it is not known.
double last_cache_bytes() {
  double bytes = 32 << 20;
#if defined(__x86_64__)
  // "Deterministic cache parameters", of Intel and of AMD alike, one cache for each index.
  for (const unsigned leaf : {0x8000001dU, 4U}) {
    unsigned a = 0, b = 0, c = 0, d = 0, level = 0;
    for (unsigned index = 0; __get_cpuid_count(leaf, index, &a, &b, &c, &d) != 0 && (a & 31U) != 0;
         ++index) {
      if ((a >> 5 & 7U) <= level) continue;
      level = a >> 5 & 7U;
      bytes = ((b >> 22) + 1.0) * ((b >> 12 & 0x3ffU) + 1.0) * ((b & 0xfffU) + 1.0) * (c + 1.0);
    }
    if (level > 0) break;
  }
#endif
  return bytes;
}

}  // namespace

const Loops& loops_named(const std::string& isa) {
  return required(find_loops(isa), isa);
}

void OwnSettings::require() const {
  loops_named(isa);
  if (non_temporal == NonTemporal::always && !kHasNonTemporal) {
    throw pack::Refused(KS_UNSUPPORTED,
                        "non_temporal: this processor architecture has no such stores here; take never");
  }
}

bool OwnSettings::past_caches(double bytes) const {
  if (non_temporal != NonTemporal::automatic) return non_temporal == NonTemporal::always;
  static const double cached = last_cache_bytes();
  return kHasNonTemporal && bytes > cached;
}

Shares::Shares(int threads, std::int64_t items, std::int64_t granule)
    : items_(items),
      granule_(granule),
      team_(made([&](ks_status& status, ks_why why) { return Team::make(threads, status, why); })) {}

void Shares::each(const Body& body) const {
  on_each(*team_, team_->threads(), [&](std::int64_t share) {
    const std::int64_t begin = begin_of(share);
    const std::int64_t end = begin_of(share + 1);
    if (begin < end) body(begin, end, share);
  });
}

std::int64_t Shares::begin_of(std::int64_t share) const {
  const std::int64_t granules = (items_ + granule_ - 1) / granule_;
  return std::min(items_, granules * share / team_->threads() * granule_);
}

Scratch::Scratch(pack::Setup& setup, int threads, std::int64_t elements)
    : elements_(elements), all_(setup.allocate<float>(static_cast<std::size_t>(threads * elements))) {}

std::string own_runtime(const Loops& loops, bool past, int threads) {
  return fmt::format("isa={} stores={} threads={} {}", loops.isa, past ? "non_temporal" : "plain", threads,
                     tbb_runtime());
}

}  // namespace kernsweep::memory_bound
