// How long the jobs of an earlier sweep took, for the estimate of `check`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/read/reader.hpp"

namespace kernsweep {

struct JobTimes {
  std::string sweep;       // "gemm@3"
  std::uint64_t jobs = 0;  // measured or failed in that sweep
  double each_s = 0;       // of one host, per job: preparing, verifying, measuring and retries
  bool same = false;       // the same points by the same rules
};

// Reads the newest sweep with this name, kernel, text and replacements (but the order that was drawn) in
// which a job was tried: the same points by the same rules; else the newest one with this name and kernel.
// Time without a running job does not count; jobs of several hosts count as if one host had run them one
// after the other. Nothing: there is no such sweep. Error: the database cannot be read.
Result<std::optional<JobTimes>> job_times(Reader& reader, const SweepRecord& sweep);

}  // namespace kernsweep
