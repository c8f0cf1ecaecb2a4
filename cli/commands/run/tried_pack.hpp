// Tries a pack by hand: its description, and one job of it, each in a process of its own, so that a pack
// that crashes or hangs fails only its own answer.
#pragma once

#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"
#include "shared/wire/json_tree.hpp"
#include "shared/wire/protocol.pb.h"
#include "shared/wire/single_job.hpp"

namespace kernsweep {

// The family of that name in the pack; empty: its only one. Errors: no such file, not a pack, another
// version of the interface, it cannot be loaded or described; no such family; several, and no name.
Result<wire::Family> tried_family(const std::string& pack, const std::string& name);

// The result of a job.
struct Tried {
  // The answer of `kernsweep-slot --once --json`. If there was none: "outcome", "reason", "family" and
  // "variant", with the outcome `signal` (it crashed or ended) or `timeout`.
  JsonTree answer;
  std::string outcome;         // its outcome
  bool bad_parameter = false;  // the pack reports that no variant can compute such a point
};

struct TryLimits {
  Duration time{};
  std::uint64_t memory_bytes = 0;  // private memory; 0: no limit
};

// Path and words of a program that starts the program in the following words, such as `perf record --`.
using Starter = std::vector<std::string>;

// Measures the job on these cores and waits for it. Its output goes to stderr. Error: no process could be
// started.
Result<Tried> try_job(const SingleJob& job, const std::vector<std::uint32_t>& cores,
                      const TryLimits& limits, const Starter& starter = {});

}  // namespace kernsweep
