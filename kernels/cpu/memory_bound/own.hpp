// Shared parts of our own variants of all families: their settings, and the threads of a job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/libraries/pack_settings.hpp"
#include "kernels/cpu/memory_bound/loops.hpp"
#include "kernels/cpu/parallel/pack_team.hpp"

namespace kernsweep::memory_bound {

enum class NonTemporal { automatic, always, never };

// The parameter of a struct of settings that has this member.
template <auto member>
auto non_temporal_param() {
  return pack::param<member>(
      {.name = "non_temporal",
       .summary =
           "stores that bypass the caches; auto: where they are faster (docs/reference/memory-kernels.md)",
       .fallback = "auto",
       .choices = "auto|always|never",
       .setting = true});
}

// Refused with KS_UNSUPPORTED: the processor lacks the instructions.
const Loops& loops_named(const std::string& isa);

struct OwnSettings {
  std::string isa = "best";
  NonTemporal non_temporal = NonTemporal::automatic;

  static auto params() {
    return std::vector{isa_param<&OwnSettings::isa>(), non_temporal_param<&OwnSettings::non_temporal>()};
  }
  // Refused with KS_UNSUPPORTED: the processor lacks the instructions.
  void require() const;
  const Loops& loops() const { return loops_named(isa); }
  // Whether a call that moves `bytes` stores past the caches. `automatic`: if they are more than the last
  // cache holds, because then a plain store reads a line from memory that it only overwrites.
  bool past_caches(double bytes) const;
};

// Items 0 ... items-1 in as many runs of neighbours as there are threads, each with a thread of its own.
class Shares {
 public:
  // `granule`: shares begin at multiples of it. Refused: the system gives no threads.
  Shares(int threads, std::int64_t items, std::int64_t granule = 1);

  // Calls body(begin, end, share) for each share, in parallel; empty shares are skipped. Refused: the
  // threads could not run.
  using Body = std::function<void(std::int64_t begin, std::int64_t end, std::int64_t share)>;
  void each(const Body& body) const;
  int threads() const { return team_->threads(); }

 private:
  std::int64_t begin_of(std::int64_t share) const;

  std::int64_t items_, granule_;
  std::unique_ptr<Team> team_;
};

// Memory for each thread of a job, in addition to operands and results.
class Scratch {
 public:
  // `elements` for each. Error: std::bad_alloc.
  Scratch(pack::Setup& setup, int threads, std::int64_t elements);
  float* of(std::int64_t share) const { return all_.data() + share * elements_; }

 private:
  std::int64_t elements_;
  std::span<float> all_;
};

// "isa=avx512f stores=non_temporal threads=2 oneTBB 2021.8 (interface 12080)"
std::string own_runtime(const Loops& loops, bool past, int threads);

}  // namespace kernsweep::memory_bound
